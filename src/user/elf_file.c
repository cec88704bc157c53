/*
 * ELF files as images: heads, sections, tables of symbols, and the file that has the
 * symbols of another.
 *
 * Tables of symbols are read in pieces; names are kept whole, to at most
 * STRINGS_BYTES_MOST.
 */
#include "user/elf_file.h"
#include "base/arena.h"
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define STRINGS_BYTES_MOST (256u << 20)
#define SECTIONS_MOST (1u << 17)
#define SYMBOLS_MOST (16u << 20)
#define NOTES_BYTES_MOST 4096
#define CHECKED_BYTES_MOST (1ull << 30)	/* of a debug file without build-id */

/* ---- reading ---- */

bool elf_file_read(const struct elf_file *m, uint64_t at, void *to, uint64_t n)
{
	uint64_t done = 0;

	if (at > m->bytes || n > m->bytes - at)
		return false;
	if (m->memory) {
		memcpy(to, (const char *)m->memory + at, n);
		return true;
	}
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

char *elf_file_copy(const struct elf_file *m, uint64_t at, uint64_t n, uint64_t most)
{
	char *p;

	if (n > most || at > m->bytes || n > m->bytes - at)
		return NULL;
	p = xmalloc(n + 1);
	if (!elf_file_read(m, at, p, n)) {
		free(p);
		return NULL;
	}
	p[n] = 0;
	return p;
}

int elf_file_open_plain(int dir, const char *path, bool own_name)
{
	char self[64];
	struct stat st;
	/* opening a device can do things, a FIFO or a terminal can hold us */
	int at = openat(dir, path, O_PATH | O_CLOEXEC | (own_name ? O_NOFOLLOW : 0)), fd;

	if (at < 0)
		return -errno;
	if (fstat(at, &st) || !S_ISREG(st.st_mode)) {
		close(at);
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", at);
	fd = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	fd = fd < 0 ? -errno : fd;
	close(at);
	return fd;
}

int elf_file_adopt(struct elf_file *m, int fd)
{
	struct stat st;

	*m = (struct elf_file){ .fd = fd };
	if (fstat(fd, &st))
		return -errno;
	m->bytes = (uint64_t)st.st_size;
	return 0;
}

int elf_file_open(struct elf_file *m, const char *path)
{
	int fd = elf_file_open_plain(AT_FDCWD, path, false);

	m->fd = -1;
	return fd < 0 ? fd : elf_file_adopt(m, fd);
}

void elf_file_close(struct elf_file *m)
{
	if (m->fd >= 0)
		close(m->fd);
	free(m->sections);
	free(m->section_names);
	*m = (struct elf_file){ .fd = -1 };
}

const char *elf_file_head(struct elf_file *m)
{
	const Elf64_Ehdr *h = &m->head;

	if (!elf_file_read(m, 0, &m->head, sizeof(m->head)))
		return elf_file_read(m, 0, &m->head, SELFMAG) && !memcmp(h->e_ident, ELFMAG, SELFMAG)
			? "the file is cut off" : "it is not a program (ELF)";
	if (memcmp(h->e_ident, ELFMAG, SELFMAG))
		return "it is not a program (ELF): for a script write its interpreter";
	if (h->e_ident[EI_CLASS] == ELFCLASS32)
		return "it is a 32-bit program: only 64-bit programs can be traced";
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

const char *elf_file_code(const struct elf_file *m, struct elf_code *code, int most, int *n)
{
	const Elf64_Ehdr *h = &m->head;
	Elf64_Phdr p;

	*n = 0;
	if (h->e_phnum && h->e_phentsize != sizeof(p))
		return "its program headers are damaged";
	for (int i = 0; i < h->e_phnum && *n < most; i++) {
		if (h->e_phoff > m->bytes ||
		    !elf_file_read(m, h->e_phoff + (uint64_t)i * sizeof(p), &p, sizeof(p)))
			return "the file is cut off, or its program headers are damaged";
		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X) || p.p_offset > m->bytes)
			continue;
		if (p.p_filesz > m->bytes - p.p_offset)
			p.p_filesz = m->bytes - p.p_offset;
		code[(*n)++] = (struct elf_code){ p.p_vaddr, p.p_offset, p.p_filesz };
	}
	return *n ? NULL : "it has no code that is mapped";
}

int elf_file_data(const struct elf_file *m, struct elf_code *data, int most)
{
	const Elf64_Ehdr *h = &m->head;
	Elf64_Phdr p;
	int n = 0;

	for (int i = 0; i < h->e_phnum && h->e_phentsize == sizeof(p) && n < most; i++) {
		if (h->e_phoff > m->bytes ||
		    !elf_file_read(m, h->e_phoff + (uint64_t)i * sizeof(p), &p, sizeof(p)))
			break;
		if (p.p_type == PT_LOAD && p.p_flags & PF_W)
			data[n++] = (struct elf_code){ p.p_vaddr, p.p_offset, p.p_memsz };
	}
	return n;
}

bool elf_file_file_offset(const struct elf_file *m, uint64_t addr, uint64_t *offset)
{
	const Elf64_Ehdr *h = &m->head;
	Elf64_Phdr p;

	for (int i = 0; i < h->e_phnum && h->e_phentsize == sizeof(p); i++) {
		if (h->e_phoff > m->bytes ||
		    !elf_file_read(m, h->e_phoff + (uint64_t)i * sizeof(p), &p, sizeof(p)))
			return false;
		if (p.p_type != PT_LOAD || addr < p.p_vaddr || addr - p.p_vaddr >= p.p_filesz ||
		    p.p_offset >= m->bytes || addr - p.p_vaddr >= m->bytes - p.p_offset)
			continue;
		*offset = addr - p.p_vaddr + p.p_offset;
		return true;
	}
	return false;
}

void elf_file_sections(struct elf_file *m)
{
	const Elf64_Ehdr *h = &m->head;
	uint64_t n = h->e_shnum, names = h->e_shstrndx;
	Elf64_Shdr first;

	if (!h->e_shoff || h->e_shentsize != sizeof(first) ||
	    !elf_file_read(m, h->e_shoff, &first, sizeof(first)))
		return;
	if (!n)
		n = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (n > SECTIONS_MOST)
		return;
	m->sections = (Elf64_Shdr *)elf_file_copy(m, h->e_shoff, n * sizeof(first), UINT32_MAX);
	if (!m->sections)
		return;
	m->n_sections = (uint32_t)n;
	if (names < n && m->sections[names].sh_type == SHT_STRTAB) {
		m->section_names_bytes = m->sections[names].sh_size;
		m->section_names = elf_file_copy(m, m->sections[names].sh_offset,
					     m->section_names_bytes, 16u << 20);
	}
}

const Elf64_Shdr *elf_file_section(const struct elf_file *m, const char *name)
{
	for (uint32_t i = 0; m->section_names && i < m->n_sections; i++)
		if (m->sections[i].sh_name < m->section_names_bytes &&
		    !strcmp(m->section_names + m->sections[i].sh_name, name))
			return &m->sections[i];
	return NULL;
}

bool elf_file_symbols(const struct elf_file *m, uint32_t type, struct elf_symbols *t)
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
	t->strings = elf_file_copy(m, names->sh_offset, names->sh_size, STRINGS_BYTES_MOST);
	if (!t->strings)
		return false;
	t->strings_bytes = names->sh_size;
	t->offset = s->sh_offset;
	t->n = s->sh_size / sizeof(Elf64_Sym);
	return true;
}

/* ---- the debug file ---- */

static struct elf_build_id elf_file_build_id(const struct elf_file *m)
{
	const Elf64_Shdr *s = elf_file_section(m, ".note.gnu.build-id");
	struct elf_build_id id = { .n = 0 };
	Elf64_Nhdr note;
	uint64_t at;

	if (!s || s->sh_size > NOTES_BYTES_MOST || !elf_file_read(m, s->sh_offset, &note, sizeof(note)))
		return id;
	if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz > 64 || !note.n_descsz ||
	    note.n_descsz > ELF_ID_BYTES_MOST)
		return id;
	at = s->sh_offset + sizeof(note) + (note.n_namesz + 3) / 4 * 4;
	if (elf_file_read(m, at, id.bytes, note.n_descsz))
		id.n = note.n_descsz;
	return id;
}

/* What a debug file must have to be that of a program. */
struct wanted {
	struct elf_build_id id;
	bool has_crc;
	uint32_t crc;
	struct elf_file *debug;
	struct elf_symbols *symbols;
};

static bool has_crc(const struct elf_file *m, uint32_t want)
{
	uint8_t *piece;
	uint64_t at = 0;
	uLong crc = crc32(0, NULL, 0);

	if (m->bytes > CHECKED_BYTES_MOST)
		return false;
	piece = xmalloc(1 << 16);
	while (at < m->bytes) {
		uint64_t n = m->bytes - at < 1 << 16 ? m->bytes - at : 1 << 16;

		if (!elf_file_read(m, at, piece, n))
			break;
		crc = crc32(crc, piece, (uInt)n);
		at += n;
	}
	free(piece);
	return at == m->bytes && (uint32_t)crc == want;
}

static bool is_wanted(const struct wanted *w)
{
	struct elf_build_id id = elf_file_build_id(w->debug);

	if (w->id.n)
		return id.n == w->id.n && !memcmp(id.bytes, w->id.bytes, id.n);
	return w->has_crc && has_crc(w->debug, w->crc);
}

__attribute__((format(printf, 2, 3)))
static bool try_debug(const struct wanted *w, const char *fmt, ...)
{
	struct buf at = { 0 };
	va_list ap;
	bool found = false;

	va_start(ap, fmt);
	buf_vprintf(&at, fmt, ap);
	va_end(ap);
	if (!elf_file_open(w->debug, at.p) && !elf_file_head(w->debug)) {
		elf_file_sections(w->debug);
		found = is_wanted(w) && elf_file_symbols(w->debug, SHT_SYMTAB, w->symbols);
	}
	if (!found)
		elf_file_close(w->debug);
	buf_fini(&at);
	return found;
}

static bool try_id(const struct wanted *w, const char *root)
{
	char name[2 * ELF_ID_BYTES_MOST + 1] = "";

	for (uint32_t i = 1; i < w->id.n; i++)
		snprintf(name + 2 * (i - 1), 3, "%02x", w->id.bytes[i]);
	return w->id.n && try_debug(w, "%s/usr/lib/debug/.build-id/%02x/%s.debug", root,
				    w->id.bytes[0], name);
}

/* The file that .gnu_debuglink names: beside the program or below /usr/lib/debug. */
static bool try_link(const struct wanted *w, const char *link, const char *path, const char *root)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) : 0, inside = (int)strlen(root);

	if (!*link || strchr(link, '/') || dir < inside || strncmp(path, root, (size_t)inside))
		return false;
	return try_debug(w, "%.*s/%s", dir, path, link) ||
	       try_debug(w, "%.*s/.debug/%s", dir, path, link) ||
	       try_debug(w, "%s/usr/lib/debug%.*s/%s", root, dir - inside, path + inside, link);
}

bool elf_file_debug(const struct elf_file *own, const char *path, const char *root,
		    struct elf_file *debug, struct elf_symbols *t)
{
	const Elf64_Shdr *s = elf_file_section(own, ".gnu_debuglink");
	struct wanted w = { .id = elf_file_build_id(own), .debug = debug, .symbols = t };
	char *link = s ? elf_file_copy(own, s->sh_offset, s->sh_size, NOTES_BYTES_MOST) : NULL;
	uint64_t crc_at = link ? (strlen(link) + 4) / 4 * 4 : 0;
	bool found;

	if (link && crc_at + sizeof(w.crc) <= s->sh_size) {
		memcpy(&w.crc, link + crc_at, sizeof(w.crc));
		w.has_crc = true;
	}
	found = try_id(&w, root) || (*root && try_id(&w, "")) ||
		(link && path && try_link(&w, link, path, root));
	free(link);
	return found;
}

int elf_file_dwarf(const struct elf_file *own, const char *path, const char *root, struct elf_file *debug)
{
	static const char section[] = ".debug_info";
	struct elf_symbols symbols = { 0 };

	if (elf_file_section(own, section))
		return own->fd;
	if (debug->fd < 0 && !elf_file_debug(own, path, root, debug, &symbols))
		return -1;
	free(symbols.strings);
	return elf_file_section(debug, section) ? debug->fd : -1;
}
