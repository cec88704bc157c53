/*
 * program_file: which files a user function's text means: a path, a library by its short
 * name, a process.
 */
#ifndef USER_PROGRAM_FILE_H
#define USER_PROGRAM_FILE_H

#include <stdint.h>

#include "base/vec.h"
#include "lang/catalog.h"

struct program_file {
	const char *path;		/* as this process opens it */
	const char *root;		/* of the paths inside: "" or "/proc/PID/root" */
	const char *shown;		/* for messages */
	int64_t pid;			/* in this process only; 0: in all */
};
typedef VEC(struct program_file) program_files;

/*
 * The files in which the function is looked for, the first that has it counts (all of them,
 * each process its own, when the text means one file in several processes: *all). *name
 * becomes the function's. Returns NULL, or what is wrong, with *help what to do.
 */
const char *program_file_find(struct arena *a, const struct cat_user *u, program_files *out,
			      struct str *name, bool *all, const char **help);

/* The library's file by the loader's cache in these bytes; *several: more than one fits. */
const char *program_file_in_cache(struct arena *a, const void *cache, size_t bytes, struct str library,
				  const char **several);

/* The library where the loader looks behind all folders that it was told; NULL: nowhere. */
const char *program_file_of_loader(struct arena *a, struct str library);

#endif
