/*
 * elf_file: reading ELF files of 64-bit little-endian programs, safely.
 *
 * The file is anybody's: every offset is checked against the size, it is read with
 * pread (a file that shrinks meanwhile ends in an error, not in a signal), sizes are
 * bounded. Nothing that is not a plain file is opened for reading.
 */
#ifndef USER_ELF_FILE_H
#define USER_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#define ELF_ID_BYTES_MOST 64
#define ELF_CODE_MOST 256

struct elf_file {
	int fd;				/* -1: none */
	const void *memory;		/* read in place of fd, when not NULL; not owned */
	uint64_t bytes;
	Elf64_Ehdr head;
	Elf64_Shdr *sections;
	uint32_t n_sections;
	char *section_names;
	uint64_t section_names_bytes;
};

struct elf_code {
	uint64_t addr, offset, bytes;
};

struct elf_symbols {
	uint64_t offset, n;		/* of Elf64_Sym, in the file */
	char *strings;			/* with a NUL behind them; to be freed */
	uint64_t strings_bytes;
};

struct elf_build_id {
	uint8_t bytes[ELF_ID_BYTES_MOST];
	uint32_t n;			/* 0: none */
};

/* The file open for reading, or -errno: -EINVAL when it is not a plain file. A link is
 * not followed with `own_name`. */
int elf_file_open_plain(int dir, const char *path, bool own_name);

/* 0 or -errno. elf_file_close() in both cases. */
int elf_file_open(struct elf_file *m, const char *path);
int elf_file_adopt(struct elf_file *m, int fd);	/* closes it in the end */
void elf_file_close(struct elf_file *m);

bool elf_file_read(const struct elf_file *m, uint64_t at, void *to, uint64_t n);
/* A copy with a NUL behind it, to be freed; NULL if it is not there. */
char *elf_file_copy(const struct elf_file *m, uint64_t at, uint64_t n, uint64_t most);

/* Reads the head. What is wrong with it; NULL: nothing. */
const char *elf_file_head(struct elf_file *m);
/* The parts of the file that are mapped as code. What is wrong; NULL: nothing. */
const char *elf_file_code(const struct elf_file *m, struct elf_code *code, int most, int *n);
/* The parts that are memory to write, with what is not in the file (.bss); how many. */
int elf_file_data(const struct elf_file *m, struct elf_code *data, int most);
/* Where in the file is what is mapped there. False: nothing of it is. */
bool elf_file_file_offset(const struct elf_file *m, uint64_t addr, uint64_t *offset);
/* Sections are not needed to run: a file without good ones has none. */
void elf_file_sections(struct elf_file *m);
const Elf64_Shdr *elf_file_section(const struct elf_file *m, const char *name);
bool elf_file_symbols(const struct elf_file *m, uint32_t type, struct elf_symbols *t);

/*
 * The file with the symbols of `own`, by build-id or .gnu_debuglink, below root ("" or
 * "/proc/PID/root"); path: of own with root before it, NULL when not known. It is taken
 * only when the build-id is the same, or without one the checksum of the link.
 */
bool elf_file_debug(const struct elf_file *own, const char *path, const char *root,
		    struct elf_file *debug, struct elf_symbols *t);
/* The file with the debug information (DWARF): own's, or debug's, which (fd -1) becomes that of
 * `own` as above. -1: there is none. */
int elf_file_dwarf(const struct elf_file *own, const char *path, const char *root, struct elf_file *debug);

#endif
