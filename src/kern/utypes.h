/*
 * utypes: the parameters of a program's functions and their types, from its debug
 * information (DWARF), read by a child (uchild.h) and given to ktype.h, which has the
 * kernel's.
 */
#ifndef KERN_UTYPES_H
#define KERN_UTYPES_H

#include "kern/ktype.h"

struct utypes;

/* Where a parameter is when the function begins, and what it returns when it ends. */
enum uplace {
	UPLACE_NONE,			/* void, an empty struct */
	UPLACE_REGISTER,		/* `at`: the how manyth of those that pass integers */
	UPLACE_POINTER,			/* the same; what is there is the address of the struct */
	UPLACE_STACK,			/* `at`: the how manyth word above the return address */
	UPLACE_FLOAT,			/* in a register that is not told */
	UPLACE_STRUCT			/* in several places */
};

#define UTYPES_PARAMS_MOST 24

struct usignature {
	uint64_t address;
	uint32_t proto;			/* the number of its type; 0: nothing is known of it */
	uint8_t ret;			/* enum uplace */
	uint8_t n_params;
	struct {
		uint8_t place;		/* enum uplace */
		uint8_t at;
	} params[UTYPES_PARAMS_MOST];
};

/* The types go to k, which lives longer. fd: of the file with the debug information.
 * NULL: k has no room for more programs. */
struct utypes *utypes_open(struct ktypes *k, int fd);
/* What was told stays known to k. */
void utypes_close(struct utypes *u);
/* Nothing more will be asked. */
void utypes_settle(struct utypes *u);

/* Of the functions that begin at these addresses, in their order. False: nothing. */
bool utypes_signatures(struct utypes *u, const uint64_t *addresses, int n, struct usignature *out);
/* The ktype of a number of a signature. */
uint32_t utypes_ktype(const struct utypes *u, uint32_t number);
/* The ktype of a struct, wherever in the program it is; 0: none of this name. */
uint32_t utypes_struct(struct utypes *u, struct str name);
/* Is there a function of this name, put into its callers everywhere? */
bool utypes_is_inlined(struct utypes *u, struct str name);
/* Why nothing is known, as the end of a sentence; NULL: nothing is in the way. */
const char *utypes_trouble(const struct utypes *u);

#endif
