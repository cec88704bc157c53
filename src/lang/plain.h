/*
 * plain: the answers of a catalog that has no kernel behind it: the common fields are
 * words of the record, and there are no C types but char, so that str() of a pointer
 * with a text works; members of structures do not.
 */
#ifndef LANG_PLAIN_H
#define LANG_PLAIN_H

#include "lang/catalog.h"

#define PLAIN_CHAR_TYPE 1		/* the only C type */

const struct cat_field *plain_common(void *self, struct str name);
uint32_t plain_struct(void *self, struct str name);
bool plain_member(void *self, uint32_t ktype, struct str name, struct cat_member *m);
bool plain_member_at(void *self, uint32_t ktype, int i, const char **name,
		     struct cat_member *m);
bool plain_element(void *self, uint32_t ktype, struct type *t, uint32_t *bytes, uint32_t *n);
bool plain_pointee(void *self, uint32_t ktype, struct type *t);
const char *plain_type_name(void *self, uint32_t ktype);

/* The rows of catalog_ops that these are. */
#define PLAIN_TYPES \
	.struct_type = plain_struct, .member = plain_member, \
	.member_at = plain_member_at, .element = plain_element, .pointee = plain_pointee, \
	.ktype_name = plain_type_name

#endif
