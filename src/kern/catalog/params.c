/*
 * Parameters of functions of programs: names and types from debug information (DWARF),
 * places by the machine's calling convention (program_types.c). Without them, and beside them, they
 * are arg0 .. arg5, the registers in which integers and pointers are passed.
 */
#include "kern/catalog/impl.h"
#include "kern/types/program_types.h"
#include "user/elf_functions.h"
#include "user/function_name.h"
#include "user/program_file.h"

#include <stdlib.h>

#define SPARE 6
#define STACK_POINTER 4			/* as the machine's instructions number it */
#define PARAM_BYTES 8

static const struct cat_field spare[SPARE] = {
#define ARG(n) [n] = { .name = "arg" #n, .loc = LOC_FUNCARG, .index = n, \
		       .type = { .kind = TY_INT, .is_signed = true, .size = 8 } }
	ARG(0), ARG(1), ARG(2), ARG(3), ARG(4), ARG(5),
#undef ARG
};

static const struct cat_field spare_ret = {
	.name = "ret", .loc = LOC_FUNCRET, .type = { .kind = TY_INT, .is_signed = true, .size = 8 },
};

struct catalog_program {
	struct program_types *types;	/* NULL: none, see why */
	const char *why;
};

/* ---- the file's debug information ---- */

static struct catalog_program *program_of(struct kernel_catalog *kc, const struct program_file *t,
					  struct elf_functions *u)
{
	void **slot = map_put_str(&kc->arena, &kc->programs, str_of(t->path));
	struct ktypes *k = features_types(kc->features);
	struct catalog_program *p = *slot;
	int fd;

	if (p)
		return p;
	*slot = p = arena_new(&kc->arena, struct catalog_program);
	fd = elf_functions_dwarf(u);
	if (elf_functions_is_go(u))
		p->why = "Go passes them in ways of its own";
	else if (fd < 0)
		p->why = arena_printf(&kc->arena, "%s has no debug information (DWARF): install its "
				      "debug symbols (-dbgsym), or build it with -g", t->shown);
	else if (!k)
		p->why = "the kernel shows no types (BTF), among which those of programs are kept";
	else if (!(p->types = program_types_open(k, fd)))
		p->why = "the debug information of more files than these is not read at once";
	return p;
}

static void note_trouble(struct kernel_catalog *kc, const struct program_file *t, struct catalog_program *p)
{
	const char *trouble = program_types_trouble(p->types);

	if (!p->why)
		p->why = arena_printf(&kc->arena, "the debug information (DWARF) of %s %s", t->shown,
				      trouble ? trouble : "is damaged, or too much");
}

bool catalog_is_inlined(struct kernel_catalog *kc, const struct program_file *t, struct elf_functions *u,
			struct str name)
{
	struct catalog_program *p = program_of(kc, t, u);

	return p->types && program_types_is_inlined(p->types, name);
}

uint32_t catalog_program_struct(void *self, const char *path, struct str name)
{
	struct catalog_program *p = map_get_str(&((struct kernel_catalog *)self)->programs, str_of(path));

	return p && p->types ? program_types_struct(p->types, name) : 0;
}

static void each_program(struct kernel_catalog *kc, void (*each)(struct program_types *u))
{
	for (int i = 0; i < kc->programs.cap; i++) {
		struct catalog_program *p = kc->programs.slots[i].value;

		if (p && p->types)
			each(p->types);
	}
}

void catalog_programs_settle(struct kernel_catalog *kc)
{
	each_program(kc, program_types_settle);
}

void catalog_programs_close(struct kernel_catalog *kc)
{
	each_program(kc, program_types_close);
}

/* ---- one function ---- */

static const char *const unable[] = {
	[ARG_PLACE_NONE] = "empty",
	[ARG_PLACE_FLOAT] = "a floating-point number: it is in a register that probes are not told",
	[ARG_PLACE_STRUCT] = "passed by value, in several parts: what can be read is one number or address",
};

static const struct cat_operand *stack_word(struct arena *a, unsigned int at)
{
	struct cat_operand *o = arena_new(a, struct cat_operand);

	/* above the return address */
	*o = (struct cat_operand){ .kind = OPERAND_MEMORY, .base = STACK_POINTER, .index = -1,
				   .number = PARAM_BYTES + PARAM_BYTES * (int64_t)at };
	return o;
}

static struct cat_field field_at(struct kernel_catalog *kc, const char *name, uint32_t ktype, uint8_t place,
				 uint8_t at)
{
	struct ktypes *k = features_types(kc->features);
	struct cat_field f = { .name = name, .type = type_int };

	if (ktype && ktype_value_named(k, ktype, name, &f.type) && place != ARG_PLACE_FLOAT &&
	    !catalog_in_register(&f.type))
		place = ARG_PLACE_STRUCT;
	if (place == ARG_PLACE_FLOAT)
		f.type = type_real;
	if (place == ARG_PLACE_REGISTER || place == ARG_PLACE_POINTER) {
		f.loc = LOC_FUNCARG;
		f.index = at;
	} else if (place == ARG_PLACE_STACK && CAT_REGISTERS) {
		f.loc = LOC_OPERAND;
		f.operand = stack_word(&kc->arena, at);
	}
	if (!f.loc || (f.loc == LOC_FUNCARG && at >= SPARE))
		f.unable = unable[place <= ARG_PLACE_STRUCT && unable[place] ? place : ARG_PLACE_STRUCT];
	return f;
}

/* False: it has no other name. */
static bool rename_reserved(struct cat_field *f)
{
	bool is_register = f->loc == LOC_FUNCARG && f->index < SPARE;

	if (is_register)
		f->name = spare[f->index].name;
	return is_register;
}

static void describe(struct kernel_catalog *kc, struct program_types *u, const struct program_signature *s,
		     struct cat_function *f)
{
	struct ktypes *k = features_types(kc->features);
	struct cat_field *fields, *ret;
	struct ktype_call call;
	uint32_t returns;

	if (!ktype_signature(k, program_types_ktype(u, s->proto), &call, &returns))
		return;
	fields = arena_array(&kc->arena, struct cat_field, call.n_params + SPARE);
	f->n_params = 0;
	for (int i = 0; i < call.n_params && i < s->n_params && i < PROGRAM_TYPES_PARAMS_MOST; i++) {
		if (!strncmp(call.params[i].name, "arg", 3) && call.params[i].name[3] >= '0' &&
		    call.params[i].name[3] <= '9')
			continue;	/* it has none, or one that means another here */
		fields[f->n_params++] = field_at(kc, call.params[i].name, call.params[i].ktype,
						 s->params[i].place, s->params[i].at);
		if (cat_is_reserved(str_of(call.params[i].name)))
			f->n_params -= !rename_reserved(&fields[f->n_params - 1]);
	}
	memcpy(fields + f->n_params, spare, sizeof(spare));
	f->n_spare = SPARE;
	f->n_params += SPARE;
	f->params = fields;
	f->no_names = NULL;
	f->ret = NULL;
	if (s->ret == ARG_PLACE_NONE)
		return;
	f->ret = ret = arena_new(&kc->arena, struct cat_field);
	*ret = field_at(kc, "ret", returns, s->ret, 0);
	if (!ret->unable)
		ret->loc = LOC_FUNCRET;
}

static bool is_copy(const char *symbol)
{
	return function_name_plain(str_of(symbol)).n != (int)strlen(symbol);
}

void catalog_params(struct kernel_catalog *kc, const struct program_file *t, struct elf_functions *u,
		    struct cat_function *f, const struct elf_function *v, int n)
{
	uint64_t *addresses = arena_array(&kc->arena, uint64_t, n);
	struct program_signature *found = arena_array(&kc->arena, struct program_signature, n);
	struct catalog_program *p;
	bool told;

	for (int i = 0; i < n; i++) {
		addresses[i] = v[i].address;
		f[i].n_params = SPARE;
		f[i].params = spare;
		f[i].ret = &spare_ret;
	}
	if (!u)
		return;
	p = program_of(kc, t, u);
	told = p->types && program_types_signatures(p->types, addresses, n, found);
	if (p->types && !told)
		note_trouble(kc, t, p);
	for (int i = 0; i < n; i++) {
		f[i].no_names = !told ? p->why : is_copy(v[i].name)
			? "the compiler made this copy of it, with parameters of its own"
			: "the debug information does not tell of it";
		if (told && found[i].proto && !is_copy(v[i].name))
			describe(kc, p->types, &found[i], &f[i]);
	}
}
