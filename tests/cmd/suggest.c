/* Which callees of slow calls --suggest names, from stacks that are known. */
#include "analysis/suggest.h"

#include <string.h>

#include "test.h"

#define MS 1000000

/* innermost first, as stacks are */
static void add(struct suggest *s, int64_t tid, int64_t time, enum suggest_side side, uint64_t ns,
		const char *const *names, int n)
{
	struct stack_frame frames[16] = { { .kind = FRAME_USER } };
	struct stack stack = { .n = n, .frames = frames };

	for (int i = 0; i < n; i++)
		frames[i] = (struct stack_frame){ .kind = FRAME_USER, .name = names[i] };
	suggest_add(s, tid, time, &stack, side, ns);
}
#define ADD(s, tid, time, side, ns, ...) \
	add(s, tid, time, side, ns, (const char *[]){ __VA_ARGS__ }, \
	    (int)(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)))

static bool is_main(void *self, const struct flame_frame *f)
{
	(void)self;
	return !strcmp(f->name, "MAIN");
}

/* What begins with a small letter has a name, what begins with k is only named. */
static const char *source(void *self, const struct flame_frame *f, bool *part)
{
	(void)self;
	*part = f->name[0] != 'k';
	return f->name[0] >= 'a' ? f->name : NULL;
}

static const struct suggest_ops ops = { .is_main = is_main, .source = source };

static const char *name(const struct suggest *s, int node)
{
	return s->below.frames.v[s->below.nodes[node].frame].name;
}

TEST(only_slow_calls_count)
{
	struct suggest s;
	int callees[4];

	suggest_init(&s);
	ADD(&s, 7, 105, SUGGEST_ON, 10, "a", "MAIN", "main");
	ADD(&s, 7, 205, SUGGEST_ON, 10, "quick", "MAIN", "main");	/* between calls */
	ADD(&s, 8, 105, SUGGEST_ON, 10, "other", "MAIN", "main");	/* of another thread */
	ADD(&s, 7, 120, SUGGEST_OFF, 70, "b", "Untraced", "a", "MAIN", "main");
	ADD(&s, 7, 130, SUGGEST_ON, 5, "x", "main");			/* MAIN was cut off */
	suggest_add_call(&s, 7, 100, 100);
	suggest_add_call(&s, 7, 110, 20);				/* inside of it */
	suggest_rank(&s, &ops);
	CHECK_EQ(s.calls_ns, 100);
	CHECK_EQ(s.ns[SUGGEST_ON], 15);
	CHECK_EQ(s.ns[SUGGEST_OFF], 70);
	CHECK_EQ(s.unplaced_ns, 5);
	CHECK_EQ(suggest_callees(&s, 0, 0, callees, 4), 1);
	CHECK_STR(name(&s, callees[0]), "a");
	CHECK_EQ(suggest_ns(&s, callees[0]), 80);
	CHECK_EQ(suggest_callees(&s, callees[0], 0, callees, 4), 1);
	CHECK_STR(name(&s, callees[0]), "b");
	suggest_fini(&s);
}

TEST(spinning_is_told)
{
	struct suggest s;

	suggest_init(&s);
	ADD(&s, 7, 105, SUGGEST_ON, 10, "osq_lock", "down_write", "MAIN");
	ADD(&s, 7, 115, SUGGEST_ON, 20, "rwsem_spin_on_owner", "down_write", "MAIN");
	ADD(&s, 7, 135, SUGGEST_ON, 5, "a", "osq_lock", "MAIN");	/* on top of it */
	ADD(&s, 7, 140, SUGGEST_OFF, 30, "osq_lock", "MAIN");		/* not on a CPU */
	ADD(&s, 7, 305, SUGGEST_ON, 10, "osq_lock", "MAIN");		/* in no slow call */
	suggest_add(&s, 7, 106, NULL, SUGGEST_ON, 1);
	suggest_add_call(&s, 7, 100, 100);
	suggest_rank(&s, &ops);
	CHECK_EQ(s.spinning_ns, 30);
	CHECK_EQ(s.ns[SUGGEST_ON], 36);
	suggest_fini(&s);
}

TEST(wrappers_are_stepped_over)
{
	struct suggest s;
	int callees[2], node;

	suggest_init(&s);
	for (int i = 0; i < 5; i++) {
		ADD(&s, 1, 10 + i, SUGGEST_ON, 3 * MS, "small", "in", "wrapper", "MAIN");
		ADD(&s, 1, 10 + i, SUGGEST_OFF, 6 * MS, "large", "in", "wrapper", "MAIN", "MAIN");
		ADD(&s, 1, 10 + i, SUGGEST_OFF, MS, "least", "in", "wrapper", "MAIN");
	}
	suggest_add_call(&s, 1, 0, 100 * MS);
	suggest_rank(&s, &ops);
	node = suggest_branch(&s, 0);
	CHECK_STR(name(&s, node), "in");
	CHECK_EQ(suggest_callees(&s, node, 0, callees, 2), 2);
	CHECK_STR(name(&s, callees[0]), "large");
	CHECK_STR(name(&s, callees[1]), "small");
	CHECK_EQ(suggest_callees(&s, node, 20 * MS, callees, 2), 1);
	CHECK_EQ(suggest_branch(&s, callees[0]), callees[0]);		/* a leaf */
	suggest_fini(&s);
}

/* A period of two ends has no frame: all of the stack is below it. */
TEST(without_a_frame_of_its_own)
{
	struct suggest_ops whole = { .source = source };
	struct suggest s;
	int callee;

	suggest_init(&s);
	ADD(&s, 1, 5, SUGGEST_OFF, 9, "f", "main");
	suggest_add(&s, 1, 6, NULL, SUGGEST_ON, 1);
	suggest_add_call(&s, 1, 0, 10);
	suggest_rank(&s, &whole);
	CHECK_EQ(s.unplaced_ns, 0);
	CHECK_EQ(suggest_callees(&s, 0, 0, &callee, 1), 1);
	CHECK_STR(name(&s, callee), "main");
	suggest_fini(&s);
}

/* 12 samples of 2 ms fell into 10 ms, 4 of which were a wait that lasted past the call. */
TEST(shares_are_at_most_all)
{
	struct suggest s;
	int callees[2];

	suggest_init(&s);
	for (int i = 0; i < 12; i++)
		ADD(&s, 1, i, SUGGEST_ON, 2 * MS, "a", "MAIN");
	ADD(&s, 1, 6 * MS, SUGGEST_OFF, 9 * MS, "b", "MAIN");
	suggest_add_call(&s, 1, 0, 10 * MS);
	suggest_rank(&s, &ops);
	CHECK_EQ(s.ns[SUGGEST_ON], 6 * MS);
	CHECK_EQ(s.ns[SUGGEST_OFF], 4 * MS);
	CHECK_EQ(suggest_callees(&s, 0, 0, callees, 2), 2);
	CHECK_STR(name(&s, callees[0]), "a");
	CHECK_EQ(suggest_ns(&s, callees[0]), 6 * MS);
	CHECK_EQ(suggest_ns(&s, callees[1]), 4 * MS);
	suggest_fini(&s);
}

TEST(what_cannot_be_traced_is_named)
{
	struct suggest s;
	int callee, below;

	suggest_init(&s);
	ADD(&s, 1, 5, SUGGEST_OFF, 4, "f", "kernel", "MAIN");
	suggest_add_call(&s, 1, 0, 10);
	suggest_rank(&s, &ops);
	CHECK_EQ(suggest_callees(&s, 0, 0, &callee, 1), 1);
	CHECK_STR(name(&s, callee), "kernel");
	CHECK(!suggest_is_part(&s, callee));
	CHECK_EQ(suggest_callees(&s, callee, 0, &below, 1), 1);
	CHECK(suggest_is_part(&s, below));
	suggest_fini(&s);
}
