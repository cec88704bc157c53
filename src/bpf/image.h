/*
 * image: what the code generator makes of a plan: programs, tables, and how to
 * read the results. kern/ loads it into the kernel, replay/ runs it here.
 *
 * In the instructions a table is named by its number in `maps` (ld_imm64 with
 * src_reg BPF_PSEUDO_MAP_FD or BPF_PSEUDO_MAP_VALUE and imm = number); the
 * executor puts the file descriptor or address in.
 */
#ifndef BPF_IMAGE_H
#define BPF_IMAGE_H

#include "bpf/asm.h"
#include "plan/plan.h"
#include "table/stack.h"

struct img_map {
	const char *name;		/* at most 15 characters of [a-zA-Z0-9_] */
	uint32_t type;			/* BPF_MAP_TYPE_* */
	uint32_t key_bytes, value_bytes, max_entries, flags;
	uint32_t inner_bytes;		/* ARRAY_OF_MAPS: of arrays of one such value */
	bool in_process;		/* only programs that run in this process use it */
	const void *init;		/* ARRAY with one entry: its first value, or NULL */
	const struct p_period *period;	/* whose begins it has, or by_thread the latest of */
	bool by_thread;
	const char *purpose;		/* for explain: "begins of X, by rq" */
	uint64_t memory_bytes;		/* what it takes at most, an estimate for explain */
};

struct img_prog {
	const char *name;		/* at most 15 characters */
	const struct p_event *event;	/* NULL: an auxiliary program (cg_aux.c) */
	const struct cat_event *cat;	/* what it is attached to when event is NULL */
	const char *purpose;		/* of such a program; else NULL */
	uint32_t type, expected_attach;	/* BPF_PROG_TYPE_*, BPF_TRACE_RAW_TP or 0 */
	uint32_t btf_id;
	const char *btf_module;		/* whose BTF has it; NULL: vmlinux */
	struct bpf_insn *insns;
	struct as_note *notes;
	int n_insns;
};

/* Where a key or column of a record is. Words take 8 bytes. */
struct img_field {
	struct type type;
	uint32_t off, bytes;
	int none_bit;			/* in the u64 of none bits, -1: never none */
};

#define KEY_MOST 512			/* the kernel's limit for the key of a hash, with a bucket */

/* Frames of one stack in the table `stacks`, whose key is a hash of all of it that is
 * used: struct img_stack up to frames[n]. */
struct img_stack {
	uint32_t n;
	uint16_t cut;			/* enum stack_cut */
	uint16_t user;			/* enum stack_of */
	uint64_t pid;			/* of the program's process */
	uint64_t space;			/* some number of the address space; 0: not known */
	uint64_t frames[STACK_FRAMES];	/* innermost first */
};

enum stack_of { STACK_OF_KERNEL, STACK_OF_PROGRAM, STACK_OF_WAKERS };

/* Of wakers() a hop is a kind and two words: a name of 16 bytes, a softirq's number, a
 * timer's function. */
#define WAKER_WORDS 3
enum waker_kind { WAKER_TASK, WAKER_IRQ, WAKER_SOFTIRQ, WAKER_TIMER, WAKER_PREEMPTER };

#define WAKER_SOFTIRQS 10
extern const char *const waker_softirqs[WAKER_SOFTIRQS];

enum stack_cut {
	STACK_WHOLE, STACK_CUT_DEEP, STACK_CUT_FAILED,
	STACK_CUT_POINTER,		/* no table for this code, and the frame pointer is none */
	STACK_CUT_ABSENT, STACK_CUT_BROKEN,
	STACK_CUT_UNREAD,		/* the program's code is new: its table was not read yet */
};

/* Met for the first time: what the ring `process_ring` holds. The table `processes` has
 * what is before the time as its key. */
struct img_process {
	uint64_t pid, space;
	uint64_t time_ns;		/* CLOCK_MONOTONIC */
};
#define PROCESS_KEY_BYTES 16

/* Where frames and names of stacks come from. */
struct stack_source {
	void *self;
	/* The frames of an id, NULL: they found no room. */
	const struct img_stack *(*find)(void *self, const void *id);
	/* Named, in a; *cut may be set to why outer frames are missing. */
	struct stack_frame *(*name)(void *self, struct arena *a, const struct img_stack *s,
				    int *n, const char **cut);
};

/* The stack of an id, or of the kernel's and the program's behind it. */
const struct stack *stack_of(struct arena *a, const struct stack_source *source, const void *id,
			     int bytes);

/* How the rows of an aggregating query are read. Those of `worst` are in another form:
 * rows[0] is an array of `levels` times query->worst_n slots a half. */
struct img_table {
	const struct p_query *query;
	bool per_cpu;			/* values are one per possible CPU, to be merged */
	/* Intervals: two tables (hash) or two halves (array), the half in use chosen by
	 * the u64 `switch_word` of map `globals`. Without intervals only [0] is used. */
	bool doubled;
	int switch_word;
	int rows[2];			/* map numbers; [0] -1: printed rows of `open` */
	uint32_t dense;			/* rows are an array: key k is row half * dense + k;
					 * a row whose hits word is 0 is absent */
	uint32_t hits_off;		/* u64 in the value: not zero when the row is there */
	int other;			/* array of one row (two with intervals) for keys that
					 * found the table full; -1: cannot happen */
	uint32_t key_bytes, value_bytes;
	struct img_field *keys;		/* n_keys, offsets in the key */
	uint32_t none_off;		/* of the u64 of none bits in the key, if any has one */
	/* `worst`: what says which slot is the smallest, and struct img_slot with its row
	 * behind it. levels 0: an aggregation. */
	int heads;
	uint32_t levels;
	/* Bucket sets: dense ones are inside the value at off, n_dense u64; others are a
	 * table (two with intervals) of key + u64 bucket -> u64 count. */
	int n_sets;
	bool inside, apart;		/* there are sets inside the value, in tables of their own */
	struct img_buckets {
		uint32_t n_dense, off;
		int maps[2];		/* -1: dense */
	} *sets;
};

/*
 * A printed row in the ring buffer: struct img_record, then the fields.
 * Offsets of fields count from the begin of struct img_record.
 */
struct img_record {
	uint64_t time_ns;
	uint32_t cpu;
	uint32_t query;			/* number in plan->queries */
	uint64_t none;			/* bit k: column k is none */
};

/* Before the text of arguments and paths, wherever they are stored. */
struct img_head {
	uint32_t bytes;			/* of the text; more than its room: it was cut */
	uint8_t missing;		/* enum img_missing */
	uint8_t path;			/* enum img_path */
	uint16_t unused;
};

enum img_missing { MISSING_NOTHING, MISSING_CUT, MISSING_ABSENT };

/* A namespace's text and those that have %n begin with 8 bytes, the number. */
enum img_path {
#define PATH(id, magic, form) PATH_##id,
#include "bpf/path.def"
#undef PATH
	PATHS
};

/* A row that `worst` keeps; behind it, from record on, struct img_record's fields. */
struct img_slot {
	uint64_t used;
	int64_t rank;
	struct img_record record;
};

struct img_rows {
	const struct p_query *query;
	uint32_t bytes;			/* of a whole record */
	struct img_field *columns;	/* query->n_columns; none_bit = column */
};

/* Rows of periods that are open: a program whose context is a begin's record. It
 * runs in this process only, in either executor: vm/open_rows.h. */
struct img_open {
	struct img_prog prog;
	const struct p_query *query;
	int begins;			/* map number; a record is its value */
};

/* Its begin of a call from before the start: the context is a record (lang/record.h). */
struct img_before {
	struct img_prog prog;
	int begins;
};

struct bpf_image {
	VEC(struct img_map) maps;
	VEC(struct img_prog) progs;
	VEC(struct img_open) opens;
	VEC(struct img_before) befores;
	VEC(struct img_table) tables;
	VEC(struct img_rows) rows;
	int ring;			/* map number of the ring buffer, -1: nothing printed */
	int counters;			/* per-CPU array, one entry, plan->counters.n u64; -1: none */
	int globals;			/* array, one entry, u64 words: plan->n_globals, then
					 * the switches; mmapable; -1: none */
	uint32_t n_global_words;
	/* Frames by id, processes whose stacks were met, and how they are told; -1: none */
	int stacks, processes, process_ring;
	/* Code of processes and its rows, which kern/live/unwind.h fills: base/unwind.h; -1: none */
	int unwind_processes, unwind_chunks, unwind_pieces, unwind_found, unwind_files, unwind_empty;
	int mapped;			/* array, one entry: MAPPED_SLOTS words of base/unwind.h; -1: none */
	int followed;			/* task storage of -- COMMAND, -1: none */
};

/*
 * Generates. Limits that the query reached (stack, instructions) go to diag;
 * NULL then. Everything is in the arena.
 */
struct bpf_image *image_build(struct arena *a, struct diag *d, struct plan *p,
			      const struct plan_options *o);

/* Bytes that a table takes at most, an estimate; of task storage: a thread. */
uint64_t image_memory(const struct img_map *m, uint64_t cpus);

/* Disassembly with the query text beside each block: explain -db. */
void image_print(const struct bpf_image *i, struct buf *out);
/* One instruction as text, as in the kernel's verifier log. */
void insn_print(const struct bpf_insn *insn, struct buf *out);

/* The cell of a value of type t at p: a word of 8 bytes, or what was stored in
 * `bytes` bytes, copied into a. */
struct cell field_cell(struct arena *a, const struct type *t, const void *p, uint32_t bytes);
/* How the query's rows are laid out, NULL: they are not rows. */
const struct img_rows *image_find_rows(const struct bpf_image *image, const struct p_query *q);
/* The cells of a printed row, strings copied into a. */
void record_cells(struct arena *a, const struct img_rows *r, const struct img_record *rec,
		  struct cell *cells);

#endif
