/*
 * cg_state: the state of the code generator, and what all its parts ask for. Only cg_*.c and
 * image_*.c see it and the headers of the parts (cg_expr.h, cg_period.h, ...). What agg/ and
 * func/ may use is in cg.h.
 *
 * Registers, beyond cg.h:
 *	R8	the record of the period that ends or begins: PX_SLOT reads it
 *	R9	scratch of this run, in an action that has some
 * An expression never changes R6-R9: what it must keep over a call it spills to
 * the frame (the verifier keeps the type of a spilled pointer).
 */
#ifndef BPF_CG_STATE_H
#define BPF_CG_STATE_H

#include "bpf/cg.h"

/* A let of the branch: its value, and a frame slot that is 1 while it is none. */
struct cg_let {
	struct place at;
	int none_off;			/* 0: never none */
};

/* What a program turned out to need; the next try at emitting it provides. */
enum need {
	NEED_NOW = 1,			/* a frame slot for the time */
	NEED_NR = 2,			/* the number of the system call, in R9 or the frame */
	NEED_COUNT = 4			/* a function that counts */
};
enum need_action {
	NEED_SCRATCH_BODY = 1,
	NEED_SCRATCH_GUARD = 2
};

#define SCRATCH_LEVELS 4		/* task, softirq, hard interrupt, NMI */
#define SCRATCH_BYTES 4096		/* of one level; the first 8 say whether it is in use */
#define FRAME_BYTES 512
#define CALLED_FRAME_BYTES 32		/* what the kernel counts for a function of no frame */
#define FRAME_ROOM_MOST 272		/* longer and later things go to scratch */
#define FRAME_ROOM_LEAST 64		/* the same, when spills need more of the frame */

#define STRING_ABSENT 1			/* first byte of a kept string: page was absent */
#define STRING_CUT 1			/* last byte of a kept string: there was more */

/* Behind the program, where it costs the usual way nothing: counts and goes on. */
struct cold {
	as_label at, to;
	int counter;
};

struct cg_state {
	unsigned needs, wants;		/* enum need */
	uint8_t *needs_action, *wants_action;	/* enum need_action, by action */
	int action;
	bool in_guard;
	int frame_room;			/* FRAME_ROOM_MOST, or LEAST */
	bool frame_full;
	int scratch_used;
	int now_off, nr_off;		/* frame; 0: not provided */
	bool nr_in_r9;
	int half_off;			/* frame: the table's half in use; 0: read it */
	int zero_off;			/* frame: the key 0, for counters */
	VEC(struct cold) colds;
	as_label unwind_function;	/* -1: not used */
	as_label count_function;	/* with `counts_called` */
	bool counts_called, counts_inline;	/* by it; never by it in this program */
	int counts;			/* so many places of this program count 1 */
	int begin_off, duration_off;	/* frame, of the period that ends; 0: none */
	int calls_off, kept_off;	/* STORE_CALLS: its storage, what will stay */
	int depth_off;			/* needs_depth: the row's */
	int tree_off;			/* frame: the thread's struct of `tree` */
	int begun_off;			/* session: the entry wants the return; 0: no session */
	bool at_return;			/* session: which half is emitted */
	bool in_begin;			/* strings are kept: mark what is cut or absent */
	const struct p_period *period;	/* of R8 */
	struct cg_let *lets;
	/* the arguments of the aggregation being updated */
	int arg_off[4];			/* frame, of its word arguments; 0: see arg_at */
	struct place arg_at[4];
	struct loc loc;			/* what is emitted now */
	struct loc fail_loc;
	bool failed;
	int wakers_map, contexts_map, runs_map;
	int scratch_map, thread_scratch_map, zeros_map, tree_map;	/* image map numbers */
	int *period_map;		/* by the period's id */
	int *thread_map;		/* the same: of those by_thread */
	int *flight_map;		/* of those in_flight */
	uint32_t zeros_bytes;
	VEC(struct { struct p_calls bits; int map; }) call_sets;
};

/* ---- cg.c ---- */

void cg_note(struct cg *cg, struct loc loc, const char *what);
/* Its instructions are cg->as, shortened. What was wrong, or NULL. */
const char *cg_finish(struct cg *cg, struct img_prog *p);

struct mark {
	int frame, scratch;
};
struct mark cg_mark(const struct cg *cg);
void cg_release(struct cg *cg, struct mark m);
/* Room for bytes: frame, or scratch when the frame is short. Not initialised. */
struct place cg_room(struct cg *cg, int bytes);
struct place cg_scratch(struct cg *cg, int bytes);	/* never in the frame */
/* Copies bytes (a multiple of 8), through R0. */
void cg_copy(struct cg *cg, struct place to, struct place from, int bytes);
/* n characters and a NUL at a place with room for `room` bytes; only R0 is changed. */
void cg_put_text(struct cg *cg, struct place at, const char *text, int n, int room);
void cg_global_address(struct cg *cg, int dst, int word);	/* dst = its u64 */
void cg_now(struct cg *cg);			/* R0 = time; clobbers R1-R5 */
int cg_round8(uint32_t bytes);
int cg_value_bytes(const struct type *t);

/* ---- cg_count.c ---- */

/* Adds the u64 of the frame at `at` to the counter (if >= 0). Clobbers R0-R5. */
void cg_count_number(struct cg *cg, int counter, int at);
/* Where to jump so that 1 is added to the counter (if >= 0) and `to` comes next. */
as_label cg_count_then(struct cg *cg, int counter, as_label to);
/* Behind the program: what cg_count_then promised, and the function that counts. */
void cg_count_colds(struct cg *cg);
void cg_count_function(struct cg *cg);

#endif
