/* Stacks as a tree. See flame.h. */
#include "view/flame.h"

#include <stdlib.h>
#include <string.h>

uint64_t flame_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void flame_init(struct flame *f)
{
	*f = (struct flame){ .n = 1, .cap = 1024, .n_slots = 2048 };
	f->nodes = xcalloc((size_t)f->cap, sizeof(*f->nodes));
	f->slots = xcalloc(f->n_slots, sizeof(*f->slots));
	f->nodes[0].parent = f->nodes[0].frame = -1;
}

void flame_fini(struct flame *f)
{
	free(f->nodes);
	free(f->slots);
	free(f->order);
	buf_fini(&f->key);
	arena_fini(&f->arena);
}

int flame_frame(struct flame *f, struct str name, const char *module, int kind)
{
	struct buf *key = &f->key;
	void **at;

	/* name, kind and module, of which only the first can hold a NUL */
	buf_clear(key);
	buf_add(key, name.p, (size_t)name.n);
	buf_putc(key, (char)kind);
	if (module)
		buf_puts(key, module);
	if (f->frames.n >= FLAME_NODES && !map_get(&f->by_name, key->p, (int)key->n))
		return -1;
	at = map_put(&f->arena, &f->by_name, key->p, (int)key->n);
	if (!*at) {
		*vec_add(&f->arena, &f->frames) = (struct flame_frame){
			.name = arena_strndup(&f->arena, name.p, (size_t)name.n),
			.module = module ? arena_strdup(&f->arena, module) : NULL,
			.kind = (uint8_t)kind,
		};
		*at = (void *)(intptr_t)f->frames.n;		/* the id and 1 */
	}
	return (int)(intptr_t)*at - 1;
}

static uint32_t slot_of(const struct flame *f, int parent, int frame)
{
	uint64_t h = ((uint64_t)(uint32_t)parent << 32 | (uint32_t)frame) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(h >> 32) & (f->n_slots - 1);
}

/* Where the node is, or the free slot (0: the root is nobody's child) for it. */
static int *find(const struct flame *f, int parent, int frame)
{
	uint32_t i = slot_of(f, parent, frame);

	while (f->slots[i] && (f->nodes[f->slots[i]].parent != parent ||
			       f->nodes[f->slots[i]].frame != frame))
		i = (i + 1) & (f->n_slots - 1);
	return &f->slots[i];
}

static void grow(struct flame *f)
{
	f->cap *= 2;
	f->nodes = xrealloc(f->nodes, (size_t)f->cap * sizeof(*f->nodes));
	free(f->slots);
	f->n_slots *= 2;
	f->slots = xcalloc(f->n_slots, sizeof(*f->slots));
	for (int i = 1; i < f->n; i++)
		*find(f, f->nodes[i].parent, f->nodes[i].frame) = i;
}

static int add_node(struct flame *f, int node, int frame)
{
	f->nodes[f->n] = (struct flame_node){
		.parent = node, .frame = frame, .depth = f->nodes[node].depth + 1,
	};
	return f->n++;
}

int flame_child(struct flame *f, int node, int frame)
{
	int *slot;

	if (f->nodes[node].depth >= FLAME_DEPTH)
		return node;
	slot = find(f, node, frame);
	if (*slot)
		return *slot;
	if (frame < 0 || f->n >= FLAME_NODES) {
		f->full++;
		return node;
	}
	if (f->n == f->cap) {
		grow(f);
		slot = find(f, node, frame);
	}
	return *slot = add_node(f, node, frame);
}

int flame_append(struct flame *f, int node, int frame)
{
	if (f->n == f->cap)
		grow(f);
	return add_node(f, node, frame);
}

void flame_add(struct flame *f, int node, int side, uint64_t value)
{
	f->nodes[node].self[side] = flame_sum(f->nodes[node].self[side], value);
}

/* ---- what is shown, and in which order ---- */

static uint64_t weight(const struct flame_node *n)
{
	return flame_sum(n->total[0], n->total[1]);
}

static void add_totals(struct flame *f)
{
	/* a callee was made after its caller */
	for (int i = f->n - 1; i >= 0; i--) {
		struct flame_node *n = &f->nodes[i], *up = n->parent < 0 ? NULL : &f->nodes[n->parent];

		for (int s = 0; s < 2; s++) {
			n->total[s] = flame_sum(n->total[s], n->self[s]);
			if (up)
				up->total[s] = flame_sum(up->total[s], n->total[s]);
		}
	}
}

static int by_weight(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* The weight that at most `most` nodes exceed. */
static uint64_t least_weight(const struct flame *f, int most)
{
	uint64_t *all, least;

	if (f->n <= most)
		return 0;
	all = xmalloc((size_t)f->n * sizeof(*all));
	for (int i = 0; i < f->n; i++)
		all[i] = weight(&f->nodes[i]);
	qsort(all, (size_t)f->n, sizeof(*all), by_weight);
	least = all[most];
	free(all);
	return least;
}

struct rank_env {
	const struct flame *f;
	const int *rank;				/* of frames, by name */
};

static int by_name(const void *a, const void *b, void *arg)
{
	const struct flame *f = arg;
	const struct flame_frame *x = &f->frames.v[*(const int *)a], *y = &f->frames.v[*(const int *)b];
	int order = strcmp(x->name, y->name);

	return order ? order : *(const int *)a - *(const int *)b;
}

/* By parent, then by name, the last first: as they go onto a stack. */
static int by_parent(const void *a, const void *b, void *arg)
{
	const struct rank_env *env = arg;
	const struct flame_node *x = &env->f->nodes[*(const int *)a];
	const struct flame_node *y = &env->f->nodes[*(const int *)b];

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return env->f->in_time ? *(const int *)b - *(const int *)a :
	       env->rank[y->frame] - env->rank[x->frame];
}

static int *frame_ranks(struct flame *f)
{
	int n = f->frames.n;
	int *sorted = xcalloc((size_t)n + 1, sizeof(int)), *rank = xcalloc((size_t)n + 1, sizeof(int));

	for (int i = 0; i < n; i++)
		sorted[i] = i;
	qsort_r(sorted, (size_t)n, sizeof(int), by_name, f);
	for (int i = 0; i < n; i++)
		rank[sorted[i]] = i;
	free(sorted);
	return rank;
}

/* kids: the kept nodes but the root, in by_parent's order. */
static void walk(struct flame *f, const int *kids, int n_kids)
{
	int *first = xcalloc((size_t)f->n + 1, sizeof(int)), *stack = xcalloc((size_t)f->n + 1, sizeof(int));
	int n = 1;

	for (int i = n_kids - 1; i >= 0; i--)
		first[f->nodes[kids[i]].parent] = i + 1;
	while (n) {
		int node = stack[--n];

		f->nodes[node].place = f->n_order;
		f->order[f->n_order++] = node;
		for (int i = first[node] - 1; i >= 0 && i < n_kids; i++) {
			if (f->nodes[kids[i]].parent != node)
				break;
			stack[n++] = kids[i];
		}
	}
	free(first);
	free(stack);
}

void flame_finish(struct flame *f, int most)
{
	struct rank_env env = { .f = f };
	uint64_t least;
	int *rank, *kids, n = 0;

	free(f->slots);			/* nothing is added any more */
	f->slots = NULL;
	add_totals(f);
	least = least_weight(f, most);
	kids = xcalloc((size_t)f->n, sizeof(int));
	for (int i = 0; i < f->n; i++) {
		f->nodes[i].place = -1;
		if (i && weight(&f->nodes[i]) > least)
			kids[n++] = i;
	}
	env.rank = rank = frame_ranks(f);
	qsort_r(kids, (size_t)n, sizeof(int), by_parent, &env);
	f->order = xcalloc((size_t)n + 1, sizeof(int));
	walk(f, kids, n);
	f->left_out = f->n - f->n_order;
	free(kids);
	free(rank);
}

int flame_kept(const struct flame *f, int node)
{
	while (f->nodes[node].place < 0)
		node = f->nodes[node].parent;
	return node;
}
