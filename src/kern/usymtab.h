/*
 * usymtab: the functions and variables of one ELF file, sorted by address.
 */
#ifndef KERN_USYMTAB_H
#define KERN_USYMTAB_H

#include <stddef.h>

#include "base/str.h"
#include "kern/uimage.h"

struct usymtab;

struct usym {
	struct str name;		/* as the file has it, without "@VERSION"; n 0: none */
	uint64_t addr;			/* as the file has it: what addr2line takes */
	uint64_t offset;		/* from the begin of the function */
};

/*
 * fd stays the caller's; it is read here and by usymtab_is_sigreturn(). path, root: where
 * the file is, for its debug file (see uimage_debug); path NULL: not known. NULL when it
 * is no ELF file that is understood.
 */
struct usymtab *usymtab_load(int fd, const char *path, const char *root);
void usymtab_free(struct usymtab *t);
size_t usymtab_bytes(const struct usymtab *t);

/* By an offset in the file. False: nothing is mapped as code from there. The name is good
 * while t is. */
bool usymtab_find(const struct usymtab *t, uint64_t file_offset, struct usym *out);

/* The variable that is so many bytes behind where the file's offset is mapped as code. */
bool usymtab_find_data(const struct usymtab *t, uint64_t file_offset, uint64_t distance,
		       struct usym *out);

/* Is this where a signal's handler returns to? What is outside is no return address. */
bool usymtab_is_sigreturn(int fd, uint64_t file_offset);

#endif
