/*
 * made: reads events written as text, line by line: declarations into the catalog's
 * structures, events into records. made.h has the format; made_catalog.c answers the
 * compiler. A new type of a field is a row of `types`.
 */
#include "replay/made.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "event/calls.h"
#include "lang/plain.h"
#include "replay/made_impl.h"

#define SHOWN_MOST 60
#define PARAMS_MOST 6

static const struct type_row {
	const char *name;
	struct type type;
} types[] = {
	{ "u8", { .kind = TY_INT, .size = 1 } },
	{ "u16", { .kind = TY_INT, .size = 2 } },
	{ "u32", { .kind = TY_INT, .size = 4 } },
	{ "u64", { .kind = TY_INT, .size = 8 } },
	{ "s8", { .kind = TY_INT, .size = 1, .is_signed = true } },
	{ "s16", { .kind = TY_INT, .size = 2, .is_signed = true } },
	{ "s32", { .kind = TY_INT, .size = 4, .is_signed = true } },
	{ "s64", { .kind = TY_INT, .size = 8, .is_signed = true } },
	{ "bool", { .kind = TY_BOOL, .size = 1 } },
	{ "comm", { .kind = TY_STRING, .bytes = RECORD_COMM_BYTES } },
	{ "string", { .kind = TY_STRING, .bytes = 128 } },
	{ "cstr", { .kind = TY_PTR, .size = 8, .user = true, .ktype = PLAIN_CHAR_TYPE } },
	{ "ptr", { .kind = TY_PTR, .size = 8 } },
	{ "kaddr", { .kind = TY_KADDR, .size = 8 } },
	{ "tid", { .kind = TY_TID, .size = 4, .is_signed = true } },
	{ "pid", { .kind = TY_PID, .size = 4, .is_signed = true } },
	{ "uid", { .kind = TY_UID, .size = 4 } },
	{ "gid", { .kind = TY_GID, .size = 4 } },
	{ "cgroup", { .kind = TY_CGROUP, .size = 8 } },
	{ "device", { .kind = TY_DEVICE, .size = 4 } },
	{ "blkflags", { .kind = TY_BLKFLAGS, .size = 4 } },
	{ "size", { .kind = TY_SIZE, .size = 8 } },
	{ "duration", { .kind = TY_DURATION, .size = 8, .is_signed = true } },
	{ "time", { .kind = TY_TIME, .size = 8 } },
	{ "errno", { .kind = TY_ERRNO, .size = 4, .is_signed = true } },
	{ "signal", { .kind = TY_SIGNAL, .size = 4, .is_signed = true } },
	{ "state", { .kind = TY_ENUM, .size = 4, .dense = STATES, .en = &task_state_enum } },
};

/* What may stand before the event's name, besides cpu. */
static const struct {
	const char *name;
	int word;
} commons[] = {
	{ "tid", RECORD_TID }, { "pid", RECORD_PID }, { "ppid", RECORD_PPID },
	{ "comm", RECORD_COMM }, { "uid", RECORD_UID }, { "gid", RECORD_GID },
	{ "cgroup", RECORD_CGROUP },
};

/* ---- text ---- */

/* As it may be printed: without control characters, and cut. */
static const char *shown(struct made *m, struct str s)
{
	int n = s.n < SHOWN_MOST ? s.n : SHOWN_MOST;
	char *z = arena_strndup(m->arena, s.p, (size_t)n);

	for (int i = 0; i < n; i++)
		if ((unsigned char)z[i] < ' ' || z[i] == 127)
			z[i] = '?';
	return z;
}

static bool mistake(struct made *m, const char *what, struct str s)
{
	err_push(m->err, -EINVAL, "made events, line %d: %s '%s'", m->line, what, shown(m, s));
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Takes a word off the line; blanks inside quotes belong to it. n == 0: none is left. */
static struct str take_word(struct str *line)
{
	bool quoted = false;
	struct str word;
	int i;

	while (line->n && is_blank(line->p[0]))
		*line = str_sub(*line, 1, -1);
	for (i = 0; i < line->n && (quoted || !is_blank(line->p[i])); i++) {
		if (line->p[i] == '"')
			quoted = !quoted;
		else if (quoted && line->p[i] == '\\' && i + 1 < line->n)
			i++;
	}
	word = str_sub(*line, 0, i);
	*line = str_sub(*line, i, -1);
	return word;
}

/* a<sign>b; false when there is no sign or nothing before it. */
static bool cut(struct str s, char sign, struct str *a, struct str *b)
{
	const char *at = s.n ? memchr(s.p, sign, (size_t)s.n) : NULL;

	if (!at || at == s.p)
		return false;
	*a = str_sub(s, 0, (int)(at - s.p));
	*b = str_sub(s, (int)(at - s.p) + 1, -1);
	return true;
}

/* Names end up in queries and on terminals. */
static bool is_name(struct str s)
{
	for (int i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 127)
			return false;
	return s.n > 0;
}

static bool read_u64(struct str s, uint64_t *value)
{
	char digits[24], *end;
	bool hex = s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X');

	if (!s.n || s.n >= (int)sizeof(digits) || s.p[0] < '0' || s.p[0] > '9')
		return false;
	memcpy(digits, s.p, (size_t)s.n);
	digits[s.n] = '\0';
	errno = 0;
	*value = strtoull(digits, &end, hex ? 16 : 10);
	return !errno && end == digits + s.n;
}

static bool read_number(struct str s, int64_t *value)
{
	bool minus = s.n && s.p[0] == '-';
	uint64_t v;

	if (!read_u64(minus ? str_sub(s, 1, -1) : s, &v) || (minus && v > 1ull << 63))
		return false;
	*value = (int64_t)(minus ? -v : v);
	return true;
}

/* Seconds with up to nine digits behind the point. */
static bool read_time(struct str s, uint64_t *ns)
{
	struct str whole = s, part = { 0 };
	uint64_t seconds, frac = 0;

	cut(s, '.', &whole, &part);
	if (!read_u64(whole, &seconds) || part.n > 9 || (part.n && !read_u64(part, &frac)))
		return false;
	for (int i = part.n; i < 9; i++)
		frac *= 10;
	return frac < NS_PER_S && !__builtin_mul_overflow(seconds, NS_PER_S, ns) &&
	       !__builtin_add_overflow(*ns, frac, ns);
}

/* ---- values ---- */

static bool read_text(struct made *m, struct str s, uint64_t *word)
{
	char *z = arena_alloc(m->arena, (size_t)s.n + 1);
	int n = 0;

	if (s.n && s.p[0] == '"') {
		if (s.n < 2 || s.p[s.n - 1] != '"')
			return mistake(m, "a text without its end", s);
		s = str_sub(s, 1, s.n - 2);
		for (int i = 0; i < s.n; i++) {
			i += s.p[i] == '\\' && i + 1 < s.n;
			z[n++] = s.p[i];
		}
	} else if (s.n) {
		memcpy(z, s.p, (size_t)s.n);
	}
	*word = (uint64_t)(uintptr_t)z;
	return true;
}

static bool read_name(const struct enum_desc *en, struct str s, int64_t *value)
{
	for (int i = 0; en && i < en->n; i++) {
		if (str_is(s, en->values[i].name)) {
			*value = en->values[i].value;
			return true;
		}
	}
	return false;
}

static bool read_device(struct str s, int64_t *value)
{
	uint64_t major, minor;
	struct str a, b;

	if (!cut(s, ':', &a, &b) || !read_u64(a, &major) || !read_u64(b, &minor) ||
	    major >= 1 << 12 || minor >= 1 << 20)
		return false;
	*value = (int64_t)(major << 20 | minor);
	return true;
}

static bool fits(const struct type *t, int64_t v)
{
	int bits = t->size * 8;

	if (bits >= 64 || bits == 0)
		return true;
	if (t->is_signed)
		return v >= -(1ll << (bits - 1)) && v < 1ll << (bits - 1);
	return v >= 0 && v < 1ll << bits;
}

/* Sets word k of the record to what s says, by the type. */
static bool read_value(struct made *m, const struct type *t, struct str s, struct record *r, int k)
{
	bool text = t->kind == TY_STRING || (t->ktype == PLAIN_CHAR_TYPE && s.n && s.p[0] == '"');
	int64_t value = 0;

	if (text) {
		if (!read_text(m, s, &r->words[k]))
			return false;
		r->strings |= RECORD_BIT(k);
	} else {
		if (!read_number(s, &value) && !read_name(t->en, s, &value) &&
		    !(t->kind == TY_DEVICE && read_device(s, &value)))
			return mistake(m, "not a value of its field's type:", s);
		if (!fits(t, value))
			return mistake(m, "a number too large for its field:", s);
		r->words[k] = (uint64_t)value;
		r->strings &= ~RECORD_BIT(k);
	}
	r->valid |= RECORD_BIT(k);
	return true;
}

/* ---- declarations ---- */

static bool read_enum(struct made *m, struct str line)
{
	struct enum_desc *en = arena_new(m->arena, struct enum_desc);
	VEC(struct enum_value) values = { 0 };
	struct str name = take_word(&line), word, key, number;
	int64_t value;

	if (!is_name(name))
		return mistake(m, "not the name of an enum:", name);
	while ((word = take_word(&line)).n) {
		if (!cut(word, '=', &key, &number) || !is_name(key) || !read_number(number, &value))
			return mistake(m, "not NAME=NUMBER:", word);
		*vec_add(m->arena, &values) = (struct enum_value){
			arena_strndup(m->arena, key.p, (size_t)key.n), value };
	}
	en->name = arena_strndup(m->arena, name.p, (size_t)name.n);
	en->values = values.v;
	en->n = values.n;
	*map_put_str(m->arena, &m->enums, name) = en;
	return true;
}

static bool find_type(struct made *m, struct str name, struct type *t)
{
	const struct enum_desc *en = map_get_str(&m->enums, name);

	if (en) {
		*t = (struct type){ .kind = TY_ENUM, .is_signed = true, .size = 4, .en = en };
		return true;
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (str_is(name, types[i].name)) {
			*t = types[i].type;
			return true;
		}
	}
	return mistake(m, "no type", name);
}

typedef VEC(struct cat_field) field_list;

static bool read_fields(struct made *m, struct str line, field_list *fields, int most, int first_word)
{
	struct str word, name, type;

	while ((word = take_word(&line)).n) {
		struct cat_field f = { .loc = LOC_RECORD,
				       .index = (uint8_t)(first_word + fields->n) };

		if (!cut(word, ':', &name, &type) || !is_name(name))
			return mistake(m, "not NAME:TYPE:", word);
		if (!find_type(m, type, &f.type))
			return false;
		if (fields->n >= most)
			return mistake(m, "too many fields before", word);
		f.name = arena_strndup(m->arena, name.p, (size_t)name.n);
		f.size = f.type.size;
		vec_push(m->arena, fields, f);
	}
	return true;
}

static bool read_event(struct made *m, struct str line)
{
	struct str full = take_word(&line), system = { "", 0 }, name = full, rest = line;
	struct cat_event *e = arena_new(m->arena, struct cat_event);
	field_list fields = { 0 };

	cut(full, ':', &system, &name);
	if (!is_name(full) || !name.n || map_get_str(&m->events, full))
		return mistake(m, "not the name of a new event:", full);
	e->kind = CAT_TRACEPOINT;
	e->interrupt = str_is(take_word(&rest), "interrupt");
	if (!read_fields(m, e->interrupt ? rest : line, &fields, RECORD_FIELDS_MOST, 0))
		return false;
	e->system = arena_strndup(m->arena, system.p, (size_t)system.n);
	e->name = arena_strndup(m->arena, name.p, (size_t)name.n);
	e->fields = fields.v;
	e->n_fields = fields.n;
	*map_put_str(m->arena, &m->events, full) = e;
	vec_push(m->arena, &m->event_names, arena_strndup(m->arena, full.p, (size_t)full.n));
	return true;
}

static bool read_syscall(struct made *m, struct str line)
{
	struct cat_syscall *s = arena_new(m->arena, struct cat_syscall);
	struct str name = take_word(&line);
	field_list params = { 0 };

	s->nr = call_number(name, &m->free_nr);
	if (!is_name(name) || map_get_str(&m->syscalls, name) || s->nr < 0)
		return mistake(m, "not the name of a new system call:", name);
	if (!read_fields(m, line, &params, PARAMS_MOST, RECORD_SYSARG))
		return false;
	s->name = arena_strndup(m->arena, name.p, (size_t)name.n);
	s->params = params.v;
	s->n_params = params.n;
	s->facts = call_facts(name);
	*map_put_str(m->arena, &m->syscalls, name) = s;
	vec_push(m->arena, &m->syscall_names, s->name);
	return true;
}

/* ---- events ---- */

static const struct type type_comm = { .kind = TY_STRING, .bytes = RECORD_COMM_BYTES };
static const struct type type_id = { .kind = TY_INT, .is_signed = true, .size = 4 };

/* The address of a name: some number that is the same each time. */
static uint64_t symbol_address(struct made *m, struct str name, bool user)
{
	uint64_t address = hash_bytes(name.p, name.n) & 0x3ffffff0;

	for (address |= user ? 0x400000000000 : 0xffffffff80000000;; address += 16) {
		void **slot = map_put(m->arena, &m->symbols, &address, sizeof(address));

		if (!*slot)
			*slot = arena_strndup(m->arena, name.p, (size_t)name.n);
		if (str_is(name, *slot))
			return address;
	}
}

/* kstack=a;b;c */
static bool read_stack(struct made *m, const struct record_stack **to, struct str text, bool user)
{
	struct record_stack *s = arena_new(m->arena, struct record_stack);
	VEC(uint64_t) frames = { 0 };
	struct str first;

	if (str_is(text, "?"))
		s->n = -1;
	for (struct str rest = text; rest.n && !s->n;) {
		struct str next = { "", 0 };

		first = rest;
		cut(rest, ';', &first, &next);
		if (!is_name(first))
			return mistake(m, "not the names of a stack:", text);
		vec_push(m->arena, &frames, symbol_address(m, first, user));
		rest = next;
	}
	if (!s->n)
		s->n = frames.n;
	s->frames = frames.v;
	*to = s->n ? s : NULL;
	return true;
}

/* cpu=1 or tid=7 before the event's name. */
static bool read_common(struct made *m, struct record *r, struct str name, struct str text)
{
	int64_t cpu;

	if (str_is(name, "cpu")) {
		if (!read_number(text, &cpu) || cpu < 0 || cpu > 65535)
			return mistake(m, "not a CPU:", text);
		r->cpu = (uint32_t)cpu;
		return true;
	}
	if (str_is(name, "kstack") || str_is(name, "ustack"))
		return name.p[0] == 'k' ? read_stack(m, &r->kstack, text, false)
					: read_stack(m, &r->ustack, text, true);
	for (size_t i = 0; i < sizeof(commons) / sizeof(*commons); i++) {
		int word = commons[i].word;

		if (str_is(name, commons[i].name))
			return read_value(m, word == RECORD_COMM ? &type_comm :
					  word == RECORD_CGROUP ? &type_int : &type_id,
					  text, r, word);
	}
	return mistake(m, "not an event, and not known of a thread:", name);
}

/* What is known of a thread. */
struct made_thread {
	struct record record;		/* its common fields, and the system call */
	bool open;			/* the call is */
	uint32_t gaps;			/* how many there were before the call */
};

/* What the thread's earlier events said, where this one doesn't; and keeps it. NULL: no thread. */
static struct made_thread *remember(struct made *m, struct record *r)
{
	uint32_t key[2] = { 0, (uint32_t)r->words[RECORD_TID] };
	struct made_thread *thread;
	struct record *kept;
	void **slot;

	if (!(r->valid & RECORD_BIT(RECORD_TID)))
		return NULL;
	key[0] = key[1] ? 0 : r->cpu + 1;
	slot = map_put(m->arena, &m->threads, key, sizeof(key));
	if (!*slot)
		*slot = arena_new(m->arena, struct made_thread);
	thread = *slot;
	kept = &thread->record;
	for (int k = RECORD_FIELDS_MOST; k < RECORD_WORDS; k++) {
		uint64_t bit = RECORD_BIT(k);
		struct record *from = r->valid & bit ? r : kept, *to = from == r ? kept : r;

		to->words[k] = from->words[k];
		to->valid |= from->valid & bit;
		to->strings |= from->strings & bit;
	}
	return thread;
}

static bool read_fields_of(struct made *m, struct str line, struct record *r,
			   const struct cat_field *fields, int n_fields, int first_word)
{
	struct str word, name, text;

	while ((word = take_word(&line)).n) {
		int k = 0;

		if (!cut(word, '=', &name, &text))
			return mistake(m, "not FIELD=VALUE:", word);
		while (k < n_fields && !str_is(name, fields[k].name))
			k++;
		if (k == n_fields)
			return mistake(m, "the event has no field", name);
		if (!read_value(m, &fields[k].type, text, r, first_word + k))
			return false;
	}
	return true;
}

static void copy_call(struct record *to, const struct record *from)
{
	uint64_t bits = RECORD_BIT(RECORD_SYSRET) - 1;

	memcpy(to->words, from->words, RECORD_SYSRET * sizeof(*to->words));
	to->valid = (to->valid & ~bits) | (from->valid & bits);
	to->strings = (to->strings & ~bits) | (from->strings & bits);
}

static bool read_call(struct made *m, struct str full, struct str line, struct record *r,
		      struct made_thread *thread)
{
	const struct cat_field ret = { .name = "ret", .type = type_int };
	struct str call = str_sub(full, (int)strlen("syscall:"), -1), name, end;
	const struct cat_syscall *s;

	if (!cut(call, '.', &name, &end) || !(str_is(end, "enter") || str_is(end, "return")))
		return mistake(m, "not syscall:NAME.enter or .return:", full);
	s = map_get_str(&m->syscalls, name);
	if (!s)
		return mistake(m, "no system call", name);
	r->words[RECORD_SYSNR] = (uint64_t)s->nr;
	r->valid |= RECORD_BIT(RECORD_SYSNR);
	r->event = str_is(end, "enter") ? &m->enter : &m->exit;
	if (r->event == &m->exit) {
		if (thread && thread->open && thread->gaps == m->gaps &&
		    thread->record.words[RECORD_SYSNR] == (uint64_t)s->nr)
			copy_call(r, &thread->record);
		if (thread)
			thread->open = false;
		r->valid |= RECORD_BIT(RECORD_SYSNR);
		return read_fields_of(m, line, r, &ret, 1, RECORD_SYSRET);
	}
	if (!read_fields_of(m, line, r, s->params, s->n_params, RECORD_SYSARG))
		return false;
	if (thread) {
		copy_call(&thread->record, r);
		thread->open = true;
		thread->gaps = m->gaps;
	}
	return true;
}

static bool read_lost(struct made *m, struct str line, bool gap)
{
	struct str number = take_word(&line);
	uint64_t lost;

	if (!read_u64(number, &lost))
		return mistake(m, "not a number of lost events:", number);
	vec_last(&m->records).lost = lost;
	vec_last(&m->records).gap = gap;
	m->gaps += gap;
	return true;
}

static bool read_record(struct made *m, struct str line)
{
	struct record *r = vec_add(m->arena, &m->records);
	struct str word = take_word(&line), name, text;
	struct made_thread *thread;

	if (!read_time(word, &r->time_ns))
		return mistake(m, "not a declaration and not a time:", word);
	if (m->records.n > 1 && r->time_ns < r[-1].time_ns)
		return mistake(m, "earlier than the line before:", word);
	while ((word = take_word(&line)).n && cut(word, '=', &name, &text))
		if (!read_common(m, r, name, text))
			return false;
	if (str_is(word, "lost") || str_is(word, "gap"))
		return read_lost(m, line, str_is(word, "gap"));
	thread = remember(m, r);
	if (str_has_prefix(word, "syscall:"))
		return read_call(m, word, line, r, thread);
	r->event = map_get_str(&m->events, word);
	if (!r->event)
		return mistake(m, "no event", word);
	return read_fields_of(m, line, r, r->event->fields, r->event->n_fields, 0);
}

static bool read_line(struct made *m, struct str line)
{
	struct str rest = line, word = take_word(&rest);

	if (!word.n || word.p[0] == '#')
		return true;
	if (str_is(word, "enum"))
		return read_enum(m, rest);
	if (str_is(word, "event"))
		return read_event(m, rest);
	if (str_is(word, "syscall"))
		return read_syscall(m, rest);
	return read_record(m, line);
}

struct made *made_read(struct arena *a, struct str text, struct err *e)
{
	struct made *m = arena_new(a, struct made);

	m->arena = a;
	m->err = e;
	m->free_nr = SYSCALL_MOST - 1;
	m->enter = (struct cat_event){ .kind = CAT_SYSCALL_ENTER, .system = "raw_syscalls",
				       .name = "sys_enter" };
	m->exit = (struct cat_event){ .kind = CAT_SYSCALL_EXIT, .system = "raw_syscalls",
				      .name = "sys_exit" };
	while (text.n) {
		const char *end = memchr(text.p, '\n', (size_t)text.n);
		int n = end ? (int)(end - text.p) : text.n;

		m->line++;
		if (!read_line(m, str_sub(text, 0, n)))
			return NULL;
		text = str_sub(text, end ? n + 1 : n, -1);
	}
	return m;
}
