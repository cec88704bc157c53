/*
 * cdecl: the C declarations in tracepoint formats and in the table of system
 * calls, as types of the language.
 */
#ifndef KERN_TYPES_CDECL_H
#define KERN_TYPES_CDECL_H

#include "kern/types/ktype.h"

struct cdecl {
	struct str type;		/* "const char *", without the name and [n] */
	struct str name;
	bool array, data_loc;		/* data_loc: the text is elsewhere in the record */
	uint32_t n;			/* array: elements, 0: not said */
};

/* "__data_loc char[] filename", "unsigned char rwbs[10]", "pid_t pid". False: not one. */
bool cdecl_parse(struct str text, struct cdecl *d);

/*
 * The value's type. k may be NULL (no BTF): enums are integers then, pointers lead nowhere.
 * bytes: as the format says, 0: by the type's name (8 when that is not known).
 */
struct type cdecl_type(struct ktypes *k, const struct cdecl *d, uint32_t bytes, bool is_signed,
		       bool user);

#endif
