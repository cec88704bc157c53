/* made: the text's events, its catalog, and its mistakes with their lines. */
#include "event/calls.h"
#include "replay/made.h"
#include "test.h"

static struct arena arena;

static const char good[] =
	"# comment\n"
	"enum tcp TCP_ESTABLISHED=1 TCP_CLOSE=7\n"
	"event sched:sched_switch prev_pid:tid prev_state:state prev_comm:comm next_pid:tid\n"
	"event block:done interrupt dev:device state:tcp left:s8\n"
	"syscall read fd:s32 buf:ptr count:u64\n"
	"syscall open filename:cstr flags:s32\n"
	"1.000000100 cpu=1 tid=10 pid=9 comm=bash sched:sched_switch prev_pid=10 "
		"prev_state=sleeping prev_comm=\"a \\\"b\" next_pid=0\n"
	"\n"
	"1.5 tid=10 syscall:read.enter fd=3 count=0x1000\r\n"
	"2 tid=10 comm=cat syscall:open.enter filename=\"/etc/x\"\n"
	"2 tid=0 cpu=1 syscall:read.return ret=-2\n"
	"2.25 lost 12\n"
	"3 block:done dev=8:1 state=TCP_CLOSE left=-128";

static struct made *read_good(void)
{
	struct err e = { .arena = &arena };
	struct made *m = made_read(&arena, str_of(good), &e);

	CHECK_EQ(e.causes.n, 0);
	REQUIRE(m != NULL);
	return m;
}

static const char *text(const struct record *r, int k)
{
	return (const char *)(uintptr_t)r->words[k];
}

TEST(made_events)
{
	struct made *m = read_good();
	const struct record *r = made_record(m, 0);
	int free_nr = SYSCALL_MOST - 1;

	REQUIRE(made_count(m) == 6);
	CHECK_EQ(r->time_ns, 1000000100);
	CHECK_EQ(r->cpu, 1);
	CHECK_EQ(r->words[0], 10);
	CHECK_EQ(r->words[1], STATE_SLEEPING);
	CHECK_STR(text(r, 2), "a \"b");
	CHECK_EQ(r->strings, RECORD_BIT(2) | RECORD_BIT(RECORD_COMM));
	CHECK_EQ(r->valid, 15 | RECORD_BIT(RECORD_TID) | RECORD_BIT(RECORD_PID) |
			   RECORD_BIT(RECORD_COMM));
	r = made_record(m, 1);
	CHECK_EQ(r->event->kind, CAT_SYSCALL_ENTER);
	CHECK_EQ(r->words[RECORD_SYSNR], call_number(str_of("read"), &free_nr));
	CHECK_EQ(r->words[RECORD_SYSARG], 3);
	CHECK_EQ(r->words[RECORD_SYSARG + 2], 4096);
	CHECK_EQ(r->words[RECORD_PID], 9);
	CHECK_STR(text(r, RECORD_COMM), "bash");
	r = made_record(m, 2);
	CHECK_STR(text(r, RECORD_SYSARG), "/etc/x");
	CHECK_STR(text(r, RECORD_COMM), "cat");
	r = made_record(m, 3);
	CHECK_EQ(r->event->kind, CAT_SYSCALL_EXIT);
	CHECK_EQ(r->words[RECORD_SYSRET], -2);
	CHECK(!(r->valid & RECORD_BIT(RECORD_COMM)));	/* CPU 1's idle thread: not told */
	CHECK_EQ(made_record(m, 4)->lost, 12);
	CHECK(!made_record(m, 4)->event);
	r = made_record(m, 5);
	CHECK_EQ(r->words[0], 8 << 20 | 1);
	CHECK_EQ(r->words[1], 7);
	CHECK_EQ(r->words[2], -128);
	CHECK(!(r->valid & RECORD_BIT(RECORD_TID)));
}

static void count(void *arg, const char *name)
{
	(void)name;
	++*(int *)arg;
}

TEST(made_names)
{
	struct made *m = read_good();
	struct catalog c = made_catalog(m);
	const struct cat_event *e = c.ops->event(c.self, str_of("sched"), str_of("sched_switch"));
	int64_t value = 0;
	struct type t;
	int n = 0;

	REQUIRE(e != NULL);
	CHECK(c.ops->event(c.self, str_of(""), str_of("sched_switch")) == e);
	CHECK(!c.ops->event(c.self, str_of("sched"), str_of("no")));
	CHECK_EQ(e->n_fields, 4);
	CHECK_EQ(e->fields[3].loc, LOC_RECORD);
	CHECK_EQ(e->fields[3].index, 3);
	CHECK(c.ops->event(c.self, str_of("block"), str_of("done"))->interrupt);
	c.ops->list(c.self, LIST_SYSCALLS, str_of("*e*"), count, &n);
	CHECK_EQ(n, 2);
	c.ops->list(c.self, LIST_EVENTS, str_of("sched:*"), count, &n);
	CHECK_EQ(n, 3);
	CHECK(c.ops->enumerator(c.self, str_of("TCP_CLOSE"), &value, &t) && value == 7);
	CHECK(!c.ops->enumerator(c.self, str_of("TCP"), &value, &t));
	CHECK_EQ(c.ops->common(c.self, str_of("comm"))->index, RECORD_COMM);
	CHECK(!c.ops->common(c.self, str_of("time")));
}

/* What is known of a call by its number is known of a made one. */
TEST(made_call_numbers)
{
	struct err e = { .arena = &arena };
	struct made *m = made_read(&arena, str_of("syscall one\nsyscall clone\nsyscall two\n"), &e);
	struct catalog c = made_catalog(m);
	int free_nr = SYSCALL_MOST - 1, one = c.ops->syscall(c.self, str_of("one"))->nr;
	int two = c.ops->syscall(c.self, str_of("two"))->nr;

	CHECK_EQ(c.ops->syscall(c.self, str_of("clone"))->nr, call_number(str_of("clone"), &free_nr));
	CHECK(one != two && !call_row_by_number(one) && !call_row_by_number(two));
	free_nr = -1;
	CHECK(call_number(str_of("one"), &free_nr) < 0);
}

TEST(made_mistakes)
{
	static const char *const rows[][2] = {
		{ "1 x:y a=1", "made events, line 1: no event 'x:y'" },
		{ "event x:y a:int", "made events, line 1: no type 'int'" },
		{ "\n1.0000000001 x", "made events, line 2: not a declaration and not a time: '1.0000000001'" },
		{ "hello", "made events, line 1: not a declaration and not a time: 'hello'" },
		{ "event a:b\nevent a:b", "made events, line 2: not the name of a new event: 'a:b'" },
		{ "event a:b x:u8\n2 a:b x=1\n1 a:b", "made events, line 3: earlier than the line before: '1'" },
		{ "event a:b x:u8\n2 a:b x=256", "made events, line 2: a number too large for its field: '256'" },
		{ "event a:b x:u8\n2 a:b y=1", "made events, line 2: the event has no field 'y'" },
		{ "event a:b x:u8\n2 a:b x=\001", "made events, line 2: not a value of its field's type: '?'" },
		{ "event a:b x:state\n2 a:b x=asleep", "made events, line 2: not a value of its field's type: 'asleep'" },
		{ "1 syscall:read.enter", "made events, line 1: no system call 'read'" },
		{ "1 syscall:read", "made events, line 1: not syscall:NAME.enter or .return: 'syscall:read'" },
		{ "1 job=3 syscall:read", "made events, line 1: not an event, and not known of a thread: 'job'" },
		{ "1 lost", "made events, line 1: not a number of lost events: ''" },
		{ "99999999999999 x", "made events, line 1: not a declaration and not a time: '99999999999999'" },
		{ "1 cpu=70000 x", "made events, line 1: not a CPU: '70000'" },
		{ "1 comm=\"", "made events, line 1: a text without its end '\"'" },
		{ "1 comm=\"abc", "made events, line 1: a text without its end '\"abc'" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct err e = { .arena = &arena };

		CHECK(!made_read(&arena, str_of(rows[i][0]), &e));
		CHECK_STR(e.causes.n ? e.causes.v[0] : NULL, rows[i][1]);
	}
}

/* Each prefix of the text, and the text with each byte changed, ends well or says why. */
TEST(made_hostile)
{
	int n = (int)sizeof(good) - 1;

	for (int i = 0; i < n; i++) {
		struct arena a = { 0 };
		struct err e = { .arena = &a };
		char *copy = arena_strndup(&a, good, (size_t)n);

		CHECK((made_read(&a, (struct str){ copy, i }, &e) != NULL) == (e.causes.n == 0));
		e = (struct err){ .arena = &a };
		copy[i] = (char)(i * 7);
		CHECK((made_read(&a, (struct str){ copy, n }, &e) != NULL) == (e.causes.n == 0));
		arena_fini(&a);
	}
}
