/* interp, vm_map, vm_helper: hand-assembled programs, run in the checked mode. */
#include "vm/vm.h"
#include "test.h"

static struct arena arena;

static struct bpf_image image;
static struct vm vm;
static struct record record;
static const char *fault;

static void add_map(uint32_t type, uint32_t key_bytes, uint32_t value_bytes, uint32_t entries)
{
	*vec_add(&arena, &image.maps) = (struct img_map){ .name = "m", .type = type,
		.key_bytes = key_bytes, .value_bytes = value_bytes, .max_entries = entries };
}

/* A machine with the maps added so far and a record of a thread. */
static void set_up(bool limits)
{
	struct err e = { .arena = &arena };

	vm = (struct vm){ .checked = true, .n_maps = image.maps.n };
	vm.ring = arena_alloc(&arena, VM_RING_BYTES);
	vm.maps = arena_array(&arena, struct vm_map, vm.n_maps + 1);
	for (int i = 0; i < vm.n_maps; i++) {
		REQUIRE(vm_map_init(&vm.maps[i], &image.maps.v[i], limits, &e) == 0);
		if (image.maps.v[i].type == BPF_MAP_TYPE_TASK_STORAGE)
			vm.maps[i].storage = vm.tasks.n_storages++;
	}
	record = (struct record){ .time_ns = 77, .cpu = 3 };
	record.valid = RECORD_BIT(0) | RECORD_BIT(1) | RECORD_BIT(RECORD_TID) | RECORD_BIT(RECORD_PID);
	record.words[RECORD_TID] = 12;
	record.words[RECORD_PID] = 10;
	record.words[0] = 1000;
	record.words[1] = (uint64_t)(uintptr_t)"hello";
	record.strings = RECORD_BIT(1);
	vm.record = &record;
	vm.task = vm_task_current(&vm.tasks, &record);
}

static void tear_down(void)
{
	for (int i = 0; i < vm.n_maps; i++)
		vm_map_fini(&vm.maps[i]);
	vm_tasks_fini(&vm.tasks);
	image = (struct bpf_image){ 0 };
}

/* The program stores its result in word 0 of map 0, an array. */
static uint64_t result(void)
{
	uint64_t v;

	memcpy(&v, vm.maps[0].array, 8);
	return v;
}

static bool load(struct as *as, struct vm_code *c)
{
	struct err e = { .arena = &arena };
	struct img_prog p = { .name = "p" };
	const char *error = as_finish(as, &arena, &p.insns, &p.notes, &p.n_insns);

	CHECK_STR(error, NULL);
	return !error && !vm_code_init(&arena, c, &p, &vm, &e);
}

static bool run(struct as *as)
{
	struct vm_code c;
	bool ok;

	REQUIRE(load(as, &c));
	ok = vm_code_run(&c, &vm, &record.valid, sizeof(record) - offsetof(struct record, valid));
	fault = vm.fault;
	return ok;
}

/* Stores r0 as the result and ends. */
static void give_r0(struct as *as)
{
	as_map_value(as, R1, 0, 0);
	as_store(as, 8, R1, 0, R0);
	as_imm(as, R0, 0);
	as_exit(as);
}

static struct as *begin(void)
{
	add_map(BPF_MAP_TYPE_ARRAY, 4, 64, 1);
	return as_new(&arena);
}

static uint64_t alu(bool wide, int op, uint64_t a, uint64_t b)
{
	struct as *as = begin();
	uint64_t v;

	set_up(false);
	as_imm(as, R0, (int64_t)a);
	as_imm(as, R2, (int64_t)b);
	(wide ? as_alu : as_alu32)(as, op, R0, R2);
	give_r0(as);
	CHECK(run(as));
	v = result();
	tear_down();
	return v;
}

TEST(interp_arithmetic)
{
	static const struct { int op; uint64_t a, b, wide, narrow; } rows[] = {
		{ BPF_ADD, ~0ull, 2, 1, 1 },
		{ BPF_SUB, 1, 2, ~0ull, 0xffffffff },
		{ BPF_MUL, 0x100000001, 3, 0x300000003, 3 },
		{ BPF_DIV, 0x100000007, 2, 0x80000003, 3 },
		{ BPF_DIV, 7, 0, 0, 0 },
		{ BPF_MOD, 7, 0, 7, 7 },
		{ BPF_MOD, 0x100000007, 4, 3, 3 },
		{ BPF_MOD, 0x100000007, 0, 0x100000007, 7 },
		{ BPF_OR, 0xf0, 0x0f, 0xff, 0xff },
		{ BPF_AND, 0xff0000000f, 0xf00000001f, 0xf00000000f, 0xf },
		{ BPF_XOR, 5, 1, 4, 4 },
		{ BPF_MOV, 0, 0x1234567890, 0x1234567890, 0x34567890 },
		{ BPF_LSH, 1, 65, 2, 2 },
		{ BPF_LSH, 1, 33, 0x200000000, 2 },
		{ BPF_RSH, 0x8000000000000000, 63, 1, 0 },
		{ BPF_ARSH, 0x8000000080000000, 4, 0xf800000008000000, 0xf8000000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_EQ(alu(true, rows[i].op, rows[i].a, rows[i].b), rows[i].wide);
		CHECK_EQ(alu(false, rows[i].op, rows[i].a, rows[i].b), rows[i].narrow);
	}
}

TEST(interp_immediates_extend_their_sign)
{
	struct as *as = begin();

	set_up(false);
	as_imm(as, R0, 0);
	as_alu_imm(as, BPF_ADD, R0, -1);
	as_alu_imm(as, BPF_AND, R0, -2);
	as_neg(as, R0);
	give_r0(as);
	CHECK(run(as));
	CHECK_EQ(result(), 2);
	tear_down();
}

TEST(interp_bytes_swapped)
{
	struct as *as = begin();

	set_up(false);
	as_imm(as, R0, 0x11223344);
	as_bswap(as, R0, 16);
	give_r0(as);
	CHECK(run(as));
	CHECK_EQ(result(), 0x4433);
	tear_down();
}

static bool taken(int op, int64_t a, int64_t b)
{
	struct as *as = begin();
	as_label yes;
	bool t;

	set_up(false);
	yes = as_new_label(as);
	as_imm(as, R2, a);
	as_imm(as, R3, b);
	as_imm(as, R0, 1);
	as_jump_if(as, op, R2, R3, yes);
	as_imm(as, R0, 0);
	as_bind(as, yes);
	give_r0(as);
	CHECK(run(as));
	t = result();
	tear_down();
	return t;
}

TEST(interp_jumps)
{
	CHECK(taken(BPF_JEQ, 5, 5) && !taken(BPF_JEQ, 5, 6));
	CHECK(taken(BPF_JNE, 5, 6) && !taken(BPF_JNE, 5, 5));
	CHECK(taken(BPF_JGT, -1, 1) && !taken(BPF_JGT, 1, 1));
	CHECK(taken(BPF_JGE, 1, 1) && !taken(BPF_JGE, 1, -1));
	CHECK(taken(BPF_JLT, 1, -1) && !taken(BPF_JLT, 1, 1));
	CHECK(taken(BPF_JLE, 1, 1) && !taken(BPF_JLE, -1, 1));
	CHECK(taken(BPF_JSGT, 1, -1) && !taken(BPF_JSGT, -1, 1));
	CHECK(taken(BPF_JSGE, 1, 1) && !taken(BPF_JSGE, -1, 1));
	CHECK(taken(BPF_JSLT, -1, 1) && !taken(BPF_JSLT, 1, -1));
	CHECK(taken(BPF_JSLE, -1, -1) && !taken(BPF_JSLE, 1, -1));
	CHECK(taken(BPF_JSET, 6, 2) && !taken(BPF_JSET, 6, 1));
}

TEST(interp_narrow_jumps)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = R2, .imm = 5 },
		{ .imm = 1 },			/* r2 = 0x100000005 */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = R0, .imm = 7 },
		{ .code = BPF_JMP32 | BPF_JEQ | BPF_K, .dst_reg = R2, .off = 1, .imm = 5 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = R0, .imm = 8 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = R1, .src_reg = BPF_PSEUDO_MAP_VALUE },
		{ 0 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = R1, .src_reg = R0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct img_prog p = { .name = "p", .insns = insns, .n_insns = 9 };
	struct err e = { .arena = &arena };
	struct vm_code c;

	begin();
	set_up(false);
	REQUIRE(vm_code_init(&arena, &c, &p, &vm, &e) == 0);
	CHECK(vm_code_run(&c, &vm, &record.valid, 16));
	CHECK_EQ(result(), 7);
	tear_down();
}

TEST(interp_loads_stores_and_atomics)
{
	struct as *as = begin();
	uint64_t words[8];

	set_up(false);
	as_map_value(as, R7, 0, 0);
	as_store_imm(as, 8, R10, -8, -2);
	as_store_imm(as, 1, R10, -8, 0x41);
	as_load(as, 8, R0, R10, -8);
	as_store(as, 8, R7, 0, R0);			/* 0xff..ff41 */
	as_load(as, 2, R0, R10, -8);
	as_store(as, 8, R7, 8, R0);			/* 0xff41 */
	as_imm(as, R1, 5);
	as_atomic(as, BPF_ADD, R7, 16, R1);
	as_atomic(as, BPF_ADD | BPF_FETCH, R7, 16, R1);	/* 10, r1 = 5 */
	as_atomic(as, BPF_OR, R7, 24, R1);		/* 5 */
	as_imm(as, R1, 9);
	as_atomic(as, BPF_XCHG, R7, 24, R1);		/* 9, r1 = 5 */
	as_store(as, 8, R7, 32, R1);
	as_imm(as, R0, 9);
	as_imm(as, R2, 11);
	as_atomic(as, BPF_CMPXCHG, R7, 24, R2);		/* 11, r0 = 9 */
	as_atomic(as, BPF_CMPXCHG, R7, 24, R1);		/* stays 11, r0 = 11 */
	as_store(as, 8, R7, 40, R0);
	as_imm(as, R0, 0);
	as_exit(as);
	CHECK(run(as));
	memcpy(words, vm.maps[0].array, sizeof(words));
	CHECK_EQ(words[0], 0xffffffffffffff41);
	CHECK_EQ(words[1], 0xff41);
	CHECK_EQ(words[2], 10);
	CHECK_EQ(words[3], 11);
	CHECK_EQ(words[4], 5);
	CHECK_EQ(words[5], 11);
	tear_down();
}

/* A checked run finds each of these; the kernel's verifier would, too. */
TEST(interp_checked_faults)
{
	for (int i = 0; i < 7; i++) {
		struct as *as = begin();
		as_label again = as_new_label(as);

		set_up(false);
		as_map_value(as, R7, 0, 0);
		as_imm(as, R0, 0);
		as_bind(as, again);
		if (i == 0)
			as_load(as, 8, R0, R10, 0);
		if (i == 1)
			as_store_imm(as, 8, R10, -520, 0);
		if (i == 2)
			as_load(as, 8, R0, R7, 64);	/* past the value */
		if (i == 3)
			as_store_imm(as, 8, R1, 0, 0);	/* the context is read only */
		if (i == 4)
			as_jump(as, again);
		if (i == 5) {
			as_map(as, R1, 0);
			as_imm(as, R2, 0);
			as_call(as, BPF_FUNC_map_lookup_elem);
		}
		if (i == 6) {
			as_call(as, BPF_FUNC_ktime_get_ns);
			as_load(as, 8, R0, R1, 0);	/* r1 is lost in calls */
		}
		as_exit(as);
		CHECK(!run(as) && fault);
		tear_down();
	}
}

TEST(interp_refuses_bad_programs)
{
	static const struct bpf_insn bad[][2] = {
		{ { .code = 0xff }, { .code = BPF_JMP | BPF_EXIT } },
		{ { .code = BPF_JMP | BPF_JA, .off = 7 }, { .code = BPF_JMP | BPF_EXIT } },
		{ { .code = BPF_JMP | BPF_CALL, .imm = 9999 }, { .code = BPF_JMP | BPF_EXIT } },
		{ { .code = BPF_LD | BPF_DW | BPF_IMM, .src_reg = BPF_PSEUDO_MAP_FD, .imm = 9 }, { 0 } },
		{ { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 12 }, { .code = BPF_JMP | BPF_EXIT } },
		{ { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_ALU64 | BPF_MOV | BPF_K } },
	};

	begin();
	set_up(false);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct bpf_insn insns[2] = { bad[i][0], bad[i][1] };
		struct img_prog p = { .name = "p", .insns = insns, .n_insns = 2 };
		struct err e = { .arena = &arena };
		struct vm_code c;

		CHECK(vm_code_init(&arena, &c, &p, &vm, &e) < 0);
		CHECK(e.causes.n > 0);
	}
	tear_down();
}

TEST(helpers_of_the_event)
{
	static const struct { int id; uint64_t want; } rows[] = {
		{ BPF_FUNC_ktime_get_ns, 77 },
		{ BPF_FUNC_get_smp_processor_id, 3 },
		{ BPF_FUNC_get_current_pid_tgid, 10ull << 32 | 12 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct as *as = begin();

		set_up(false);
		as_call(as, rows[i].id);
		give_r0(as);
		CHECK(run(as));
		CHECK_EQ(result(), rows[i].want);
		tear_down();
	}
}

static void read_string(struct as *as, int word, int bytes)
{
	as_store_imm(as, 8, R10, -16, 0);
	as_load(as, 8, R3, R1, 8 + 8 * word);
	as_mov(as, R1, R10);
	as_alu_imm(as, BPF_ADD, R1, -16);
	as_imm(as, R2, bytes);
	as_call(as, BPF_FUNC_probe_read_kernel_str);
	as_load(as, 8, R2, R10, -16);
	as_map_value(as, R1, 0, 8);
	as_store(as, 8, R1, 0, R2);
	give_r0(as);
}

TEST(helpers_read_only_texts_of_the_event)
{
	struct as *as = begin();
	char text[8];

	set_up(false);
	read_string(as, 1, 16);
	CHECK(run(as));
	CHECK_EQ(result(), 6);
	memcpy(text, vm.maps[0].array + 8, 8);
	CHECK_STR(text, "hello");
	tear_down();
	as = begin();
	set_up(false);
	read_string(as, 1, 3);
	CHECK(run(as));
	CHECK_EQ(result(), 3);
	memcpy(text, vm.maps[0].array + 8, 8);
	CHECK_STR(text, "he");
	tear_down();
	as = begin();
	set_up(false);
	read_string(as, 0, 16);			/* word 0 is a number: no such page */
	CHECK(run(as));
	CHECK_EQ((int64_t)result(), -14);
	tear_down();
}

TEST(helpers_task_storage)
{
	struct as *as = begin();
	as_label none = as_new_label(as);

	add_map(BPF_MAP_TYPE_TASK_STORAGE, 4, 16, 0);
	set_up(false);
	as_call(as, BPF_FUNC_get_current_task_btf);
	as_mov(as, R2, R0);
	as_map(as, R1, 1);
	as_imm(as, R3, 0);
	as_imm(as, R4, 1);
	as_call(as, BPF_FUNC_task_storage_get);
	as_jump_if_imm(as, BPF_JEQ, R0, 0, none);
	as_load(as, 8, R1, R0, 8);
	as_alu_imm(as, BPF_ADD, R1, 1);
	as_store(as, 8, R0, 8, R1);
	as_mov(as, R0, R1);
	as_bind(as, none);
	give_r0(as);
	CHECK(run(as));
	CHECK_EQ(result(), 1);
	CHECK(run(as));
	CHECK_EQ(result(), 2);
	record.words[RECORD_TID] = 13;
	vm.task = vm_task_current(&vm.tasks, &record);
	CHECK(run(as));
	CHECK_EQ(result(), 1);
	vm_task_exit(&vm.tasks, vm.task);
	CHECK(run(as));
	CHECK_EQ(result(), 1);
	tear_down();
}

TEST(tasks_idle_is_one_per_cpu)
{
	struct vm_task *a, *b;

	set_up(false);
	record.words[RECORD_TID] = 0;
	a = vm_task_current(&vm.tasks, &record);
	record.cpu = 4;
	b = vm_task_current(&vm.tasks, &record);
	CHECK(a && b && a != b);
	record.words[RECORD_TID] = 12;
	CHECK(vm_task_current(&vm.tasks, &record) == vm.task);
	record.valid &= ~RECORD_BIT(RECORD_TID);
	CHECK(!vm_task_current(&vm.tasks, &record));
	tear_down();
}

static uint64_t seen_keys, seen_values, seen_n;

static void see(void *arg, const void *key, const void *value)
{
	uint64_t k, v;

	(void)arg;
	memcpy(&k, key, 8);
	memcpy(&v, value, 8);
	seen_keys += k;
	seen_values += v;
	seen_n++;
}

TEST(map_hash_against_an_array)
{
	enum { KEYS = 5000, STEPS = 200000 };
	static uint64_t model[KEYS];			/* 0: absent */
	uint64_t random = 1, keys = 0, values = 0, n = 0;
	struct vm_map *m;

	add_map(BPF_MAP_TYPE_PERCPU_HASH, 8, 8, 10);
	set_up(false);
	m = &vm.maps[0];
	for (int i = 0; i < STEPS; i++) {
		uint64_t key, value = (uint64_t)i + 1, *at;

		random = random * 6364136223846793005u + 1442695040888963407u;
		key = (random >> 33) % KEYS;
		at = vm_map_lookup(m, &key);
		if ((at ? *at : 0) != model[key]) {
			CHECK_EQ(at ? *at : 0, model[key]);
			break;
		}
		if (random >> 62) {
			CHECK(vm_map_update(m, &key, &value, 0) == 0);
			model[key] = value;
		} else {
			CHECK_EQ(vm_map_delete(m, &key), model[key] ? 0 : -2);
			model[key] = 0;
		}
	}
	for (uint64_t k = 0; k < KEYS; k++) {
		keys += model[k] ? k : 0;
		values += model[k];
		n += model[k] != 0;
	}
	vm_map_each(m, see, NULL);
	CHECK_EQ(seen_keys, keys);
	CHECK_EQ(seen_values, values);
	CHECK_EQ(seen_n, n);
	vm_map_clear(m);
	seen_n = 0;
	vm_map_each(m, see, NULL);
	CHECK_EQ(seen_n, 0);
	tear_down();
}

TEST(map_flags_and_limits)
{
	uint64_t key = 1, value = 2;
	struct vm_map *m;

	add_map(BPF_MAP_TYPE_HASH, 8, 8, 2);
	set_up(true);
	m = &vm.maps[0];
	CHECK_EQ(vm_map_update(m, &key, &value, BPF_EXIST), -2);
	CHECK_EQ(vm_map_update(m, &key, &value, BPF_NOEXIST), 0);
	CHECK_EQ(vm_map_update(m, &key, &value, BPF_NOEXIST), -17);
	key = 2;
	CHECK_EQ(vm_map_update(m, &key, &value, 0), 0);
	key = 3;
	CHECK_EQ(vm_map_update(m, &key, &value, 0), -7);
	key = 2;
	CHECK_EQ(vm_map_delete(m, &key), 0);
	key = 3;
	CHECK_EQ(vm_map_update(m, &key, &value, 0), 0);
	tear_down();
}

TEST(ring_records)
{
	struct as *as = begin();
	as_label out = as_new_label(as);

	add_map(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096);
	set_up(false);
	as_map(as, R1, 1);
	as_imm(as, R2, 20);
	as_imm(as, R3, 0);
	as_call(as, BPF_FUNC_ringbuf_reserve);
	as_jump_if_imm(as, BPF_JEQ, R0, 0, out);
	as_store_imm(as, 4, R0, 16, 42);
	as_mov(as, R1, R0);
	as_imm(as, R2, 0);
	as_call(as, BPF_FUNC_ringbuf_submit);
	as_bind(as, out);
	as_imm(as, R0, 0);
	as_exit(as);
	CHECK(run(as));
	CHECK_EQ(vm.ring_used, 8 + 24);
	CHECK_EQ(vm.ring[0], 20 | RING_SUBMITTED);
	tear_down();
}
