/*
 * Static probes out of notes. A note's descriptor is three addresses (of the probe, of
 * .stapsdt.base as the linker put it, of the semaphore) and three texts: provider, name,
 * arguments. The arguments are operands as the assembler writes them, each with its size
 * before it, negative for a signed one: "8@%rax -4@-20(%rbp) 4@$7 -4@counter+8(%rip)".
 */
#include "user/usdt.h"

#include <stdlib.h>
#include <string.h>

#define NOTES_BYTES_MOST (16u << 20)
#define WORK_BYTES_MOST (1ull << 30)	/* of symbols, for arguments that are variables */
#define PIECE 1024			/* symbols read at once */
#define NAME_BYTES_MOST 128
#define TYPE_STAPSDT 3
#define ADDRESSES 3

/* ---- arguments ---- */

#ifdef __x86_64__

/* Names by register and by bytes that count: 8, 4, 2, 1. */
static const char *const registers[CAT_REGISTERS][4] = {
	{ "rax", "eax", "ax", "al" }, { "rcx", "ecx", "cx", "cl" },
	{ "rdx", "edx", "dx", "dl" }, { "rbx", "ebx", "bx", "bl" },
	{ "rsp", "esp", "sp", "spl" }, { "rbp", "ebp", "bp", "bpl" },
	{ "rsi", "esi", "si", "sil" }, { "rdi", "edi", "di", "dil" },
	{ "r8", "r8d", "r8w", "r8b" }, { "r9", "r9d", "r9w", "r9b" },
	{ "r10", "r10d", "r10w", "r10b" }, { "r11", "r11d", "r11w", "r11b" },
	{ "r12", "r12d", "r12w", "r12b" }, { "r13", "r13d", "r13w", "r13b" },
	{ "r14", "r14d", "r14w", "r14b" }, { "r15", "r15d", "r15w", "r15b" },
	[CAT_REGISTER_IP] = { "rip", "rip", "rip", "rip" },
};

/* -1: none. *bytes: how many of it. */
static int register_of(struct str name, int *bytes)
{
	for (int i = 0; i < CAT_REGISTERS; i++)
		for (int k = 0; k < 4; k++)
			if (str_is(name, registers[i][k])) {
				*bytes = 8 >> k;
				return i;
			}
	return -1;
}

#else

static int register_of(struct str name, int *bytes)
{
	(void)name, (void)bytes;
	return -1;
}

#endif

struct cursor {
	const char *p, *end;
};

static bool eat(struct cursor *c, char what)
{
	if (c->p == c->end || *c->p != what)
		return false;
	c->p++;
	return true;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '$' || c == '@';
}

/* A number with its sign; the cursor stays where there is none. */
static bool eat_number(struct cursor *c, int64_t *value)
{
	const char *p = c->p;
	bool minus = p < c->end && *p == '-', hex;
	uint64_t n = 0;
	int digits = 0;

	p += p < c->end && (*p == '-' || *p == '+');
	hex = c->end - p > 2 && p[0] == '0' && p[1] == 'x';
	for (p += hex ? 2 : 0; p < c->end; p++, digits++) {
		int d = *p >= '0' && *p <= '9' ? *p - '0'
			: hex && *p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : -1;

		if (d < 0 || digits > 20)
			break;
		n = n * (hex ? 16 : 10) + (uint64_t)d;
	}
	if (!digits)
		return false;
	*value = (int64_t)(minus ? 0 - n : n);
	c->p = p;
	return true;
}

static int eat_register(struct cursor *c, int *bytes)
{
	const char *from;

	if (!eat(c, '%'))
		return -1;
	for (from = c->p; c->p < c->end && is_letter(*c->p);)
		c->p++;
	return register_of((struct str){ from, (int)(c->p - from) }, bytes);
}

/* Where names of variables are looked up, and the bytes that may still be looked at. */
struct variables {
	const struct elf_file *image;	/* NULL: there are none */
	uint64_t room;
};

static bool variable_in(struct variables *v, const struct elf_symbols *t, struct str name,
			uint64_t *addr)
{
	Elf64_Sym *piece = xmalloc(sizeof(*piece) * PIECE);
	bool found = false;

	for (uint64_t at = 0; at < t->n && !found; at += PIECE) {
		uint64_t n = t->n - at < PIECE ? t->n - at : PIECE;

		if (!elf_file_read(v->image, t->offset + at * sizeof(*piece), piece,
				   n * sizeof(*piece)))
			break;
		for (uint64_t i = 0; i < n && !found; i++) {
			found = piece[i].st_name < t->strings_bytes &&
				piece[i].st_shndx != SHN_UNDEF &&
				ELF64_ST_TYPE(piece[i].st_info) == STT_OBJECT &&
				str_is(name, t->strings + piece[i].st_name);
			*addr = piece[i].st_value;
		}
	}
	free(piece);
	return found;
}

/* The address of a variable by its name, in either table. */
static bool variable(struct variables *v, struct str name, uint64_t *addr)
{
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };
	bool found = false;

	for (int k = 0; k < 2 && !found && v->image && v->room; k++) {
		struct elf_symbols t = { 0 };
		uint64_t work;

		if (!elf_file_symbols(v->image, types[k], &t))
			continue;
		work = t.strings_bytes + t.n * sizeof(Elf64_Sym);
		v->room -= work < v->room ? work : v->room;
		found = variable_in(v, &t, name, addr);
		free(t.strings);
	}
	return found;
}

/* "variable", "variable+8", "-20", "" before the parenthesis. */
static bool displacement(struct variables *v, struct cursor *c, int64_t *value, bool *named)
{
	const char *from = c->p;
	int64_t more = 0;
	uint64_t addr = 0;

	*value = 0;
	*named = false;
	if (c->p < c->end && *c->p == '(')
		return true;
	if (eat_number(c, value)) {
		/* 8+counter(%rip) */
		from = c->p + 1;
		if (!eat(c, '+'))
			return true;
	}
	while (c->p < c->end && is_letter(*c->p))
		c->p++;
	if (c->p == from || !variable(v, (struct str){ from, (int)(c->p - from) }, &addr))
		return false;
	*named = true;
	eat_number(c, &more);
	*value = (int64_t)((uint64_t)*value + addr + (uint64_t)more);
	return true;
}

/* "(%rbp)", "(%rax,%rbx,8)", "(,%rbx,8)", behind the displacement. */
static bool memory(struct cursor *c, struct cat_operand *o)
{
	int64_t scale = 1;
	int bytes = 8;

	o->kind = OPERAND_MEMORY;
	o->base = o->index = -1;
	if (!eat(c, '('))
		return false;
	if (c->p < c->end && *c->p == '%') {
		o->base = (int8_t)eat_register(c, &bytes);
		if (o->base < 0 || bytes != 8)
			return false;
	}
	if (eat(c, ',')) {
		o->index = (int8_t)eat_register(c, &bytes);
		if (o->index < 0 || o->index == CAT_REGISTER_IP || bytes != 8)
			return false;
		if (eat(c, ',') && !eat_number(c, &scale))
			return false;
	}
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return false;
	o->scale = (uint8_t)scale;
	return (o->base >= 0 || o->index >= 0) && eat(c, ')');
}

static bool operand(struct variables *v, struct cursor *c, uint64_t ip, struct cat_operand *o)
{
	int bytes;
	bool named;

	if (eat(c, '$')) {
		o->kind = OPERAND_NUMBER;
		return eat_number(c, &o->number);
	}
	if (c->p < c->end && *c->p == '%') {
		o->kind = OPERAND_REGISTER;
		o->base = (int8_t)eat_register(c, &bytes);
		return o->base >= 0 && o->base != CAT_REGISTER_IP;
	}
	if (!displacement(v, c, &o->number, &named) || !memory(c, o) ||
	    named != (o->base == CAT_REGISTER_IP))
		return false;
	/* the register says where the probe is: what is fixed in the file is so far from it */
	if (named)
		o->number = (int64_t)((uint64_t)o->number - ip);
	return o->number >= INT32_MIN && o->number <= INT32_MAX;
}

static bool argument(struct variables *v, struct str text, uint64_t ip, struct arena *a,
		     struct cat_field *f)
{
	struct cat_operand *kept;
	struct cursor c = { text.p, text.p + text.n };
	struct cat_operand o = { 0 };
	int64_t size = 8;

	if (memchr(text.p, '@', (size_t)text.n) && (!eat_number(&c, &size) || !eat(&c, '@')))
		return false;
	*f = (struct cat_field){ .loc = LOC_OPERAND, .type = { .kind = TY_INT,
		.is_signed = size < 0, .size = (uint8_t)(size < 0 ? -size : size) } };
	if (size != 1 && size != 2 && size != 4 && size != 8 && size != -1 && size != -2 &&
	    size != -4 && size != -8)
		return false;
	if (!operand(v, &c, ip, &o) || c.p != c.end)
		return false;
	kept = arena_new(a, struct cat_operand);
	*kept = o;
	f->operand = kept;
	return true;
}

bool usdt_argument(struct str text, struct arena *a, struct cat_field *f)
{
	struct variables none = { 0 };

	return argument(&none, text, 0, a, f);
}

/* "8@%rax -4@$1": blanks are between, and none inside. */
static void arguments(struct variables *v, struct str text, uint64_t ip, struct arena *a,
		      struct usdt_probe *p)
{
	static const char *const names[USDT_ARGS_MOST] = {
		"arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8", "arg9",
		"arg10", "arg11",
	};
	int at = 0;

	for (int i = 0; i < USDT_ARGS_MOST && at < text.n; i++) {
		int from;

		while (at < text.n && text.p[at] == ' ')
			at++;
		for (from = at; at < text.n && text.p[at] != ' ';)
			at++;
		if (at == from ||
		    !argument(v, str_sub(text, from, at - from), ip, a, &p->args[p->n_args]))
			continue;
		p->args[p->n_args++].name = names[i];
	}
}

/* ---- notes ---- */

struct search {
	struct variables variables;	/* and the image */
	struct str provider, name;
	struct arena *arena;
	usdt_probes *out;
	int from, most;
	uint64_t base;			/* where .stapsdt.base is now; 0: not told */
};

/* The text at *at and where the next begins; false: it has no end. */
static bool next_text(const char *d, uint32_t n, uint32_t *at, struct str *s)
{
	const char *end = *at < n ? memchr(d + *at, 0, n - *at) : NULL;

	if (!end)
		return false;
	*s = (struct str){ d + *at, (int)(end - d) - (int)*at };
	*at = (uint32_t)(end - d) + 1;
	return true;
}

/* Letters that a query can name. */
static bool is_name(struct str s)
{
	for (int i = 0; i < s.n; i++)
		if (!is_letter(s.p[i]) && s.p[i] != '-')
			return false;
	return s.n > 0 && s.n <= NAME_BYTES_MOST;
}

/* False: there are too many. */
static bool add_note(struct search *q, const char *d, uint32_t n)
{
	uint64_t addr[ADDRESSES];
	struct str provider, name, args;
	uint32_t at = sizeof(addr);
	struct usdt_probe *p;
	uint64_t offset, semaphore = 0;

	if (n < sizeof(addr) || !next_text(d, n, &at, &provider) || !next_text(d, n, &at, &name) ||
	    !next_text(d, n, &at, &args) || !is_name(provider) || !is_name(name))
		return true;
	memcpy(addr, d, sizeof(addr));
	if (q->base && addr[1]) {
		uint64_t moved = q->base - addr[1];

		addr[0] += moved;
		addr[2] += addr[2] ? moved : 0;
	}
	if ((q->provider.n && !str_glob(q->provider, provider)) || !str_glob(q->name, name) ||
	    !elf_file_file_offset(q->variables.image, addr[0], &offset) ||
	    (addr[2] && !elf_file_file_offset(q->variables.image, addr[2], &semaphore)))
		return true;
	if (q->out->n - q->from >= q->most)
		return false;
	p = vec_add(q->arena, q->out);
	*p = (struct usdt_probe){ .offset = offset, .semaphore = semaphore };
	p->provider = arena_strndup(q->arena, provider.p, (size_t)provider.n);
	p->name = arena_strndup(q->arena, name.p, (size_t)name.n);
	arguments(&q->variables, args, addr[0], q->arena, p);
	return true;
}

static bool each_note(struct search *q, const char *notes, uint64_t bytes)
{
	uint64_t at = 0;
	Elf64_Nhdr h;

	while (bytes - at >= sizeof(h)) {
		uint64_t name, desc, next;

		memcpy(&h, notes + at, sizeof(h));
		name = at + sizeof(h);
		desc = name + (h.n_namesz + 3ull) / 4 * 4;
		next = desc + (h.n_descsz + 3ull) / 4 * 4;
		if (desc > bytes || h.n_descsz > bytes - desc)
			return true;
		if (h.n_type == TYPE_STAPSDT && h.n_namesz == sizeof("stapsdt") &&
		    !memcmp(notes + name, "stapsdt", sizeof("stapsdt")) &&
		    !add_note(q, notes + desc, h.n_descsz))
			return false;
		if (next >= bytes)
			break;
		at = next;
	}
	return true;
}

static int by_name(const void *x, const void *y)
{
	const struct usdt_probe *a = x, *b = y;
	int d = strcmp(a->provider, b->provider);

	d = d ? d : strcmp(a->name, b->name);
	return d ? d : (a->offset > b->offset) - (a->offset < b->offset);
}

bool usdt_find(const struct elf_file *m, struct str pattern, int most, struct arena *a,
	       usdt_probes *out)
{
	const Elf64_Shdr *s = elf_file_section(m, ".note.stapsdt");
	const Elf64_Shdr *base = elf_file_section(m, ".stapsdt.base");
	const char *colon = memchr(pattern.p, ':', (size_t)pattern.n);
	struct search q = { .variables = { m, WORK_BYTES_MOST }, .arena = a, .out = out, .from = out->n, .most = most,
			    .name = pattern, .base = base ? base->sh_addr : 0 };
	char *notes = s ? elf_file_copy(m, s->sh_offset, s->sh_size, NOTES_BYTES_MOST) : NULL;
	bool complete = true;

	if (colon) {
		q.provider = str_sub(pattern, 0, (int)(colon - pattern.p));
		q.name = str_sub(pattern, q.provider.n + 1, -1);
	}
	if (notes)
		complete = each_note(&q, notes, s->sh_size);
	free(notes);
	if (out->n > q.from)
		qsort(out->v + q.from, (size_t)(out->n - q.from), sizeof(*out->v), by_name);
	return complete;
}
