/* What was seen in slow calls, below MAIN. See analysis/suggest.h. */
#include "analysis/suggest.h"

#include <stdlib.h>
#include <string.h>

#define WRAPPER_PERCENT 97

void suggest_init(struct suggest *s)
{
	*s = (struct suggest){ 0 };
	flame_init(&s->all);
	flame_init(&s->below);
}

void suggest_fini(struct suggest *s)
{
	flame_fini(&s->all);
	flame_fini(&s->below);
}

void suggest_add(struct suggest *s, int64_t tid, int64_t time_ns, const struct stack *stack,
		 enum suggest_side side, uint64_t ns)
{
	int node = 0;

	if (s->seen.n >= SUGGEST_ROWS_MOST) {
		s->dropped++;
		return;
	}
	for (int i = stack ? stack->n - 1 : -1; i >= 0; i--) {
		const struct stack_frame *f = &stack->frames[i];

		if (f->name)
			node = flame_child(&s->all, node, flame_frame(&s->all, str_of(f->name),
								      f->module, f->kind));
	}
	*vec_add(&s->all.arena, &s->seen) = (struct suggest_seen){ tid, time_ns, ns, node, (uint8_t)side };
}

void suggest_add_call(struct suggest *s, int64_t tid, int64_t begin_ns, int64_t duration_ns)
{
	if (s->calls.n >= SUGGEST_ROWS_MOST) {
		s->dropped++;
		return;
	}
	*vec_add(&s->all.arena, &s->calls) = (struct suggest_call){ tid, begin_ns, begin_ns + duration_ns };
}

/* ---- slow calls ---- */

static int by_begin(const void *a, const void *b)
{
	const struct suggest_call *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Those inside of others are one with them. Returns how many are left. */
static int merge(struct suggest *s)
{
	int n = 0;

	qsort(s->calls.v, (size_t)s->calls.n, sizeof(*s->calls.v), by_begin);
	for (int i = 0; i < s->calls.n; i++) {
		struct suggest_call *c = &s->calls.v[i], *last = n ? &s->calls.v[n - 1] : NULL;

		if (last && last->tid == c->tid && c->begin_ns < last->end_ns)
			last->end_ns = c->end_ns > last->end_ns ? c->end_ns : last->end_ns;
		else
			s->calls.v[n++] = *c;
	}
	for (int i = 0; i < n; i++)
		s->calls_ns += (uint64_t)(s->calls.v[i].end_ns - s->calls.v[i].begin_ns);
	return n;
}

/* The slow call that it was seen in, of the n; NULL: in none. */
static const struct suggest_call *slow_call(const struct suggest *s, int n,
					    const struct suggest_seen *seen)
{
	const struct suggest_call key = { .tid = seen->tid, .begin_ns = seen->time_ns };
	int from = 0, to = n;

	while (from < to) {
		int middle = from + (to - from) / 2;

		if (by_begin(&s->calls.v[middle], &key) <= 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from && s->calls.v[from - 1].tid == seen->tid &&
	       seen->time_ns <= s->calls.v[from - 1].end_ns ? &s->calls.v[from - 1] : NULL;
}

/*
 * Keeps what was seen in one of the n calls. A wait counts up to the call's end. Each sample
 * stands for its interval, so that by chance many can stand for more than there was.
 */
static void keep_slow(struct suggest *s, int n)
{
	uint64_t most;
	int kept = 0;

	for (int i = 0; i < s->seen.n; i++) {
		struct suggest_seen seen = s->seen.v[i];
		const struct suggest_call *call = slow_call(s, n, &seen);

		if (!call)
			continue;
		if (seen.side == SUGGEST_OFF && seen.ns > (uint64_t)(call->end_ns - seen.time_ns))
			seen.ns = (uint64_t)(call->end_ns - seen.time_ns);
		s->ns[seen.side] = flame_sum(s->ns[seen.side], seen.ns);
		s->seen.v[kept++] = seen;
	}
	s->seen.n = kept;
	most = s->calls_ns > s->ns[SUGGEST_OFF] ? s->calls_ns - s->ns[SUGGEST_OFF] : 0;
	if (s->ns[SUGGEST_ON] <= most)
		return;
	for (int i = 0; i < kept; i++)
		if (s->seen.v[i].side == SUGGEST_ON)
			s->seen.v[i].ns = (uint64_t)((double)s->seen.v[i].ns * (double)most /
						     (double)s->ns[SUGGEST_ON]);
	s->ns[SUGGEST_ON] = most;
}

/* ---- below MAIN ---- */

struct ranking {
	struct suggest *s;
	const struct suggest_ops *ops;
	int *frames;			/* of `all` -> of `below`, UNTRACED or UNKNOWN */
	int path[FLAME_DEPTH];
};

enum { UNTRACED = -1, UNKNOWN = -2 };
enum { IS_PART, IS_NAMED };		/* kinds of the frames of `below` */

static int frame_below(struct ranking *r, int frame)
{
	if (r->frames[frame] == UNKNOWN) {
		bool part = true;
		const char *source = r->ops->source(r->ops->self, &r->s->all.frames.v[frame], &part);

		r->frames[frame] = source ? flame_frame(&r->s->below, str_of(source), NULL,
							part ? IS_PART : IS_NAMED) : UNTRACED;
	}
	return r->frames[frame];
}

/* The place in `below` of a stack; MAIN's innermost frame is its root. -1: MAIN is not in it. */
static int place(struct ranking *r, int node)
{
	const struct flame *all = &r->s->all;
	int n = 0, at = 0;

	for (; node; node = all->nodes[node].parent) {
		if (r->ops->is_main && r->ops->is_main(r->ops->self, &all->frames.v[all->nodes[node].frame]))
			break;
		r->path[n++] = all->nodes[node].frame;
	}
	if (!node && r->ops->is_main)
		return -1;
	while (n--) {
		int frame = frame_below(r, r->path[n]);

		if (frame != UNTRACED)
			at = flame_child(&r->s->below, at, frame);
	}
	return at;
}

/* Is this what spins on a lock: on a spinlock, or on a mutex or an rwsem while the owner runs? */
static bool spins(const struct flame *all, int node)
{
	static const char *const names[] = {
		"mutex_spin_on_owner", "rwsem_spin_on_owner", "rtmutex_spin_on_owner", "osq_lock", "mutex_optimistic_spin",
		"rwsem_optimistic_spin", "queued_spin_lock_slowpath", "native_queued_spin_lock_slowpath",
		"__pv_queued_spin_lock_slowpath", "queued_read_lock_slowpath", "queued_write_lock_slowpath",
	};
	const char *name = node ? all->frames.v[all->nodes[node].frame].name : "";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

void suggest_rank(struct suggest *s, const struct suggest_ops *ops)
{
	struct ranking *r = xcalloc(1, sizeof(*r));
	int n = merge(s);

	r->s = s;
	r->ops = ops;
	r->frames = xcalloc((size_t)s->all.frames.n + 1, sizeof(int));
	for (int i = 0; i < s->all.frames.n; i++)
		r->frames[i] = UNKNOWN;
	keep_slow(s, n);
	for (int i = 0; i < s->seen.n; i++) {
		const struct suggest_seen *seen = &s->seen.v[i];
		int at = place(r, seen->node);

		if (seen->side == SUGGEST_ON && spins(&s->all, seen->node))
			s->spinning_ns += seen->ns;
		if (at < 0)
			s->unplaced_ns = flame_sum(s->unplaced_ns, seen->ns);
		else
			flame_add(&s->below, at, seen->side, seen->ns);
	}
	flame_finish(&s->below, s->below.n);
	free(r->frames);
	free(r);
}

/* ---- the answer ---- */

uint64_t suggest_ns(const struct suggest *s, int node)
{
	return flame_sum(s->below.nodes[node].total[0], s->below.nodes[node].total[1]);
}

bool suggest_is_part(const struct suggest *s, int node)
{
	return s->below.frames.v[s->below.nodes[node].frame].kind == IS_PART;
}

int suggest_callees(const struct suggest *s, int node, uint64_t least_ns, int *callees, int n)
{
	int found = 0;

	for (int i = 1; i < s->below.n; i++) {
		int at = found;

		if (s->below.nodes[i].parent != node || suggest_ns(s, i) < least_ns || !suggest_ns(s, i))
			continue;
		while (at && suggest_ns(s, callees[at - 1]) < suggest_ns(s, i))
			at--;
		if (at == n)
			continue;
		found -= found == n;
		memmove(&callees[at + 1], &callees[at], (size_t)(found - at) * sizeof(*callees));
		callees[at] = i;
		found++;
	}
	return found;
}

int suggest_branch(const struct suggest *s, int node)
{
	int first;

	while (suggest_callees(s, node, 0, &first, 1) &&
	       suggest_ns(s, first) >= suggest_ns(s, node) / 100 * WRAPPER_PERCENT) {
		int inner;

		if (!suggest_callees(s, first, suggest_ns(s, first) / 10, &inner, 1))
			break;
		/* the innermost that can be a part */
		if (suggest_is_part(s, first) && !suggest_is_part(s, inner))
			break;
		node = first;
	}
	return node;
}
