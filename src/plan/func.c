/*
 * The functions of func.def: what they take and what they make. How they are
 * emitted is in bpf/cg_func.c.
 *
 * To add one: a row in func.def, a type function here with a row of `rules`.
 * A type function gets the call with checked arguments, none of them a mistake
 * or none always; it sets the result's type and may replace the node.
 */
#include "lang/habit.h"
#include "plan/check_in.h"

#define BYTES_MOST 4096		/* of str(p, n) */

struct call {
	struct scope *s;
	struct check_env *env;
	const struct ax *e;
	const char *name;
	struct px **args;
	int n;
	struct px *x;		/* the node */
};

static bool is_number(const struct px *e)
{
	switch (e->type.kind) {
	case TY_STRUCT: case TY_ARRAY: case TY_PTR: case TY_STACK: case TY_USYM:
		return false;
	}
	return px_is_word(e);
}

static struct px *not_number(const struct call *c, int arg)
{
	return px_wrong(c->env, DIAG_NOT_A_NUMBER, c->e->kids[arg]->loc,
			"%s() takes a number, this is a %s", c->name,
		     type_name(&c->args[arg]->type));
}

/* A number that is now called something else. */
static struct px *as_kind(struct call *c, int kind)
{
	if (!is_number(c->args[0]))
		return not_number(c, 0);
	c->x->type = (struct type){ .kind = (uint8_t)kind, .size = 8,
				    .is_signed = kind == TY_ERRNO || kind == TY_SIGNAL };
	return c->x;
}

static struct px *type_disk(struct call *c) { return as_kind(c, TY_DEVICE); }
static struct px *type_container(struct call *c) { return as_kind(c, TY_CGROUP); }

static struct px *type_signal(struct call *c)
{
	struct px *x = as_kind(c, TY_SIGNAL);

	if (!px_is_poison(x) && c->args[0]->op == PX_NUMBER)
		return px_number(c->env, x->loc, c->args[0]->number, &x->type);
	return x;
}

static struct px *type_bucket(struct call *c)
{
	struct px *x = as_kind(c, TY_BUCKET);

	if (!px_is_poison(x))
		x->type.of = c->args[0]->type.kind;
	return x;
}

static struct px *as_symbol(struct call *c, struct type type)
{
	int kind = c->args[0]->type.kind;

	if (kind != TY_PTR && kind != TY_KADDR && !is_number(c->args[0]))
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
				"%s() takes an address, this is a %s", c->name,
				type_name(&c->args[0]->type));
	c->x->type = type;
	return c->x;
}

static struct px *type_sym(struct call *c)
{
	return as_symbol(c, (struct type){ .kind = TY_KADDR, .size = 8 });
}

/* What an address means depends on the process: the value is the id of a stack of it. */
static struct px *type_usym(struct call *c)
{
	if (c->env->options && c->env->options->has.replay)
		return px_wrong(c->env, DIAG_UNABLE, c->e->loc, "a trace does not say where programs "
				"have their code");
	c->env->stacks = c->env->user_names = true;
	c->x->may_none = true;
	return as_symbol(c, (struct type){ .kind = TY_USYM, .bytes = STACK_ID_BYTES });
}

static struct px *type_wakers(struct call *c)
{
	if (!is_number(c->args[0]))
		return not_number(c, 0);
	if (c->env->options && c->env->options->has.replay)
		return px_wrong(c->env, DIAG_UNABLE, c->e->loc, "who woke whom is known live only");
	c->env->stacks = c->env->wakers = true;
	c->x->type = (struct type){ .kind = TY_STACK, .bytes = STACK_ID_BYTES };
	c->x->may_none = true;
	return c->x;
}

static struct px *type_errno(struct call *c)
{
	struct px *x = as_kind(c, TY_ERRNO);
	int64_t n;

	if (px_is_poison(x) || !px_is_number(c->args[0], &n))
		return x;
	return px_number(c->env, x->loc, n < 0 && n >= -4095 ? -n : 0, &x->type);
}

static struct px *type_port(struct call *c)
{
	int64_t n;

	if (!is_number(c->args[0]))
		return not_number(c, 0);
	c->x->type = (struct type){ .kind = TY_INT, .size = 2 };
	if (!px_is_number(c->args[0], &n))
		return c->x;
	return px_number(c->env, c->x->loc, (n & 0xff) << 8 | (n >> 8 & 0xff), &c->x->type);
}

/* ---- strings ---- */

/* The constant number of bytes of argument `arg`; -1 after a mistake. */
static int64_t bytes_of(struct call *c, int arg)
{
	int64_t n = STRING_BYTES_USUAL;

	if (arg >= c->n)
		return n;
	if (!px_is_number(c->args[arg], &n)) {
		px_wrong(c->env, DIAG_NOT_A_NUMBER, c->e->kids[arg]->loc,
			 "the length in %s() is a constant", c->name);
		return -1;
	}
	if (n < 1 || n > BYTES_MOST) {
		px_wrong(c->env, DIAG_OUT_OF_RANGE, c->e->kids[arg]->loc,
			 "a length of %lld, 1 to %d are possible",
		      (long long)n, BYTES_MOST);
		return -1;
	}
	return n;
}

static struct px *type_str(struct call *c)
{
	struct px *p = c->args[0];
	int64_t n = bytes_of(c, 1);
	int space = px_space(p);

	if (n < 0)
		return px_poison(c->env, c->e->loc);
	if (p->type.kind == TY_STRING) {	/* a string already: only its length */
		p = px_copy(c->env, p);
		if (c->n > 1 && p->op == PX_LOAD)
			p->type.bytes = (uint32_t)n;
		return p;
	}
	if (space < 0)
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
				"str() takes a pointer, this is a %s",
			     type_name(&p->type));
	c->x->space = (uint8_t)space;
	c->x->n_kids = 1;
	c->x->type = (struct type){ .kind = TY_STRING, .bytes = (uint32_t)n };
	return c->x;
}

static bool points_to(const struct call *c, const struct px *e, const char *name)
{
	const struct catalog *cat = c->env->catalog;
	const char *is = cat && e->type.ktype ? cat->ops->ktype_name(cat->self, e->type.ktype)
					      : NULL;

	if (is && !strncmp(is, "struct ", 7))
		is += 7;
	return is && !strcmp(is, name);
}

static struct px *list_of(struct call *c)
{
	int64_t n = bytes_of(c, 1);

	if (n < 0)
		return px_poison(c->env, c->e->loc);
	c->x->n_kids = 1;
	c->x->type = (struct type){ .kind = TY_ARGS, .bytes = TEXT_HEAD_BYTES + (uint32_t)(n + 7) / 8 * 8 };
	return c->x;
}

static struct px *type_cmdline(struct call *c)
{
	if (c->args[0]->type.kind != TY_PTR || !points_to(c, c->args[0], "task_struct"))
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
				"cmdline() takes a task, this is a %s",
			     type_name(&c->args[0]->type));
	return list_of(c);
}

static struct px *type_argv(struct call *c)
{
	if (px_space(c->args[0]) < 0)
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
				"argv() takes a pointer, this is a %s",
			     type_name(&c->args[0]->type));
	return list_of(c);
}

/* A struct file's own path; else where a struct path is. */
static struct px *type_path(struct call *c)
{
	const struct catalog *cat = c->env->catalog;
	struct px *p = c->args[0];
	struct cat_member m;

	c->x->type = (struct type){ .kind = TY_PATH, .bytes = TEXT_HEAD_BYTES + STRING_BYTES_USUAL };
	c->x->may_none = true;
	if ((p->type.kind == TY_PTR || p->type.kind == TY_STRUCT) && !p->type.user) {
		if (points_to(c, p, "path"))
			return c->x;
		if (points_to(c, p, "file") &&
		    cat->ops->member(cat->self, p->type.ktype, str_of("f_path"), &m)) {
			struct px *at = px_node(c->env, PX_ADDR, p->loc, &m.type, 1, &p);

			at->offset = m.offset;
			at->text = str_of("f_path");
			if (p->op == PX_ADDR) {
				at->kids[0] = p->kids[0];
				at->offset += p->offset;
			}
			c->x->kids[0] = at;
			return c->x;
		}
	}
	return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
			"path() takes a struct file or a struct path, "
		     "this is a %s", type_name(&p->type));
}

static struct px *type_file(struct call *c)
{
	const struct catalog *cat = c->env->catalog;

	if (!is_number(c->args[0]))
		return not_number(c, 0);
	c->x->type = (struct type){ .kind = TY_PTR, .size = 8,
		.ktype = cat ? cat->ops->struct_type(cat->self, str_of("file")) : 0 };
	c->x->may_none = true;
	return c->x;
}

/* ---- addresses ---- */

static uint32_t address_bytes(const struct call *c, const struct px *p)
{
	const struct catalog *cat = c->env->catalog;
	uint32_t bytes, n;
	struct type t;

	switch (p->type.kind) {
	case TY_INT:
		return p->type.size == 4 ? 4 : 0;
	case TY_ARRAY:
		if (cat && cat->ops->element(cat->self, p->type.ktype, &t, &bytes, &n))
			return bytes * n == 4 || bytes * n == 16 ? bytes * n : 0;
		return 0;
	case TY_STRUCT: case TY_PTR:
		return points_to(c, p, "in6_addr") ? 16 : points_to(c, p, "in_addr") ? 4 : 0;
	}
	return 0;
}

static struct px *type_ip(struct call *c)
{
	uint32_t bytes;

	if (c->args[0]->type.kind == TY_IP)	/* a field that is known as one */
		return c->args[0];
	bytes = address_bytes(c, c->args[0]);
	if (!bytes)
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
			     "ip() takes 4 or 16 bytes in network order, this is a %s",
			     type_name(&c->args[0]->type));
	c->x->stride = bytes;
	c->x->type = (struct type){ .kind = TY_IP, .bytes = 16 };
	return c->x;
}

/* ---- flags and states ---- */

struct req_name {
	const char *enumerator;
	char shown[12];
	bool is_bit;		/* the enumerator is the number of a bit */
};

/* The operations are the low 8 bits. */
static const struct req_name req_names[] = {
	{ "REQ_OP_READ", "Read", false },
	{ "REQ_OP_WRITE", "Write", false },
	{ "REQ_OP_FLUSH", "Flush", false },
	{ "REQ_OP_DISCARD", "Discard", false },
	{ "REQ_OP_SECURE_ERASE", "SecureErase", false },
	{ "REQ_OP_WRITE_ZEROES", "WriteZeroes", false },
	{ "REQ_OP_DRV_IN", "DrvIn", false },
	{ "REQ_OP_DRV_OUT", "DrvOut", false },
	{ "__REQ_SYNC", "Sync", true },
	{ "__REQ_META", "Metadata", true },
	{ "__REQ_PRIO", "Priority", true },
	{ "__REQ_NOMERGE", "NoMerge", true },
	{ "__REQ_IDLE", "Idle", true },
	{ "__REQ_FUA", "ForcedUnitA", true },
	{ "__REQ_RAHEAD", "ReadAhead", true },
	{ "__REQ_BACKGROUND", "Background", true },
	{ "__REQ_NOWAIT", "NoWait", true },
};

#define REQ_NAMES ((int)(sizeof(req_names) / sizeof(*req_names)))

static struct px *type_reqflags(struct call *c)
{
	const struct catalog *cat = c->env->catalog;
	struct enum_desc *en = arena_new(c->env->arena, struct enum_desc);
	struct enum_value *values;
	struct type t;
	int64_t n;

	if (!is_number(c->args[0]))
		return not_number(c, 0);
	en->name = "request flags";
	en->values = values = arena_array(c->env->arena, struct enum_value, REQ_NAMES);
	for (int i = 0; cat && i < REQ_NAMES; i++) {
		const struct req_name *r = &req_names[i];

		if (!cat->ops->enumerator(cat->self, str_of(r->enumerator), &n, &t))
			continue;
		if (r->is_bit && (n < 0 || n > 62))
			continue;
		values[en->n++] = (struct enum_value){ r->shown, r->is_bit ? (int64_t)1 << n : n };
	}
	c->x->type = (struct type){ .kind = TY_BLKFLAGS, .size = 4, .en = en };
	return c->x;
}

static struct px *type_taskstate(struct call *c)
{
	for (int i = 0; i < c->n; i++)
		if (!is_number(c->args[i]))
			return not_number(c, i);
	c->x->type = (struct type){ .kind = TY_ENUM, .size = 8, .dense = STATES,
				    .en = &task_state_enum };
	return c->x;
}

/* The names that number_name.def has for this function. */
static struct px *type_named(struct call *c)
{
	static const struct {
		int func;
		struct enum_value value;
	} names[] = {
#define NUMBER_NAME(func_, number, name_) { FUNC_##func_, { name_, number } },
#include "lang/number_name.def"
#undef NUMBER_NAME
	};
	const int n = sizeof(names) / sizeof(names[0]);
	struct enum_desc *en = arena_array(c->env->arena, struct enum_desc, 1);
	struct enum_value *values = arena_array(c->env->arena, struct enum_value, n);

	if (!is_number(c->args[0]))
		return not_number(c, 0);
	*en = (struct enum_desc){ .name = c->name, .values = values };
	for (int i = 0; i < n; i++)
		if (names[i].func == c->x->func)
			values[en->n++] = names[i].value;
	/* soft interrupts are a list in the kernel's source: there are no others */
	c->x->type = (struct type){ .kind = TY_ENUM, .size = 8, .en = en,
				    .dense = c->x->func == FUNC_SOFTIRQ ? (uint32_t)en->n : 0 };
	return c->x;
}

/* ---- min max abs ---- */

static struct px *extreme(struct call *c, bool larger)
{
	struct px **k = c->args;
	bool first;

	for (int i = 0; i < 2; i++) {
		if (!is_number(k[i]))
			return not_number(c, i);
		if (k[i]->op == PX_NUMBER)
			k[i] = c->x->kids[i] = px_copy(c->env, k[i]);
	}
	if (!px_unify(c->s, c->e->loc, k[0], k[1]))
		return px_poison(c->env, c->e->loc);
	c->x->type = type_common(k[0], k[1]);
	if (k[0]->op != PX_NUMBER || k[1]->op != PX_NUMBER)
		return c->x;
	first = c->x->type.is_signed ? k[0]->number > k[1]->number
		: (uint64_t)k[0]->number > (uint64_t)k[1]->number;
	return px_number(c->env, c->x->loc, k[first == larger ? 0 : 1]->number, &c->x->type);
}

static struct px *type_min(struct call *c) { return extreme(c, false); }
static struct px *type_max(struct call *c) { return extreme(c, true); }

static struct px *type_abs(struct call *c)
{
	int64_t n;

	if (!is_number(c->args[0]))
		return not_number(c, 0);
	c->x->type = c->args[0]->type;
	if (!px_is_number(c->args[0], &n))
		return c->x;
	return px_number(c->env, c->x->loc, n < 0 ? (int64_t)(0 - (uint64_t)n) : n, &c->x->type);
}

/* ---- calls ---- */

enum where_it_runs { RUNS_ROW = 1, RUNS_TABLE = 2, RUNS_BOTH = 3 };

static const struct {
	const char *name;
	int min, max;
	enum where_it_runs runs;
} rows[FUNCS] = {
#define FUNC(id, name_, min_, max_, stage, ...) \
	[FUNC_##id] = { .name = name_, .min = min_, .max = max_, .runs = RUNS_##stage },
#include "lang/func.def"
#undef FUNC
};

static const struct {
	struct px *(*type)(struct call *c);
	bool reads_memory;	/* kept whole at the begin: see check_kept */
} rules[FUNCS] = {
	[FUNC_DISK] = { .type = type_disk },
	[FUNC_IP] = { .type = type_ip, .reads_memory = true },
	[FUNC_PORT] = { .type = type_port },
	[FUNC_STR] = { .type = type_str, .reads_memory = true },
	[FUNC_CMDLINE] = { .type = type_cmdline, .reads_memory = true },
	[FUNC_ARGV] = { .type = type_argv, .reads_memory = true },
	[FUNC_PATH] = { .type = type_path, .reads_memory = true },
	[FUNC_FILE] = { .type = type_file, .reads_memory = true },
	[FUNC_SYM] = { .type = type_sym },
	[FUNC_USYM] = { .type = type_usym, .reads_memory = true },
	[FUNC_WAKERS] = { .type = type_wakers, .reads_memory = true },
	[FUNC_ERRNO] = { .type = type_errno },
	[FUNC_SIGNAL] = { .type = type_signal },
	[FUNC_BUCKET] = { .type = type_bucket },
	[FUNC_CONTAINER] = { .type = type_container },
	[FUNC_REQFLAGS] = { .type = type_reqflags },
	[FUNC_TASKSTATE] = { .type = type_taskstate },
	[FUNC_TCPSTATE] = { .type = type_named },
	[FUNC_SOFTIRQ] = { .type = type_named },
	[FUNC_CAPABILITY] = { .type = type_named },
	[FUNC_MIN] = { .type = type_min },
	[FUNC_MAX] = { .type = type_max },
	[FUNC_ABS] = { .type = type_abs },
};

int func_find(struct str name)
{
	for (int i = 0; i < FUNCS; i++)
		if (str_is(name, rows[i].name))
			return i;
	return -1;
}

bool func_reads_memory(int func)
{
	return func >= 0 && rules[func].reads_memory;
}

static struct loc name_loc(const struct ax *e)
{
	return e->name_loc.text ? e->name_loc : e->loc;
}

static void unknown_function(struct check_env *env, const struct ax *e)
{
	const char *names[FUNCS];

	for (int i = 0; i < FUNCS; i++)
		names[i] = rows[i].name;
	diag_error(env->diag, DIAG_UNKNOWN_FUNCTION, name_loc(e), "no function '%.*s'",
		   STR_ARG(e->text));
	if (!habit_help(env->diag, HABIT_CALL, e->text))
		help_names(env, e->text, "functions", names, FUNCS);
}

bool func_check_call(struct check_env *env, const struct ax *e, int func, bool table)
{
	const char *s = rows[func >= 0 ? func : 0].max == 1 ? "" : "s";

	if (func < 0) {
		unknown_function(env, e);
		return false;
	}
	if (!(rows[func].runs & (table ? RUNS_TABLE : RUNS_ROW))) {
		diag_error(env->diag, table ? DIAG_STAGE_ORDER : DIAG_TABLE_STAGE_ONLY, name_loc(e),
			   table ? "%s() works on rows: here is the finished table"
				 : "%s() works on a finished table: here are its rows to be",
			   rows[func].name);
		return false;
	}
	if (e->n_kids >= rows[func].min && e->n_kids <= rows[func].max)
		return true;
	if (rows[func].min == rows[func].max)
		diag_error(env->diag, DIAG_ARG_COUNT, e->loc, "%s() takes %d argument%s, not %d",
			   rows[func].name, rows[func].max, s, e->n_kids);
	else
		diag_error(env->diag, DIAG_ARG_COUNT, e->loc,
			   "%s() takes %d to %d arguments, not %d",
			   rows[func].name, rows[func].min, rows[func].max, e->n_kids);
	return false;
}

/* coalesce(a, b, ...): of those that check here without a mistake (kernels name the same
 * member differently) the first that is not none. */
static struct px *check_coalesce(struct scope *s, const struct ax *e)
{
	struct px *rest = NULL;

	for (int i = e->n_kids - 1; i >= 0; i--) {
		struct diag quiet = { .arena = s->env->arena }, *diag = s->env->diag;
		struct px *x;

		s->env->diag = &quiet;
		x = check_ax(s, e->kids[i]);
		s->env->diag = diag;
		if (quiet.errors || px_is_poison(x) || px_is_none(x) ||
		    (rest && x->type.kind != rest->type.kind))
			continue;
		if (rest) {
			x = px_node(s->env, PX_ELSE, e->loc, &x->type, 2, (struct px *[]){ x, rest });
			x->may_none = rest->may_none;
			if (x->type.bytes < rest->type.bytes)
				x->type.bytes = rest->type.bytes;
		}
		rest = x;
	}
	/* nothing checks: the first says why */
	return rest ? rest : check_ax(s, e->kids[0]);
}

struct px *check_call(struct scope *s, const struct ax *e)
{
	int func = func_find(e->text);
	struct call c = { .s = s, .env = s->env, .e = e, .n = e->n_kids };
	bool fine = func_check_call(s->env, e, func, false);

	if (fine && func == FUNC_COALESCE)
		return check_coalesce(s, e);
	c.args = arena_array(s->env->arena, struct px *, e->n_kids);
	for (int i = 0; i < e->n_kids; i++) {
		c.args[i] = check_ax(s, e->kids[i]);
		fine &= !px_is_poison(c.args[i]);
	}
	if (!fine)
		return px_poison(s->env, e->loc);
	for (int i = 0; i < e->n_kids; i++)
		if (px_is_none(c.args[i]))
			return px_none(s->env, e->loc);
	c.name = rows[func].name;
	c.x = px_node(s->env, PX_CALL, e->loc, &type_int, e->n_kids, c.args);
	c.x->func = (uint8_t)func;
	return rules[func].type(&c);
}
