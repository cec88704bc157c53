/* native: machine code does what the interpreter does, which tests/vm/interp.c is about. */
#include "vm/vm.h"
#include "test.h"

#define INSNS_MOST 600
#define SLOTS 8				/* of the program's stack that it uses as it likes; */
#define REGISTERS_AT (-8 * SLOTS - 16 - 80)	/* below them a key and all registers */
#define STACK_BYTES (-REGISTERS_AT)

static struct vm vm;
static struct record record = { .time_ns = 77, .cpu = 3 };
static struct bpf_insn insns[INSNS_MOST];
static int n_insns;
static uint64_t seed;

/* What a run leaves behind. */
struct result {
	bool ok;
	const char *fault;
	uint64_t words[10 + SLOTS];
};

static uint64_t random_word(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int below(int n)
{
	return (int)(random_word() % (uint64_t)n);
}

/* Numbers at whose edges something changes are more likely. */
static uint64_t random_number(void)
{
	static const uint64_t edges[] = { 0, 1, 2, 31, 32, 63, 64, 0x7fffffff, 0x80000000,
					  0xffffffff, 0x100000000, INT64_MAX, 1ull << 63, ~0ull };

	return below(2) ? edges[below(sizeof(edges) / sizeof(*edges))] :
	       random_word() >> below(64);
}

static void add(int code, int dst, int src, int off, int32_t imm)
{
	insns[n_insns++] = (struct bpf_insn){ .code = (uint8_t)code, .dst_reg = dst & 15,
					      .src_reg = src & 15, .off = (int16_t)off, .imm = imm };
}

static void add_imm64(int dst, int src, uint64_t v)
{
	add(BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, (int32_t)v);
	add(0, 0, 0, 0, (int32_t)(v >> 32));
}

static int slot(int bytes)
{
	return -8 * SLOTS + below(8 * SLOTS / bytes) * bytes;
}

/* ---- random programs ---- */

static void add_alu(void)
{
	static const int ops[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR, BPF_AND, BPF_LSH,
				   BPF_RSH, BPF_NEG, BPF_MOD, BPF_XOR, BPF_MOV, BPF_ARSH };
	static const int bits[] = { 16, 32, 64 };
	int op = ops[below(13)], class = below(2) ? BPF_ALU : BPF_ALU64;

	if (!below(8))
		add(BPF_ALU | BPF_END | (below(2) ? BPF_TO_BE : BPF_TO_LE), below(10), 0, 0,
		    bits[below(3)]);
	else
		add(class | op | (op != BPF_NEG && below(2) ? BPF_X : BPF_K), below(10), below(10),
		    0, (int32_t)random_number());
}

static void add_memory(void)
{
	static const int sizes[] = { BPF_B, BPF_H, BPF_W, BPF_DW }, bytes[] = { 1, 2, 4, 8 };
	static const int atomics[] = { BPF_ADD, BPF_OR, BPF_AND, BPF_XOR, BPF_ADD | BPF_FETCH,
				       BPF_XCHG, BPF_CMPXCHG };
	int k = below(4), off = slot(bytes[k]);

	switch (below(4)) {
	case 0:
		add(BPF_LDX | BPF_MEM | sizes[k], below(10), R10, off, 0);
		break;
	case 1:
		add(BPF_ST | BPF_MEM | sizes[k], R10, 0, off, (int32_t)random_number());
		break;
	case 2:
		add(BPF_STX | BPF_MEM | sizes[k], R10, below(10), off, 0);
		break;
	default:
		k = 2 + below(2);
		add(BPF_STX | BPF_ATOMIC | sizes[k], R10, below(10), slot(bytes[k]),
		    atomics[below(7)]);
	}
}

/* Over the next one, which is no call. */
static void add_jump(void)
{
	static const int ops[] = { BPF_JEQ, BPF_JNE, BPF_JSET, BPF_JGT, BPF_JGE, BPF_JLT, BPF_JLE,
				   BPF_JSGT, BPF_JSGE, BPF_JSLT, BPF_JSLE };

	add((below(2) ? BPF_JMP : BPF_JMP32) | ops[below(11)] | (below(2) ? BPF_X : BPF_K),
	    below(10), below(10), 1, (int32_t)random_number());
	add_alu();
}

/* Of table 1, a hash, or 0, an array, sometimes past its end; the arguments are lost. */
static void add_call(void)
{
	static const int helpers[] = { BPF_FUNC_map_lookup_elem, BPF_FUNC_map_update_elem,
				       BPF_FUNC_map_delete_elem, BPF_FUNC_ktime_get_ns,
				       BPF_FUNC_get_smp_processor_id };
	int map = below(2), at = -8 * SLOTS - 16;

	add(BPF_ST | BPF_MEM | BPF_W, R10, 0, at, below(4));
	for (int i = 0; i < 2; i++) {
		add(BPF_ALU64 | BPF_MOV | BPF_X, R2 + i, R10, 0, 0);
		add(BPF_ALU64 | BPF_ADD | BPF_K, R2 + i, 0, 0, i ? -STACK_BYTES : at);
	}
	add(BPF_ALU64 | BPF_MOV | BPF_K, R4, 0, 0, below(3));
	if (below(2)) {				/* not known to be in R1 */
		add_imm64(R5, BPF_PSEUDO_MAP_FD, (uint64_t)map);
		add(BPF_ALU64 | BPF_MOV | BPF_X, R1, R5, 0, 0);
	} else {
		add_imm64(R1, BPF_PSEUDO_MAP_FD, (uint64_t)map);
	}
	add(BPF_JMP | BPF_CALL, 0, 0, 0, helpers[below(5)]);
	add(BPF_JMP | BPF_JNE | BPF_K, R0, 0, 1, 0);
	add(BPF_JMP | BPF_JA, 0, 0, 0, 0);
	for (int i = R1; i <= R5; i++)
		add_imm64(i, 0, random_number());
}

/* All registers and the stack into the value at table 0. */
static void add_end(void)
{
	for (int i = 0; i < 10; i++)
		add(BPF_STX | BPF_MEM | BPF_DW, R10, i, REGISTERS_AT + 8 * i, 0);
	add_imm64(R1, BPF_PSEUDO_MAP_VALUE, 0);
	for (int i = 0; i < 10 + SLOTS; i++) {
		add(BPF_LDX | BPF_MEM | BPF_DW, R2, R10,
		    i < 10 ? REGISTERS_AT + 8 * i : -8 * (i - 9), 0);
		add(BPF_STX | BPF_MEM | BPF_DW, R1, R2, 8 * i, 0);
	}
	add(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void make_program(void)
{
	n_insns = 0;
	for (int i = 0; i < 10; i++)
		add_imm64(i, 0, random_number());
	for (int i = 0; i < STACK_BYTES / 8; i++)
		add(BPF_STX | BPF_MEM | BPF_DW, R10, i % 10, -8 * (i + 1), 0);
	for (int i = 0; i < 20; i++)
		switch (below(8)) {
		case 0: add_call(); break;
		case 1: case 2: add_memory(); break;
		case 3: case 4: add_jump(); break;
		default: add_alu();
		}
	add_end();
}

/* ---- both ---- */

static void set_up(struct arena *a)
{
	static struct img_map maps[] = {
		{ .name = "array", .type = BPF_MAP_TYPE_ARRAY, .key_bytes = 4,
		  .value_bytes = 8 * (10 + SLOTS), .max_entries = 2 },
		{ .name = "hash", .type = BPF_MAP_TYPE_HASH, .key_bytes = 4, .value_bytes = 8,
		  .max_entries = 9 },
	};
	struct err e = { .arena = a };

	vm = (struct vm){ .n_maps = 2, .record = &record };
	vm.maps = arena_array(a, struct vm_map, 2);
	for (int i = 0; i < 2; i++)
		REQUIRE(vm_map_init(&vm.maps[i], &maps[i], false, &e) == 0);
}

/* From empty tables. */
static struct result run(const struct vm_code *c, bool native)
{
	struct vm_code one = *c;
	struct result r;

	for (int i = 0; i < 2; i++)
		vm_map_clear(&vm.maps[i]);
	if (!native)
		one.native = NULL;
	r.ok = vm_code_run(&one, &vm, &record.valid, 8);
	r.fault = vm.fault;
	memcpy(r.words, vm.maps[0].array, sizeof(r.words));
	return r;
}

static bool load(struct arena *a, struct vm_code *c, struct vm_native *n)
{
	static struct img_prog p = { .name = "p", .insns = insns };
	struct err e = { .arena = a };
	struct vm_code *codes[] = { c };

	*c = (struct vm_code){ 0 };
	*n = (struct vm_native){ 0 };
	p.n_insns = n_insns;
	REQUIRE(!vm_code_init(a, c, &p, &vm, &e));
	vm_native_make(n, codes, 1);
	return c->native;
}

TEST(native_random_programs)
{
	seed = 88172645463325252ull;
	for (int i = 0; i < 4000; i++) {
		struct arena a = { 0 };
		struct vm_code c;
		struct vm_native n;
		struct result want, got;

		set_up(&a);
		make_program();
		if (!load(&a, &c, &n)) {
#ifdef __x86_64__
			CHECK(false);
#endif
			SKIP("no machine code here");
		}
		want = run(&c, false);
		got = run(&c, true);
		CHECK(want.ok && got.ok);
		for (int k = 0; k < 10 + SLOTS; k++)
			if (want.words[k] != got.words[k]) {
				printf("program %d, word %d: %llx %llx\n", i, k,
				       (unsigned long long)want.words[k],
				       (unsigned long long)got.words[k]);
				CHECK(false);
			}
		vm_native_fini(&n);
		for (int k = 0; k < 2; k++)
			vm_map_fini(&vm.maps[k]);
		arena_fini(&a);
	}
}

/* Loops are bounded, a helper's fault ends the run, other programs are interpreted. */
TEST(native_ends)
{
	struct arena a = { 0 };
	struct vm_code c;
	struct vm_native n;
	struct result r;

	set_up(&a);
	n_insns = 0;
	add(BPF_ALU64 | BPF_MOV | BPF_K, R0, 0, 0, 0);
	add(BPF_ALU64 | BPF_ADD | BPF_K, R0, 0, 0, 1);
	add(BPF_JMP | BPF_JNE | BPF_K, R0, 0, -2, 900000);
	add_end();
	if (!load(&a, &c, &n))
		SKIP("no machine code here");
	r = run(&c, true);
	CHECK(r.ok);
	CHECK_EQ(r.words[0], 900000);
	vm_native_fini(&n);

	insns[2].imm = -1;
	CHECK(load(&a, &c, &n));
	r = run(&c, true);
	CHECK(!r.ok);
	CHECK_STR(r.fault, "it does not end");
	vm_native_fini(&n);

	n_insns = 0;
	add(BPF_ALU64 | BPF_MOV | BPF_K, R1, 0, 0, 7);
	add(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
	add_end();
	CHECK(load(&a, &c, &n));
	r = run(&c, true);
	CHECK(!r.ok);
	CHECK_STR(r.fault, "a helper's argument is no table");
	CHECK_EQ(r.words[0], 0);
	vm_native_fini(&n);

	n_insns = 0;
	add(BPF_ST | BPF_MEM | BPF_DW, R10, 0, -8, 6);
	add(BPF_ALU64 | BPF_MOV | BPF_K, R0, 0, 0, 3);
	add(BPF_STX | BPF_ATOMIC | BPF_DW, R10, R0, -8, BPF_OR | BPF_FETCH);
	add_end();
	CHECK(!load(&a, &c, &n));
	r = run(&c, true);
	CHECK(r.ok);
	CHECK_EQ(r.words[0], 6);
	vm_native_fini(&n);
	for (int k = 0; k < 2; k++)
		vm_map_fini(&vm.maps[k]);
	arena_fini(&a);
}
