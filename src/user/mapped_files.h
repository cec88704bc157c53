/*
 * mapped_files: the files that processes have mapped as code, held open so that they can be
 * read when they are gone, with their tables of functions, loaded when needed.
 *
 * Bounded: files known, files held open, bytes of tables; used longest ago goes first.
 */
#ifndef USER_MAPPED_FILES_H
#define USER_MAPPED_FILES_H

#include "user/process.h"
#include "user/source_lines.h"
#include "user/symbol_table.h"

struct mapped_files;

struct mapped_file {
	const char *module;		/* "libc.so.6", "[vdso]" */
	const char *path;		/* as the process sees it */
	char root[40];			/* "" or "/proc/PID/root" */
	uint64_t dev, inode;
	int fd;				/* -1: not held open */
	bool gone;			/* could not be opened, and can't be now */
	bool no_elf;
	struct symbol_table *table;	/* NULL: not loaded */
	struct source_lines *lines;	/* NULL: not loaded, or there are none */
	bool no_lines;
	uint64_t used;
	uint64_t bytes;			/* of the file; with modified_ns tells another one */
	uint64_t modified_ns;
};

struct mapped_files *mapped_files_open(void);
void mapped_files_close(struct mapped_files *f);

/* The file of a mapping of the process; NULL: too many files. Good while f is. */
struct mapped_file *mapped_files_add(struct mapped_files *f, uint32_t pid, const struct maps_line *m);

/* A stack is in it: it is let go after those that have none. */
void mapped_files_use(struct mapped_files *f, struct mapped_file *file);

/* Its table, NULL: file->gone or ->no_elf says why. Good until the next call. */
struct symbol_table *mapped_files_table(struct mapped_files *f, struct mapped_file *file);

/* Its source lines, NULL: none are known. Good until the next call. */
struct source_lines *mapped_files_lines(struct mapped_files *f, struct mapped_file *file);

#endif
