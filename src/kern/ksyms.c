/* Names of the kernel's code, each asked for once. See ksyms.h. */
#include "kern/ksyms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "kern/sysbpf.h"

#define KEPT_MOST 100000
/* KSYM_NAME_LEN (512) twice, for "name+0x1/0x2 [module]". */
#define TEXT_BYTES 1088
#define TRAMPOLINE_BYTES 4096		/* each has pages of its own */

struct ksyms {
	struct arena arena;
	struct map kept;	/* address -> struct ksym, or nameless */
	int format, text, prog;	/* descriptors; prog: 0 not tried, or a negative errno */
	bool listed;
	VEC(uint64_t) trampolines;	/* of ftrace, when listed */
};

static const struct ksym nameless;

/* A map of one row. */
static int make_map(const char *name, uint32_t bytes, uint32_t flags)
{
	return sysbpf_map_create(&(struct sysbpf_map){ .name = name, .type = BPF_MAP_TYPE_ARRAY,
		.key_bytes = 4, .value_bytes = bytes, .max_entries = 1, .flags = flags });
}

/* snprintf(text, TEXT_BYTES, "%pS", the address that is the program's first argument) */
static int load(struct ksyms *k)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_1 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_2, .off = -8 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1, .src_reg = BPF_PSEUDO_MAP_VALUE,
		  .imm = k->text },
		{ .code = 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = TEXT_BYTES },
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_3, .src_reg = BPF_PSEUDO_MAP_VALUE,
		  .imm = k->format },
		{ .code = 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_4, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_4, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_5, .imm = 8 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_snprintf },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return sysbpf_prog_load(&(struct sysbpf_prog){
		.name = "culprit_name", .type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insns = insns, .n_insns = sizeof(insns) / sizeof(*insns) });
}

/* The program's descriptor, or a negative errno. */
static int program(struct ksyms *k)
{
	static const char format[4] = "%pS";
	const uint32_t zero = 0;

	if (k->prog)
		return k->prog;
	k->text = make_map("culprit_name", TEXT_BYTES, 0);
	k->format = make_map("culprit_form", sizeof(format), BPF_F_RDONLY_PROG);
	k->prog = sysbpf_map_update(k->format, &zero, format);
	k->prog = k->prog ? k->prog : sysbpf_map_freeze(k->format);
	k->prog = k->prog ? k->prog : load(k);
	return k->prog;
}

/* "vfs_read+0x9c/0x1a0", "ext4_sync_file+0x1/0x2 [ext4]"; "0xffffffffff600000": no name. */
static const struct ksym *parse(struct ksyms *k, char *text)
{
	char *plus = strchr(text, '+'), *module = strchr(text, '[');
	struct ksym *s;

	if (!plus)
		return &nameless;
	*plus = 0;
	s = arena_new(&k->arena, struct ksym);
	s->name = arena_strdup(&k->arena, text);
	s->offset = strtoull(plus + 1, NULL, 16);
	if (module) {
		module[strcspn(module, "]")] = 0;
		s->module = arena_strdup(&k->arena, module + 1);
	}
	return s;
}

/* Those of kprobes stay when the probes are gone. %pS does not know them, /proc/kallsyms does:
 * "ffffffffc0261000 t ftrace_trampoline	[__builtin__ftrace]". */
static void list_trampolines(struct ksyms *k)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	size_t cap = 0;

	k->listed = true;
	while (f && getline(&line, &cap, f) > 0)
		if (strstr(line, "[__builtin__ftrace]"))
			vec_push(&k->arena, &k->trampolines, strtoull(line, NULL, 16));
	free(line);
	if (f)
		fclose(f);
}

static const struct ksym *trampoline(struct ksyms *k, uint64_t address)
{
	struct ksym *s;

	if (!k->listed && address >> 63)
		list_trampolines(k);
	for (int i = 0; i < k->trampolines.n; i++) {
		if (address - k->trampolines.v[i] >= TRAMPOLINE_BYTES)
			continue;
		s = arena_new(&k->arena, struct ksym);
		*s = (struct ksym){ .name = "ftrace_trampoline", .offset = address - k->trampolines.v[i] };
		return s;
	}
	return &nameless;
}

static const struct ksym *ask(struct ksyms *k, uint64_t address)
{
	const uint32_t zero = 0;
	char text[TEXT_BYTES];

	if (program(k) < 0 || sysbpf_prog_run(k->prog, &address, sizeof(address)) ||
	    sysbpf_map_lookup(k->text, &zero, text))
		return &nameless;
	text[TEXT_BYTES - 1] = 0;
	return parse(k, text);
}

const struct ksym *ksyms_at(struct ksyms *k, uint64_t address)
{
	const struct ksym *s = map_get(&k->kept, &address, sizeof(address));

	if (!s) {
		s = ask(k, address);
		if (s == &nameless)
			s = trampoline(k, address);
		if (k->kept.n < KEPT_MOST)
			*map_put(&k->arena, &k->kept, &address, sizeof(address)) = (void *)s;
	}
	return s == &nameless ? NULL : s;
}

struct ksyms *ksyms_open(void)
{
	struct ksyms *k = xcalloc(1, sizeof(*k));

	k->format = k->text = -1;
	return k;
}

void ksyms_ready(struct ksyms *k)
{
	program(k);
}

void ksyms_close(struct ksyms *k)
{
	const int fds[] = { k->format, k->text, k->prog > 0 ? k->prog : -1 };

	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	arena_fini(&k->arena);
	free(k);
}

void ksyms_frame(struct ksyms *k, struct stack_frame *f, bool returns)
{
	const struct ksym *s = ksyms_at(k, f->address - returns);

	if (!s)
		return;
	f->name = s->name;
	f->module = s->module;
	f->offset = s->offset + returns;
}
