/*
 * elf_functions: the functions of a program or library, out of its ELF symbol tables.
 *
 * The file is anybody's: every offset is checked against the size, it is read with
 * pread (a file that shrinks meanwhile ends in an error, not in a signal), and the
 * bytes of names that are looked at are bounded.
 */
#ifndef USER_ELF_FUNCTIONS_H
#define USER_ELF_FUNCTIONS_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct elf_functions;
struct elf_file;

struct elf_function {
	const char *name;		/* as the file has it: "_ZN2ns1fEi" */
	const char *shown;		/* as a user writes it: "ns::f" */
	uint64_t offset;		/* in the file: what uprobes want */
	uint64_t address;		/* as the file's headers have it */
	uint64_t bytes;			/* 0: the file does not say */
	bool ifunc;			/* what is called once to choose the function */
	uint8_t code[8];		/* its first bytes; zeros behind the end of the file */
};
typedef VEC(struct elf_function) elf_function_list;

/*
 * path: what to open. root: before the paths of debug files, "" or "/proc/PID/root"
 * for a process in a file system of its own. NULL with e filled: why not.
 */
struct elf_functions *elf_functions_open(const char *path, const char *root, struct err *e);
void elf_functions_close(struct elf_functions *u);

/*
 * Adds the functions whose name, as the file has it or demangled, with or without
 * parameters, is the pattern or matches its globs; in order of offset, each place
 * once; the compiler's copies (f.isra.0, f.constprop.0) under the plain name.
 * At most `most`; false when there are more or the file asks for too much work.
 */
bool elf_functions_find(struct elf_functions *u, struct str pattern, int most, struct arena *a, elf_function_list *out);

/* The name nearest to this one, or NULL. */
const char *elf_functions_nearest(struct elf_functions *u, struct str name, struct arena *a);

const struct elf_file *elf_functions_image(const struct elf_functions *u); /* the file itself */
uint64_t elf_functions_symbols(struct elf_functions *u); /* functions defined there; 0: stripped */
bool elf_functions_is_stripped(const struct elf_functions *u); /* only names that others may call are left */
/* The file with its debug information (DWARF), good while u is; -1: there is none. */
int elf_functions_dwarf(struct elf_functions *u);
bool elf_functions_is_go(const struct elf_functions *u); /* moves its stacks: no returns */
/* Is this the name of a function that is only called from here, and lives elsewhere? */
bool elf_functions_imports(struct elf_functions *u, struct str name);
/* Is it called from here, or here itself, by its name in the file? */
bool elf_functions_mentions(struct elf_functions *u, struct str name);

#endif
