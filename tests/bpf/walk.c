/* The walk through a program's stack, over made stacks: by rules of each kind, by frame pointers, and what is not known. */
#include "kernel.h"

#define PID 77
#define PAGE 4096

enum { FRAMES_MOST = 12 };

static struct mm_struct mm = { .start_stack = 0x7fff0000 };
static unsigned char code[FRAMES_MOST + 1][UNWIND_CHUNK_BYTES] __attribute__((aligned(UNWIND_CHUNK_BYTES)));
static uint64_t stack[2 * PAGE / 8] __attribute__((aligned(PAGE)));

/* ---- the tables ---- */

static struct unwind_process process;

enum { ROOM = 128 };			/* rows and rules of a chunk */

/* The rule of a place, among n rows: what is before and behind it has another. */
static void rule_put(int chunk, uint32_t place, uint32_t rule, uint32_t n, bool far)
{
	uint32_t *directory = (void *)vm.maps[image->unwind_chunks].array, *rows = kernel_piece + ROOM * chunk, at = n - 3;

	for (uint32_t i = 0; i < n; i++)
		rows[i] = (i < at ? i * place / at : place + i - at) << UNWIND_RULE_BITS | unwind_rule(UNWIND_SP, 8 * 100, 0);
	rows[at] = place << UNWIND_RULE_BITS | (far ? unwind_rule(UNWIND_FAR, 8 * n, 0) : rule);
	rows[n] = rule;
	directory[chunk + 1] = (n - 1) << (UNWIND_ENTRY_PIECE + UNWIND_ENTRY_ROW) | (uint32_t)(ROOM * chunk) << UNWIND_ENTRY_PIECE | 1;
}

static struct unwind_range range_of(int chunk, int chunks)
{
	return (struct unwind_range){ .base = (uint64_t)(uintptr_t)code[chunk], .bytes = (uint32_t)chunks * UNWIND_CHUNK_BYTES,
				      .chunk = (uint32_t)chunk + 1 };
}

/* The code is two ranges among so many others. */
static void ranges_put(int before, int behind)
{
	int n = before + 2 + behind;

	process = (struct unwind_process){ .n = (uint64_t)n, .stack = mm.start_stack };
	for (int i = 0; i < UNWIND_RANGES_MOST; i++) {
		uint64_t at = i < before ? 4096 * (1 + (uint64_t)i) : (uint64_t)(uintptr_t)code + sizeof(code) * (uint64_t)(i - before);
		struct unwind_range r = { .base = at, .bytes = 1000, .chunk = 100 };

		if (i == before || i == before + 1)
			r = range_of(i == before ? 0 : FRAMES_MOST / 2, FRAMES_MOST / 2);
		process.begins[i] = i < n ? r.base : UNWIND_NOWHERE;
		process.ranges[i] = r;
	}
}

/* Only of the code of the first frame rules are known. */
static void range_of_one(void)
{
	ranges_put(0, 0);
	process.n = 1;
	process.begins[1] = UNWIND_NOWHERE;
	process.ranges[0] = range_of(0, 1);
}

static void set_up(void)
{
	current = (struct task_struct){ .pid = PID, .tgid = PID, .mm = &mm };
	kernel_open("made:event | count by ustack");
	ranges_put(1, 0);
	memset(code, 0x90, sizeof(code));
}

/* ---- what comes out ---- */

static struct img_stack found;
static int n_found;

static void on_stack(void *arg, const void *key, const void *value)
{
	(void)arg, (void)key;
	found = *(const struct img_stack *)value;
	n_found++;
}

static void walk(void)
{
	uint64_t pid = PID;

	REQUIRE(!vm_map_update(&vm.maps[image->unwind_processes], &pid, &process, BPF_ANY));
	kernel_run("event", NULL, 0);
	n_found = 0;
	vm_map_each(&vm.maps[image->stacks], on_stack, NULL);
	REQUIRE(n_found == 1);
	vm_map_clear(&vm.maps[image->stacks]);
}

/* ---- made stacks ---- */

static struct frame { uint64_t pc, sp, bp; } frames[FRAMES_MOST];	/* the innermost last */
static int n_frames;

static uint64_t *word_at(uint64_t address)
{
	return (uint64_t *)(uintptr_t)address;
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)random() % n;
}

/* A frame that the last one calls, or that a signal interrupts it for: the registers in it, and how it is left. */
static void call(enum unwind_kind kind)
{
	struct frame *caller = &frames[n_frames - 1];
	uint64_t cfa = caller->sp;
	uint32_t place = 16 * (8 + below(50)), offset = 24 + 8 * below(20), saved = 0;
	struct frame f = { .sp = cfa - offset, .bp = caller->bp };

	caller->pc += kind != UNWIND_SIGNAL;	/* behind the call */
	*word_at(cfa - 8) = caller->pc;
	switch (kind) {
	case UNWIND_SP:
		saved = below(2) ? 2 + below(offset / 8 - 1) : 0;
		if (saved) {
			*word_at(cfa - 8 * saved) = caller->bp;
			f.bp = 9;
		}
		break;
	case UNWIND_BP:
		saved = 2 + below(offset / 8 - 1);
		*word_at(cfa - 8 * saved) = caller->bp;
		f.bp = f.sp;
		f.sp -= 8 * below(4);
		break;
	case UNWIND_AT_BP:
		saved = UNWIND_BP_AT_BP;
		offset = 8;
		f.bp = f.sp + offset;
		*word_at(f.sp) = cfa;
		*word_at(f.bp) = caller->bp;
		break;
	case UNWIND_PLT:		/* from its 11th byte on it has pushed a word; it calls nothing */
		offset = 8 * 11;
		place += below(16);
		f.sp = cfa - (place % 16 >= 11 ? 16 : 8);
		break;
	case UNWIND_SIGNAL:
		f.sp = cfa - 512;
		f.bp = 5;
		*word_at(f.sp + UNWIND_SIGNAL_BP) = caller->bp;
		*word_at(f.sp + UNWIND_SIGNAL_SP) = caller->sp;
		*word_at(f.sp + UNWIND_SIGNAL_PC) = caller->pc;
		break;
	default:
		break;
	}
	f.pc = (uint64_t)(uintptr_t)&code[n_frames][place];
	rule_put(n_frames, place, unwind_rule(kind, offset, saved), (uint32_t[]){ 4, 12, 100 }[below(3)], below(4) == 0);
	frames[n_frames++] = f;
}

static void begin(void)
{
	frames[0] = (struct frame){ .pc = (uint64_t)(uintptr_t)&code[0][200], .sp = (uint64_t)(uintptr_t)&stack[sizeof(stack) / 8 - 8] };
	n_frames = 1;
	rule_put(0, 200, UNWIND_END, 4, false);
}

static void run(void)
{
	const struct frame *f = &frames[n_frames - 1];

	registers.ip = f->pc;
	registers.sp = f->sp;
	registers.bp = f->bp;
	walk();
}

static void check_frames(int n, int cut)
{
	CHECK_EQ(found.cut, cut);
	CHECK_EQ(found.n, n);
	for (int i = 0; i < n; i++)
		CHECK_EQ(found.frames[i], frames[n_frames - 1 - i].pc);
}

static int rules_found(void)
{
	const uint64_t *slots = (void *)vm.maps[image->unwind_found].array;
	int n = 0;

	for (int i = 0; i < UNWIND_FOUND; i++)
		n += slots[i] != 0;
	return n;
}

TEST(walk_by_rules)
{
	enum unwind_kind kind = UNWIND_SP, next;

	set_up();
	srandom(3);
	for (int turn = 0; turn < 100; turn++) {
		ranges_put((int)below(turn % 2 ? 8 : 200), (int)below(turn % 3 ? 8 : 50));
		begin();
		kind = UNWIND_SP;
		for (int n = 2 + (int)below(FRAMES_MOST - 1); n_frames < n; kind = next) {
			next = kind == UNWIND_PLT ? UNWIND_SIGNAL : (enum unwind_kind)(UNWIND_SP + below(5));
			call(next);
		}
		memset(vm.maps[image->unwind_found].array, 0, 8 * UNWIND_FOUND);
		run();
		check_frames(n_frames, STACK_WHOLE);
		if (rules_found() == n_frames)	/* no two in one slot: they are enough */
			memset(kernel_piece, 0, sizeof(kernel_piece));
		run();
		check_frames(n_frames, STACK_WHOLE);
	}
	kernel_close();
}

/* A rule of which no caller comes. */
TEST(walk_that_breaks)
{
	set_up();
	begin();
	call(UNWIND_SP);
	rule_put(1, 16 * 8, unwind_rule(UNWIND_SP, 0, 0), 4, false);	/* the stack does not go up */
	frames[1].pc = (uint64_t)(uintptr_t)&code[1][16 * 8];
	run();
	check_frames(1, STACK_CUT_BROKEN);
	rule_put(1, 16 * 8, unwind_rule(UNWIND_SP, 800, 0), 4, false);
	memset(vm.maps[image->unwind_found].array, 0, 8 * UNWIND_FOUND);
	frames[1].sp = 8;
	run();
	check_frames(1, STACK_CUT_ABSENT);
	kernel_close();
}

/* ---- code of which no rule is known ---- */

/* A function that the last frame calls, of which bp is the frame pointer, and no rule is known. */
static void call_by_bp(void)
{
	struct frame *caller = &frames[n_frames - 1], f = { .pc = (uint64_t)(uintptr_t)&code[n_frames][400], .bp = caller->sp - 16 };

	*word_at(caller->sp - 8) = ++caller->pc;
	*word_at(f.bp) = caller->bp;
	f.sp = f.bp - 40;
	frames[n_frames++] = f;
}

static uint64_t *mapped_word(void)
{
	return (uint64_t *)vm.maps[image->mapped].array + mapped_slot(PID);
}

/* The innermost function is not in a range; the list says of which address space and of when it is. */
static void check_no_range(int cut)
{
	begin();
	call_by_bp();
	run();
	check_frames(cut == STACK_WHOLE ? 2 : 1, cut);
}

TEST(walk_of_code_in_no_range)
{
	const uint64_t mine = (uint64_t)PID << 32;

	set_up();
	range_of_one();
	check_no_range(STACK_WHOLE);
	process.mapped = mine | 5;		/* who has the word now is not known */
	check_no_range(STACK_WHOLE);
	*mapped_word() = mine | 5;
	check_no_range(STACK_WHOLE);
	*mapped_word() = mine | 6;
	check_no_range(STACK_CUT_UNREAD);
	*mapped_word() = mine | 5;
	process.stack++;			/* of another address space */
	check_no_range(STACK_CUT_UNREAD);
	process.space = (uint64_t)(uintptr_t)&mm;
	check_no_range(STACK_WHOLE);
	process.stack--;
	process.space++;
	check_no_range(STACK_WHOLE);
	current.mm = NULL;			/* it has given its memory back */
	n_found = 0;
	kernel_run("event", NULL, 0);
	vm_map_each(&vm.maps[image->stacks], on_stack, NULL);
	CHECK_EQ(n_found, 0);
	kernel_close();
}

/* A rule that fits no row, too, may be another library's; code without any rows has its frame pointer. */
TEST(walk_of_code_without_rules)
{
	set_up();
	process.stack++;
	check_no_range(STACK_WHOLE);
	rule_put(1, 400, UNWIND_NONE, 4, false);
	check_no_range(STACK_CUT_UNREAD);
	process.stack--;
	check_no_range(STACK_WHOLE);
	kernel_close();
}

/* ---- frame pointers ---- */

/* What is interrupted at these instructions has not made its frame yet, or has it no more. */
TEST(walk_of_what_is_interrupted)
{
	static const struct { unsigned char bytes[4]; bool pushed; } rows[] = {
		{ { 0xf3, 0x0f, 0x1e, 0xfa }, false },	/* endbr64 */
		{ { 0x55 }, false },			/* push bp */
		{ { 0xc3 }, false },			/* ret */
		{ { 0x48, 0x89, 0xe5 }, true },		/* mov sp, bp */
		{ { 0x48, 0x8b, 0xec }, true },
	};

	set_up();
	range_of_one();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct frame *f;

		begin();
		call_by_bp();
		call_by_bp();
		f = &frames[2];
		memcpy(word_at(f->pc), rows[i].bytes, sizeof(rows[i].bytes));
		f->bp = frames[1].bp;
		f->sp = frames[1].sp - (rows[i].pushed ? 16 : 8);
		run();
		check_frames(3, STACK_WHOLE);
	}
	kernel_close();
}

TEST(walk_without_a_frame_pointer)
{
	set_up();
	range_of_one();
	begin();
	call_by_bp();
	frames[1].bp = 0;			/* nobody called who has one */
	run();
	check_frames(1, STACK_CUT_POINTER);
	frames[1].bp = frames[1].sp - 8;
	run();
	check_frames(1, STACK_CUT_POINTER);
	frames[1].bp = frames[0].sp - 16;
	*word_at(frames[1].bp + 8) = 0;		/* the end of the chain */
	run();
	check_frames(1, STACK_WHOLE);
	*word_at(frames[1].bp + 8) = 1ull << 47;
	run();
	check_frames(1, STACK_CUT_BROKEN);
	kernel_close();
}

TEST(walk_of_a_deep_stack)
{
	const uint64_t pc = (uint64_t)(uintptr_t)&code[1][400];

	set_up();
	range_of_one();
	for (int depth = STACK_FRAMES - 1; depth <= STACK_FRAMES + 1; depth++) {
		uint64_t *frame = &stack[sizeof(stack) / 8 - 2];

		frame[0] = frame[1] = 0;
		for (int i = 1; i < depth; i++, frame -= 2) {
			frame[-2] = (uint64_t)(uintptr_t)frame;
			frame[-1] = pc;
		}
		registers.ip = pc;
		registers.bp = (uint64_t)(uintptr_t)frame;
		registers.sp = registers.bp - 32;
		walk();
		CHECK_EQ(found.n, depth < STACK_FRAMES ? depth : STACK_FRAMES);
		CHECK_EQ(found.cut, depth <= STACK_FRAMES ? STACK_WHOLE : STACK_CUT_DEEP);
	}
	kernel_close();
}

/* A return probe's address stands for its function's caller, which the kernel knows by where the address is. */
TEST(walk_through_return_probes)
{
	struct return_instance probes[3] = { { .next = &probes[1] }, { .next = &probes[2] } };
	struct uprobe_task task = { .return_instances = probes };

	set_up();
	range_of_one();
	for (int known = 0; known < 4; known++) {
		uint64_t at;

		current.utask = &task;
		begin();
		for (int i = 0; i < 3; i++)
			call_by_bp();
		at = frames[0].sp - 8;
		probes[known % 3] = (struct return_instance){ .stack = at, .orig_ret_vaddr = *word_at(at), .next = probes[known % 3].next };
		*word_at(at) = 1ull << 46;	/* where the probe is */
		if (known == 3)
			current.utask = NULL;
		run();
		if (known < 3)
			check_frames(4, STACK_WHOLE);
		else
			CHECK(found.n == 4 && found.frames[3] == 1ull << 46 && found.cut == STACK_WHOLE);
		probes[known % 3].stack = 0;
	}
	kernel_close();
}
