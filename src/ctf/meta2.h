/* meta2: what the two halves of the reader of CTF 2's metadata share. */
#ifndef CTF_META2_H
#define CTF_META2_H

#include "base/json.h"
#include "ctf/impl.h"

struct meta2 {
	struct ctf_meta *meta;
	struct map aliases;		/* name -> struct ctf_type */
	int depth, line, n_fragments;
	bool failed;
};

bool meta2_fail(struct meta2 *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The field class that j is or names; NULL: it is wrong. */
struct ctf_type *meta2_type(struct meta2 *p, const struct json *j);

#endif
