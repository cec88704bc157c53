/*
 * An address space is a slot; its number is the slot with how often that was used, so that
 * a number whose slot has another space now is known to be old.
 *
 * The spaces of a process follow each other: each is the process's from begin_ns until
 * until_ns. A child's mappings are its parent's until either changes its own.
 */
#include "user/address_spaces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define SPACES_MOST 16384		/* a power of two */
#define NOTED_MOST (SPACES_MOST / 4 * 3)
#define MAPPINGS_MOST 16384		/* of one space */
#define MAPPINGS_ALL_MOST (1 << 20)	/* 40 MiB */
#define JIT_BYTES_MOST ((size_t)128 << 20)
#define JITS_MOST 128			/* held open */
#define CHECK_NS 10000000ull		/* between looks at one process */
#define WAIT_NS_MOST 1000000000ull	/* when looks find nothing new */

struct list {
	int users, n, cap;
	struct mapping v[];
};

struct address_space {
	uint32_t pid, uses;
	uint64_t begin_ns, until_ns;
	struct process_identity identity;	/* zero: /proc was not asked */
	struct list *list;		/* NULL: see why */
	enum unnamed_why why;		/* for an address that is not mapped */
	bool told;			/* by notices, from its begin on */
	bool noted;			/* a stack of it is known */
	bool used;			/* since the hand passed by */
	bool made;			/* has code that was made at run time */
	uint64_t looked_ns, wait_ns;
	struct perf_map *jit;		/* what the perf-PID.map names */
	enum unnamed_why jit_why;	/* without one */
	uint64_t jit_looked_ns;
	uint32_t next;			/* slot + 1 of the next of the same hash of pid */
};

struct address_spaces {
	int64_t clock_ahead_ns;
	struct mapped_files *files;
	struct address_space *v;
	uint32_t by_pid[SPACES_MOST];	/* slot + 1 */
	uint32_t hand;
	uint32_t n_taken;		/* slots from here on were never touched */
	int noted;
	long mappings;			/* of all, with the room for more */
	size_t jit_room;
	int jits;
};

struct address_spaces *address_spaces_open(int64_t clock_ahead_ns)
{
	struct address_spaces *u = xcalloc(1, sizeof(*u));

	u->clock_ahead_ns = clock_ahead_ns;
	u->files = mapped_files_open();
	u->v = xcalloc(SPACES_MOST, sizeof(*u->v));
	u->jit_room = JIT_BYTES_MOST;
	return u;
}

struct mapped_files *address_spaces_files(const struct address_spaces *u)
{
	return u->files;
}

uint64_t address_spaces_now_ns(const struct address_spaces *u)
{
	return clock_ns(CLOCK_MONOTONIC) - (uint64_t)u->clock_ahead_ns;
}

/* ---- mappings ---- */

static void list_drop(struct address_spaces *u, struct list *l)
{
	if (!l || --l->users)
		return;
	u->mappings -= l->cap;
	free(l);
}

/* The space's own list with room for n. False: there are too many. */
static bool list_own(struct address_spaces *u, struct address_space *s, int n)
{
	struct list *l = s->list;
	int cap = l ? l->cap : 4;

	if (l && l->users == 1 && n <= l->cap)
		return true;
	while (cap < n)
		cap *= 2;
	if (n > MAPPINGS_MOST || u->mappings + cap > MAPPINGS_ALL_MOST)
		return false;
	l = xmalloc(sizeof(*l) + (size_t)cap * sizeof(l->v[0]));
	l->n = 0;
	if (s->list) {
		l->n = s->list->n;
		memcpy(l->v, s->list->v, (size_t)l->n * sizeof(l->v[0]));
	}
	l->users = 1;
	l->cap = cap;
	u->mappings += cap;
	list_drop(u, s->list);
	s->list = l;
	return true;
}

/* The first that ends behind the address. */
static int place_of(const struct list *l, uint64_t address)
{
	int low = 0, high = l ? l->n : 0;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (l->v[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* In place of what was there. */
static void add_mapping(struct address_spaces *u, struct address_space *s, const struct mapping *m)
{
	int n = s->list ? s->list->n : 0, at = place_of(s->list, m->start), end = at;
	struct mapping *v;

	if (!list_own(u, s, n + 1)) {
		s->why = UNNAMED_TOO_MANY;
		return;
	}
	v = s->list->v;
	while (end < n && v[end].start < m->end)
		end++;
	memmove(v + at + 1, v + end, (size_t)(n - end) * sizeof(*v));
	v[at] = *m;
	s->list->n = n - (end - at) + 1;
	if (s->noted && m->file)
		mapped_files_use(u->files, m->file);
	s->made |= m->why == UNNAMED_NO_JIT;
}

/* Memory that run-time compilers share with themselves looks like a file. */
static bool is_made(const char *path)
{
	return !strncmp(path, "/dev/zero", 9) ||
	       !strncmp(path, "/anon_hugepage", 14) || !strncmp(path, "//anon", 6) ||
	       !strncmp(path, "/SYSV", 5);
}

static struct mapping mapping_of(struct address_spaces *u, uint32_t pid, const struct maps_line *m)
{
	struct mapping x = { m->start, m->end, m->offset, NULL, UNNAMED_NO_JIT };
	bool memfd = !strncmp(m->path, "/memfd:", 7), made = is_made(m->path);

	/* a program can be run out of a memfd, too */
	if (memfd || (*m->path == '/' && !made) || !strcmp(m->path, "[vdso]")) {
		x.file = mapped_files_add(u->files, pid, m);
		x.why = memfd ? UNNAMED_NO_JIT : UNNAMED_TOO_MANY;
	}
	return x;
}

const struct mapping *address_space_at(const struct address_space *s, uint64_t address, enum unnamed_why *why)
{
	int at = place_of(s->list, address);

	*why = s->why;
	return s->list && at < s->list->n && s->list->v[at].start <= address ? &s->list->v[at]
									      : NULL;
}

const struct mapping *address_space_before(const struct address_space *s, uint64_t address)
{
	int at = place_of(s->list, address);

	return s->list && at ? &s->list->v[at - 1] : NULL;
}

static int n_covered(const struct address_space *s, const uint64_t *addresses, int n)
{
	enum unnamed_why why;
	int covered = 0;

	for (int i = 0; i < n; i++)
		covered += address_space_at(s, addresses[i] - (i > 0), &why) != NULL;
	return covered;
}

static bool covers(const struct address_space *s, const uint64_t *addresses, int n)
{
	return n_covered(s, addresses, n) == n;
}

/* ---- spaces ---- */

static uint32_t *chain_of(struct address_spaces *u, uint32_t pid)
{
	return &u->by_pid[pid * 2654435761u >> 18];
}

static struct address_space *next_of(struct address_spaces *u, uint32_t at, uint32_t pid)
{
	while (at && u->v[at - 1].pid != pid)
		at = u->v[at - 1].next;
	return at ? &u->v[at - 1] : NULL;
}

static uint32_t number_of(const struct address_spaces *u, const struct address_space *s)
{
	return s->uses * SPACES_MOST + (uint32_t)(s - u->v);
}

struct address_space *address_spaces_find(struct address_spaces *u, uint32_t number)
{
	struct address_space *s = &u->v[number % SPACES_MOST];

	return s->uses == number / SPACES_MOST && s->uses ? s : NULL;
}

/* The one that the process had at a time, 0: has now. */
static struct address_space *space_at(struct address_spaces *u, uint32_t pid, uint64_t time_ns)
{
	struct address_space *s = next_of(u, *chain_of(u, pid), pid);

	if (!time_ns)
		time_ns = UINT64_MAX - 1;
	while (s && (s->begin_ns > time_ns || s->until_ns <= time_ns))
		s = next_of(u, s->next, pid);
	return s;
}

static void end_space(struct address_spaces *u, struct address_space *s)
{
	uint32_t *at = chain_of(u, s->pid);

	while (&u->v[*at - 1] != s)
		at = &u->v[*at - 1].next;
	*at = s->next;
	list_drop(u, s->list);
	u->noted -= s->noted;
	u->jits -= s->jit != NULL;
	perf_map_close(s->jit);
}

/* One without a stack; else one that was not used lately. */
static struct address_space *free_slot(struct address_spaces *u)
{
	bool crowded = u->noted > NOTED_MOST;
	struct address_space *s;

	for (;;) {
		s = &u->v[u->hand];
		if (u->hand == u->n_taken)
			u->n_taken++;
		u->hand = (u->hand + 1) % SPACES_MOST;
		if (!s->noted || (crowded && !s->used))
			break;
		if (crowded)
			s->used = false;
	}
	if (s->uses)
		end_space(u, s);
	return s;
}

static struct address_space *new_space(struct address_spaces *u, uint32_t pid, uint64_t begin_ns)
{
	struct address_space *s = free_slot(u), *other;
	uint32_t uses = (s->uses + 1) % (UINT32_MAX / SPACES_MOST), *chain = chain_of(u, pid);

	/* 0 is no number */
	*s = (struct address_space){ .pid = pid, .uses = uses ? uses : 1, .begin_ns = begin_ns,
			      .until_ns = UINT64_MAX, .wait_ns = CHECK_NS, .why = UNNAMED_UNMAPPED };
	for (other = next_of(u, *chain, pid); other; other = next_of(u, other->next, pid)) {
		if (other->begin_ns <= begin_ns && other->until_ns > begin_ns)
			other->until_ns = begin_ns;
		else if (other->begin_ns > begin_ns && other->begin_ns < s->until_ns)
			s->until_ns = other->begin_ns;
	}
	s->next = *chain;
	*chain = (uint32_t)(s - u->v) + 1;
	return s;
}

void address_spaces_close(struct address_spaces *u)
{
	if (!u)
		return;
	for (uint32_t i = 0; i < u->n_taken; i++)
		if (u->v[i].uses)
			end_space(u, &u->v[i]);
	free(u->v);
	mapped_files_close(u->files);
	free(u);
}

/* ---- /proc ---- */

struct perf_map *address_spaces_jit(struct address_spaces *u, struct address_space *s, uint64_t now_ns,
				    enum unnamed_why *why)
{
	static const enum unnamed_why whys[] = { [PERF_MAP_ABSENT] = UNNAMED_NO_JIT,
					  [PERF_MAP_DISTRUSTED] = UNNAMED_BAD_JIT };
	enum perf_map_state state;

	if (!s->jit && (!s->jit_looked_ns || now_ns - s->jit_looked_ns >= WAIT_NS_MOST)) {
		s->jit_looked_ns = now_ns;
		s->jit_why = UNNAMED_TOO_MANY;
		if (u->jits < JITS_MOST) {
			s->jit = perf_map_open(s->pid, &u->jit_room, &state);
			u->jits += s->jit != NULL;
			if (!s->jit)
				s->jit_why = whys[state];
		}
	}
	*why = s->jit_why;
	return s->jit;
}

static void read_mappings(struct address_spaces *u, struct address_space *s)
{
	struct maps_line line;
	int error;
	char *text = process_maps(s->pid, &error), *at = text;

	if (!text) {
		/* what was known of it is still true */
		if (!s->list)
			s->why = error == EACCES || error == EPERM ? UNNAMED_REFUSED : UNNAMED_ENDED;
		return;
	}
	list_drop(u, s->list);
	s->list = NULL;
	s->why = UNNAMED_UNMAPPED;
	s->made = false;
	while (maps_line_next(&at, &line)) {
		struct mapping m;

		if (!line.executable)
			continue;
		m = mapping_of(u, s->pid, &line);
		add_mapping(u, s, &m);
	}
	free(text);
}

static bool same_identity(const struct process_identity *a, const struct process_identity *b)
{
	return a->start_time == b->start_time && a->start_code == b->start_code &&
	       a->start_stack == b->start_stack;
}

/* Is the process one that is not known, by what /proc says of it now? What notices told
 * of is not asked about before the first look. */
static bool is_another(const struct address_space *s, const struct process_identity *i)
{
	return !s || !((s->told && !s->identity.start_time) || same_identity(&s->identity, i));
}

/* Is what the process has now another space than at that time? */
static bool is_over(struct address_spaces *u, uint32_t pid, uint64_t time_ns)
{
	struct address_space *now = space_at(u, pid, 0);

	return now && time_ns && now->begin_ns > time_ns;
}

/* Asks /proc, when it is time and something is not known. The space it is then. */
static struct address_space *look(struct address_spaces *u, struct address_space *s, uint32_t pid, uint64_t time_ns,
				  const uint64_t *addresses, int n)
{
	uint64_t now_ns = address_spaces_now_ns(u);
	struct process_identity identity;
	bool whole = s && covers(s, addresses, n);

	if (s && ((whole && s->told) || s->until_ns != UINT64_MAX ||
		  (s->looked_ns && now_ns - s->looked_ns < (whole ? CHECK_NS : s->wait_ns))))
		return s;
	if ((!s && is_over(u, pid, time_ns)) || !process_identity(pid, &identity)) {
		if (!s) {
			s = new_space(u, pid, time_ns ? time_ns : now_ns);
			s->why = pid ? UNNAMED_ENDED : UNNAMED_ELSEWHERE;
		}
	} else if (is_another(s, &identity)) {
		bool first = !next_of(u, *chain_of(u, pid), pid);

		s = new_space(u, pid, first ? 0 : time_ns ? time_ns : now_ns);
		s->identity = identity;
		read_mappings(u, s);
	} else if (!whole) {
		s->identity = identity;
		read_mappings(u, s);
		s->wait_ns = covers(s, addresses, n) ? CHECK_NS :
			s->wait_ns * 2 < WAIT_NS_MOST ? s->wait_ns * 2 : WAIT_NS_MOST;
	}
	s->looked_ns = now_ns;
	return s;
}

static void set_noted(struct address_spaces *u, struct address_space *s)
{
	enum unnamed_why why;

	s->used = true;
	if (s->made)
		address_spaces_jit(u, s, address_spaces_now_ns(u), &why);
	if (s->noted)
		return;
	s->noted = true;
	u->noted++;
	for (int i = 0; s->list && i < s->list->n; i++)
		if (s->list->v[i].file)
			mapped_files_use(u->files, s->list->v[i].file);
}

uint32_t address_spaces_note(struct address_spaces *u, uint32_t pid, uint64_t time_ns,
			     const uint64_t *addresses, int n)
{
	struct address_space *s = look(u, space_at(u, pid, time_ns), pid, time_ns, addresses, n);

	set_noted(u, s);
	return number_of(u, s);
}

/*
 * exec takes the new memory before it is told, so a stack from in between is noted with the
 * program before. The one that has most of these addresses is meant.
 */
static struct address_space *of_addresses(struct address_spaces *u, struct address_space *s,
					  const uint64_t *addresses, int n)
{
	int most, covered;

	if (s->until_ns == UINT64_MAX)
		return s;
	most = n_covered(s, addresses, n);
	for (struct address_space *next = s; most < n && next && next->until_ns != UINT64_MAX;) {
		next = space_at(u, s->pid, next->until_ns);
		covered = next ? n_covered(next, addresses, n) : 0;
		if (covered <= most)
			continue;
		most = covered;
		s = next;
	}
	return s;
}

uint32_t address_spaces_note_again(struct address_spaces *u, uint32_t number, const uint64_t *addresses, int n)
{
	struct address_space *s = address_spaces_find(u, number);

	if (!s)
		return number;
	s = of_addresses(u, s, addresses, n);
	look(u, s, s->pid, 0, addresses, n);
	set_noted(u, s);
	return number_of(u, s);
}

/* ---- notices ---- */

static void forked(struct address_spaces *u, const struct notice *n)
{
	struct address_space *parent = space_at(u, n->parent, n->time_ns), *child, from;

	/* one that was there before: what it has now is what it had */
	parent = look(u, parent, n->parent, parent ? 0 : n->time_ns, NULL, 0);
	from = *parent;
	if (from.list)
		from.list->users++;	/* the parent's slot may be the next to be taken */
	child = new_space(u, n->pid, n->time_ns);
	child->told = from.list != NULL;
	child->why = from.why;
	child->made = from.made;
	child->list = from.list;
}

/* Has it another file there, of which there may be stacks? */
static bool is_replaced(const struct address_space *s, const struct mapping *m)
{
	int at = place_of(s->list, m->start);

	for (; s->list && at < s->list->n && s->list->v[at].start < m->end; at++)
		if (s->list->v[at].file != m->file)
			return true;
	return false;
}

/* The same from then on: a space of its own. */
static struct address_space *follow(struct address_spaces *u, struct address_space *s, uint64_t time_ns)
{
	struct address_space from = *s, *to;

	if (from.list)
		from.list->users++;	/* its slot may be the next to be taken */
	to = new_space(u, from.pid, time_ns);
	to->identity = from.identity;
	to->told = from.told;
	to->why = from.why;
	to->made = from.made;
	to->list = from.list;
	return to;
}

void address_spaces_notice(struct address_spaces *u, const struct notice *n)
{
	struct address_space *s;
	struct mapping m;

	/* outside of the PID namespace all have that number */
	if (!n->pid && n->kind != NOTICE_LOST)
		return;
	switch (n->kind) {
	case NOTICE_FORK:
		forked(u, n);
		break;
	case NOTICE_EXEC:
		new_space(u, n->pid, n->time_ns)->told = true;
		break;
	case NOTICE_MAP:
		s = space_at(u, n->pid, n->time_ns);
		if (!s)
			break;
		m = mapping_of(u, n->pid, &n->map);
		if (is_replaced(s, &m))
			s = follow(u, s, n->time_ns);
		add_mapping(u, s, &m);
		break;
	case NOTICE_LOST:
		for (uint32_t i = 0; i < u->n_taken; i++)
			u->v[i].told = false;
		break;
	case NOTICE_EXIT:
	case NOTICE_CODE:
		break;
	}
}
