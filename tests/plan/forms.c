/* What the two forms of a tracepoint read: the arguments where they are, or the fields that perf records. */
#include "session/compile.h"

#include "made_catalog.h"
#include "test.h"

#define OF_THE_CONTEXT BPF_REG_6

static struct arena arena;

static const struct cat_field waking_args[] = { { .name = "p", .type = PTR_TO(KT_TASK), .loc = LOC_ARG } };
static const struct cat_event waking = {
	.kind = CAT_TRACEPOINT, .system = "sched", .name = "sched_waking", .n_args = 1, .args = waking_args,
	.btf_id = 3, .perf_id = 3,
};

static const struct cat_event *made_event(void *self, struct str system, struct str name)
{
	(void)self, (void)system;
	return str_is(name, "issue") ? &issue : str_is(name, "sched_waking") ? &waking : NULL;
}

static const struct bpf_image *image_of(const char *query, bool tp_btf)
{
	static struct catalog_ops ops;
	static const struct catalog catalog = { .ops = &ops };
	struct compile c;

	ops = made_catalog_ops;
	ops.event = made_event;
	arena_fini(&arena);
	c = (struct compile){ .arena = &arena, .catalog = &catalog, .text = { "query", str_of(query) },
			      .options = { .has = { .tp_btf = tp_btf, .unwind = true }, .uid = -1, .table_rows = 100,
					   .max_open = 100, .cpus_possible = 4 } };
	compile_run(&c, 0);
	CHECK_EQ(c.diag.errors, 0);
	REQUIRE(c.image);
	return c.image;
}

static const struct img_prog *program(const char *query, bool tp_btf)
{
	const struct bpf_image *image = image_of(query, tp_btf);

	REQUIRE(image->progs.n == 1);
	return &image->progs.v[0];
}

/* Does it load so many bytes from there in the context? */
static bool loads(const struct img_prog *p, int bytes, int off)
{
	static const int sizes[] = { [1] = BPF_B, [2] = BPF_H, [4] = BPF_W, [8] = BPF_DW };

	for (int i = 0; i < p->n_insns; i++)
		if (p->insns[i].code == (BPF_LDX | BPF_MEM | sizes[bytes]) &&
		    p->insns[i].src_reg == OF_THE_CONTEXT && p->insns[i].off == off)
			return true;
	return false;
}

TEST(forms_of_a_number)
{
	const struct img_prog *p = program("block:issue | sum(bytes)", true);

	CHECK(p->type == BPF_PROG_TYPE_TRACING && loads(p, 8, 0) && !loads(p, 4, 16));
	p = program("block:issue | sum(bytes)", false);
	CHECK(p->type == BPF_PROG_TYPE_TRACEPOINT && !loads(p, 8, 0) && loads(p, 4, 16));
	p = program("block:issue | sum(bytes), sum(sector)", true);
	CHECK(p->type == BPF_PROG_TYPE_TRACEPOINT && !loads(p, 8, 0) && loads(p, 4, 16) && loads(p, 8, 8));
}

/* Does it make an address so many bytes behind another? */
static bool adds(const struct img_prog *p, int bytes)
{
	for (int i = 0; i < p->n_insns; i++)
		if (p->insns[i].code == (BPF_ALU64 | BPF_ADD | BPF_K) && p->insns[i].imm == bytes)
			return true;
	return false;
}

TEST(forms_of_a_text)
{
	const struct img_prog *p = program("block:issue | count by cmd", true);

	CHECK(adds(p, 32) && !adds(p, 24));
	p = program("block:issue | count by cmd", false);
	CHECK(!adds(p, 32) && adds(p, 24));
}

/* What is stored is not the text: four bytes of an address. */
TEST(text_of_what_is_stored)
{
	CHECK(adds(program("block:issue | count by peer", true), 56));
}

/* Is it compared with the begin of ksoftirqd's name? */
static bool looks_for_ksoftirqd(const char *query, bool tp_btf)
{
	const struct img_prog *p = &image_of(query, tp_btf)->progs.v[0];
	uint64_t name;

	memcpy(&name, "ksoftirqd", sizeof(name));
	for (int i = 0; i + 1 < p->n_insns; i++)
		if (p->insns[i].code == (BPF_LD | BPF_IMM | BPF_DW) && (uint32_t)p->insns[i].imm == (uint32_t)name &&
		    (uint32_t)p->insns[i + 1].imm == name >> 32)
			return true;
	return false;
}

/* Only there the task that is woken is an argument. */
TEST(waker_looks_for_ksoftirqd_where_it_is_woken)
{
	CHECK(looks_for_ksoftirqd("sched:sched_waking | count by waker(current.comm)", true));
	CHECK(!looks_for_ksoftirqd("sched:sched_waking | count by waker(current.comm)", false));
	CHECK(!looks_for_ksoftirqd("block:issue | count by waker(current.comm)", true));
}

/* The walk through a program's stack has no mistake that the assembler sees. */
TEST(walker_is_made)
{
	CHECK_EQ(image_of("block:issue | count by kstack", true)->unwind_processes, -1);
	CHECK(image_of("block:issue | count by ustack", true)->unwind_processes >= 0);
}
