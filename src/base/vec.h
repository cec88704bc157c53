/*
 * vec: a growing array in an arena.
 *
 *	VEC(struct token) tokens;			a member or variable, zeroed
 *	*vec_add(arena, &tokens) = (struct token){...};
 *	for (int i = 0; i < tokens.n; i++) use(tokens.v[i]);
 *
 * Growing moves the elements: keep indices, or pointers to things elsewhere.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/arena.h"

#define VEC(T) struct { T *v; int n, cap; }

/* Returns the address of a new, zeroed last element. */
#define vec_add(a, vec) \
	((vec)->v = vec_grow_(a, (vec)->v, (vec)->n, &(vec)->cap, sizeof(*(vec)->v)), \
	 &(vec)->v[(vec)->n++])
#define vec_push(a, vec, item) ((void)(*vec_add(a, vec) = (item)))
#define vec_last(vec) ((vec)->v[(vec)->n - 1])

void *vec_grow_(struct arena *a, void *v, int n, int *cap, size_t item_bytes);

#endif
