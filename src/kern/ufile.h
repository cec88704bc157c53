/*
 * ufile: the files that processes have mapped as code, held open so that they can be
 * read when they are gone, with their tables of functions, loaded when needed.
 *
 * Bounded: files known, files held open, bytes of tables; used longest ago goes first.
 */
#ifndef KERN_UFILE_H
#define KERN_UFILE_H

#include "kern/ulines.h"
#include "kern/usymtab.h"
#include "kern/uspace.h"

struct ufiles;

struct ufile {
	const char *module;		/* "libc.so.6", "[vdso]" */
	const char *path;		/* as the process sees it */
	char root[40];			/* "" or "/proc/PID/root" */
	uint64_t dev, inode;
	int fd;				/* -1: not held open */
	bool gone;			/* could not be opened, and can't be now */
	bool no_elf;
	struct usymtab *table;		/* NULL: not loaded */
	struct ulines *lines;		/* NULL: not loaded, or there are none */
	bool no_lines;
	uint64_t used;
	uint64_t bytes;			/* of the file; with modified_ns tells another one */
	uint64_t modified_ns;
};

struct ufiles *ufiles_open(void);
void ufiles_close(struct ufiles *f);

/* The file of a mapping of the process; NULL: too many files. Good while f is. */
struct ufile *ufiles_add(struct ufiles *f, uint32_t pid, const struct umaps_line *m);

/* A stack is in it: it is let go after those that have none. */
void ufiles_use(struct ufiles *f, struct ufile *file);

/* Its table, NULL: file->gone or ->no_elf says why. Good until the next call. */
struct usymtab *ufiles_table(struct ufiles *f, struct ufile *file);

/* Its source lines, NULL: none are known. Good until the next call. */
struct ulines *ufiles_lines(struct ufiles *f, struct ufile *file);

#endif
