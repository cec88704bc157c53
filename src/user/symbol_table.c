/*
 * A sorted table of functions and variables: .symtab, or the debug file's, or .dynsym with what
 * .gnu_debugdata adds.
 *
 * Of several names of one address the one a person would write is taken: without
 * leading underscores, global before local. Sizes are believed: behind the end of a
 * function there is no name, so that a library without local names does not lend an
 * exported function's name to its neighbours. Functions written in assembly often have
 * no size and reach to the next one.
 */
#include "user/symbol_table.h"
#include "base/arena.h"
#include "user/function_name.h"
#include "user/xz.h"

#include <stdlib.h>
#include <unistd.h>

#define PAGE_BYTES 4096
#define PIECE 1024			/* symbols read at once */
#define TABLES_MOST 2
#define STEPS_MOST 64			/* functions that a place can be inside of */

struct function {
	uint64_t addr, end;
	uint32_t name;			/* place in the strings of its table */
	uint8_t table, rank;
	bool sized;
};

struct symbol_table {
	struct elf_file own;
	struct elf_code code[ELF_CODE_MOST], data[ELF_CODE_MOST];
	int n_code, n_data;
	char *strings[TABLES_MOST];
	uint64_t strings_bytes[TABLES_MOST];
	struct function *v;
	size_t n, cap;
};

/* ---- loading ---- */

static bool is_in(const struct elf_code *parts, int n, uint64_t addr)
{
	for (int i = 0; i < n; i++)
		if (addr >= parts[i].addr && addr - parts[i].addr < parts[i].bytes)
			return true;
	return false;
}

static bool is_wanted(const struct symbol_table *t, const Elf64_Sym *s)
{
	int type = ELF64_ST_TYPE(s->st_info);

	if (type == STT_OBJECT)
		return s->st_size && is_in(t->data, t->n_data, s->st_value);
	return (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
	       is_in(t->code, t->n_code, s->st_value);
}

/* Where a function without a size must end; 0: it is no code. */
static uint64_t end_of(const struct symbol_table *t, const struct elf_file *m, const Elf64_Sym *s)
{
	uint64_t addr = s->st_value, end = 0;

	if (s->st_size)
		return s->st_size > UINT64_MAX - addr ? UINT64_MAX : addr + s->st_size;
	if (s->st_shndx < m->n_sections) {
		const Elf64_Shdr *h = &m->sections[s->st_shndx];

		return addr >= h->sh_addr && addr - h->sh_addr < h->sh_size ? h->sh_addr + h->sh_size : 0;
	}
	for (int i = 0; i < t->n_code; i++)
		if (addr >= t->code[i].addr && addr - t->code[i].addr < t->code[i].bytes)
			end = t->code[i].addr + t->code[i].bytes;
	return end;
}

static uint8_t rank_of(const Elf64_Sym *s, const char *name)
{
	int type = ELF64_ST_TYPE(s->st_info), underscores = 0;
	bool local = ELF64_ST_BIND(s->st_info) == STB_LOCAL;

	while (underscores < 3 && name[underscores] == '_')
		underscores++;
	/* "_Z..." and "_R..." are not names that hide */
	if (underscores == 1 && (name[1] == 'Z' || name[1] == 'R'))
		underscores = 0;
	return (uint8_t)((type != STT_NOTYPE) << 4 | (s->st_size != 0) << 3 |
			 (3 - underscores) << 1 | !local);
}

static void add(struct symbol_table *t, const struct elf_file *m, int table, const Elf64_Sym *s)
{
	const char *name = t->strings[table] + s->st_name;
	struct function *f;
	uint64_t end;

	if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS ||
	    s->st_name >= t->strings_bytes[table] || !*name || *name == '$' ||
	    !is_wanted(t, s))
		return;
	end = end_of(t, m, s);
	if (end <= s->st_value)
		return;
	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 1024;
		t->v = xrealloc(t->v, t->cap * sizeof(*t->v));
	}
	f = &t->v[t->n++];
	*f = (struct function){ s->st_value, end, s->st_name, (uint8_t)table, rank_of(s, name),
				s->st_size != 0 };
}

/* Takes over the strings. */
static void add_all(struct symbol_table *t, const struct elf_file *m, int table, struct elf_symbols *from)
{
	Elf64_Sym *piece = xmalloc(sizeof(*piece) * PIECE);

	t->strings[table] = from->strings;
	t->strings_bytes[table] = from->strings_bytes;
	for (uint64_t at = 0; at < from->n; at += PIECE) {
		uint64_t n = from->n - at < PIECE ? from->n - at : PIECE;

		if (!elf_file_read(m, from->offset + at * sizeof(*piece), piece, n * sizeof(*piece)))
			break;
		for (uint64_t i = 0; i < n; i++)
			add(t, m, table, &piece[i]);
	}
	free(piece);
}

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	if (x->table != y->table)
		return x->table - y->table;
	return (x->name > y->name) - (x->name < y->name);
}

static void sort(struct symbol_table *t)
{
	size_t n = 0;

	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), by_address);
	for (size_t i = 0; i < t->n; i++)
		if (!n || t->v[i].addr != t->v[n - 1].addr)
			t->v[n++] = t->v[i];
	for (size_t i = 0; i + 1 < n; i++)
		if (!t->v[i].sized && t->v[i].end > t->v[i + 1].addr)
			t->v[i].end = t->v[i + 1].addr;
	t->n = t->cap = n;
	t->v = xrealloc(t->v, (n ? n : 1) * sizeof(*t->v));
}

/* The local functions that distributions leave in .gnu_debugdata. */
static bool open_packed(const struct elf_file *own, struct elf_file *debug, struct elf_symbols *s)
{
	int fd = xz_open(own, elf_file_section(own, ".gnu_debugdata"));

	if (fd < 0)
		return false;
	if (elf_file_adopt(debug, fd) || elf_file_head(debug))
		return false;
	elf_file_sections(debug);
	return elf_file_symbols(debug, SHT_SYMTAB, s);
}

struct symbol_table *symbol_table_load(int fd, const char *path, const char *root)
{
	struct symbol_table *t = xcalloc(1, sizeof(*t));
	struct elf_symbols s = { 0 };
	struct elf_file debug = { .fd = -1 };

	if (elf_file_adopt(&t->own, fd) || elf_file_head(&t->own) ||
	    elf_file_code(&t->own, t->code, ELF_CODE_MOST, &t->n_code)) {
		symbol_table_free(t);
		return NULL;
	}
	t->n_data = elf_file_data(&t->own, t->data, ELF_CODE_MOST);
	elf_file_sections(&t->own);
	if (elf_file_symbols(&t->own, SHT_SYMTAB, &s)) {
		add_all(t, &t->own, 0, &s);
	} else if (elf_file_debug(&t->own, path, root, &debug, &s)) {
		add_all(t, &debug, 0, &s);
	} else {
		if (elf_file_symbols(&t->own, SHT_DYNSYM, &s))
			add_all(t, &t->own, 0, &s);
		if (open_packed(&t->own, &debug, &s))
			add_all(t, &debug, 1, &s);
	}
	elf_file_close(&debug);
	sort(t);
	return t;
}

void symbol_table_free(struct symbol_table *t)
{
	if (!t)
		return;
	t->own.fd = -1;
	elf_file_close(&t->own);
	for (int i = 0; i < TABLES_MOST; i++)
		free(t->strings[i]);
	free(t->v);
	free(t);
}

size_t symbol_table_bytes(const struct symbol_table *t)
{
	return sizeof(*t) + t->cap * sizeof(*t->v) + t->strings_bytes[0] + t->strings_bytes[1] +
	       t->own.n_sections * sizeof(*t->own.sections);
}

/* ---- looking up ---- */

static const struct function *covering(const struct symbol_table *t, uint64_t addr)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->v[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t steps = 0; low && steps < STEPS_MOST; steps++)
		if (addr < t->v[--low].end)
			return &t->v[low];
	return NULL;
}

static struct str name_of(const struct symbol_table *t, const struct function *f)
{
	const char *p = t->strings[f->table] + f->name, *version;
	int n = (int)strnlen(p, FUNCTION_NAME_BYTES_MOST - 1);

	version = n > 1 ? memchr(p + 1, '@', (size_t)n - 1) : NULL;
	return (struct str){ p, version ? (int)(version - p) : n };
}

bool symbol_table_find(const struct symbol_table *t, uint64_t file_offset, struct elf_symbol *out)
{
	for (int i = 0; i < t->n_code; i++) {
		const struct elf_code *c = &t->code[i];
		const struct function *f;

		if (file_offset < c->offset || file_offset - c->offset >= c->bytes)
			continue;
		*out = (struct elf_symbol){ { "", 0 }, file_offset - c->offset + c->addr, 0 };
		f = covering(t, out->addr);
		if (f) {
			out->name = name_of(t, f);
			out->offset = out->addr - f->addr;
		}
		return true;
	}
	return false;
}

bool symbol_table_find_data(const struct symbol_table *t, uint64_t file_offset, uint64_t distance,
			    struct elf_symbol *out)
{
	for (int i = 0; i < t->n_code; i++) {
		const struct elf_code *c = &t->code[i];
		uint64_t addr = file_offset - c->offset + c->addr + distance;
		const struct function *f;

		/* mappings begin with a page */
		if (file_offset + PAGE_BYTES <= c->offset || file_offset >= c->offset + c->bytes ||
		    !is_in(t->data, t->n_data, addr))
			continue;
		f = covering(t, addr);
		if (!f)
			return false;
		*out = (struct elf_symbol){ name_of(t, f), addr, addr - f->addr };
		return true;
	}
	return false;
}

bool symbol_table_is_sigreturn(int fd, uint64_t file_offset)
{
#ifdef __x86_64__
	/* mov $__NR_rt_sigreturn, %rax; syscall */
	static const uint8_t code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	uint8_t there[sizeof(code)];

	return pread(fd, there, sizeof(there), (off_t)file_offset) == sizeof(there) &&
	       !memcmp(there, code, sizeof(code));
#else
	(void)fd, (void)file_offset;
	return false;
#endif
}
