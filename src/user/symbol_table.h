/*
 * symbol_table: the functions and variables of one ELF file, sorted by address.
 */
#ifndef USER_SYMBOL_TABLE_H
#define USER_SYMBOL_TABLE_H

#include <stddef.h>

#include "base/str.h"
#include "user/elf_file.h"

struct symbol_table;

struct elf_symbol {
	struct str name;		/* as the file has it, without "@VERSION"; n 0: none */
	uint64_t addr;			/* as the file has it: what addr2line takes */
	uint64_t offset;		/* from the begin of the function */
};

/*
 * fd stays the caller's; it is read here and by symbol_table_is_sigreturn(). path, root: where
 * the file is, for its debug file (see elf_file_debug); path NULL: not known. NULL when it
 * is no ELF file that is understood.
 */
struct symbol_table *symbol_table_load(int fd, const char *path, const char *root);
void symbol_table_free(struct symbol_table *t);
size_t symbol_table_bytes(const struct symbol_table *t);

/* By an offset in the file. False: nothing is mapped as code from there. The name is good
 * while t is. */
bool symbol_table_find(const struct symbol_table *t, uint64_t file_offset, struct elf_symbol *out);

/* The variable that is so many bytes behind where the file's offset is mapped as code. */
bool symbol_table_find_data(const struct symbol_table *t, uint64_t file_offset, uint64_t distance,
			    struct elf_symbol *out);

/* Is this where a signal's handler returns to? What is outside is no return address. */
bool symbol_table_is_sigreturn(int fd, uint64_t file_offset);

#endif
