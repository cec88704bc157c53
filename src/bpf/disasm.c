/*
 * disasm: instructions as text, as the kernel's verifier writes them, and a whole
 * image with the query's text beside each block.
 *
 * Reads only; what the instructions mean is vm/interp.c's and the kernel's. A new
 * operation is one element of a table here.
 */
#include <inttypes.h>
#include <stdio.h>

#include "bpf/image.h"
#include "bpf/insn.h"

static const char *const alu_ops[16] = {
	[BPF_ADD >> 4] = "+=", [BPF_SUB >> 4] = "-=", [BPF_MUL >> 4] = "*=",
	[BPF_DIV >> 4] = "/=", [BPF_OR >> 4] = "|=", [BPF_AND >> 4] = "&=",
	[BPF_LSH >> 4] = "<<=", [BPF_RSH >> 4] = ">>=", [BPF_MOD >> 4] = "%=",
	[BPF_XOR >> 4] = "^=", [BPF_MOV >> 4] = "=", [BPF_ARSH >> 4] = "s>>=",
};

static const char *const jump_ops[16] = {
	[BPF_JEQ >> 4] = "==", [BPF_JGT >> 4] = ">", [BPF_JGE >> 4] = ">=",
	[BPF_JSET >> 4] = "&", [BPF_JNE >> 4] = "!=", [BPF_JSGT >> 4] = "s>",
	[BPF_JSGE >> 4] = "s>=", [BPF_JLT >> 4] = "<", [BPF_JLE >> 4] = "<=",
	[BPF_JSLT >> 4] = "s<", [BPF_JSLE >> 4] = "s<=",
};

static const char *const sizes[4] = {
	[BPF_W >> 3] = "u32", [BPF_H >> 3] = "u16", [BPF_B >> 3] = "u8", [BPF_DW >> 3] = "u64",
};

static const struct {
	int op;
	const char *name, *sign;	/* sign: of the form that fetches nothing */
} atomics[] = {
	{ BPF_ADD, "add", "+=" },
	{ BPF_AND, "and", "&=" },
	{ BPF_OR, "or", "|=" },
	{ BPF_XOR, "xor", "^=" },
};

static const char *helper_name(int id)
{
	static const char *const names[] = {
#define NAME(fn) [BPF_FUNC_##fn] = #fn
		__BPF_FUNC_MAPPER(NAME)
#undef NAME
	};

	if (id < 0 || (size_t)id >= sizeof(names) / sizeof(*names))
		return NULL;
	return names[id];
}

/* Of which image and at which place an instruction is; image NULL: not known. */
struct place {
	const struct bpf_image *image;
	int pc;
};

static void bad_print(const struct bpf_insn *i, struct buf *out)
{
	buf_printf(out, "BUG_%02x", i->code);
}

static void alu_print(const struct bpf_insn *i, struct buf *out)
{
	char r = BPF_CLASS(i->code) == BPF_ALU64 ? 'r' : 'w';
	const char *op = alu_ops[BPF_OP(i->code) >> 4];

	if (BPF_OP(i->code) == BPF_NEG)
		buf_printf(out, "%c%d = -%c%d", r, i->dst_reg, r, i->dst_reg);
	else if (BPF_OP(i->code) == BPF_END)
		buf_printf(out, "r%d = %s%d r%d", i->dst_reg,
			   BPF_SRC(i->code) == BPF_TO_BE ? "be" : "le", i->imm, i->dst_reg);
	else if (!op)
		bad_print(i, out);
	else if (BPF_SRC(i->code) == BPF_X)
		buf_printf(out, "%c%d %s %c%d", r, i->dst_reg, op, r, i->src_reg);
	else
		buf_printf(out, "%c%d %s %d", r, i->dst_reg, op, i->imm);
}

static void goto_print(const struct bpf_insn *i, struct place at, struct buf *out)
{
	if (at.image)
		buf_printf(out, "goto %d", at.pc + 1 + i->off);
	else
		buf_printf(out, "goto pc%+d", i->off);
}

static void call_print(const struct bpf_insn *i, struct buf *out)
{
	const char *name = helper_name(i->imm);

	if (i->src_reg == BPF_PSEUDO_KFUNC_CALL)
		buf_printf(out, "call %s", as_kfunc_names[i->imm]);
	else if (i->src_reg)
		buf_printf(out, "call pc%+d", i->imm);
	else
		buf_printf(out, "call bpf_%s#%d", name ? name : "unknown", i->imm);
}

static void jump_print(const struct bpf_insn *i, struct place at, struct buf *out)
{
	char r = BPF_CLASS(i->code) == BPF_JMP ? 'r' : 'w';
	const char *op = jump_ops[BPF_OP(i->code) >> 4];

	if (insn_is_exit(i)) {
		buf_puts(out, "exit");
	} else if (insn_is_call(i)) {
		call_print(i, out);
	} else if (insn_is_goto(i)) {
		goto_print(i, at, out);
	} else if (!op) {
		bad_print(i, out);
	} else {
		buf_printf(out, "if %c%d %s ", r, i->dst_reg, op);
		if (BPF_SRC(i->code) == BPF_X)
			buf_printf(out, "%c%d ", r, i->src_reg);
		else
			buf_printf(out, "%s0x%x ", i->imm < 0 ? "-" : "",
				   i->imm < 0 ? -(uint32_t)i->imm : (uint32_t)i->imm);
		goto_print(i, at, out);
	}
}

static void atomic_print(const struct bpf_insn *i, struct buf *out)
{
	const char *size = sizes[BPF_SIZE(i->code) >> 3];
	int bits = BPF_SIZE(i->code) == BPF_DW ? 64 : 32;
	const char *name = NULL, *sign = NULL;

	for (size_t k = 0; k < sizeof(atomics) / sizeof(*atomics); k++) {
		if ((i->imm & ~BPF_FETCH) == atomics[k].op) {
			name = atomics[k].name;
			sign = atomics[k].sign;
		}
	}
	if (i->imm == BPF_CMPXCHG)
		buf_printf(out, "r0 = atomic%d_cmpxchg((%s *)(r%d %+d), r0, r%d)", bits, size,
			   i->dst_reg, i->off, i->src_reg);
	else if (i->imm == BPF_XCHG)
		buf_printf(out, "r%d = atomic%d_xchg((%s *)(r%d %+d), r%d)", i->src_reg, bits,
			   size, i->dst_reg, i->off, i->src_reg);
	else if (name && (i->imm & BPF_FETCH))
		buf_printf(out, "r%d = atomic%d_fetch_%s((%s *)(r%d %+d), r%d)", i->src_reg, bits,
			   name, size, i->dst_reg, i->off, i->src_reg);
	else if (name)
		buf_printf(out, "lock *(%s *)(r%d %+d) %s r%d", size, i->dst_reg, i->off, sign,
			   i->src_reg);
	else
		bad_print(i, out);
}

static void memory_print(const struct bpf_insn *i, struct buf *out)
{
	const char *size = sizes[BPF_SIZE(i->code) >> 3];
	int class = BPF_CLASS(i->code);

	if (class == BPF_STX && BPF_MODE(i->code) == BPF_ATOMIC)
		atomic_print(i, out);
	else if (BPF_MODE(i->code) != BPF_MEM)
		bad_print(i, out);
	else if (class == BPF_LDX)
		buf_printf(out, "r%d = *(%s *)(r%d %+d)", i->dst_reg, size, i->src_reg, i->off);
	else if (class == BPF_STX)
		buf_printf(out, "*(%s *)(r%d %+d) = r%d", size, i->dst_reg, i->off, i->src_reg);
	else
		buf_printf(out, "*(%s *)(r%d %+d) = %d", size, i->dst_reg, i->off, i->imm);
}

static const char *map_name(const struct bpf_image *image, int map, char number[16])
{
	if (image && map >= 0 && map < image->maps.n)
		return image->maps.v[map].name;
	snprintf(number, 16, "#%d", map);
	return number;
}

static void ld_imm64_print(const struct bpf_insn *i, struct place at, struct buf *out)
{
	uint64_t imm = (uint32_t)i[0].imm | (uint64_t)(uint32_t)i[1].imm << 32;
	char number[16];

	if (!insn_is_ld_imm64(i))
		bad_print(i, out);
	else if (i->src_reg == BPF_PSEUDO_MAP_FD)
		buf_printf(out, "r%d = map %s", i->dst_reg, map_name(at.image, i->imm, number));
	else if (i->src_reg == BPF_PSEUDO_MAP_VALUE)
		buf_printf(out, "r%d = map_value %s+%d", i->dst_reg,
			   map_name(at.image, i->imm, number), i[1].imm);
	else if (i->src_reg == BPF_PSEUDO_FUNC)
		buf_printf(out, "r%d = function %+d", i->dst_reg, i->imm);
	else
		buf_printf(out, "r%d = %#" PRIx64 " ll", i->dst_reg, imm);
}

static void insn_print_at(const struct bpf_insn *i, struct place at, struct buf *out)
{
	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		alu_print(i, out);
		break;
	case BPF_JMP:
	case BPF_JMP32:
		jump_print(i, at, out);
		break;
	case BPF_LD:
		ld_imm64_print(i, at, out);
		break;
	default:
		memory_print(i, out);
	}
}

void insn_print(const struct bpf_insn *insn, struct buf *out)
{
	insn_print_at(insn, (struct place){ 0 }, out);
}

/* ---- images ---- */

#define TEXT_SHOWN_MOST 72

/* The query's text on one line: runs of white space are one blank, a long one is cut. */
static void text_print(struct str s, struct buf *out)
{
	int shown = 0;
	bool blank = false;

	for (int i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c <= ' ' || c == 127) {
			blank = shown > 0;
			continue;
		}
		if (shown >= TEXT_SHOWN_MOST && (c & 0xc0) != 0x80) {
			buf_puts(out, " ...");
			return;
		}
		if (blank)
			buf_putc(out, ' ');
		shown += 1 + blank;
		blank = false;
		buf_putc(out, (char)c);
	}
}

static void note_print(const struct as_note *n, struct buf *out)
{
	buf_printf(out, "      ; %s", n->what);
	if (n->loc.text && n->loc.n > 0) {
		buf_puts(out, "    | ");
		text_print(loc_text(n->loc), out);
	}
	buf_putc(out, '\n');
}

static void prog_print(const struct bpf_image *image, const struct img_prog *p, struct buf *out)
{
	buf_printf(out, "program %s", p->name);
	if (p->event && p->event->name)
		buf_printf(out, " at %s", p->event->name);
	else if (p->cat)
		buf_printf(out, " at %s:%s", p->cat->system, p->cat->name);
	buf_printf(out, ", %d instructions\n", p->n_insns);
	for (int i = 0; i < p->n_insns; i += insn_slots(&p->insns[i])) {
		if (p->notes && p->notes[i].what)
			note_print(&p->notes[i], out);
		buf_printf(out, "%5d: ", i);
		insn_print_at(&p->insns[i], (struct place){ image, i }, out);
		buf_putc(out, '\n');
	}
}

static const char *map_type_name(uint32_t type)
{
	static const char *const names[] = {
		[BPF_MAP_TYPE_HASH] = "hash", [BPF_MAP_TYPE_ARRAY] = "array",
		[BPF_MAP_TYPE_PERCPU_HASH] = "per-CPU hash",
		[BPF_MAP_TYPE_PERCPU_ARRAY] = "per-CPU array",
		[BPF_MAP_TYPE_LRU_HASH] = "LRU hash",
		[BPF_MAP_TYPE_STACK_TRACE] = "stacks", [BPF_MAP_TYPE_RINGBUF] = "ring",
		[BPF_MAP_TYPE_TASK_STORAGE] = "task storage",
	};

	if (type >= sizeof(names) / sizeof(*names) || !names[type])
		return "map";
	return names[type];
}

void image_print(const struct bpf_image *i, struct buf *out)
{
	for (int m = 0; m < i->maps.n; m++) {
		const struct img_map *map = &i->maps.v[m];

		buf_printf(out, "map %s: %s, key %u, value %u, entries %u", map->name,
			   map_type_name(map->type), map->key_bytes, map->value_bytes,
			   map->max_entries);
		if (map->purpose)
			buf_printf(out, ": %s", map->purpose);
		buf_putc(out, '\n');
	}
	for (int p = 0; p < i->progs.n; p++) {
		buf_putc(out, '\n');
		prog_print(i, &i->progs.v[p], out);
	}
}
