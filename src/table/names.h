/*
 * names: how a view learns the name of a number.
 *
 * A view knows no kernel and no trace: the executor (kern/ or replay/) fills
 * this. Each returns a name that stays valid for the window, or NULL when
 * there is none and the number is shown. A NULL function: no such names here.
 */
#ifndef TABLE_NAMES_H
#define TABLE_NAMES_H

#include <stdint.h>

struct arena;
struct stack;

struct names {
	void *self;
	const char *(*disk)(void *self, uint64_t dev);		/* "sda" */
	const char *(*user)(void *self, uint64_t uid);		/* "root" */
	const char *(*group)(void *self, uint64_t gid);
	const char *(*cgroup)(void *self, uint64_t id);		/* its path */
	const char *(*ksym)(void *self, uint64_t addr);		/* "vfs_read+0x12" */
	/* The stack of an id of so many bytes, in a; never NULL */
	const struct stack *(*stack)(void *self, struct arena *a, const void *id, int bytes);
	/* CLOCK_REALTIME ns of an event's time */
	uint64_t (*wall_ns)(void *self, uint64_t time_ns);
};

#endif
