/*
 * ktype_impl: what the files of ktype share. ktype.c opens BTF files and finds
 * types by name, ktype_value.c says what they mean, ktype_made.c has the types
 * that no BTF has.
 */
#ifndef KERN_TYPES_KTYPE_IMPL_H
#define KERN_TYPES_KTYPE_IMPL_H

#include <linux/btf.h>

#include "base/map.h"
#include "kern/types/ktype.h"

#define KTYPE_ID(ktype) ((ktype) & 0xffffffu)
#define KTYPE_FILE(ktype) ((ktype) >> 24)
#define KTYPE_STEP 16
#define KTYPE_DEPTH 32			/* typedefs, arrays, anonymous members in a row */

/* One BTF file. A module's continues the numbers and strings of vmlinux. */
struct ktype_file {
	const char *module;		/* NULL: vmlinux */
	uint8_t *data;
	size_t bytes;
	bool mapped;
	const char *strings;
	uint32_t strings_bytes, strings_base;
	uint32_t first, n;		/* its ids are first .. first + n - 1 */
	const uint8_t *types;
	uint32_t *offsets;		/* in types, of one in KTYPE_STEP: of all, filling them is most of opening */
	uint32_t room;			/* in offsets */
	uint32_t types_bytes, known_bytes;	/* known: of the n types */
	const struct ktype_program *program;	/* NULL: of the kernel */
};

/* A type that no BTF has. */
struct ktype_made {
	enum { MADE_ARRAY, MADE_STRUCT, MADE_WORD } kind;
	const char *struct_name;	/* STRUCT */
	bool looked_up;
	uint32_t found;
	struct type element;		/* ARRAY; WORD: what it is itself */
	uint32_t bytes, n;		/* ARRAY */
};

struct ktypes {
	struct arena arena;
	const char *module_dir;
	bool all_modules;		/* every file of module_dir was tried */
	VEC(struct ktype_file *) files;
	VEC(struct ktype_made) made;
	struct map found;		/* kind letter + name -> struct type_found * */
	struct map enums;		/* ktype -> struct enum_desc * */
	struct map defined;		/* ktype -> the program's struct with its members */
	int n_programs;
	struct map enumerators;		/* name -> struct known_enumerator * */
};

/* NULL: void, or a number that no type has. */
const struct btf_type *ktype_raw(const struct ktypes *k, uint32_t ktype);
const char *ktype_string(const struct ktypes *k, uint32_t ktype, uint32_t offset);
/* The number of the type that `from` calls id. */
uint32_t ktype_ref(const struct ktypes *k, uint32_t from, uint32_t id);
/* Without typedefs and const, volatile, restrict, tags; 0: void. */
uint32_t ktype_strip(struct ktypes *k, uint32_t ktype);
/* Also the definition of a struct that is only declared there, if there is one. */
uint32_t ktype_define(struct ktypes *k, uint32_t ktype);
uint32_t ktype_find(struct ktypes *k, struct str name, uint32_t kinds);
/* Offset of a string in the file's own strings, as its types say it; 0: not there. */
uint32_t ktype_file_string(const struct ktype_file *f, struct str name);

/* Types from an unknown kind on are left out. */
void ktype_file_index(struct ktype_file *f);
/* The i-th of n, and the one behind it: valid while there is one. */
const struct btf_type *ktype_file_at(const struct ktype_file *f, uint32_t i);
const struct btf_type *ktype_next(const struct btf_type *t);
/* Is it a program's? */
bool ktype_is_program(const struct ktypes *k, uint32_t ktype);

/* The number of a module's file (NULL: vmlinux), read when needed; -1: none. */
int ktype_module(struct ktypes *k, const char *name);

/* NULL: not one of these. */
const struct ktype_made *ktype_made(struct ktypes *k, uint32_t ktype);
/* The BTF type it stands for: of a struct made by name the definition. */
uint32_t ktype_real(struct ktypes *k, uint32_t ktype);

#define KIND_BIT(kind) (1u << (kind))
#define KIND_OF(t) BTF_INFO_KIND((t)->info)
#define VLEN_OF(t) BTF_INFO_VLEN((t)->info)

#endif
