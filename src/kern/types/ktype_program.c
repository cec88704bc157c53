/*
 * Types of programs. They come from a child that was not written for hostile files
 * (program_types.c), so that nothing of them is trusted more than of any BTF: see ktype.c. What is
 * kept of it does not move, so names stay where they are.
 */
#include "kern/types/ktype_impl.h"

#include <string.h>

#define PROGRAMS_MOST 32
#define TYPES_BYTES_MOST (8u << 20)
#define STRINGS_BYTES_MOST (8u << 20)

uint32_t ktype_add_program(struct ktypes *k, const struct ktype_program *p)
{
	struct ktype_file *f;
	char *strings;

	if (k->n_programs >= PROGRAMS_MOST || k->files.n >= (int)KTYPE_MADE)
		return 0;
	k->n_programs++;
	f = arena_new(&k->arena, struct ktype_file);
	f->program = p;
	f->first = 1;
	f->data = xmalloc(TYPES_BYTES_MOST);
	f->types = f->data;
	strings = xmalloc(STRINGS_BYTES_MOST);
	strings[0] = 0;
	f->strings = strings;
	f->strings_bytes = 1;
	vec_push(&k->arena, &k->files, f);
	return (uint32_t)k->files.n - 1;
}

bool ktype_grow(struct ktypes *k, uint32_t program, const void *types, size_t types_bytes,
		const void *strings, size_t strings_bytes)
{
	struct ktype_file *f = k->files.v[program];

	if (types_bytes > TYPES_BYTES_MOST - f->types_bytes || types_bytes % 4 ||
	    strings_bytes > STRINGS_BYTES_MOST - f->strings_bytes ||
	    (strings_bytes && ((const char *)strings)[strings_bytes - 1]))
		return false;
	if (types_bytes)
		memcpy(f->data + f->types_bytes, types, types_bytes);
	if (strings_bytes)
		memcpy((char *)f->strings + f->strings_bytes, strings, strings_bytes);
	f->types_bytes += (uint32_t)types_bytes;
	f->strings_bytes += (uint32_t)strings_bytes;
	ktype_file_index(f);
	return true;
}
