/*
 * Tables and programs into the kernel.
 *
 * The image names tables by number; here they are made and their descriptors put
 * into a copy of the instructions. A program is loaded without a log first; when
 * the verifier refuses it, again with one: the last instruction in it leads to the
 * text of the query that it was made for. Attaching is attach.c's.
 */
#include "kern/live/impl.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/insn.h"
#include "kern/live/parallel.h"
#include "kern/sysbpf.h"

#define RING_BYTES (4u << 20)
#define LARGE_BYTES (256u << 10)	/* of a table: to make it takes longer than to start a thread */
#define LOG_BYTES_FIRST (64u << 10)
#define LOG_BYTES_MOST (16u << 20)
#define LOG_LINES_SHOWN 6

int load_unable(struct err *e, int code)
{
	if (code != -EPERM && code != -EACCES)
		return code;
	e->unable = true;
	err_help(e, "this needs root, or the capabilities CAP_BPF and CAP_PERFMON; "
		 "`culprit doctor` says what is missing here");
	return code;
}

/* ---- tables ---- */

static bool needs_btf(const struct img_map *m)
{
	return m->type == BPF_MAP_TYPE_TASK_STORAGE;
}

static const char btf_strings[] = "\0int\0char";
#define BTF_NAME_INT 1
#define BTF_NAME_CHAR 5
#define BTF_TYPES_MOST 64

/*
 * Local storage wants the C types of key and value. A value that is an array of
 * char of the right size says all there is to say: id 1 int, 2 char, then one
 * array a table.
 */
static int load_btf(struct live *s)
{
	struct {
		struct btf_header header;
		struct btf_type int_type;
		uint32_t int_bits;
		struct btf_type char_type;
		uint32_t char_bits;
		struct {
			struct btf_type type;
			struct btf_array array;
		} values[BTF_TYPES_MOST];
		char strings[sizeof(btf_strings)];
	} btf = {
		.header = { .magic = BTF_MAGIC, .version = BTF_VERSION,
			    .hdr_len = sizeof(struct btf_header) },
		.int_type = { .name_off = BTF_NAME_INT, .info = BTF_KIND_INT << 24, .size = 4 },
		.int_bits = BTF_INT_SIGNED << 24 | 32,
		.char_type = { .name_off = BTF_NAME_CHAR, .info = BTF_KIND_INT << 24, .size = 1 },
		.char_bits = 8,
	};
	uint32_t n = 0;

	for (int i = 0; i < s->image->maps.n; i++)
		if (needs_btf(&s->image->maps.v[i])) {
			if (n == BTF_TYPES_MOST)
				return -E2BIG;
			btf.values[n].type.info = BTF_KIND_ARRAY << 24;
			btf.values[n].array = (struct btf_array){
				.type = 2, .index_type = 1,
				.nelems = s->image->maps.v[i].value_bytes };
			n++;
		}
	/* the strings follow the types that are there */
	btf.header.type_len = (uint32_t)((char *)&btf.values[n] - (char *)&btf.int_type);
	btf.header.str_off = btf.header.type_len;
	btf.header.str_len = sizeof(btf_strings);
	memcpy(&btf.values[n], btf_strings, sizeof(btf_strings));
	return sysbpf_btf_load(&btf, (uint32_t)sizeof(btf.header) + btf.header.type_len +
			       btf.header.str_len);
}

uint32_t load_ring_bytes(const struct live *s)
{
	uint32_t wanted = s->image->maps.v[s->image->ring].max_entries;

	if (s->options.ring_bytes)
		return s->options.ring_bytes;
	return wanted ? wanted : RING_BYTES;
}

/* What the arrays of an array of maps look like; the kernel only looks. */
static int make_inner(const struct img_map *m)
{
	struct sysbpf_map inner = { .name = m->name, .type = BPF_MAP_TYPE_ARRAY, .key_bytes = 4,
				    .value_bytes = m->inner_bytes, .max_entries = 1 };

	return sysbpf_map_create(&inner);
}

static struct sysbpf_map describe(const struct img_map *m)
{
	return (struct sysbpf_map){
		.name = m->name, .type = m->type, .key_bytes = m->key_bytes,
		.value_bytes = m->value_bytes, .max_entries = m->max_entries, .flags = m->flags,
	};
}

static int make_map(struct live *s, int i, int btf_fd, uint32_t btf_value_id, struct err *e)
{
	const struct img_map *m = &s->image->maps.v[i];
	struct sysbpf_map create = describe(m);
	int fd = s->map_fds[i], code = 0;	/* -1, or make_large made it */
	uint32_t zero = 0;

	if (needs_btf(m)) {
		create.btf_fd = btf_fd;
		create.btf_key_id = 1;
		create.btf_value_id = btf_value_id;
	}
	if (i == s->image->ring)
		create.max_entries = load_ring_bytes(s);
	if (m->inner_bytes)
		create.inner_fd = make_inner(m);
	if (fd < 0)
		fd = create.inner_fd < 0 ? create.inner_fd : sysbpf_map_create(&create);
	if (create.inner_fd > 0)
		close(create.inner_fd);
	if (fd < 0) {
		if (fd == -ENOMEM || fd == -E2BIG)
			err_help(e, "it takes up to %.1f MiB: see --table-size and --max-open",
				 (double)m->memory_bytes / (1 << 20));
		err_push(e, fd, "cannot make table %s (%s): %s", m->name,
			 m->purpose ? m->purpose : "of the query", strerror(-fd));
		return load_unable(e, fd);
	}
	s->map_fds[i] = fd;
	if (m->init)
		code = sysbpf_map_update(fd, &zero, m->init);
	if (!code && m->init && m->flags & BPF_F_RDONLY_PROG)
		code = sysbpf_map_freeze(fd);
	return code ? err_push(e, code, "cannot fill table %s: %s", m->name, strerror(-code)) : 0;
}

static int map_globals(struct live *s, struct err *e)
{
	const struct img_map *m;
	void *p;

	if (s->image->globals < 0)
		return 0;
	m = &s->image->maps.v[s->image->globals];
	s->globals_bytes = m->value_bytes;
	p = mmap(NULL, s->globals_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		 s->map_fds[s->image->globals], 0);
	if (p == MAP_FAILED)
		return err_push(e, -errno, "cannot map the programs' shared numbers: %s",
				strerror(errno));
	s->x.globals = p;
	return 0;
}

/* Those that collect.c reads and writes before there are programs. */
static bool is_of_taking(const struct bpf_image *image, int i)
{
	return i == image->process_ring || i == image->unwind_processes ||
	       i == image->unwind_chunks || i == image->unwind_pieces || i == image->unwind_files ||
	       i == image->mapped;
}

int load_collected_maps(struct live *s, struct err *e)
{
	int code = 0;

	for (int i = 0; i < s->image->maps.n && !code; i++)
		if (is_of_taking(s->image, i))
			code = make_map(s, i, -1, 0, e);
	return code;
}

/* Not per-CPU ones, whose values are made under one lock of the kernel: six by two threads take 0.9
 * of the time and 1.8 of the CPU time. */
static bool is_large(const struct img_map *m)
{
	return m->type == BPF_MAP_TYPE_HASH && !m->flags && !m->in_process &&
	       m->memory_bytes > LARGE_BYTES;
}

static void make_large(void *live, int i)
{
	struct live *s = live;
	struct sysbpf_map create = describe(&s->image->maps.v[i]);
	int fd = is_large(&s->image->maps.v[i]) ? sysbpf_map_create(&create) : -1;

	/* what the kernel refuses is asked for again, where it is told why */
	if (fd >= 0)
		s->map_fds[i] = fd;
}

/* The kernel prepares all their rows, 30 ms for 80,000. Two by two threads: 0.76 of the time. */
static void make_large_maps(struct live *s)
{
	int n = 0;

	for (int i = 0; i < s->image->maps.n; i++)
		n += is_large(&s->image->maps.v[i]);
	if (n > 1)
		parallel_work(s->image->maps.n, make_large, s);
}

int load_maps(struct live *s, struct err *e)
{
	uint32_t btf_value_id = 3;
	int btf_fd = -1, code = 0;

	for (int i = 0; i < s->image->maps.n; i++)
		if (needs_btf(&s->image->maps.v[i]) && btf_fd < 0) {
			btf_fd = load_btf(s);
			if (btf_fd < 0) {
				err_push(e, btf_fd, "cannot describe the threads' storage: %s",
					 strerror(-btf_fd));
				return load_unable(e, btf_fd);
			}
		}
	make_large_maps(s);
	for (int i = 0; i < s->image->maps.n && !code; i++) {
		if (s->image->maps.v[i].in_process || is_of_taking(s->image, i))
			continue;
		code = make_map(s, i, btf_fd, btf_value_id, e);
		btf_value_id += needs_btf(&s->image->maps.v[i]);
	}
	if (btf_fd >= 0)
		close(btf_fd);
	return code ? code : map_globals(s, e);
}

/* ---- programs ---- */

/* Its number in the kernel's BTF; 0: it has none, and the verifier says so. */
static int32_t kfunc_id(const struct live *s, int32_t kfunc)
{
	struct ktypes *k = s->options.features ? features_types(s->options.features) : NULL;

	if (!k || kfunc < 0 || kfunc >= KFUNCS)
		return 0;
	return (int32_t)ktype_function(k, str_of(as_kfunc_names[kfunc]));
}

/* The instructions with descriptors for table numbers; to be freed. */
static struct bpf_insn *relocate(const struct live *s, const struct img_prog *p)
{
	size_t bytes = sizeof(*p->insns) * (size_t)p->n_insns;
	struct bpf_insn *insns = memcpy(xmalloc(bytes), p->insns, bytes);

	for (int i = 0; i < p->n_insns; i++) {
		struct bpf_insn *insn = &insns[i];

		if (insn_is_call(insn) && insn->src_reg == BPF_PSEUDO_KFUNC_CALL)
			insn->imm = kfunc_id(s, insn->imm);
		if (!insn_is_ld_imm64(insn))
			continue;
		if (insn->src_reg == BPF_PSEUDO_MAP_FD || insn->src_reg == BPF_PSEUDO_MAP_VALUE)
			insn->imm = s->map_fds[insn->imm];
		i++;			/* its second half */
	}
	return insns;
}

int load_log_insn(const char *log)
{
	int found = -1;

	for (const char *line = log; line; line = strchr(line, '\n')) {
		char *end;
		long n;

		line += *line == '\n';
		n = strtol(line, &end, 10);
		if (end > line && n >= 0 && n < AS_INSNS_MOST && !strncmp(end, ": (", 3))
			found = (int)n;
	}
	return found;
}

/* Where the log's last lines begin. */
static const char *log_tail(const char *log)
{
	const char *at = log + strlen(log);

	/* the statistics behind the error help nobody */
	for (const char *p = log; (p = strstr(p, "\nprocessed ")); p++)
		at = p + 1;
	for (int lines = 0; at > log; at--)
		if (at[-1] == '\n' && lines++ == LOG_LINES_SHOWN)
			break;
	return at;
}

static int line_of(struct loc l, int *column)
{
	int line = 1, from = 0;

	for (int i = 0; i < l.at && i < l.text->text.n; i++)
		if (l.text->text.p[i] == '\n') {
			line++;
			from = i + 1;
		}
	*column = l.at - from + 1;
	return line;
}

static int rejected(struct live *s, const struct img_prog *p, int code, const char *log,
		    struct err *e)
{
	const char *event = p->event ? p->event->name : p->name, *what = NULL;
	const char *tail = log_tail(log), *end = strstr(tail, "\nprocessed ");
	struct loc loc = { 0 };
	int insn = load_log_insn(log), column, line;

	(void)s;
	for (int i = insn < p->n_insns ? insn : -1; i >= 0 && !(loc.text && what); i--) {
		if (!loc.text)
			loc = p->notes[i].loc;
		if (!what)
			what = p->notes[i].what;
	}
	err_push(e, code, "the verifier's last words:\n%.*s",
		 end ? (int)(end - tail) : (int)strlen(tail), tail);
	if (loc.text) {
		line = line_of(loc, &column);
		return err_push(e, code, "%s:%d:%d: the kernel refuses the code made for `%.*s`%s%s, "
				"at instruction %d of the program on %s", loc.text->name, line, column,
				STR_ARG(loc_text(loc)), what ? ": " : "", what ? what : "", insn,
				event);
	}
	return err_push(e, code, "the kernel refuses the program on %s%s%s, at instruction %d", event,
			what ? ": " : "", what ? what : "", insn);
}

/* The verifier was content; its log is of no use. */
static bool is_of_system(int code)
{
	return code == -EMFILE || code == -ENFILE || code == -ENOMEM;
}

static int load_again_with_log(struct live *s, const struct img_prog *p,
			       struct sysbpf_prog *load, int first, struct err *e)
{
	uint32_t bytes = LOG_BYTES_FIRST;
	char *log = NULL;
	int code;

	do {
		log = xrealloc(log, bytes);
		log[0] = 0;
		load->log = log;
		load->log_bytes = bytes;
		code = sysbpf_prog_load(load);
		log[bytes - 1] = 0;
		bytes *= 8;
	} while (code == -ENOSPC && bytes <= LOG_BYTES_MOST);
	if (code < 0) {
		code = first;
		if (log[0] && !is_of_system(code)) {
			rejected(s, p, code, log, e);
		} else {
			err_push(e, code, "cannot load the program on %s: %s",
				 p->event ? p->event->name : p->name, strerror(-code));
			load_unable(e, code);
		}
	}
	free(log);
	return code;
}

/*
 * A callback must have a BTF type: id 1 int, 2 a function without parameters, which
 * nobody looks at, 3 a static one of that kind.
 */
static int load_function_btf(void)
{
	static const char names[] = "\0int\0culprit";
	struct {
		struct btf_header header;
		struct btf_type int_type;
		uint32_t int_bits;
		struct btf_type prototype, function;
		char strings[sizeof(names)];
	} btf = {
		.header = { .magic = BTF_MAGIC, .version = BTF_VERSION,
			    .hdr_len = sizeof(struct btf_header) },
		.int_type = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 },
		.int_bits = BTF_INT_SIGNED << 24 | 32,
		.prototype = { .info = BTF_KIND_FUNC_PROTO << 24, .type = 1 },
		.function = { .name_off = 5, .info = BTF_KIND_FUNC << 24 | BTF_FUNC_STATIC,
			      .type = 2 },
	};

	memcpy(btf.strings, names, sizeof(names));
	btf.header.type_len = (uint32_t)(btf.strings - (char *)&btf.int_type);
	btf.header.str_off = btf.header.type_len;
	btf.header.str_len = sizeof(names);
	return sysbpf_btf_load(&btf, (uint32_t)sizeof(btf.header) + btf.header.type_len +
			       btf.header.str_len);
}

#define FUNCTION_TYPE 3

#define FUNCTIONS_MOST 4

/* Its functions by place, the program itself first, where one of them is a callback; else
 * 0, as they need no types. */
static uint32_t functions_of(const struct img_prog *p, struct bpf_func_info *out)
{
	uint32_t n = 1;
	bool callback = false;

	out[0] = (struct bpf_func_info){ 0, FUNCTION_TYPE };
	for (int i = 0; i < p->n_insns; i++) {
		const struct bpf_insn *insn = &p->insns[i];
		bool loads = insn_is_ld_imm64(insn);
		bool called = insn_is_call(insn) && insn->src_reg == BPF_PSEUDO_CALL;
		uint32_t at = (uint32_t)(i + insn->imm + 1), k = n;

		if (called || (loads && insn->src_reg == BPF_PSEUDO_FUNC)) {
			callback |= loads;
			while (k > 0 && out[k - 1].insn_off > at)
				k--;
			if (out[k - 1].insn_off != at && n < FUNCTIONS_MOST) {
				memmove(&out[k + 1], &out[k], (n++ - k) * sizeof(*out));
				out[k] = (struct bpf_func_info){ at, FUNCTION_TYPE };
			}
		}
		i += loads;
	}
	return callback ? n : 0;
}

static int load_prog(struct live *s, int i, struct err *e)
{
	const struct img_prog *p = &s->image->progs.v[i];
	struct bpf_insn *insns = relocate(s, p);
	struct sysbpf_prog load = {
		.name = p->name, .type = p->type, .expected_attach = p->expected_attach,
		.btf_id = p->btf_id, .insns = insns, .n_insns = (uint32_t)p->n_insns,
	};
	struct bpf_func_info functions[FUNCTIONS_MOST];
	uint32_t n_functions = functions_of(p, functions);
	int fd = p->btf_module ? sysbpf_btf_of_module(p->btf_module) : 0;

	load.btf_fd = fd;
	if (fd >= 0 && n_functions) {
		load.functions = functions;
		load.n_functions = n_functions;
		load.functions_btf_fd = fd = load_function_btf();
	}
	if (fd >= 0)
		fd = sysbpf_prog_load(&load);
	if (fd == -EPERM) {
		err_push(e, fd, "cannot load the program on %s: %s",
			 p->event ? p->event->name : p->name, strerror(-fd));
		load_unable(e, fd);
	} else if (fd < 0 && load.btf_fd < 0) {
		err_push(e, fd, "cannot open the types (BTF) of module %s: %s", p->btf_module,
			 strerror(-fd));
	} else if (fd < 0) {
		fd = load_again_with_log(s, p, &load, fd, e);
	}
	free(insns);
	if (load.functions_btf_fd > 0)
		close(load.functions_btf_fd);
	if (load.btf_fd > 0)
		close(load.btf_fd);
	if (fd < 0)
		return fd;
	s->prog_fds[i] = fd;
	return 0;
}

int load_progs(struct live *s, struct err *e)
{
	for (int i = 0; i < s->image->progs.n; i++) {
		int code = load_prog(s, i, e);

		if (code)
			return code;
	}
	return 0;
}
