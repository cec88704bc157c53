/* Sessions side by side on the running machine: begun and ended at any time, in a loop of the caller's. */
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/live.h"
#include "session/session.h"
#include "test.h"

struct sink {
	int64_t count;			/* of the last table */
	int tables, snapshots;
};

static void take_table(struct sink *s, const struct sink_query *q, const struct table *t)
{
	(void)q;
	s->tables++;
	s->snapshots += t->snapshot;
	s->count = t->rows.n ? t->rows.v[0][0].i : 0;
}

static const struct sink_ops ops = { .table = take_table };

struct one {
	struct arena arena;
	struct err err;
	int64_t pid;
	struct spec spec;
	struct session session;
	struct sink sink;
	int fd;
};

/* Counts this process's calls. */
static void begin(struct one *o, struct live_target *t, const char *query)
{
	*o = (struct one){ .pid = getpid(), .spec = { .text = { "query", str_of(query) },
			   .options = { .uid = -1, .n_pids = 1 }, .stop_fd = -1 } };
	o->err.arena = &o->arena;
	o->spec.options.pids = &o->pid;
	REQUIRE(!t->target.ops->prepare(&t->target, &o->spec, &o->err));
	session_init(&o->session, &o->spec, &t->target, &o->err);
	REQUIRE(!session_compile(&o->session, 0));
	REQUIRE(!session_load(&o->session));
	REQUIRE(!session_begin(&o->session, &ops, &o->sink));
	o->fd = session_fd(&o->session);
	REQUIRE(o->fd >= 0);
}

static void end(struct one *o)
{
	CHECK(!session_end(&o->session));
	session_fini(&o->session);
	arena_fini(&o->arena);
}

static void call(int n)
{
	for (int i = 0; i < n; i++)
		syscall(SYS_getppid);
}

/* What a loop does with whatever is ready. */
static unsigned step(struct one *const *all, int n)
{
	struct pollfd fds[2];
	unsigned happened = 0;

	for (int i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = all[i]->fd, .events = POLLIN };
	REQUIRE(poll(fds, (nfds_t)n, 5000) > 0);
	for (int i = 0; i < n && !happened; i++)
		if (fds[i].revents)
			CHECK(!session_step(&all[i]->session, &happened));
	return happened;
}

TEST(sessions_begin_and_end_at_any_time)
{
	struct live_target machine;
	struct one first, second;

	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK))
		SKIP("needs root and BTF");
	live_target_init(&machine);
	machine.lasts = true;
	begin(&first, &machine, "syscall:getppid | count");
	call(100);
	begin(&second, &machine, "syscall:getppid | count");
	call(10);
	step((struct one *const []){ &first, &second }, 2);
	CHECK(!session_snapshot(&first.session));
	CHECK_EQ(first.sink.count, 110);
	CHECK_EQ(first.sink.snapshots, 1);
	end(&first);
	CHECK_EQ(first.sink.count, 110);
	CHECK_EQ(first.sink.tables, 2);
	call(1);
	end(&second);
	CHECK_EQ(second.sink.count, 11);
	live_target_fini(&machine);
}

/* Intervals end by the descriptor; a snapshot between takes nothing from them. */
TEST(intervals_by_the_descriptor)
{
	struct live_target machine;
	struct one *const all[] = { &(struct one){ .fd = -1 } };
	unsigned happened = 0;

	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK))
		SKIP("needs root and BTF");
	live_target_init(&machine);
	begin(all[0], &machine, "syscall:getppid | count | every 100ms");
	call(50);
	CHECK(!session_snapshot(&all[0]->session));
	CHECK_EQ(all[0]->sink.count, 50);
	while (!happened && all[0]->sink.tables < 2)
		happened = step(all, 1);
	CHECK(!happened);
	CHECK_EQ(all[0]->sink.count, 50);
	end(all[0]);
	live_target_fini(&machine);
}
