/*
 * executor: what runs an image's programs, seen from above: its maps.
 */
#ifndef BPF_EXECUTOR_H
#define BPF_EXECUTOR_H

#include "bpf/image.h"

/* Rows of a map: of an array n from `first` on, whose keys count from 0 as u64; of a hash all. */
struct map_part {
	int map;			/* number in image->maps */
	uint32_t first, n;
	bool clear;			/* takes them out; a row of an array becomes zeros */
};

/* values: n_values of them, stride bytes apart: one for each CPU, or one. An array's rows that are
 * all zero may be left out. */
typedef void map_row_fn(void *arg, const void *key, const void *values, int n_values, uint32_t stride);

struct map_source {
	void *self;
	/* 0 or -errno. */
	int (*read)(void *self, const struct map_part *p, map_row_fn *each, void *arg);
};

#endif
