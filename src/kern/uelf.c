/*
 * Functions out of ELF files, of 64-bit little-endian programs and libraries.
 *
 * Which table is read: .symtab; without one the debug file's, found by build-id or
 * .gnu_debuglink, and .dynsym. Names come from the debug file, the place in the file
 * always from the program's own headers: that is what an uprobe is put on.
 * Compressed debug data (.gnu_debugdata) is not read.
 */
#include "kern/uelf.h"
#include "kern/uimage.h"
#include "kern/uname.h"

#include <errno.h>
#include <stdlib.h>

#include "base/near.h"

#define PIECE 1024			/* symbols read at once */
#define WORK_BYTES_MOST (4ull << 30)	/* of names looked at, in one search */
#define NEAR_MOST 200000		/* names compared for a suggestion */

struct uelf {
	const char *path, *root;	/* the caller's */
	struct uimage own, debug;
	struct ucode code[UIMAGE_CODE_MOST];
	int n_code;
	struct usymbols tables[2];	/* .symtab or the debug file's; .dynsym */
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

static uint64_t file_offset(const struct uelf *u, const Elf64_Sym *s)
{
	for (int i = 0; i < u->n_code; i++)
		if (s->st_shndx != SHN_UNDEF && s->st_value >= u->code[i].addr &&
		    s->st_value - u->code[i].addr < u->code[i].bytes)
			return s->st_value - u->code[i].addr + u->code[i].offset;
	return UINT64_MAX;
}

/* The name as it is, without the '@VERSION' behind it. Empty: none. */
static struct str name_of(const struct usymbols *t, uint32_t at)
{
	uint64_t room = at < t->strings_bytes ? t->strings_bytes - at : 0;
	const char *p = t->strings + (room ? at : 0), *end;
	int n;

	if (!room)
		return (struct str){ "", 0 };
	n = (int)strnlen(p, room < UNAME_BYTES_MOST ? room : UNAME_BYTES_MOST);
	end = n > 1 ? memchr(p + 1, '@', (size_t)n - 1) : NULL;
	return (struct str){ p, n < UNAME_BYTES_MOST ? end ? (int)(end - p) : n : 0 };
}

/* Calls each for the functions of both tables until it says false. False: it did, or
 * there was too much to look at, or the file can't be read any more. */
static bool each_function(struct uelf *u, bool (*each)(void *arg, const struct symbol *s), void *arg)
{
	Elf64_Sym *piece = xmalloc(sizeof(*piece) * PIECE);
	bool go_on = true;

	u->work = 0;
	for (int k = 0; k < 2 && go_on; k++) {
		const struct usymbols *t = &u->tables[k];
		const struct uimage *from = k == 0 && u->table_is_debug ? &u->debug : &u->own;

		for (uint64_t at = 0; at < t->n && go_on; at += PIECE) {
			uint64_t n = t->n - at < PIECE ? t->n - at : PIECE;

			go_on = uimage_read(from, t->offset + at * sizeof(*piece), piece,
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

uint64_t uelf_symbols(struct uelf *u)
{
	uint64_t n = 0;

	each_function(u, count_each, &n);
	return n;
}

/* ---- finding ---- */

struct search {
	struct uname name;
	struct arena *arena;
	ufunctions *out;
	int from, most;
	char *scratch;
};

static bool find_each(void *arg, const struct symbol *s)
{
	struct search *q = arg;
	struct ufunction *f;

	if (s->offset == UINT64_MAX || !uname_matches(&q->name, s->name, q->scratch))
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
	const struct ufunction *x = a, *y = b;
	size_t xn = strlen(x->name), yn = strlen(y->name);

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (xn != yn)
		return xn < yn ? -1 : 1;
	return strcmp(x->name, y->name);
}

bool uelf_find(struct uelf *u, struct str pattern, int most, struct arena *a, ufunctions *out)
{
	struct search q = { uname_pattern(pattern), a, out, out->n, most, xmalloc(UNAME_BYTES_MOST) };
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
		struct ufunction *f = &out->v[i];

		f->shown = uname_shown(a, str_of(f->name));
		if (!uimage_read(&u->own, f->offset, f->code, sizeof(f->code)))
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

const char *uelf_nearest(struct uelf *u, struct str name, struct arena *a)
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

static struct mention mention(struct uelf *u, struct str name)
{
	struct mention q = { name, false, false };

	each_function(u, mention_each, &q);
	return q;
}

bool uelf_imports(struct uelf *u, struct str name)
{
	return mention(u, name).elsewhere;
}

bool uelf_mentions(struct uelf *u, struct str name)
{
	struct mention q = mention(u, name);

	return q.here || q.elsewhere;
}

bool uelf_is_stripped(const struct uelf *u)
{
	return !u->tables[0].n;
}

const struct uimage *uelf_image(const struct uelf *u)
{
	return &u->own;
}

int uelf_dwarf(struct uelf *u)
{
	return uimage_dwarf(&u->own, u->path, u->root, &u->debug);
}

bool uelf_is_go(const struct uelf *u)
{
	return u->go;
}

/* ---- open, close ---- */

struct uelf *uelf_open(const char *path, const char *root, struct err *e)
{
	struct uelf *u = xcalloc(1, sizeof(*u));
	const char *complaint;
	int code;

	u->path = path;
	u->root = root;
	u->own.fd = u->debug.fd = -1;
	code = uimage_open(&u->own, path);
	if (code) {
		err_push(e, code, "%s", code == -EINVAL ? "it is not a plain file" : strerror(-code));
		uelf_close(u);
		return NULL;
	}
	complaint = uimage_head(&u->own);
	if (!complaint)
		complaint = uimage_code(&u->own, u->code, UIMAGE_CODE_MOST, &u->n_code);
	if (complaint) {
		err_push(e, -ENOEXEC, "%s", complaint);
		uelf_close(u);
		return NULL;
	}
	uimage_sections(&u->own);
	u->go = uimage_section(&u->own, ".gopclntab") || uimage_section(&u->own, ".go.buildinfo");
	uimage_symbols(&u->own, SHT_DYNSYM, &u->tables[1]);
	if (!uimage_symbols(&u->own, SHT_SYMTAB, &u->tables[0]))
		u->table_is_debug = uimage_debug(&u->own, path, root, &u->debug, &u->tables[0]);
	return u;
}

void uelf_close(struct uelf *u)
{
	if (!u)
		return;
	uimage_close(&u->own);
	uimage_close(&u->debug);
	for (int i = 0; i < 2; i++)
		free(u->tables[i].strings);
	free(u);
}
