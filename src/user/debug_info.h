/*
 * debug_info: debug information (DWARF) of a file, by libdw. Only a child of culprit reads it
 * (child_reader.h): source_lines.c answers questions for lines, program_types.c for functions and types.
 *
 * libdw is not linked: it is loaded by who reads, so that the binary needs it only then.
 */
#ifndef USER_DEBUG_INFO_H
#define USER_DEBUG_INFO_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#define DEBUG_INFO_DEPTH_MOST 64	/* of namespaces; of inlined functions */

#define LIBDW(X)							\
	X(elf_version) X(elf_begin) X(dwarf_begin_elf) X(dwarf_nextcu) X(dwarf_offdie)		\
	X(dwarf_ranges) X(dwarf_child) X(dwarf_siblingof) X(dwarf_tag) X(dwarf_haspc)		\
	X(dwarf_getsrc_die) X(dwarf_lineno) X(dwarf_linesrc) X(dwarf_attr_integrate)		\
	X(dwarf_attr) X(dwarf_formstring) X(dwarf_formudata) X(dwarf_formsdata)		\
	X(dwarf_formref_die) X(dwarf_formflag) X(dwarf_getsrcfiles) X(dwarf_filesrc)		\
	X(dwarf_diecu) X(dwarf_srclang) X(dwarf_aggregate_size) X(elf_nextscn) X(elf_strptr)	\
	X(elf_getshdrstrndx) X(gelf_getshdr) X(gelf_update_shdr)

struct libdw {
#define MEMBER(f) __typeof__(f) *f;
	LIBDW(MEMBER)
#undef MEMBER
};

struct debug_range {
	uint64_t begin, end;
	Dwarf_Die die;			/* of a unit or a function */
	uint32_t unit;			/* place in units */
};

struct debug_ranges {
	struct debug_range *v;
	size_t n, cap;
};

struct debug_info {
	struct libdw l;
	Dwarf *dwarf;
	struct debug_ranges ranges;	/* of units */
	struct uunit {
		bool read;
		Dwarf_Die die;
		struct debug_ranges functions;
	} *units;
	uint32_t n_units;
};

/* Is libdw on this machine? */
bool debug_info_there(void);

/* In the child: NULL with *why. lines: those of the source are asked for. */
struct debug_info *debug_info_open(int fd, bool lines, const char **why);
/* The unit that has code at the address, and the function there; NULL: none. */
struct debug_range *debug_info_unit(struct debug_info *u, uint64_t addr);
struct debug_range *debug_info_function(struct debug_info *u, const struct debug_range *unit, uint64_t addr);

#endif
