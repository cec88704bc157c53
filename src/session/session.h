/*
 * session: the library's face: the queries of a spec, compiled for a target and run there, what they find
 * given to a sink. Nothing is printed and nothing exits; errors are returned. Any number of sessions can be
 * open, each is begun and ended at any time.
 *
 *	session_init(&s, &spec, &target, &err)
 *	session_compile(&s, 0)			0, or s.compile.diag says what is wrong
 *	session_load(&s)			ready to begin: programs are verified, tables are made
 *	session_begin(&s, ops, sink)		events come
 *	session_follow(&s, &happened)		until an end; or, beside others, in a loop of one's own:
 *		poll session_fd(&s), then session_step(&s, &happened) until something happened
 *	session_snapshot(&s)			between: the tables as they are now
 *	session_end(&s)				no more events; the sink gets the rest, then what was lost
 *	session_fini(&s)			after any of them
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "session/result.h"
#include "session/run.h"
#include "session/target.h"

struct session {
	struct arena arena;
	struct err *err;
	struct spec *spec;
	struct target *target;
	struct compile compile;
	struct loaded loaded;
	struct run *run;			/* NULL: it is not loaded */
	struct result result;
	int sink_error;				/* -errno of a sink that failed: it gets nothing more */
	struct loss *losses;			/* all that could be lost, from session_end on */
	int n_losses;
	int epoll_fd, timer_fd;			/* of session_fd; -1: nobody asked */
};

/* All that is given outlives it. e is for all of it. */
void session_init(struct session *s, struct spec *spec, struct target *target, struct err *e);
/* 0, or -EINVAL with the mistakes in s->compile.diag. stop_after: see compile_run. */
int session_compile(struct session *s, char stop_after);
/* These are 0, or -errno with the error in s->err. */
int session_load(struct session *s);
int session_begin(struct session *s, const struct sink_ops *ops, struct sink *sink);
int session_follow(struct session *s, unsigned *happened);	/* see run_follow */
int session_end(struct session *s);
void session_fini(struct session *s);	/* it is as after session_init */

/* For a loop that others share: readable when session_step has something to do. -1 with the error in
 * s->err. */
int session_fd(struct session *s);
/* Does what there is to do and does not wait. happened: see run_step. */
int session_step(struct session *s, unsigned *happened);
/* The sink gets each table as it is now; nothing is cleared, no interval ends. */
int session_snapshot(struct session *s);
/* All that can be lost, also with counts of 0: after session_begin at any time. Returns how many. */
int session_losses(struct session *s, struct arena *a, struct loss **losses);

#endif
