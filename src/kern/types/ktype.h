/*
 * ktype: the C types of the running kernel, read from its BTF.
 *
 * A small reader of its own: it opens in a millisecond, keeps one offset per
 * type, and trusts nothing it reads. A type's number is what struct type calls
 * ktype: the BTF id in the low 24 bits, above it 0 for vmlinux, 1.. for a
 * module that was read, KTYPE_MADE for the types that no BTF has.
 */
#ifndef KERN_TYPES_KTYPE_H
#define KERN_TYPES_KTYPE_H

#include "base/err.h"
#include "lang/catalog.h"

#define KTYPE_MADE 0xffu		/* arrays of formats, structs looked up when used */

struct ktypes;

/* The BTF file, and the folder of the modules' (or NULL: none). NULL and e filled when
 * it cannot be read. */
struct ktypes *ktypes_open(const char *path, const char *module_dir, struct err *e);
void ktypes_close(struct ktypes *k);

/* By name; 0: none. A struct's definition wins over its declaration, vmlinux
 * over modules, and those are read only when vmlinux has none. */
uint32_t ktype_struct(struct ktypes *k, struct str name);
uint32_t ktype_enum(struct ktypes *k, struct str name);
uint32_t ktype_typedef(struct ktypes *k, struct str name);
uint32_t ktype_function(struct ktypes *k, struct str name);	/* of vmlinux */
bool ktype_enumerator(struct ktypes *k, struct str name, int64_t *value, struct type *t);

bool ktype_member(struct ktypes *k, uint32_t ktype, struct str name, struct cat_member *m);
bool ktype_member_at(struct ktypes *k, uint32_t ktype, int i, const char **name,
		     struct cat_member *m);
bool ktype_element(struct ktypes *k, uint32_t ktype, struct type *t, uint32_t *bytes,
		   uint32_t *n);
bool ktype_pointee(struct ktypes *k, uint32_t ktype, struct type *t);
const char *ktype_name(struct ktypes *k, uint32_t ktype);
uint32_t ktype_size(struct ktypes *k, uint32_t ktype);		/* bytes; 0: not known */
/* The type of a value of this C type; false: it has none (void). */
bool ktype_value(struct ktypes *k, uint32_t ktype, struct type *t);
/* The same for a member or parameter of this name. */
bool ktype_value_named(struct ktypes *k, uint32_t ktype, const char *name, struct type *t);

/* What the name of a typedef says an integer is: an enum type_kind, or 0. */
uint8_t ktype_meaning(const char *typedef_name);

/* Types that BTF does not have. */
uint32_t ktype_make_array(struct ktypes *k, const struct type *element, uint32_t bytes,
			  uint32_t n);
uint32_t ktype_make_struct(struct ktypes *k, struct str name);	/* looked up when used */
uint32_t ktype_make_word(struct ktypes *k, const struct type *t);	/* behind a pointer */

/*
 * A tracepoint's C call: the id of its typedef btf_trace_NAME and its parameters
 * without the leading void *. Of vmlinux only: to attach to a module's, its BTF must be
 * opened by id, so these have their perf form only. False: it has none.
 */
struct ktype_call {
	uint32_t id;
	int n_params;
	struct ktype_param {
		const char *name;	/* "argN" when BTF has no names */
		uint32_t ktype;
	} *params;
};
bool ktype_tracepoint(struct ktypes *k, struct str name, struct ktype_call *call);
/* An integer or a pointer. */
bool ktype_is_word(struct ktypes *k, uint32_t ktype);
/* May a program of a BTF tracepoint load an argument of this type? All verifiers take
 * integers and pointers to void, integers and structs (btf_ctx_access). */
bool ktype_is_readable_arg(struct ktypes *k, uint32_t ktype);
/* All that have one. */
void ktype_each_tracepoint(struct ktypes *k, void (*each)(void *arg, const char *name),
			   void *arg);
/* Functions of a module's BTF (NULL: vmlinux), and what one takes and returns (0: void). */
void ktype_each_function(struct ktypes *k, const char *module,
			 void (*each)(void *arg, const char *name, uint32_t ktype), void *arg);
bool ktype_signature(struct ktypes *k, uint32_t function, struct ktype_call *call,
		     uint32_t *returns);

/*
 * Types of a program, as a BTF that grows by what is asked for: a struct begins as its name,
 * its members come when one of them is wanted. They are not found by name here.
 */
struct ktype_program {
	/* The number (in this BTF) of the struct with its members; 0: not known. */
	uint32_t (*define)(void *self, uint32_t id);
	void *self;
};
/* Its number, for ktype_grow(), in bits 24 and above of its types' ktype; 0: too many. */
uint32_t ktype_add_program(struct ktypes *k, const struct ktype_program *p);
/* More types and strings behind those that are there. False: they are none, or too many. */
bool ktype_grow(struct ktypes *k, uint32_t program, const void *types, size_t types_bytes,
		const void *strings, size_t strings_bytes);


#endif
