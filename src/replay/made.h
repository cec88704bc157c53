/*
 * made: events written as text, for tests and for `culprit demo` where BPF is not
 * permitted. Takes the way that a recorded trace takes: a catalog, then records.
 *
 *	# a comment
 *	enum tcp TCP_ESTABLISHED=1 TCP_SYN_SENT=2 TCP_CLOSE=7
 *	event sched:sched_switch prev_pid:tid prev_state:state next_comm:comm next_pid:tid
 *	event block:block_rq_issue interrupt dev:device sector:u64 rq:ptr
 *	syscall read fd:s32 buf:ptr count:u64
 *	1.000000100 cpu=0 tid=10 pid=10 comm=bash sched:sched_switch prev_pid=10 next_pid=0
 *	1.000000200 tid=10 syscall:read.enter fd=3 count=4096
 *	1.000000400 tid=10 syscall:read.return ret=-2
 *	1.5 lost 12
 *	1.6 cpu=1 gap 12			as a trace's: what is open is abandoned
 *
 *	2.0 tid=10 kstack=vfs_read;ksys_read ustack=read;main block:block_rq_issue
 *
 * Times are seconds and never fall. What stands before the event's name is cpu (0 when
 * not given), tid, and what is known of the thread: pid ppid comm uid gid cgroup; that
 * is kept for the thread's later events. What is not given is none. Values: numbers,
 * names of an enum's or state's values, MAJOR:MINOR of a device, "texts".
 * Stacks are names, innermost first, and of this event alone; "?" could not be taken.
 * Types: u8 .. u64, s8 .. s64, and the rows of a table in made.c.
 */
#ifndef REPLAY_MADE_H
#define REPLAY_MADE_H

#include "base/err.h"
#include "replay/replay.h"

struct made;

/* Everything lives in the arena. NULL, with the line in e, after a mistake. */
struct made *made_read(struct arena *a, struct str text, struct err *e);
struct catalog made_catalog(struct made *m);
/* The name of an address in a stack, or NULL. */
const char *made_symbol(void *m, uint64_t address);
int made_count(const struct made *m);
const struct record *made_record(const struct made *m, int i);

/* All of them from the first on, for replay_open. */
struct made_reader {
	const struct made *made;
	int at;
};
struct record_source made_source(struct made_reader *r);

#endif
