/*
 * peephole: all small programs over an alphabet of instructions do the same before and after:
 * what they return, what they store outside of their frame, which helpers they call with what. Facts
 * are looked at after each single change, and nothing reads a register that was not written. A rule
 * that is wrong is named, with the program.
 *
 * Of the longest programs `make test` tries one in some. test: plain
 */
#include <string.h>

#include "bpf/asm.h"
#include "bpf/peephole_impl.h"
#include "vm/vm.h"
#include "test.h"

#define ITEMS_MOST 5			/* of a program's body */
#define INSNS_MOST 48

/* ---- the alphabet ---- */

#define ALU64(op, src) (BPF_ALU64 | BPF_##op | BPF_##src)
#define ALU32(op, src) (BPF_ALU | BPF_##op | BPF_##src)
#define JMP(op, src) (BPF_JMP | BPF_##op | BPF_##src)
#define I(c, d, s, o, i) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }
#define LOAD(size, d, s, o) I(BPF_LDX | BPF_MEM | BPF_##size, d, s, o, 0)
#define STORE(size, d, o, s) I(BPF_STX | BPF_MEM | BPF_##size, d, s, o, 0)
#define STORE_IMM(size, d, o, i) I(BPF_ST | BPF_MEM | BPF_##size, d, 0, o, i)
#define ATOMIC(d, o, s, op) I(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, op)
#define CALL(helper) I(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##helper)
#define EXIT I(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define NUMBER 3

/* What programs longer than those of all items are made of. */
enum { REGISTERS = 1, FRAME = 2, WAYS = 4, BASES = 8, ALL = 16 };

/* One to four instructions; the last may jump over `over` items. R9 is memory outside. */
struct item {
	struct bpf_insn insns[4];
	int n, over, themes;
};

#define ONE(themes, ...) { { __VA_ARGS__ }, 1, -1, ALL | (themes) }
#define TO(items, ...) { { __VA_ARGS__ }, 1, items, ALL | WAYS }

static const struct item items[] = {
	ONE(FRAME | REGISTERS, I(ALU64(MOV, X), R0, R6, 0, 0)),
	ONE(REGISTERS | WAYS, I(ALU64(MOV, X), R1, R0, 0, 0)),
	ONE(FRAME | REGISTERS, I(ALU64(MOV, X), R6, R1, 0, 0)),
	ONE(REGISTERS, I(ALU64(MOV, X), R1, R1, 0, 0)),
	ONE(REGISTERS, I(ALU32(MOV, X), R6, R1, 0, 0)),
	ONE(REGISTERS | WAYS, I(ALU64(MOV, K), R1, 0, 0, 0)),
	ONE(REGISTERS, I(ALU64(MOV, K), R0, 0, 0, -NUMBER)),
	ONE(REGISTERS, I(ALU32(MOV, K), R6, 0, 0, -1)),
	ONE(REGISTERS, I(ALU64(MOV, K), R1, 0, 0, -1)),
	{ { I(BPF_LD | BPF_DW | BPF_IMM, R1, 0, 0, NUMBER), I(0, 0, 0, 0, 1) }, 2, -1, ALL | REGISTERS },
	ONE(REGISTERS, I(ALU64(ADD, X), R0, R1, 0, 0)),
	ONE(REGISTERS, I(ALU64(MUL, X), R1, R6, 0, 0)),
	ONE(REGISTERS, I(ALU64(DIV, X), R0, R1, 0, 0)),
	ONE(REGISTERS, I(ALU32(ARSH, X), R0, R1, 0, 0)),
	ONE(REGISTERS, I(ALU32(SUB, X), R0, R6, 0, 0)),
	ONE(REGISTERS, I(BPF_ALU64 | BPF_NEG, R1, 0, 0, 0)),
	ONE(REGISTERS, I(BPF_ALU | BPF_END | BPF_TO_BE, R1, 0, 0, 16)),
	ONE(FRAME, STORE(DW, R10, -8, R1)),
	ONE(FRAME, STORE(DW, R10, -16, R6)),
	ONE(FRAME, STORE_IMM(DW, R10, -16, 0)),
	ONE(FRAME, STORE_IMM(DW, R10, -8, NUMBER)),
	ONE(FRAME, STORE_IMM(DW, R10, -8, 0)),
	ONE(FRAME, STORE(W, R10, -16, R0)),
	ONE(FRAME, LOAD(DW, R1, R10, -8)),
	ONE(FRAME, LOAD(DW, R0, R10, -16)),
	ONE(FRAME, LOAD(DW, R1, R10, -16)),
	ONE(FRAME, LOAD(W, R6, R10, -16)),
	ONE(FRAME, LOAD(W, R6, R10, -8)),
	ONE(FRAME | WAYS, STORE(DW, R9, 16, R1)),
	ONE(BASES, STORE(W, R9, 16, R6)),
	ONE(FRAME | BASES, LOAD(DW, R1, R9, 16)),
	ONE(FRAME | BASES, LOAD(DW, R6, R9, 16)),
	ONE(FRAME, ATOMIC(R10, -8, R6, BPF_ADD)),
	ONE(FRAME, ATOMIC(R10, -16, R6, BPF_ADD | BPF_FETCH)),
	ONE(FRAME, ATOMIC(R9, 16, R1, BPF_CMPXCHG)),
	ONE(0, CALL(ktime_get_ns)),
	{ { I(ALU64(MOV, X), R2, R6, 0, 0), CALL(map_delete_elem) }, 2, -1, ALL | REGISTERS },
	ONE(BASES, I(ALU64(MOV, X), R1, R9, 0, 0)),
	{ { I(ALU64(MOV, X), R1, R9, 0, 0), I(ALU64(ADD, K), R1, 0, 0, 8) }, 2, -1, ALL | BASES },
	ONE(BASES, STORE(DW, R1, 16, R6)),
	ONE(BASES, LOAD(DW, R6, R1, 16)),
	ONE(BASES, LOAD(DW, R0, R1, 16)),
	ONE(BASES, LOAD(DW, R1, R1, 0)),
	{ { STORE(DW, R10, -8, R9), I(ALU64(MOV, X), R1, R10, 0, 0),
	    I(ALU64(ADD, K), R1, 0, 0, -8), LOAD(DW, R1, R1, 0) }, 4, -1, ALL | BASES },
	{ { I(ALU64(MOV, X), R1, R10, 0, 0), I(ALU64(ADD, K), R1, 0, 0, -8),
	    I(ALU64(MOV, K), R2, 0, 0, 0), CALL(ringbuf_submit) }, 4, -1, ALL | FRAME },
	ONE(WAYS, EXIT),
	TO(1, I(BPF_JMP | BPF_JA, 0, 0, 0, 0)),
	TO(2, I(BPF_JMP | BPF_JA, 0, 0, 0, 0)),
	TO(1, I(JMP(JEQ, K), R1, 0, 0, 0)),
	TO(2, I(JMP(JSGE, K), R1, 0, 0, 0)),
	TO(1, I(JMP(JLT, X), R1, R0, 0, 0)),
	TO(1, I(JMP(JSET, X), R6, R1, 0, 0)),
	TO(1, I(BPF_JMP32 | BPF_JSLT | BPF_K, R6, 0, 0, 0)),
};

#define ITEMS ((int)(sizeof(items) / sizeof(items[0])))

static const struct item before = {
	{ I(BPF_LD | BPF_DW | BPF_IMM, R9, BPF_PSEUDO_MAP_VALUE, 0, 0), I(0, 0, 0, 0, 0),
	  LOAD(DW, R0, R9, 0), LOAD(DW, R6, R9, 8) }, 4, -1, 0 };
static const struct item words = {
	{ STORE(DW, R10, -8, R6), STORE_IMM(DW, R10, -16, 0), I(ALU64(MOV, K), R7, 0, 0, 2),
	  LOAD(DW, R1, R9, 16) }, 4, -1, 0 };
static const struct item tell = {
	{ STORE(DW, R9, 8, R1), I(ALU64(ADD, X), R0, R6, 0, 0) }, 2, -1, 0 };
static const struct item again = {
	{ I(ALU64(SUB, K), R7, 0, 0, 1), I(JMP(JNE, K), R7, 0, 0, 0) }, 2, -1, 0 };
static const struct item end = { { EXIT }, 1, -1, 0 };

/* ---- a program ---- */

struct program {
	struct bpf_insn insns[INSNS_MOST];
	int to[INSNS_MOST];
	bool kept[INSNS_MOST];
	int n;
};

/* Each thing of the frame has one word. */
static const uint8_t frame_ends[INSN_FRAME_WORDS] = {
	[INSN_FRAME_WORDS - 2] = INSN_FRAME_WORDS - 1, [INSN_FRAME_WORDS - 1] = INSN_FRAME_WORDS };

static void append(struct program *p, const struct item *item)
{
	for (int i = 0; i < item->n; i++) {
		p->insns[p->n] = item->insns[i];
		p->to[p->n] = -1;
		p->kept[p->n++] = true;
	}
}

/* The body's items once, twice in a loop that counts in R7, or once and all registers are told. */
enum way { ONCE, LOOP, TOLD, N_WAYS };

static void make(struct program *p, const int *body, int n, enum way way)
{
	int at[ITEMS_MOST + 1], begin;

	p->n = 0;
	append(p, &before);
	append(p, &words);
	begin = p->n;
	for (int i = 0; i < n; i++) {
		at[i] = p->n;
		append(p, &items[body[i]]);
	}
	at[n] = p->n;
	for (int i = 0; i < n; i++)
		if (items[body[i]].over >= 0) {
			int to = i + 1 + items[body[i]].over;

			p->to[at[i]] = at[to < n ? to : n];
		}
	if (way == TOLD)
		append(p, &tell);
	if (way == LOOP) {
		append(p, &again);
		p->to[p->n - 1] = begin;
	}
	append(p, &end);
}

/* Without what is not kept; offsets filled in; each exit tells R0 first. */
static int lower(const struct program *p, struct bpf_insn *out)
{
	int place[INSNS_MOST + 1], n = 0;

	for (int i = 0; i < p->n; i++) {
		place[i] = n;
		n += p->kept[i] + (p->kept[i] && insn_is_exit(&p->insns[i]));
	}
	n = 0;
	for (int i = 0; i < p->n; i++) {
		if (!p->kept[i])
			continue;
		if (insn_is_exit(&p->insns[i]))
			out[n++] = (struct bpf_insn)CALL(get_smp_processor_id);
		out[n] = p->insns[i];
		if (p->to[i] >= 0)
			out[n].off = (int16_t)(place[p->to[i]] - n - 1);
		n++;
	}
	return n;
}

/* The verifier takes no such numbers. */
static bool bad_number(const struct bpf_insn *i)
{
	int op = BPF_OP(i->code);

	if (!insn_is_alu(i) || insn_has_source(i))
		return false;
	return ((op == BPF_DIV || op == BPF_MOD) && !i->imm) ||
	       ((op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) &&
		(i->imm < 0 || i->imm >= (BPF_CLASS(i->code) == BPF_ALU ? 32 : 64)));
}

/* A bad number, or a way on which some register is read that was not written, or is gone with a call. */
static bool refused(const struct bpf_insn *p, int n)
{
	uint32_t written[INSNS_MOST];
	bool more = true;

	memset(written, 0xff, sizeof(written));
	written[0] = INSN_REG(R1) | INSN_REG(R10);
	while (more) {
		more = false;
		for (int i = 0; i < n; i += 1 + insn_is_ld_imm64(&p[i])) {
			uint32_t w = written[i] | insn_regs_written(&p[i]);
			int next = i + 1 + insn_is_ld_imm64(&p[i]);

			if ((insn_regs_read(&p[i]) & ~written[i]) || bad_number(&p[i]))
				return true;
			if (insn_is_call(&p[i]))
				w &= ~(uint32_t)(INSN_REG(R6) - INSN_REG(R1));
			if (peep_goes_on(&p[i])) {
				more |= (written[next] & w) != written[next];
				written[next] &= w;
			}
			if (insn_is_goto(&p[i]) || insn_is_branch(&p[i])) {
				next = i + 1 + p[i].off;
				more |= (written[next] & w) != written[next];
				written[next] &= w;
			}
		}
	}
	return false;
}

/* ---- what it does ---- */

static const uint64_t inputs[][4] = {
	{ 0, 0, 5, 6 }, { 1, -1ull, 0, 7 }, { 0x8000000000000003, 3, 0x100000000, 1 },
	{ -2ull, 0x1ffffffff, -4ull, 0 },
};

#define INPUTS ((int)(sizeof(inputs) / sizeof(inputs[0])))
#define LOG_MOST (INPUTS * 32)

static uint64_t memory[4];		/* outside */

/* Of all inputs, one after the other. */
struct outcome {
	uint64_t log[LOG_MOST];
	int n;
};

static struct outcome *now;		/* of the running program */
static struct arena arena, run_arena;

static void say(uint64_t v)
{
	if (now->n < LOG_MOST)
		now->log[now->n++] = v;
}

static uint64_t stand_in_time(struct vm *vm, const uint64_t *args)
{
	(void)vm, (void)args;
	say(1);
	return (uint64_t)now->n;
}

static uint64_t stand_in_numbers(struct vm *vm, const uint64_t *args)
{
	(void)vm;
	say(args[0]);
	say(args[1]);
	return 0;
}

/* It reads and writes what the first argument points to. */
static uint64_t stand_in_memory(struct vm *vm, const uint64_t *args)
{
	uint64_t v;

	(void)vm;
	memcpy(&v, (const void *)(uintptr_t)args[0], sizeof(v));
	say(v);
	v += NUMBER;
	memcpy((void *)(uintptr_t)args[0], &v, sizeof(v));
	return v;
}

static uint64_t stand_in_end(struct vm *vm, const uint64_t *args)
{
	(void)vm;
	say(args[R0 - R1]);
	return 0;
}

static vm_helper stand_in(int helper)
{
	return helper == BPF_FUNC_ktime_get_ns ? stand_in_time :
	       helper == BPF_FUNC_map_delete_elem ? stand_in_numbers :
	       helper == BPF_FUNC_ringbuf_submit ? stand_in_memory : stand_in_end;
}

static bool run(struct bpf_insn *insns, int n, struct outcome *out)
{
	static const struct img_map outside = { .type = BPF_MAP_TYPE_ARRAY };
	static struct vm_map map = { .img = &outside, .array = (unsigned char *)memory,
				     .value_bytes = sizeof(memory) };
	static struct vm vm = { .checked = true, .maps = &map, .n_maps = 1 };
	const struct img_prog img = { .name = "small", .insns = insns, .n_insns = n };
	struct err e = { .arena = &arena };
	struct vm_code c;

	arena_reset(&run_arena);
	if (vm_code_init(&run_arena, &c, &img, &vm, &e))
		return false;
	for (int i = 0; i < n; i++)
		if (insn_is_call(&insns[i]))
			c.ops[i].helper = stand_in(insns[i].imm);
	now = out;
	out->n = 0;
	for (int k = 0; k < INPUTS; k++) {
		memcpy(memory, inputs[k], sizeof(memory));
		if (!vm_code_run(&c, &vm, &vm, 0))
			return false;
		for (int w = 0; w < 4; w++)
			say(memory[w]);
	}
	return true;
}

static bool same(const struct outcome *a, const struct outcome *b)
{
	return a->n == b->n && !memcmp(a->log, b->log, (size_t)a->n * sizeof(a->log[0]));
}

/* ---- one program ---- */

static char *as_text(const struct bpf_insn *insns, int n)
{
	struct buf b = { 0 };
	char *text;

	for (int i = 0; i < n; i += 1 + insn_is_ld_imm64(&insns[i])) {
		insn_print(&insns[i], &b);
		buf_puts(&b, "; ");
	}
	buf_putc(&b, '\0');
	text = arena_strdup(&arena, b.p);
	buf_fini(&b);
	return text;
}

static bool fails(const char *what, const char *rule, const struct program *was,
		  const struct program *now_is)
{
	struct bpf_insn a[INSNS_MOST], b[INSNS_MOST];
	int n_a = lower(was, a), n_b = lower(now_is, b);

	TEST_FAIL("%s: %s\n# before %s\n# after  %s", rule, what, as_text(a, n_a), as_text(b, n_b));
	return false;
}

/* What the rule made of the program, beside what it was. */
static bool right(const struct program *now_is, const char *rule, const struct program *was)
{
	struct bpf_insn a[INSNS_MOST], b[INSNS_MOST];
	int n_a = lower(was, a), n_b = lower(now_is, b);
	struct outcome out_a, out_b;

	if (refused(b, n_b))
		return fails("reads what was not written, or a bad number", rule, was, now_is);
	if (!run(a, n_a, &out_a))
		return true;		/* it takes a number for an address */
	if (!run(b, n_b, &out_b))
		return fails("it can't be run", rule, was, now_is);
	return same(&out_a, &out_b) || fails("it does something else", rule, was, now_is);
}

#define ROUNDS 20

/* In which order rules are tried, and where first: any must do. */
struct order {
	int first, rules;		/* so many from this one on, the first behind the last */
	bool from_end;
	bool each;			/* looks at what each change did, not at the end */
};

static int changes[32];			/* of each rule */

static int change_at(struct peep *peep, const struct order *o, int i)
{
	for (int k = 0; k < o->rules; k++) {
		int r = (o->first + k) % peep_rules;

		if (peep_rule_apply(peep, r, i)) {
			changes[r]++;
			return r;
		}
	}
	return -1;
}

static bool same_code(const struct program *a, const struct program *b)
{
	return !memcmp(a->insns, b->insns, sizeof(a->insns)) && !memcmp(a->to, b->to, sizeof(a->to)) &&
	       !memcmp(a->kept, b->kept, sizeof(a->kept));
}

static bool shorten(struct program *p, const struct order *o)
{
	struct peep_code c = { .insns = p->insns, .to = p->to, .kept = p->kept, .n = p->n,
			       .frame_ends = frame_ends };
	struct program was = *p;
	struct peep *peep;
	bool more = true;

	arena_reset(&arena);
	peep = peep_new(&arena, &c);
	for (int round = 0; more && round < ROUNDS; round++) {
		peep_find(peep);
		more = false;
		for (int k = 0; k < p->n; k++) {
			int i = o->from_end ? p->n - 1 - k : k, r;

			if (!p->kept[i] || (i > 0 && insn_is_ld_imm64(&p->insns[i - 1])) ||
			    (r = change_at(peep, o, i)) < 0)
				continue;
			more = true;
			if (!peep_facts_fit(peep))
				return fails("the facts do not fit", peep_rule_name(r), &was, p);
			if (o->each && same_code(p, &was))
				return fails("nothing is changed", peep_rule_name(r), &was, p);
			if (o->each && !right(p, peep_rule_name(r), &was))
				return false;
			if (o->each)
				was = *p;
		}
	}
	return o->each || right(p, "all", &was);
}

static bool valid(const struct program *p)
{
	struct bpf_insn insns[INSNS_MOST];

	return !refused(insns, lower(p, insns));
}

/* In the order with this number; the shortest in all of them. */
static void try(const int *body, int n, enum way way, int number)
{
	int orders = 4 * peep_rules;

	for (int k = 0; k < orders && test_failures < 5; k++) {
		struct order o = { .first = k % peep_rules, .from_end = k / peep_rules % 2,
				   .rules = k / peep_rules < 2 ? peep_rules : 1, .each = n < 3 };
		struct program p;

		if (n > 1 && k != number % orders)
			continue;
		make(&p, body, n, way);
		if (!valid(&p))
			return;
		if (!shorten(&p, &o) && !o.each) {	/* which rule was it? */
			o.each = true;
			make(&p, body, n, way);
			shorten(&p, &o);
		}
	}
}

/* ---- all programs ---- */

/* Each `step`th program of so many items of the theme. */
static int try_all(int theme, int n, int step)
{
	int of[ITEMS], n_of = 0, all = 1, tried = 0, body[ITEMS_MOST];

	for (int i = 0; i < ITEMS; i++)
		if (items[i].themes & theme)
			of[n_of++] = i;
	for (int i = 0; i < n; i++)
		all *= n_of;
	for (int k = 0; k < N_WAYS * all && test_failures < 5; k += step, tried++) {
		for (int i = 0, rest = k / N_WAYS; i < n; i++, rest /= n_of)
			body[i] = of[rest % n_of];
		try(body, n, (enum way)(k % N_WAYS), tried);
	}
	return tried;
}

TEST(peephole_all_programs)
{
	int tried = 0;

	for (int n = 0; n <= 2; n++)
		tried += try_all(ALL, n, 1);
	tried += try_all(ALL, 3, test_step(11));
	tried += try_all(REGISTERS, 4, test_step(29));
	tried += try_all(FRAME, 4, test_step(29));
	tried += try_all(BASES, 4, 1);
	tried += try_all(WAYS, 5, test_step(17));
	printf("# %d programs", tried);
	for (int r = 0; r < peep_rules; r++) {
		printf(", %s %d", peep_rule_name(r), changes[r]);
		CHECK(changes[r] > 100);
	}
	printf("\n");
	CHECK(tried > 90000);
	arena_fini(&arena);
	arena_fini(&run_arena);
}
