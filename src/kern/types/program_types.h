/*
 * program_types: the parameters of a program's functions and their types, from its debug
 * information (DWARF), read by a child (child_reader.h) and given to ktype.h, which has the
 * kernel's.
 */
#ifndef KERN_TYPES_PROGRAM_TYPES_H
#define KERN_TYPES_PROGRAM_TYPES_H

#include "kern/types/ktype.h"

struct program_types;

/* Where a parameter is when the function begins, and what it returns when it ends. */
enum arg_place {
	ARG_PLACE_NONE,			/* void, an empty struct */
	ARG_PLACE_REGISTER,		/* `at`: the how manyth of those that pass integers */
	ARG_PLACE_POINTER,		/* the same; what is there is the address of the struct */
	ARG_PLACE_STACK,		/* `at`: the how manyth word above the return address */
	ARG_PLACE_FLOAT,		/* in a register that is not told */
	ARG_PLACE_STRUCT		/* in several places */
};

#define PROGRAM_TYPES_PARAMS_MOST 24

struct program_signature {
	uint64_t address;
	uint32_t proto;			/* the number of its type; 0: nothing is known of it */
	uint8_t ret;			/* enum arg_place */
	uint8_t n_params;
	struct {
		uint8_t place;		/* enum arg_place */
		uint8_t at;
	} params[PROGRAM_TYPES_PARAMS_MOST];
};

/* The types go to k, which lives longer. fd: of the file with the debug information.
 * NULL: k has no room for more programs. */
struct program_types *program_types_open(struct ktypes *k, int fd);
/* What was told stays known to k. */
void program_types_close(struct program_types *u);
/* Nothing more will be asked. */
void program_types_settle(struct program_types *u);

/* Of the functions that begin at these addresses, in their order. False: nothing. */
bool program_types_signatures(struct program_types *u, const uint64_t *addresses, int n, struct program_signature *out);
/* The ktype of a number of a signature. */
uint32_t program_types_ktype(const struct program_types *u, uint32_t number);
/* The ktype of a struct, wherever in the program it is; 0: none of this name. */
uint32_t program_types_struct(struct program_types *u, struct str name);
/* Is there a function of this name, put into its callers everywhere? */
bool program_types_is_inlined(struct program_types *u, struct str name);
/* Why nothing is known, as the end of a sentence; NULL: nothing is in the way. */
const char *program_types_trouble(const struct program_types *u);

#endif
