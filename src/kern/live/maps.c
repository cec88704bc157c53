/*
 * Rows out of the tables, and waiting for the programs that may still use them.
 *
 * A query with intervals has two tables, or two halves, and a word that says which
 * one its programs use. To end an interval the word is flipped (session/run.c), then all programs
 * that may have read the old word are waited for, then the old half is nobody's: it
 * is read and emptied. Reading and deleting a table in use lost 341 to 998 of
 * 9,000,000 increments, this none. `ways` are the ways to wait; a kernel that has
 * another one gets a row there.
 */
#include "kern/live/impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kern/sysbpf.h"

#define BATCH_BYTES (64u << 10)
#define BATCH_LEAST 16u
#define ROUND_UP_8(n) (((n) + 7) & ~7u)

/* ---- waiting for programs that run ---- */

/* A grace period of RCU, under which all our programs run. With one CPU the kernel
 * returns at once, though a program may be preempted there; with nohz_full it refuses. */
static bool wait_membarrier(struct live *s)
{
	return !live_without(s, FEATURE_MEMBARRIER) && sysconf(_SC_NPROCESSORS_ONLN) > 1 &&
	       !syscall(SYS_membarrier, 1 /* MEMBARRIER_CMD_GLOBAL */, 0, 0);
}

/* An update of a map of maps promises the same (commit 1ae80cf31938). */
static bool wait_map_of_maps(struct live *s)
{
	struct sysbpf_map inner = { .name = "culprit_in", .type = BPF_MAP_TYPE_ARRAY,
				    .key_bytes = 4, .value_bytes = 8, .max_entries = 1 };
	struct sysbpf_map outer = { .name = "culprit_out", .type = BPF_MAP_TYPE_ARRAY_OF_MAPS,
				    .key_bytes = 4, .value_bytes = 4, .max_entries = 1 };
	uint32_t zero = 0;

	if (s->quiesce_outer < 0) {
		s->quiesce_inner = sysbpf_map_create(&inner);
		outer.inner_fd = s->quiesce_inner;
		if (s->quiesce_inner >= 0)
			s->quiesce_outer = sysbpf_map_create(&outer);
	}
	return s->quiesce_outer >= 0 &&
	       !sysbpf_map_update(s->quiesce_outer, &zero, &s->quiesce_inner);
}

/* Programs run for microseconds; a virtual CPU can be taken away for longer. */
static bool wait_long(struct live *s)
{
	struct timespec t = { .tv_nsec = 300000000 };

	(void)s;
	return nanosleep(&t, NULL) == 0 || errno == EINTR;
}

static const struct {
	const char *name;
	bool (*wait)(struct live *s);
} ways[] = {
	{ .name = "membarrier", .wait = wait_membarrier },
	{ .name = "map-of-maps", .wait = wait_map_of_maps },
	{ .name = "sleep", .wait = wait_long },
};

void maps_quiesce(struct live *s)
{
	while (s->quiesce < (int)(sizeof(ways) / sizeof(ways[0])) && !ways[s->quiesce].wait(s))
		s->quiesce++;
}

/* ---- reading ---- */

/* A map and how it is read. */
struct reader {
	struct live *s;
	const struct img_map *m;
	int fd;
	bool clear;			/* empty what was read */
	int n_values;			/* of a row */
	uint32_t stride, row_bytes;
	map_row_fn *each;
	void *arg;
};

static bool is_per_cpu(const struct img_map *m)
{
	return m->type == BPF_MAP_TYPE_PERCPU_ARRAY || m->type == BPF_MAP_TYPE_PERCPU_HASH ||
	       m->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static bool is_array(const struct img_map *m)
{
	return m->type == BPF_MAP_TYPE_PERCPU_ARRAY || m->type == BPF_MAP_TYPE_ARRAY;
}

static void reader_init(struct reader *r, struct live *s, int map)
{
	*r = (struct reader){ .s = s, .m = &s->image->maps.v[map], .fd = s->map_fds[map] };
	r->n_values = is_per_cpu(r->m) ? s->n_cpus : 1;
	r->stride = ROUND_UP_8(r->m->value_bytes);
	r->row_bytes = is_per_cpu(r->m) ? r->stride * (uint32_t)r->n_values : r->m->value_bytes;
}

static bool all_zero(const char *p, size_t n)
{
	return !n || (!p[0] && !memcmp(p, p + 1, n - 1));
}

/* Rows first .. first + n - 1 of an array; keys count from 0. */
static int read_array(struct reader *r, uint32_t first, uint32_t n)
{
	char *values = xcalloc(1, r->row_bytes + 8), *zeros = xcalloc(1, r->row_bytes + 8);
	int code = 0;

	for (uint32_t i = 0; i < n && !code; i++) {
		uint32_t at = first + i;
		uint64_t key = i;

		code = sysbpf_map_lookup(r->fd, &at, values);
		if (code || all_zero(values, r->row_bytes))
			continue;
		r->each(r->arg, &key, values, r->n_values, r->stride);
		if (r->clear)
			code = sysbpf_map_update(r->fd, &at, zeros);
	}
	free(values);
	free(zeros);
	return code;
}

/* One row a system call: where the kernel has no batches for this kind of table. */
static int read_hash_singly(struct reader *r)
{
	char *key = xcalloc(1, r->m->key_bytes), *next = xcalloc(1, r->m->key_bytes);
	char *values = xcalloc(1, r->row_bytes + 8);
	bool first = true;
	int code;

	while (!(code = sysbpf_map_next_key(r->fd, first ? NULL : key, next))) {
		if (!sysbpf_map_lookup(r->fd, next, values))
			r->each(r->arg, next, values, r->n_values, r->stride);
		if (r->clear) {
			code = sysbpf_map_delete(r->fd, next);
			if (code && code != -ENOENT)
				break;
		} else {
			memcpy(key, next, r->m->key_bytes);
			first = false;
		}
	}
	free(key);
	free(next);
	free(values);
	return code == -ENOENT ? 0 : code;
}

static int read_hash(struct reader *r)
{
	uint32_t key_bytes = r->m->key_bytes, room = BATCH_BYTES / (key_bytes + r->row_bytes);
	int cmd = r->clear ? BPF_MAP_LOOKUP_AND_DELETE_BATCH : BPF_MAP_LOOKUP_BATCH;
	char *keys = NULL, *values = NULL;
	uint64_t at[2] = { 0 };
	bool first = true;
	int code = -ENOSPC;

	if (r->s->no_batch)
		return read_hash_singly(r);
	if (room < BATCH_LEAST)
		room = BATCH_LEAST;
	while (code == 0 || code == -ENOSPC) {
		uint32_t n;

		if (!keys || code == -ENOSPC) {
			/* one bucket of the hash holds more than the room: the kernel
			 * does not split it */
			if (keys && room > r->m->max_entries * 2 + BATCH_LEAST)
				break;
			room = keys ? room * 4 : room;
			keys = xrealloc(keys, (size_t)room * key_bytes);
			values = xrealloc(values, (size_t)room * r->row_bytes);
		}
		n = room;
		code = sysbpf_map_batch(cmd, r->fd, first ? NULL : at, at, keys, values, &n);
		for (uint32_t i = 0; i < n; i++)
			r->each(r->arg, keys + (size_t)i * key_bytes,
				values + (size_t)i * r->row_bytes, r->n_values, r->stride);
		if (code == 0)
			first = false;
	}
	free(keys);
	free(values);
	if (first && code != -ENOENT && code != -ENOSPC)
		return read_hash_singly(r);
	return code == -ENOENT ? 0 : code;
}

int maps_read(void *live, const struct map_part *p, map_row_fn *each, void *arg)
{
	struct reader r;

	reader_init(&r, live, p->map);
	r.clear = p->clear;
	r.each = each;
	r.arg = arg;
	return is_array(r.m) ? read_array(&r, p->first, p->n) : read_hash(&r);
}

void maps_counters(struct live *s, uint64_t *counts)
{
	uint32_t zero = 0, n = (uint32_t)s->plan->counters.n;
	struct reader r;
	char *values;

	memset(counts, 0, sizeof(*counts) * n);
	if (s->image->counters < 0)
		return;
	reader_init(&r, s, s->image->counters);
	values = xcalloc(1, r.row_bytes + 8);
	if (!sysbpf_map_lookup(r.fd, &zero, values))
		for (int cpu = 0; cpu < r.n_values; cpu++)
			for (uint32_t i = 0; i < n && 8 * i < r.stride; i++)
				counts[i] += ((const uint64_t *)(values +
							(size_t)cpu * r.stride))[i];
	free(values);
}

uint64_t *maps_keep_counters(struct live *s)
{
	uint64_t *counts = arena_array(&s->arena, uint64_t, s->plan->counters.n + 1);

	maps_counters(s, counts);
	return counts;
}
