/*
 * Lines of a perf-PID.map: "BEGIN BYTES NAME", the numbers hexadecimal. The process adds
 * to it as it compiles; of several ranges with an address the latest counts.
 */
#include "user/perf_map.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "user/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MOST (64u << 20)
#define NAME_BYTES_MOST 1024
#define STEPS_MOST 64			/* ranges looked at for one address */
#define WAIT_NS 100000000ull		/* between two reads, doubled while they bring nothing */
#define WAIT_NS_MOST 5000000000ull

struct range {
	uint64_t begin, end;
	uint32_t name, name_bytes, order;
};

struct perf_map {
	int fd;
	size_t *room, taken;
	uint64_t read, size, modified_ns;
	struct buf names, rest;		/* rest: a line that is not whole yet */
	struct range *v;
	int n, cap;
	uint64_t looked_ns, wait_ns;
	bool looked, cut;
};

/* ---- opening ---- */

/* Of /proc/PID/status: the number in its own namespace, the effective user. */
static bool process_facts(uint32_t pid, uint32_t *own_pid, uint32_t *uid)
{
	char line[512];
	FILE *f;
	int found = 0;

	snprintf(line, sizeof(line), "/proc/%u/status", pid);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f)) {
		char *last = strrchr(line, '\t');

		if (!strncmp(line, "Uid:", 4) && sscanf(line, "Uid: %*u %u", uid) == 1)
			found |= 1;
		else if (!strncmp(line, "NSpid:", 6) && last && sscanf(last, "%u", own_pid) == 1)
			found |= 2;
	}
	if (f)
		fclose(f);
	return found == 3;
}

struct perf_map *perf_map_adopt(int fd, size_t *room)
{
	struct perf_map *j = xcalloc(1, sizeof(*j));

	j->fd = fd;
	j->room = room;
	j->wait_ns = WAIT_NS;
	return j;
}

struct perf_map *perf_map_open(uint32_t pid, size_t *room, enum perf_map_state *state)
{
	char path[64];
	uint32_t own_pid, uid;
	struct stat st;
	int fd;

	*state = PERF_MAP_ABSENT;
	if (!process_facts(pid, &own_pid, &uid))
		return NULL;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", own_pid);
	fd = process_open(pid, path);
	if (fd < 0) {
		*state = fd == -EINVAL || fd == -EISDIR ? PERF_MAP_DISTRUSTED : PERF_MAP_ABSENT;
		return NULL;
	}
	if (fstat(fd, &st) || (st.st_uid != uid && st.st_uid != 0)) {
		*state = PERF_MAP_DISTRUSTED;
		close(fd);
		return NULL;
	}
	*state = PERF_MAP_READ;
	return perf_map_adopt(fd, room);
}

void perf_map_close(struct perf_map *j)
{
	if (!j)
		return;
	close(j->fd);
	*j->room += j->taken;
	buf_fini(&j->names);
	buf_fini(&j->rest);
	free(j->v);
	free(j);
}

bool perf_map_is_cut(const struct perf_map *j)
{
	return j->cut;
}

/* ---- reading ---- */

static void add_line(struct perf_map *j, char *line)
{
	char *p;
	uint64_t begin = strtoull(line, &p, 16), bytes;
	size_t n, need;

	if (p == line || *p != ' ')
		return;
	line = p + 1;
	bytes = strtoull(line, &p, 16);
	if (p == line || *p != ' ' || !bytes || bytes > UINT64_MAX - begin || !p[1])
		return;
	n = strnlen(p + 1, NAME_BYTES_MOST);
	need = n + 2 * sizeof(*j->v);		/* both arrays grow by doubling */
	if (need > *j->room) {
		j->cut = true;
		return;
	}
	*j->room -= need;
	j->taken += need;
	if (j->n == j->cap) {
		j->cap = j->cap ? j->cap * 2 : 256;
		j->v = xrealloc(j->v, sizeof(*j->v) * (size_t)j->cap);
	}
	j->v[j->n] = (struct range){ begin, begin + bytes, (uint32_t)j->names.n, (uint32_t)n,
				     (uint32_t)j->n };
	j->n++;
	buf_add(&j->names, p + 1, n);
}

static void add_text(struct perf_map *j, const char *text, size_t n)
{
	const char *end;

	while ((end = memchr(text, '\n', n))) {
		buf_add(&j->rest, text, (size_t)(end - text));
		add_line(j, j->rest.p);
		buf_clear(&j->rest);
		n -= (size_t)(end - text) + 1;
		text = end + 1;
	}
	/* more than a line can use is not kept */
	if (n && j->rest.n < 2 * NAME_BYTES_MOST)
		buf_add(&j->rest, text, n < NAME_BYTES_MOST ? n : NAME_BYTES_MOST);
}

static int by_begin(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Has the file anything new? */
static bool has_changed(struct perf_map *j)
{
	struct stat st;
	uint64_t modified_ns;

	if (fstat(j->fd, &st))
		return false;
	modified_ns = (uint64_t)st.st_mtim.tv_sec * NS_PER_S + (uint64_t)st.st_mtim.tv_nsec;
	if (j->looked && (uint64_t)st.st_size == j->size && modified_ns == j->modified_ns)
		return false;
	if ((uint64_t)st.st_size < j->read) {
		/* it was begun anew */
		j->read = 0;
		j->n = 0;
		*j->room += j->taken;
		j->taken = 0;
		buf_clear(&j->names);
		buf_clear(&j->rest);
	}
	j->size = (uint64_t)st.st_size;
	j->modified_ns = modified_ns;
	return true;
}

static void read_more(struct perf_map *j)
{
	char *piece;
	ssize_t got;

	if (!has_changed(j))
		return;
	piece = xmalloc(1 << 16);
	while (j->read < FILE_BYTES_MOST &&
	       (got = pread(j->fd, piece, 1 << 16, (off_t)j->read)) > 0) {
		j->read += (uint64_t)got;
		add_text(j, piece, (size_t)got);
	}
	j->cut |= j->read >= FILE_BYTES_MOST;
	free(piece);
	if (j->n)
		qsort(j->v, (size_t)j->n, sizeof(*j->v), by_begin);
}

/* ---- looking up ---- */

static const struct range *latest_at(const struct perf_map *j, uint64_t address)
{
	const struct range *found = NULL;
	int low = 0, high = j->n;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (j->v[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (int steps = 0; low && steps < STEPS_MOST; steps++) {
		const struct range *r = &j->v[--low];

		if (address < r->end && (!found || r->order > found->order))
			found = r;
	}
	return found;
}

bool perf_map_find(struct perf_map *j, uint64_t address, uint64_t now_ns, struct str *name,
		   uint64_t *begin)
{
	const struct range *r = latest_at(j, address);

	if (!j->looked || now_ns - j->looked_ns >= j->wait_ns) {
		int before = j->n;

		read_more(j);
		j->looked = true;
		j->looked_ns = now_ns;
		j->wait_ns = j->n != before ? WAIT_NS :
			j->wait_ns * 2 < WAIT_NS_MOST ? j->wait_ns * 2 : WAIT_NS_MOST;
		r = latest_at(j, address);
	}
	if (!r)
		return false;
	*name = (struct str){ j->names.p + r->name, (int)r->name_bytes };
	*begin = r->begin;
	return true;
}
