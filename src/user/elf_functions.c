/*
 * Functions out of ELF files, of 64-bit little-endian programs and libraries.
 *
 * Which table is read: .symtab; without one the debug file's, found by build-id or
 * .gnu_debuglink, and .dynsym. Names come from the debug file, the place in the file
 * always from the program's own headers: that is what an uprobe is put on.
 * Compressed debug data (.gnu_debugdata) is not read.
 */
#include "user/elf_functions.h"
#include "user/elf_file.h"
#include "user/function_name.h"

#include <errno.h>
#include <stdlib.h>

#include "base/near.h"

#define PIECE 1024			/* symbols read at once */
#define WORK_BYTES_MOST (4ull << 30)	/* of names looked at, in one search */
#define NEAR_MOST 200000		/* names compared for a suggestion */

struct elf_functions {
	const char *path, *root;	/* the caller's */
	struct elf_file own, debug;
	struct elf_code code[ELF_CODE_MOST];
	int n_code;
	struct elf_symbols tables[2];	/* .symtab or the debug file's; .dynsym */
	bool table_is_debug;
	bool go;
	uint64_t work;
};

/* ---- symbols ---- */

struct symbol {
	const Elf64_Sym *elf;
	struct str name;
	uint64_t offset;		/* in the file; UINT64_MAX: not defined here */
};

static uint64_t file_offset(const struct elf_functions *u, const Elf64_Sym *s)
{
	for (int i = 0; i < u->n_code; i++)
		if (s->st_shndx != SHN_UNDEF && s->st_value >= u->code[i].addr &&
		    s->st_value - u->code[i].addr < u->code[i].bytes)
			return s->st_value - u->code[i].addr + u->code[i].offset;
	return UINT64_MAX;
}

/* The name as it is, without the '@VERSION' behind it. Empty: none. */
static struct str name_of(const struct elf_symbols *t, uint32_t at)
{
	uint64_t room = at < t->strings_bytes ? t->strings_bytes - at : 0;
	const char *p = t->strings + (room ? at : 0), *end;
	int n;

	if (!room)
		return (struct str){ "", 0 };
	n = (int)strnlen(p, room < FUNCTION_NAME_BYTES_MOST ? room : FUNCTION_NAME_BYTES_MOST);
	end = n > 1 ? memchr(p + 1, '@', (size_t)n - 1) : NULL;
	return (struct str){ p, n < FUNCTION_NAME_BYTES_MOST ? end ? (int)(end - p) : n : 0 };
}

/* Calls each for the functions of both tables until it says false. False: it did, or
 * there was too much to look at, or the file can't be read any more. */
static bool each_function(struct elf_functions *u, bool (*each)(void *arg, const struct symbol *s), void *arg)
{
	Elf64_Sym *piece = xmalloc(sizeof(*piece) * PIECE);
	bool go_on = true;

	u->work = 0;
	for (int k = 0; k < 2 && go_on; k++) {
		const struct elf_symbols *t = &u->tables[k];
		const struct elf_file *from = k == 0 && u->table_is_debug ? &u->debug : &u->own;

		for (uint64_t at = 0; at < t->n && go_on; at += PIECE) {
			uint64_t n = t->n - at < PIECE ? t->n - at : PIECE;

			go_on = elf_file_read(from, t->offset + at * sizeof(*piece), piece,
					n * sizeof(*piece));
			for (uint64_t i = 0; i < n && go_on; i++) {
				int type = ELF64_ST_TYPE(piece[i].st_info);
				struct symbol s = { &piece[i], name_of(t, piece[i].st_name), 0 };

				if ((type != STT_FUNC && type != STT_GNU_IFUNC) || !s.name.n)
					continue;
				s.offset = file_offset(u, &piece[i]);
				u->work += (uint64_t)s.name.n;
				go_on = u->work < WORK_BYTES_MOST && each(arg, &s);
			}
		}
	}
	free(piece);
	return go_on;
}

static bool count_each(void *arg, const struct symbol *s)
{
	*(uint64_t *)arg += s->offset != UINT64_MAX;
	return true;
}

uint64_t elf_functions_symbols(struct elf_functions *u)
{
	uint64_t n = 0;

	each_function(u, count_each, &n);
	return n;
}

/* ---- finding ---- */

struct search {
	struct function_name name;
	struct arena *arena;
	elf_function_list *out;
	int from, most;
	char *scratch;
};

static bool find_each(void *arg, const struct symbol *s)
{
	struct search *q = arg;
	struct elf_function *f;

	if (s->offset == UINT64_MAX || !function_name_matches(&q->name, s->name, q->scratch))
		return true;
	/* both tables may have it: twice as many, before those of one place are joined */
	if (q->out->n - q->from >= 2 * q->most)
		return false;
	f = vec_add(q->arena, q->out);
	f->name = arena_strndup(q->arena, s->name.p, (size_t)s->name.n);
	f->offset = s->offset;
	f->address = s->elf->st_value;
	f->bytes = s->elf->st_size;
	f->ifunc = ELF64_ST_TYPE(s->elf->st_info) == STT_GNU_IFUNC;
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct elf_function *x = a, *y = b;
	size_t xn = strlen(x->name), yn = strlen(y->name);

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (xn != yn)
		return xn < yn ? -1 : 1;
	return strcmp(x->name, y->name);
}

bool elf_functions_find(struct elf_functions *u, struct str pattern, int most, struct arena *a, elf_function_list *out)
{
	struct search q = { function_name_pattern(pattern), a, out, out->n, most, xmalloc(FUNCTION_NAME_BYTES_MOST) };
	bool complete = each_function(u, find_each, &q);
	int n = q.from;

	free(q.scratch);
	if (out->n > q.from)
		qsort(out->v + q.from, (size_t)(out->n - q.from), sizeof(*out->v), by_offset);
	for (int i = q.from; i < out->n; i++)
		if (i == q.from || out->v[i].offset != out->v[n - 1].offset)
			out->v[n++] = out->v[i];
	out->n = n;
	if (n - q.from > most) {
		out->n = q.from + most;
		complete = false;
	}
	for (int i = q.from; i < out->n; i++) {
		struct elf_function *f = &out->v[i];

		f->shown = function_name_shown(a, str_of(f->name));
		if (!elf_file_read(&u->own, f->offset, f->code, sizeof(f->code)))
			memset(f->code, 0, sizeof(f->code));
	}
	return complete;
}

struct nearest {
	struct near near;
	int seen;
};

static bool near_each(void *arg, const struct symbol *s)
{
	struct nearest *q = arg;

	if (s->offset == UINT64_MAX || s->name.n > 256)
		return true;
	near_look(&q->near, s->name);
	return ++q->seen < NEAR_MOST && q->near.distance > 1;
}

const char *elf_functions_nearest(struct elf_functions *u, struct str name, struct arena *a)
{
	struct nearest q = { .near = { .arena = a, .name = name, .distance = name.n > 5 ? 4 : 2 } };

	each_function(u, near_each, &q);
	return q.near.best.p;
}

struct mention {
	struct str name;
	bool here, elsewhere;
};

static bool mention_each(void *arg, const struct symbol *s)
{
	struct mention *q = arg;

	if (str_eq(s->name, q->name))
		*(s->elf->st_shndx == SHN_UNDEF ? &q->elsewhere : &q->here) = true;
	return !(q->here && q->elsewhere);
}

static struct mention mention(struct elf_functions *u, struct str name)
{
	struct mention q = { name, false, false };

	each_function(u, mention_each, &q);
	return q;
}

bool elf_functions_imports(struct elf_functions *u, struct str name)
{
	return mention(u, name).elsewhere;
}

bool elf_functions_mentions(struct elf_functions *u, struct str name)
{
	struct mention q = mention(u, name);

	return q.here || q.elsewhere;
}

bool elf_functions_is_stripped(const struct elf_functions *u)
{
	return !u->tables[0].n;
}

const struct elf_file *elf_functions_image(const struct elf_functions *u)
{
	return &u->own;
}

int elf_functions_dwarf(struct elf_functions *u)
{
	return elf_file_dwarf(&u->own, u->path, u->root, &u->debug);
}

bool elf_functions_is_go(const struct elf_functions *u)
{
	return u->go;
}

/* ---- open, close ---- */

struct elf_functions *elf_functions_open(const char *path, const char *root, struct err *e)
{
	struct elf_functions *u = xcalloc(1, sizeof(*u));
	const char *complaint;
	int code;

	u->path = path;
	u->root = root;
	u->own.fd = u->debug.fd = -1;
	code = elf_file_open(&u->own, path);
	if (code) {
		err_push(e, code, "%s", code == -EINVAL ? "it is not a plain file" : strerror(-code));
		elf_functions_close(u);
		return NULL;
	}
	complaint = elf_file_head(&u->own);
	if (!complaint)
		complaint = elf_file_code(&u->own, u->code, ELF_CODE_MOST, &u->n_code);
	if (complaint) {
		err_push(e, -ENOEXEC, "%s", complaint);
		elf_functions_close(u);
		return NULL;
	}
	elf_file_sections(&u->own);
	u->go = elf_file_section(&u->own, ".gopclntab") || elf_file_section(&u->own, ".go.buildinfo");
	elf_file_symbols(&u->own, SHT_DYNSYM, &u->tables[1]);
	if (!elf_file_symbols(&u->own, SHT_SYMTAB, &u->tables[0]))
		u->table_is_debug = elf_file_debug(&u->own, path, root, &u->debug, &u->tables[0]);
	return u;
}

void elf_functions_close(struct elf_functions *u)
{
	if (!u)
		return;
	elf_file_close(&u->own);
	elf_file_close(&u->debug);
	for (int i = 0; i < 2; i++)
		free(u->tables[i].strings);
	free(u);
}
