/*
 * cg_state: what the parts of the code generator (cg_*.c) share and nobody
 * else sees. What agg/ and func/ may use is in cg.h.
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

/* ---- cg.c, cg_count.c ---- */

/* One program for one event. */
struct img_prog cg_program(struct cg *cg, const struct p_event *ev);
/* Its instructions are cg->as, shortened. What was wrong, or NULL. */
const char *cg_finish(struct cg *cg, struct img_prog *p);
void cg_note(struct cg *cg, struct loc loc, const char *what);
/* Adds the u64 of the frame at `at` to the counter (if >= 0). Clobbers R0-R5. */
void cg_count_number(struct cg *cg, int counter, int at);
/* Where to jump so that 1 is added to the counter (if >= 0) and `to` comes next. */
as_label cg_count_then(struct cg *cg, int counter, as_label to);

/* Behind the program: what cg_count_then promised, and the function that counts. */
void cg_count_colds(struct cg *cg);
void cg_count_function(struct cg *cg);

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
void cg_global_address(struct cg *cg, int dst, int word);	/* dst = its u64 */
void cg_now(struct cg *cg);			/* R0 = time; clobbers R1-R5 */
int cg_round8(uint32_t bytes);
void cg_event_number(struct cg *cg, const struct px *e);	/* R0 = the value of `event` */

/* ---- cg_map.c ---- */
/* R0 = the address of the key's value, or 0. */
void cg_lookup(struct cg *cg, int map, struct place key);
/* The same, to none when there is none. */
void cg_find(struct cg *cg, int map, struct place key, as_label none);
void cg_update(struct cg *cg, int map, struct place key, struct place value, int flags);
void cg_delete(struct cg *cg, int map, struct place key);
/* R0 = the row of a per-CPU array that has one, or 0. */
void cg_cpu_row(struct cg *cg, int map);
/* R0 = what the task, in this register, has in the storage, or 0. */
void cg_storage(struct cg *cg, int map, int task, int flags);

/* ---- cg_period.c ---- */
/* n keys, one behind the other. */
void cg_keys(struct cg *cg, struct px *const *keys, const struct type *types, int n, struct place at,
	     as_label none);
void cg_begin(struct cg *cg, const struct p_action *act, as_label done);
void cg_begin_left_out(struct cg *cg, const struct p_action *act);
/* A thread's begin goes with it. */
void cg_exit(struct cg *cg, const struct p_action *act, as_label done);
void cg_move(struct cg *cg, const struct p_action *act, as_label done);
/* The context is a begin's record: its row, as long as it is by now. */
void cg_open(struct cg *cg, const struct p_action *act);
void cg_via(struct cg *cg, const struct p_action *act, as_label done);
void cg_end(struct cg *cg, const struct p_action *act, as_label done);

/* ---- cg_lane.c ---- */
/* R0 = the word of none open, of the generation R0. */
void cg_lane_none(struct cg *cg);
/* One more or one less is open in the word at R7 + off: changed if it is the first, or was the last. */
void cg_lane_change(struct cg *cg, const struct p_period *p, int off, bool more,
		    as_label changed, as_label same);
/* The word at R8 + off goes to `to`. */
void cg_lane_take(struct cg *cg, int off, struct place to);
/* To `closed` if no instance is open in the word, a register, which is clobbered. */
void cg_lane_open(struct cg *cg, int word, as_label closed);
/* R1 = the time of the word R1, R0 being now. Clobbers R2 R3. */
void cg_lane_time(struct cg *cg);

/* ---- cg_split.c ---- */
/* A row's record, before it goes into the table: no part is open. */
void cg_split_begin(struct cg *cg, const struct p_period *p, struct place record);
/* At the row's end: takes the running sums out of its live record R8. They are in the
 * result until cg_split_end makes times of them, in the copy R8. */
struct place cg_split_take(struct cg *cg, const struct p_period *p);
void cg_split_end(struct cg *cg, const struct p_period *p, struct place taken);
/* Behind that: to the row that this one was inside of. */
void cg_split_outer(struct cg *cg, const struct p_period *p);
/* A part's begin: which rows it is credited to goes into its record. */
void cg_tickets_take(struct cg *cg, const struct p_action *act, struct place record);
/* Its end, or a new begin in its place: R8 is its record. */
void cg_tickets_leave(struct cg *cg, const struct p_period *p);
/* Where a slot, and a part's time with its count behind it, are in the row's record. */
int cg_split_slot_off(const struct p_period *p, int slot);
int cg_split_time_off(const struct p_period *p, int part);
/* R2 = R7 + 16 * (R1 - 1), if R1 is a part + 1. */
void cg_split_part(struct cg *cg, const struct p_period *p, as_label none);
/* R7->time[R1 - 1] -= or += now, if R1 is a part + 1. */
void cg_split_time(struct cg *cg, const struct p_period *p, bool begins);
/* cg_thread_state.c */
void cg_state_change(struct cg *cg, const struct p_action *act, as_label done);

/* ---- cg_look.c ---- */
/* The same with the key of what was found, written to `to` first; it is in R0. */
void cg_look_key(struct cg *cg, const struct p_look *look, struct place to, as_label none);
/* R0 = the record of the period that is open here, else none. Keeps R6-R9. */
void cg_look(struct cg *cg, const struct p_look *look, as_label none);
/* R0 = the record that the thread, a u64, began last and that is open. Keeps R6-R9. */
void cg_look_thread(struct cg *cg, const struct p_period *p, struct place thread, as_label none);
void cg_open_is(struct cg *cg, const struct px *e, as_label none);
void cg_open_time(struct cg *cg, const struct px *e, as_label none);
void cg_open_depth(struct cg *cg, const struct px *e, as_label none);
void cg_open_slot(struct cg *cg, const struct px *e, as_label none);
void cg_open_text(struct cg *cg, const struct px *e, struct place at, int room, bool pad,
		  as_label none);
/* Of a period by_thread: into its record, before it is kept; after that; at its end. */
void cg_thread_before(struct cg *cg, const struct p_action *act, struct place key,
		      struct place record);
void cg_thread_enter(struct cg *cg, const struct p_action *act, struct place key,
		     struct place record, as_label done);
void cg_thread_leave(struct cg *cg, const struct p_action *act, struct place key);
void cg_thread_exit(struct cg *cg, const struct p_action *act, as_label done);

/* ---- cg_branch.c, cg_print.c, cg_worst.c, cg_aggs.c ---- */
/* The head of `worst`: u64 each. */
enum { WORST_BUSY = 0, WORST_USED = 8, WORST_RANK = 16, WORST_INDEX = 24, WORST_RANKS = 32 };
/* The record at R7: what and when, then the columns. */
void cg_record(struct cg *cg, const struct p_branch *b);
void cg_worst(struct cg *cg, const struct p_branch *b, as_label done);
/* R0 = the half of the query's table that is in use, 0 or 1. */
void cg_half(struct cg *cg, const struct img_table *t);
void cg_branches(struct cg *cg, const struct p_action *act);
void cg_print(struct cg *cg, const struct p_branch *b, as_label done);
void cg_aggs(struct cg *cg, const struct p_branch *b, as_label done);

/* ---- expressions ---- */

/* Jumps to `to` when the condition is `when`, else falls through. */
void cg_jump_when(struct cg *cg, const struct px *e, bool when, as_label to);
/* Writes a string-like value to `at`, at most room bytes; zero-padded to room
 * (a multiple of 8) when pad. */
void cg_text(struct cg *cg, const struct px *e, struct place at, int room, bool pad,
	     as_label none);
/* A key or kept value: word (8 bytes) or padded string. */
void cg_value(struct cg *cg, const struct px *e, struct place at, const struct type *t,
	      as_label none);
int cg_value_bytes(const struct type *t);
void cg_bits(struct cg *cg, int offset, int size, bool is_signed);

/* Where the string of a slot or let is. */
struct place cg_slot_text(struct cg *cg, const struct px *e, as_label none);
struct place cg_let_text(struct cg *cg, const struct px *e, as_label none);

/* cg_load.c */
void cg_load(struct cg *cg, const struct px *e, as_label none);
void cg_element(struct cg *cg, const struct px *e, as_label none);
void cg_address(struct cg *cg, const struct px *e, as_label none);
void cg_field_address(struct cg *cg, const struct cat_field *f, as_label none);
/* R0 = the word of `bytes` at R3, by probe_read; 0 when it can't be read. */
void cg_probe(struct cg *cg, int bytes, uint8_t space);
void cg_sample_place(struct cg *cg);	/* R0 = the instruction a sample was taken at */
#define CALLS_COMPARED 6		/* system calls that are looked for one by one; more: by a table */
void cg_syscall_number(struct cg *cg);
/* To skip when it is the end of a call in the child that it made. */
void cg_syscall_child(struct cg *cg, const struct p_calls *calls, as_label skip);
/* To none when what the call returned is not its own: rt_sigreturn. */
void cg_syscall_returned(struct cg *cg, as_label none);

/* cg_arith.c */
void cg_binary(struct cg *cg, const struct px *e, as_label none);
void cg_unary(struct cg *cg, const struct px *e, as_label none);

/* cg_string.c */
/* Falls through when equal, else jumps to differ. */
void cg_string_differ(struct cg *cg, const struct px *a, const struct px *b, as_label differ,
		      as_label none);
void cg_string_in(struct cg *cg, const struct px *e, as_label found, as_label none);
/* cg_match.c */
void cg_match(struct cg *cg, const struct px *e, as_label none);	/* R0 = 1 or 0 */
/* cg_parts.c */
struct cg_parts {
	struct place head;		/* struct img_head, in scratch; the text behind it */
	struct place text;		/* 2 * room + 8 */
	int room;
};

/* room: of the head and the text. */
struct cg_parts cg_parts_begin(struct cg *cg, int room);
/* The byte at off of the head. */
void cg_parts_set(struct cg *cg, const struct cg_parts *p, int off, int value);
/* R1 = where the next part goes, R2 = its room; to full when there is none. */
void cg_parts_next(struct cg *cg, const struct cg_parts *p, as_label full);
/* A part of R0 bytes with its NUL was written, or an error: to `not`. terminator: instead
 * of the NUL. */
void cg_parts_add(struct cg *cg, const struct cg_parts *p, int terminator, as_label not);
/* Copies head and text to `at`, as much as fits, and counts what is missing. */
void cg_parts_end(struct cg *cg, const struct cg_parts *p, struct place at, int room);
/* The same for what was copied: from a slot, or from where it was counted. */
void cg_parts_copied(struct cg *cg, struct place at, int room, bool slot);
/* Where the kernel's struct has a member (with dots), within reach of a load; false: it has
 * none, or no types are known. */
bool cg_member_offset(const struct cg *cg, const char *structure, const char *path, int32_t *offset);
/* The same; fails when there is none. */
int32_t cg_member(struct cg *cg, const char *structure, const char *path);
/* R0 = *(u64 *)(R0 + off), 0 when it can't be read */
void cg_follow(struct cg *cg, int32_t off);

/* cg_common.c */
/* What is behind the NUL in the 16 bytes of R1 and R2 becomes 0. Clobbers R3-R5. */
void cg_clear_behind_nul(struct as *as);
void cg_common_text(struct cg *cg, int common, struct place at, int room, bool pad);

/* cg_unwind.c */
/* The program's stack into the struct img_stack in scratch, to none where its process is
 * not known; R1 = its cut. */
void cg_unwind(struct cg *cg, struct place to, as_label none);
void cg_unwind_function(struct cg *cg);	/* behind the program, if it is used */
/* cg_stack.c */
void cg_stack(struct cg *cg, int common, struct place at, as_label none);

/* Which process the stack is of, to none when the thread has no stack of a program. */
void cg_stack_process(struct cg *cg, struct place stack, as_label none);
/* The stack, in scratch, is kept; its id to `key` in the frame, and from there to `at`. user: of code of a process. */
void cg_stack_keep(struct cg *cg, struct place stack, struct place key, struct place at, bool user);
/* cg_wakers.c */
/* n characters and a NUL at a place with room for `room` bytes; only R0 is changed. */
void cg_put_text(struct cg *cg, struct place at, const char *text, int n, int room);
/* Programs of our own at an event with types, beside those of queries. */
const struct cat_event *cg_own_event(const struct cg *cg, const char *system, const char *name);
int cg_own_member(const struct cg *cg, const char *type, const char *member);
void cg_own_begin(struct cg *cg, const char *what);
void cg_own_end(struct cg *cg, const struct cat_event *at, const char *name, const char *purpose);
void cg_hog_map(struct cg *cg);
void cg_hog_program(struct cg *cg);
void cg_wakers_maps(struct cg *cg);
void cg_wakers_programs(struct cg *cg);

/* ---- cg_flight.c: periods with in_flight ---- */
int cg_flight_map(struct cg *cg, const struct p_period *p);
/* The record is not open any more, or never was. Keeps R6-R9. */
void cg_flight_leave(struct cg *cg, const struct p_period *p, struct place record);

/* cg_call.c */
/* The record's part of a printed row, in R7. */
void cg_record_head(struct cg *cg, const struct p_query *q);
uint32_t cg_calls_bytes(const struct p_period *p);
void cg_func_arg(struct cg *cg, const struct cat_field *f);	/* R0 */
void cg_func_ret(struct cg *cg, const struct cat_field *f);
void cg_operand(struct cg *cg, const struct cat_field *f);	/* R0 */
void cg_func_number(struct cg *cg);		/* R0 = value of `event` */
void cg_session_head(struct cg *cg, as_label at_return);
void cg_session_tail(struct cg *cg);
void cg_frame_number(struct cg *cg, const struct px *e, as_label none);	/* PX_FRAME */
void cg_begin_cookie(struct cg *cg);
void cg_session_begun(struct cg *cg);	/* the entry wants its return */
void cg_find_cookie(struct cg *cg);		/* R8 = the record */
/* Leaves R8 at the new record. */
void cg_begin_calls(struct cg *cg, const struct p_action *act, as_label done);
/* R8 = the record; jumps to done when there is none. */
void cg_find_calls(struct cg *cg, const struct p_action *act, as_label done);
void cg_take_calls(struct cg *cg);
void cg_exit_calls(struct cg *cg, const struct p_action *act, as_label done);

/* cg_tree.c */
/* A begin that is kept: how many are open goes into its record. left: a frame slot that
 * is not 0 when one stood in the record that was left in some other way; 0: none can. */
void cg_tree_begin(struct cg *cg, const struct p_period *p, struct place record, int left);
/* Of a begin in R8 that is replaced in a table: left = depth + 1; and back into the new one's record. */
void cg_tree_leave(struct cg *cg, const struct p_period *p, int left);
void cg_tree_left(struct cg *cg, const struct p_period *p, int left, struct place record);
/* Its end: so many are open again as at the record's (R8) begin. */
void cg_tree_end(struct cg *cg, const struct p_period *p, as_label gone);
/* Behind its rows: an outermost one that made none closes what was inside of it. */
void cg_tree_close(struct cg *cg, const struct p_period *p);
/* An end whose begin found no room. */
void cg_tree_lost(struct cg *cg, const struct p_period *p);
void cg_tree_row(struct cg *cg, bool handed_over);
void cg_tree_rows(struct cg *cg, const struct px *e, as_label none);	/* PX_TREE_ROWS */

/* cg_follow.c */
void cg_followed(struct cg *cg, const struct px *e, as_label none);	/* R0 = 1 or 0 */
void cg_follow_program(struct cg *cg);

/* cg_mapped.c */
void cg_mapped_map(struct cg *cg);
void cg_mapped_program(struct cg *cg);
/* R0 = the number of the running process by which /proc knows it: in the PID namespace of culprit. 0: it has none there. */
#define PROCESS_ROOM 8
void cg_process(struct cg *cg, struct place room);
void cg_here(struct cg *cg, const struct px *e, as_label none);	/* PX_HERE */
void cg_mapped(struct cg *cg, struct place room);	/* the same, and R1 = its word */
void cg_mapped_word(struct cg *cg);	/* R1 = the address of the word of process R0, which stays */
/* R0 = the word at R7 + offset, in kernel memory that may be anything; also at `word` of the frame */
void cg_load_any(struct cg *cg, int word, int32_t offset, as_label out);

/* cg_ranges.c, for which cg_mapped.c sees each mapping */
void cg_ranges_maps(struct cg *cg);
void cg_ranges_fork(struct cg *cg);
int cg_ranges_room(struct cg *cg);	/* the frame's offset of what is known of a mapping */
/* The process's word of what it mapped was `old` and is `now`, registers. */
void cg_ranges_counted(struct cg *cg, int at, int old, int now);
/* The mapping at R7 goes into its process's list. The program ends here; what is emitted next are the last
 * instructions of a function that returns 0. */
void cg_ranges_enter(struct cg *cg, int at, as_label out);

/* cg_unwind_rule.c: R7 = a process's list, R8 = an address; from each step down to `least`:
 * if (begins[R4 + step] <= R8) R4 += step */
void cg_unwind_search(struct cg *cg, int step, int least);

/* ---- cg_map.c, image_table.c ---- */
int cg_add_map(struct cg *cg, struct img_map m);
/* A read-only array of one entry. */
int cg_add_const(struct cg *cg, const char *name, const void *init, uint32_t bytes,
		 const char *purpose);
/* Makes where the rows of a query are kept. */
void image_add_query(struct cg *cg, const struct p_query *q);
const struct img_table *cg_table(const struct cg *cg, const struct p_query *q);

#endif
