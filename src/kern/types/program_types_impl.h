/*
 * program_types_impl: what the two sides of program_types say to each other. A question is a letter and
 * what it is about; an answer is a head, the rows, the types and the strings that are new.
 */
#ifndef KERN_TYPES_PROGRAM_TYPES_IMPL_H
#define KERN_TYPES_PROGRAM_TYPES_IMPL_H

#include "base/buf.h"
#include "kern/types/program_types.h"
#include "user/debug_info.h"

enum program_types_question {
	PROGRAM_TYPES_SIGNATURES = 's',	/* u64 addresses; rows: struct program_signature */
	PROGRAM_TYPES_DEFINE = 'd',	/* u32, the number of a struct; row: u32, with its members */
	PROGRAM_TYPES_STRUCT = 'n',	/* a name; row: u32, its number, with its members */
	PROGRAM_TYPES_INLINED = 'i'	/* a name; row: u32, 1: it is */
};

struct program_types_head {
	uint32_t rows_bytes, types_bytes, strings_bytes;
};

/* ---- in the child ---- */

/* program_types_write.c: types as BTF. */
void *program_types_begin(int fd, const char **why);
void program_types_answer(void *self, const char *question, size_t bytes, struct buf *out);

/* program_types_place.c: where a function's parameters are, by the machine's calling convention. */
void program_types_places(const struct libdw *l, Dwarf_Die *function, struct program_signature *s);

/* program_types_die.c: what of a DIE is asked often. */
bool die_number(const struct libdw *l, Dwarf_Die *die, unsigned int name, int64_t *value);
bool die_flag(const struct libdw *l, Dwarf_Die *die, unsigned int name);
const char *die_name(const struct libdw *l, Dwarf_Die *die);		/* "": none */
bool die_ref(const struct libdw *l, Dwarf_Die *die, unsigned int name, Dwarf_Die *to);
/* Its type without const, volatile and the like, with typedefs or not. Its tag; 0: void. */
int die_type(const struct libdw *l, Dwarf_Die *die, bool typedefs, Dwarf_Die *to);
uint64_t die_bytes(const struct libdw *l, Dwarf_Die *die);		/* 0: not known */
bool die_is_struct(int tag);
/* The next child with this tag behind *at, which begins zeroed. False: no more. */
bool die_next(const struct libdw *l, Dwarf_Die *parent, int tag, Dwarf_Die *at);
/* The DIE that has a function's parameters: of one that is also inlined its source. */
Dwarf_Die die_source(const struct libdw *l, Dwarf_Die *function);

#endif
