/*
 * vm: what the interpreter, its tables, tasks and helpers share. For vm/ and replay/.
 */
#ifndef VM_VM_H
#define VM_VM_H

#include "base/err.h"
#include "bpf/executor.h"
#include "lang/record.h"

/* ---- tables: map.c ---- */

/*
 * One table of the image. Events are run one after the other, so a per-CPU table
 * has one value a key. Values stay where they are until their key is deleted.
 */
struct vm_map {
	const struct img_map *img;
	uint32_t key_bytes, value_bytes, value_stride, entry_bytes;
	uint64_t entries_most;		/* UINT32_MAX - 1: no limit */
	unsigned char *array;		/* ARRAY */
	/* HASH: chains of entries, which are in chunks; numbers are + 1, 0 ends */
	uint32_t *heads, mask;
	unsigned char **chunks;
	uint32_t n_chunks, n_made, n_used, free;
	int storage;			/* TASK_STORAGE: which, counted from 0; else -1 */
};

int vm_map_init(struct vm_map *m, const struct img_map *img, bool limits, struct err *e);
void vm_map_fini(struct vm_map *m);
void *vm_map_lookup(const struct vm_map *m, const void *key);
int vm_map_update(struct vm_map *m, const void *key, const void *value, uint64_t flags);
int vm_map_delete(struct vm_map *m, const void *key);
/* All rows; an array's key is a u32. */
void vm_map_each(const struct vm_map *m,
		 void (*each)(void *arg, const void *key, const void *value), void *arg);
void vm_map_clear(struct vm_map *m);

/* A map_source's, of an array of struct vm_map. */
int vm_maps_read(void *maps, const struct map_part *p, map_row_fn *each, void *arg);

/* ---- merge.c ---- */

/* Adds what `from` has gathered to what `into` has: tables of the same image, that grow. */
void vm_table_merge(struct vm_map *into, const struct vm_map *from, const struct img_table *t);

/* ---- tasks: task.c ---- */

struct vm_task {
	uint64_t id;			/* tid; tid 0: one a CPU */
	void **storage;			/* by vm_map.storage, NULL: none yet */
};

struct vm_tasks {
	struct vm_task **slots;
	uint32_t n, cap;
	int n_storages;
};

/* The running task, made when it is new; NULL when its number is not known. */
struct vm_task *vm_task_current(struct vm_tasks *t, const struct record *rec);
void *vm_task_storage(struct vm_tasks *t, struct vm_task *task, const struct vm_map *m,
		      const void *init, bool create);
void vm_task_exit(struct vm_tasks *t, struct vm_task *task);
/* Forgets what the storage has of all threads; how many had some. */
uint64_t vm_tasks_abandon(struct vm_tasks *t, int storage);
void vm_tasks_fini(struct vm_tasks *t);

/* ---- programs: interp.c ---- */

struct vm;
typedef uint64_t (*vm_helper)(struct vm *vm, const uint64_t *args);

struct vm_op {
	uint16_t code;			/* the interpreter's own */
	uint8_t dst, src;
	int32_t off;			/* bytes, or operations from the next one on */
	union {
		int64_t imm;
		vm_helper helper;
	};
};

struct vm_code {
	const char *name;
	const struct img_prog *prog;	/* what it was made from */
	const struct bpf_insn *insns;	/* one for each of: */
	struct vm_op *ops;
	int n;
	void (*native)(const void *ctx, struct vm *vm);	/* NULL: it is interpreted */
};

/* Memory that a program may touch in a checked run. */
struct vm_region {
	uint64_t at, bytes;
	bool writable;
};

#define VM_STACK_BYTES 512

/* Of a checked run: what each register and each byte of the frame holds; 0: a number. */
struct taint {
	uint8_t regs[R10 + 1], frame[VM_STACK_BYTES];
	uint64_t frame_at;
};

#define VM_BUDGET 1000000		/* jumps taken and calls, a run */
#define VM_REGIONS_MOST 256
#define VM_RING_BYTES (1 << 20)		/* records of one event */

struct vm {
	struct vm_map *maps;
	int n_maps;
	struct vm_tasks tasks;
	const struct record *record;	/* the event */
	struct vm_task *task;
	bool checked;
	/* Records printed by this event, each after a u64: its bytes, and whether it was submitted. */
	uint64_t *ring;
	uint32_t ring_used;		/* bytes */
	const char *fault;		/* why the run ended, NULL: it exited */
	struct taint taint;
	int n_regions;
	struct vm_region regions[VM_REGIONS_MOST];
};

#define RING_BYTES 0xffffffffull
#define RING_SUBMITTED (1ull << 32)

/* Decodes; the array of operations lives in the arena. */
int vm_code_init(struct arena *a, struct vm_code *c, const struct img_prog *p, struct vm *vm,
		 struct err *e);
/* Runs once with ctx in R1. False: vm->fault says why it was ended. */
bool vm_code_interpret(const struct vm_code *c, struct vm *vm, const void *ctx,
		       uint64_t ctx_bytes);

static inline bool vm_code_run(const struct vm_code *c, struct vm *vm, const void *ctx,
			       uint64_t ctx_bytes)
{
	vm->fault = NULL;
	if (!c->native)
		return vm_code_interpret(c, vm, ctx, ctx_bytes);
	c->native(ctx, vm);
	return !vm->fault;
}

/* ---- what values are in a checked run: taint.c ---- */

void taint_begin(struct vm *vm, const void *frame);
/* Before the instruction is run. False: vm->fault says what it must not do. */
bool taint_step(struct vm *vm, const struct bpf_insn *i, const uint64_t *r);
/* A helper takes this memory out of the program, or fills it. */
bool taint_given(struct vm *vm, uint64_t at, uint64_t bytes);
void taint_filled(struct vm *vm, uint64_t at, uint64_t bytes);

/* ---- machine code: native.c ---- */

struct vm_native {
	void *map;			/* NULL: none */
	size_t bytes;
};

/* Gives each program machine code that can have it: that of an unchecked run. */
void vm_native_make(struct vm_native *n, struct vm_code *const *codes, int n_codes);
void vm_native_fini(struct vm_native *n);

/* ---- helpers: helper.c ---- */

vm_helper vm_helper_find(int id);	/* NULL: not one that replay has */
/* Checked runs: from now on the program may touch this memory. NULL is fine. */
void vm_grant(struct vm *vm, const void *at, uint64_t bytes, bool writable);
bool vm_may(const struct vm *vm, uint64_t at, uint64_t bytes, bool write);

#endif
