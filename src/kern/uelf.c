/*
 * Functions out of ELF files, of 64-bit little-endian programs and libraries.
 *
 * Which table is read: .symtab; without one the debug file's, found by build-id or
 * .gnu_debuglink, and .dynsym. Names come from the debug file, the place in the file
 * always from the program's own headers: that is what an uprobe is put on.
 *
 * Tables of symbols are read in pieces; names are kept whole, to at most
 * STRINGS_BYTES_MOST. Compressed debug data (.gnu_debugdata) is not read.
 */
#include "kern/uelf.h"
#include "base/buf.h"
#include "kern/uname.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRINGS_BYTES_MOST (256u << 20)
#define SECTIONS_MOST (1u << 17)
#define SEGMENTS_MOST 256
#define SYMBOLS_MOST (16u << 20)
#define PIECE 1024			/* symbols read at once */
#define NOTES_BYTES_MOST 4096
#define ID_BYTES_MOST 64
#define WORK_BYTES_MOST (4ull << 30)	/* of names looked at, in one search */
#define NEAR_MOST 200000		/* names compared for a suggestion */

struct image {
	int fd;
	uint64_t bytes;
	Elf64_Ehdr head;
	Elf64_Shdr *sections;
	uint32_t n_sections;
	char *section_names;
	uint64_t section_names_bytes;
};

struct symbols {
	uint64_t offset, n;
	char *strings;			/* with a NUL behind them */
	uint64_t strings_bytes;
};

struct uelf {
	struct image own, debug;
	struct {
		uint64_t addr, offset, bytes;
	} code[SEGMENTS_MOST];
	int n_code;
	struct symbols tables[2];	/* .symtab or the debug file's; .dynsym */
	bool table_is_debug;
	bool go;
	uint8_t id[ID_BYTES_MOST];
	uint32_t id_bytes;
	uint64_t work;
};

/* ---- reading ---- */

static bool read_at(const struct image *m, uint64_t at, void *to, uint64_t n)
{
	uint64_t done = 0;

	if (at > m->bytes || n > m->bytes - at)
		return false;
	while (done < n) {
		ssize_t got = pread(m->fd, (char *)to + done, n - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (uint64_t)got;
	}
	return true;
}

/* A copy with a NUL behind it, to be freed; NULL if it is not there. */
static char *read_copy(const struct image *m, uint64_t at, uint64_t n, uint64_t most)
{
	char *p;

	if (n > most || at > m->bytes || n > m->bytes - at)
		return NULL;
	p = xmalloc(n + 1);
	if (!read_at(m, at, p, n)) {
		free(p);
		return NULL;
	}
	p[n] = 0;
	return p;
}

static int image_open(struct image *m, const char *path)
{
	struct stat st;

	/* a FIFO or a terminal must not hold us */
	m->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (m->fd < 0)
		return -errno;
	if (fstat(m->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	m->bytes = (uint64_t)st.st_size;
	return 0;
}

static void image_close(struct image *m)
{
	if (m->fd >= 0)
		close(m->fd);
	free(m->sections);
	free(m->section_names);
	*m = (struct image){ .fd = -1 };
}

/* What is wrong with the file's head; NULL: nothing. */
static const char *head_complaint(struct image *m)
{
	const Elf64_Ehdr *h = &m->head;

	if (!read_at(m, 0, &m->head, sizeof(m->head)))
		return read_at(m, 0, &m->head, SELFMAG) && !memcmp(h->e_ident, ELFMAG, SELFMAG)
			? "the file is cut off" : "it is no ELF file";
	if (memcmp(h->e_ident, ELFMAG, SELFMAG))
		return "it is no ELF file: of a script name its interpreter";
	if (h->e_ident[EI_CLASS] == ELFCLASS32)
		return "it is a 32-bit program, only 64-bit ones can be traced";
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return "it is a program for another machine";
#ifdef __x86_64__
	if (h->e_machine != EM_X86_64)
		return "it is a program for another machine";
#endif
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		return "it is neither a program nor a library";
	return NULL;
}

/* ---- segments, sections ---- */

static const char *read_segments(struct uelf *u)
{
	const Elf64_Ehdr *h = &u->own.head;
	Elf64_Phdr p;

	if (h->e_phnum && h->e_phentsize != sizeof(p))
		return "its program headers are damaged";
	for (int i = 0; i < h->e_phnum && u->n_code < SEGMENTS_MOST; i++) {
		if (h->e_phoff > u->own.bytes ||
		    !read_at(&u->own, h->e_phoff + (uint64_t)i * sizeof(p), &p, sizeof(p)))
			return "the file is cut off, or its program headers are damaged";
		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X) || p.p_offset > u->own.bytes)
			continue;
		if (p.p_filesz > u->own.bytes - p.p_offset)
			p.p_filesz = u->own.bytes - p.p_offset;
		u->code[u->n_code].addr = p.p_vaddr;
		u->code[u->n_code].offset = p.p_offset;
		u->code[u->n_code++].bytes = p.p_filesz;
	}
	return u->n_code ? NULL : "it has no code that is mapped";
}

/* Sections are not needed to run: a file without good ones has none. */
static void read_sections(struct image *m)
{
	const Elf64_Ehdr *h = &m->head;
	uint64_t n = h->e_shnum, names = h->e_shstrndx;
	Elf64_Shdr first;

	if (!h->e_shoff || h->e_shentsize != sizeof(first) ||
	    !read_at(m, h->e_shoff, &first, sizeof(first)))
		return;
	if (!n)
		n = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (n > SECTIONS_MOST)
		return;
	m->sections = (Elf64_Shdr *)read_copy(m, h->e_shoff, n * sizeof(first), UINT32_MAX);
	if (!m->sections)
		return;
	m->n_sections = (uint32_t)n;
	if (names < n && m->sections[names].sh_type == SHT_STRTAB) {
		m->section_names_bytes = m->sections[names].sh_size;
		m->section_names = read_copy(m, m->sections[names].sh_offset,
					     m->section_names_bytes, 16u << 20);
	}
}

static const Elf64_Shdr *section_named(const struct image *m, const char *name)
{
	for (uint32_t i = 0; m->section_names && i < m->n_sections; i++)
		if (m->sections[i].sh_name < m->section_names_bytes &&
		    !strcmp(m->section_names + m->sections[i].sh_name, name))
			return &m->sections[i];
	return NULL;
}

static bool read_symbols(const struct image *m, uint32_t type, struct symbols *t)
{
	const Elf64_Shdr *s = NULL, *names;

	for (uint32_t i = 0; i < m->n_sections && !s; i++)
		if (m->sections[i].sh_type == type)
			s = &m->sections[i];
	if (!s || s->sh_link >= m->n_sections || s->sh_entsize != sizeof(Elf64_Sym))
		return false;
	names = &m->sections[s->sh_link];
	if (names->sh_type != SHT_STRTAB || s->sh_offset > m->bytes ||
	    s->sh_size > m->bytes - s->sh_offset || s->sh_size / sizeof(Elf64_Sym) > SYMBOLS_MOST)
		return false;
	t->strings = read_copy(m, names->sh_offset, names->sh_size, STRINGS_BYTES_MOST);
	if (!t->strings)
		return false;
	t->strings_bytes = names->sh_size;
	t->offset = s->sh_offset;
	t->n = s->sh_size / sizeof(Elf64_Sym);
	return true;
}

/* ---- the debug file ---- */

static uint32_t read_id(const struct image *m, uint8_t *id)
{
	const Elf64_Shdr *s = section_named(m, ".note.gnu.build-id");
	Elf64_Nhdr note;
	uint64_t at;

	if (!s || s->sh_size > NOTES_BYTES_MOST || !read_at(m, s->sh_offset, &note, sizeof(note)))
		return 0;
	if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz > 64 || !note.n_descsz ||
	    note.n_descsz > ID_BYTES_MOST)
		return 0;
	at = s->sh_offset + sizeof(note) + (note.n_namesz + 3) / 4 * 4;
	return read_at(m, at, id, note.n_descsz) ? note.n_descsz : 0;
}

/* Opens it when it is the debug file of this very program. */
static bool try_debug(struct uelf *u, const char *path)
{
	uint8_t id[ID_BYTES_MOST];
	struct image *m = &u->debug;

	if (!image_open(m, path) && !head_complaint(m)) {
		read_sections(m);
		if (u->id_bytes && read_id(m, id) == u->id_bytes && !memcmp(id, u->id, u->id_bytes) &&
		    read_symbols(m, SHT_SYMTAB, &u->tables[0]))
			return true;
	}
	image_close(m);
	return false;
}

static void try_id(struct uelf *u, const char *root)
{
	struct buf at = { 0 };

	buf_printf(&at, "%s/usr/lib/debug/.build-id/%02x/", root, u->id[0]);
	for (uint32_t i = 1; i < u->id_bytes; i++)
		buf_printf(&at, "%02x", u->id[i]);
	buf_puts(&at, ".debug");
	try_debug(u, at.p);
	buf_fini(&at);
}

/* The file that .gnu_debuglink names: beside the program or below /usr/lib/debug. */
static void try_link(struct uelf *u, const char *path, const char *root)
{
	const Elf64_Shdr *s = section_named(&u->own, ".gnu_debuglink");
	char *link = s ? read_copy(&u->own, s->sh_offset, s->sh_size, NOTES_BYTES_MOST) : NULL;
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) : 0, inside = (int)strlen(root);
	struct buf at = { 0 };

	if (link && *link && !strchr(link, '/') && dir >= inside && !strncmp(path, root, (size_t)inside)) {
		buf_printf(&at, "%.*s/%s", dir, path, link);
		if (!try_debug(u, at.p)) {
			buf_clear(&at);
			buf_printf(&at, "%.*s/.debug/%s", dir, path, link);
		}
		if (u->debug.fd < 0 && !try_debug(u, at.p)) {
			buf_clear(&at);
			buf_printf(&at, "%s/usr/lib/debug%.*s/%s", root, dir - inside, path + inside,
				   link);
			try_debug(u, at.p);
		}
	}
	free(link);
	buf_fini(&at);
}

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
static struct str name_of(const struct symbols *t, uint32_t at)
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
		const struct symbols *t = &u->tables[k];
		const struct image *from = k == 0 && u->table_is_debug ? &u->debug : &u->own;

		for (uint64_t at = 0; at < t->n && go_on; at += PIECE) {
			uint64_t n = t->n - at < PIECE ? t->n - at : PIECE;

			go_on = read_at(from, t->offset + at * sizeof(*piece), piece,
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
		if (!read_at(&u->own, f->offset, f->code, sizeof(f->code)))
			memset(f->code, 0, sizeof(f->code));
	}
	return complete;
}

struct nearest {
	struct str name;
	struct arena *arena;
	const char *best;
	int distance, seen;
};

static bool near_each(void *arg, const struct symbol *s)
{
	struct nearest *q = arg;
	int d;

	if (s->offset == UINT64_MAX || s->name.n > 256)
		return true;
	d = str_distance(s->name, q->name, q->distance - 1);
	if (d < q->distance) {
		q->distance = d;
		q->best = arena_strndup(q->arena, s->name.p, (size_t)s->name.n);
	}
	return ++q->seen < NEAR_MOST && q->distance > 1;
}

const char *uelf_nearest(struct uelf *u, struct str name, struct arena *a)
{
	struct nearest q = { name, a, NULL, name.n > 5 ? 4 : 2, 0 };

	each_function(u, near_each, &q);
	return q.best;
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

	u->own.fd = u->debug.fd = -1;
	code = image_open(&u->own, path);
	if (code) {
		err_push(e, code, "%s", code == -EINVAL ? "it is not a plain file" : strerror(-code));
		uelf_close(u);
		return NULL;
	}
	complaint = head_complaint(&u->own);
	if (!complaint)
		complaint = read_segments(u);
	if (complaint) {
		err_push(e, -ENOEXEC, "%s", complaint);
		uelf_close(u);
		return NULL;
	}
	read_sections(&u->own);
	u->id_bytes = read_id(&u->own, u->id);
	u->go = section_named(&u->own, ".gopclntab") || section_named(&u->own, ".go.buildinfo");
	read_symbols(&u->own, SHT_DYNSYM, &u->tables[1]);
	if (!read_symbols(&u->own, SHT_SYMTAB, &u->tables[0]) && u->id_bytes) {
		try_id(u, root);
		if (u->debug.fd < 0)
			try_link(u, path, root);
		u->table_is_debug = u->debug.fd >= 0;
	}
	return u;
}

void uelf_close(struct uelf *u)
{
	if (!u)
		return;
	image_close(&u->own);
	image_close(&u->debug);
	for (int i = 0; i < 2; i++)
		free(u->tables[i].strings);
	free(u);
}
