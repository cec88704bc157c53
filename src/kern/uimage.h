/*
 * uimage: reading ELF files of 64-bit little-endian programs, safely.
 *
 * The file is anybody's: every offset is checked against the size, it is read with
 * pread (a file that shrinks meanwhile ends in an error, not in a signal), sizes are
 * bounded. Nothing that is not a plain file is opened for reading.
 */
#ifndef KERN_UIMAGE_H
#define KERN_UIMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#define UIMAGE_ID_BYTES_MOST 64
#define UIMAGE_CODE_MOST 256

struct uimage {
	int fd;				/* -1: none */
	const void *memory;		/* read in place of fd, when not NULL; not owned */
	uint64_t bytes;
	Elf64_Ehdr head;
	Elf64_Shdr *sections;
	uint32_t n_sections;
	char *section_names;
	uint64_t section_names_bytes;
};

struct ucode {
	uint64_t addr, offset, bytes;
};

struct usymbols {
	uint64_t offset, n;		/* of Elf64_Sym, in the file */
	char *strings;			/* with a NUL behind them; to be freed */
	uint64_t strings_bytes;
};

struct ubuild_id {
	uint8_t bytes[UIMAGE_ID_BYTES_MOST];
	uint32_t n;			/* 0: none */
};

/* The file open for reading, or -errno: -EINVAL when it is not a plain file. A link is
 * not followed with `own_name`. */
int uimage_open_plain(int dir, const char *path, bool own_name);

/* 0 or -errno. uimage_close() in both cases. */
int uimage_open(struct uimage *m, const char *path);
int uimage_adopt(struct uimage *m, int fd);	/* closes it in the end */
void uimage_close(struct uimage *m);

bool uimage_read(const struct uimage *m, uint64_t at, void *to, uint64_t n);
/* A copy with a NUL behind it, to be freed; NULL if it is not there. */
char *uimage_copy(const struct uimage *m, uint64_t at, uint64_t n, uint64_t most);

/* Reads the head. What is wrong with it; NULL: nothing. */
const char *uimage_head(struct uimage *m);
/* The parts of the file that are mapped as code. What is wrong; NULL: nothing. */
const char *uimage_code(const struct uimage *m, struct ucode *code, int most, int *n);
/* The parts that are memory to write, with what is not in the file (.bss); how many. */
int uimage_data(const struct uimage *m, struct ucode *data, int most);
/* Where in the file is what is mapped there. False: nothing of it is. */
bool uimage_file_offset(const struct uimage *m, uint64_t addr, uint64_t *offset);
/* Sections are not needed to run: a file without good ones has none. */
void uimage_sections(struct uimage *m);
const Elf64_Shdr *uimage_section(const struct uimage *m, const char *name);
bool uimage_symbols(const struct uimage *m, uint32_t type, struct usymbols *t);

/*
 * The file with the symbols of `own`, by build-id or .gnu_debuglink, below root ("" or
 * "/proc/PID/root"); path: of own with root before it, NULL when not known. It is taken
 * only when the build-id is the same, or without one the checksum of the link.
 */
bool uimage_debug(const struct uimage *own, const char *path, const char *root,
		  struct uimage *debug, struct usymbols *t);
/* The file with the debug information (DWARF): own's, or debug's, which (fd -1) becomes that of
 * `own` as above. -1: there is none. */
int uimage_dwarf(const struct uimage *own, const char *path, const char *root, struct uimage *debug);

#endif
