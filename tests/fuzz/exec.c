/*
 * fuzz: hostile queries through the whole compiler and the executor in the process: a
 * program that was compiled must run over events without touching what it may not,
 * and come out the same in both modes of the interpreter.
 */
#include "base/map.h"
#include "replay/made.h"
#include "replay/replay.h"
#include "session/compile.h"
#include "session/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char events[] =
	"enum tcp TCP_ESTABLISHED=1 TCP_SYN_SENT=2 TCP_SYN_RECV=3 TCP_CLOSE=7\n"
	"event sched:sched_switch prev_comm:comm prev_pid:tid prev_state:state next_comm:comm next_pid:tid\n"
	"event sched:sched_wakeup comm:comm pid:tid\n"
	"event sched:sched_wakeup_new comm:comm pid:tid\n"
	"event sched:sched_waking comm:comm pid:tid\n"
	"event sched:sched_process_exec filename:string pid:tid old_pid:tid\n"
	"event block:block_rq_issue dev:device sector:u64 rq:ptr bytes:size rwbs:string cmd_flags:blkflags\n"
	"event block:block_rq_complete interrupt dev:device sector:u64 rq:ptr nr_sector:u32\n"
	"event irq:irq_handler_entry interrupt irq:s32 name:string\n"
	"event irq:irq_handler_exit interrupt irq:s32 ret:s32\n"
	"event sock:inet_sock_set_state interrupt skaddr:ptr oldstate:tcp newstate:tcp\n"
	"event kmem:kmalloc ptr:ptr bytes_alloc:size\n"
	"event kmem:kfree ptr:ptr\n"
	"event x:y a:s64 b:u8 s:string c:cstr\n"
	"syscall read fd:s32 buf:ptr count:u64\n"
	"syscall openat dfd:s32 filename:cstr flags:s32\n"
	"syscall close fd:s32\n"
	"1.000 cpu=0 tid=10 pid=10 ppid=1 comm=cat uid=0 gid=0 cgroup=1 syscall:openat.enter dfd=-100 filename=\"/etc/passwd\" flags=2\n"
	"1.001 tid=10 syscall:openat.return ret=3\n"
	"1.002 tid=10 syscall:read.enter fd=3 count=4096\n"
	"1.003 tid=10 sched:sched_switch prev_comm=cat prev_pid=10 prev_state=disk next_comm=swapper/0 next_pid=0\n"
	"1.003 tid=10 block:block_rq_issue dev=8:0 sector=0 rq=0xa bytes=4096 rwbs=\"R\" cmd_flags=0\n"
	"1.005 tid=0 block:block_rq_complete dev=8:0 sector=77 rq=0xa nr_sector=8\n"
	"1.005 tid=0 irq:irq_handler_entry irq=3 name=\"ata\"\n"
	"1.006 tid=0 irq:irq_handler_exit irq=3 ret=1\n"
	"1.006 tid=0 sched:sched_waking comm=cat pid=10\n"
	"1.006 tid=0 sched:sched_wakeup comm=cat pid=10\n"
	"1.007 tid=0 sched:sched_switch prev_comm=swapper/0 prev_pid=0 prev_state=running next_comm=cat next_pid=10\n"
	"1.008 tid=10 syscall:read.return ret=-4\n"
	"1.009 cpu=1 tid=11 x:y a=-9223372036854775808 b=255 s=\"\" c=\"long long long long long long long long long\"\n"
	"1.009 cpu=1 tid=11 x:y a=0\n"
	"1.010 cpu=1 sock:inet_sock_set_state skaddr=0xff oldstate=TCP_CLOSE newstate=TCP_SYN_SENT\n"
	"2.010 cpu=1 sock:inet_sock_set_state skaddr=0xff oldstate=TCP_SYN_SENT newstate=TCP_CLOSE\n"
	"2.1 tid=12 kmem:kmalloc ptr=0x1000 bytes_alloc=64\n"
	"2.2 tid=12 kmem:kfree ptr=0x1000\n"
	"2.3 tid=12 pid=12 ppid=10 comm=ls sched:sched_process_exec filename=\"/bin/ls\" pid=12 old_pid=12\n"
	"5.5 tid=10 syscall:close.enter fd=3\n"
	"5.6 tid=10 syscall:close.return ret=0\n";

static uint32_t hash;			/* of all rows and tables of a run */

static void on_row(void *self, const struct p_query *q, uint64_t time_ns, const struct cell *cells)
{
	(void)self, (void)time_ns;
	for (int i = 0; i < q->n_columns; i++)
		hash = hash * 31 + (cells[i].kind == CELL_BYTES ?
				    hash_bytes(cells[i].bytes.p, cells[i].bytes.n) :
				    cells[i].kind == CELL_INT ? (uint32_t)cells[i].i : 7);
}

static void on_tables(void *self, struct arena *a, const struct p_query *q, struct table *const *t,
		      int n)
{
	(void)self, (void)a, (void)q;
	for (int i = 0; i < n; i++)
		hash = hash * 31 + (uint32_t)t[i]->rows.n;
}

static uint32_t run(const struct compile *c, const struct made *m, bool checked)
{
	struct err e = { .arena = c->arena };
	struct made_reader reader = { m, 0 };
	struct record_source source = made_source(&reader);
	struct replay_options options = { .checked = checked };
	struct replay *replay = replay_open(&e, c->plan, c->image, &options, &source);
	struct run_options o = { .plan = c->plan, .image = c->image, .checked = checked,
				 .row = on_row, .tables = on_tables };
	struct run *r = replay ? run_open(replay_executor(replay), &o, &e) : NULL;
	unsigned happened;

	hash = 0;
	if (!r || run_begin(r) || run_follow(r, &happened) || run_end(r))
		__builtin_trap();
	run_close(r);
	replay_close(replay);
	return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arena made_arena;
	static struct made *m;
	struct err e = { .arena = &made_arena };
	struct arena a = { 0 };
	struct catalog catalog;

	if (!m)
		m = made_read(&made_arena, str_of(events), &e);
	catalog = made_catalog(m);
	struct compile c = { .arena = &a, .catalog = &catalog,
			     .text = { "query", { (const char *)data, (int)size } },
			     .options = { .has = { .tp_btf = true, .task_storage = true,
						   .replay = true },
					  .uid = -1, .table_rows = 1000, .max_open = 1000,
					  .cpus_possible = 4 } };

	if (!compile_run(&c, 0) && run(&c, m, true) != run(&c, m, false))
		__builtin_trap();
	arena_fini(&a);
	return 0;
}
