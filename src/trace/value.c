/*
 * value: from what a trace recorded of a field to the word that programs read: as it
 * is, in the kernel's numbers, or what the model of tasks knows by it.
 */
#include <sys/stat.h>

#include "event/facts.h"
#include "trace/impl.h"

#define TEXT_MOST 4095
#define PRIO_OFFSET 100			/* MAX_RT_PRIO of the kernel, which LTTng takes off */

struct source {
	struct recorded *r;
	const struct rec_fetch *f;
	const struct ctf_event *e;
	uint32_t cpu;
	const struct ctf_value *v;
};

/* ---- numbers ---- */

static bool as_is(const struct source *s, uint64_t *word)
{
	*word = s->v->type && s->v->type->is_bool ? s->v->u != 0 : s->v->u;
	return true;
}

/* A bit for each state, 0x100 preempted: TASK_REPORT_MAX of the kernel. */
static bool state(const struct source *s, uint64_t *word)
{
	static const struct {
		uint64_t bit;
		enum task_state state;
	} rows[] = {
		{ 0x100, STATE_PREEMPTED }, { 0x80, STATE_IDLE }, { 0x01, STATE_SLEEPING },
		{ 0x02, STATE_DISK }, { 0x04, STATE_STOPPED }, { 0x08, STATE_TRACED },
		{ 0x30, STATE_DEAD }, { 0x40, STATE_IDLE },
	};

	*word = STATE_RUNNING;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (s->v->u & rows[i].bit) {
			*word = rows[i].state;
			break;
		}
	return true;
}

static bool prio(const struct source *s, uint64_t *word)
{
	*word = s->v->u + PRIO_OFFSET;
	return true;
}

#define RWBS_FLUSH 0x100	/* LTTng's: the operation, not what a write asks for besides */

/* The device and the first sector; of nothing that is no flush there is no number. */
static bool request(const struct source *s, uint64_t *word)
{
	const struct ctf_value *dev = ctf_value(s->e, s->f->more[0]);
	const struct ctf_value *sectors = ctf_value(s->e, s->f->more[1]);
	const struct ctf_value *rwbs = ctf_value(s->e, s->f->more[2]);
	bool flush = rwbs->has && rwbs->u & RWBS_FLUSH && !sectors->u;

	/* Far apart: sectors of two disks never meet. A flush has no sector: at its issue 0 is
	 * recorded, at its completion -1. */
	*word = (flush ? UINT64_MAX : s->v->u) ^ dev->u * 0x9e3779b97f4a7c15u;
	return dev->has && sectors->has && (sectors->u || flush);
}

/* LTTng's rwbs in the kernel's cmd_flags, as lttng.def's constants number them. */
static bool request_flags(const struct source *s, uint64_t *word)
{
	static const struct {
		uint32_t has, all, is;	/* of the bits `all` it has these: an operation */
	} operations[] = {
		{ 0x082, 0x082, 5 }, { 0x002, 0x002, 3 }, { 0x001, 0x001, 1 },
		{ 0x100, 0x104, 2 }, { 0, 0, 0 },
	};
	static const struct {
		uint32_t has;
		uint8_t bit;
	} flags[] = { { 0x008, 19 }, { 0x020, 11 }, { 0x040, 12 }, { 0x200, 17 }, { 0x400, 18 } };
	int i = 0;

	while ((s->v->u & operations[i].all) != operations[i].has)
		i++;
	*word = operations[i].is;
	for (size_t k = 0; k < sizeof(flags) / sizeof(*flags); k++)
		if (s->v->u & flags[k].has)
			*word |= 1ull << flags[k].bit;
	return true;
}

/* ---- of the model ---- */

static bool common_word(const struct rec_thread *t, int word, uint64_t *value)
{
	if (!t || !(t->valid & RECORD_BIT(word)))
		return false;
	*value = t->words[word - RECORD_FIELDS_MOST];
	return true;
}

static struct rec_thread *thread(const struct source *s)
{
	return rec_thread_find(s->r, s->v->i, s->cpu);
}

static bool process(const struct source *s, uint64_t *word)
{
	return common_word(thread(s), RECORD_PID, word);
}

static bool parent(const struct source *s, uint64_t *word)
{
	return common_word(thread(s), RECORD_PPID, word);
}

static bool name(const struct source *s, uint64_t *word)
{
	return common_word(thread(s), RECORD_COMM, word);
}

static bool leader_name(const struct source *s, uint64_t *word)
{
	uint64_t pid;

	return process(s, &pid) &&
	       common_word(rec_thread_find(s->r, (int64_t)pid, s->cpu), RECORD_COMM, word);
}

/* Of t, or of its process, which ends with one code where a thread of it ends all. */
static bool code_of(const struct rec_thread *t, const struct rec_thread *leader, uint64_t *word)
{
	if (leader && leader->group_exits)
		*word = leader->group_exit_code;
	else if (t && t->exits)
		*word = t->exit_code;
	return (t && t->exits) || (leader && leader->group_exits);
}

static struct rec_thread *leader(const struct source *s)
{
	uint64_t pid;

	return process(s, &pid) ? rec_thread_find(s->r, (int64_t)pid, s->cpu) : NULL;
}

static bool exit_code(const struct source *s, uint64_t *word)
{
	uint64_t pid;

	return process(s, &pid) && code_of(thread(s), leader(s), word);
}

static bool leader_exit_code(const struct source *s, uint64_t *word)
{
	return code_of(leader(s), leader(s), word);
}

static bool start_of(const struct rec_thread *t, uint64_t *word)
{
	if (!t || !t->start_ns)
		return false;
	*word = t->start_ns;
	return true;
}

static bool start(const struct source *s, uint64_t *word)
{
	return start_of(thread(s), word);
}

static bool leader_start(const struct source *s, uint64_t *word)
{
	return start_of(leader(s), word);
}

static bool threads_left(const struct source *s, uint64_t *word)
{
	uint64_t pid;

	return process(s, &pid) && rec_threads_left(s->r, s->v->i, (int64_t)pid, s->cpu, word);
}

static bool on_cpu(const struct source *s, uint64_t *word)
{
	*word = rec_thread_runs(s->r, s->v->i, s->cpu);
	return true;
}

static bool text(const char *text, uint64_t *word)
{
	*word = (uint64_t)(uintptr_t)text;
	return text;
}

static bool disk_name(const struct source *s, uint64_t *word)
{
	const struct rec_disk *disk = map_get(&s->r->disks, &s->v->u, sizeof(s->v->u));

	return text(disk ? disk->name : NULL, word);
}

static bool handler_name(const struct source *s, uint64_t *word)
{
	return text(rec_handler_name(s->r, s->cpu, s->v->u), word);
}

static bool file_path(const struct source *s, uint64_t *word)
{
	return text(rec_file_path(s->r, s->r->thread, s->v->i), word);
}

/* Of the mode what the name tells: the type. */
static bool file_type(const struct source *s, uint64_t *word)
{
	static const struct {
		const char *begin;
		unsigned int type;
	} kinds[] = {
		{ "socket:", S_IFSOCK }, { "pipe:", S_IFIFO }, { "anon_inode:", 0 },
		{ "/dev/", S_IFCHR }, { "", S_IFREG },
	};
	const char *path = rec_file_path(s->r, s->r->thread, s->v->i);
	int i = 0;

	if (!path) {
		*word = S_IFSOCK;
		return rec_file_is_socket(s->r, s->r->thread, s->v->i);
	}
	while (strncmp(path, kinds[i].begin, strlen(kinds[i].begin)))
		i++;
	*word = kinds[i].type;
	return true;
}

static const struct {
	bool (*make)(const struct source *s, uint64_t *word);	/* false: there is none */
	bool is_text;
	unsigned int needs;
	const char *told_by;		/* the event without which it is never known; NULL: none */
} hows[HOWS] = {
	[HOW_AS_IS] = { as_is, false, 0, NULL },
	[HOW_STATE] = { state, false, 0, NULL },
	[HOW_PRIO] = { prio, false, 0, NULL },
	[HOW_REQUEST] = { request, false, 0, NULL },
	[HOW_REQUEST_FLAGS] = { request_flags, false, 0, NULL },
	[HOW_PROCESS] = { process, false, MODEL_TASKS, NULL },
	[HOW_NAME] = { name, true, MODEL_TASKS | MODEL_NAMES, NULL },
	[HOW_LEADER_NAME] = { leader_name, true, MODEL_TASKS | MODEL_NAMES, NULL },
	[HOW_PARENT] = { parent, false, MODEL_TASKS | MODEL_NAMES, NULL },
	[HOW_EXIT_CODE] = { exit_code, false, MODEL_TASKS | MODEL_EXITS,
			    "syscall_entry_exit_group" },
	[HOW_LEADER_EXIT_CODE] = { leader_exit_code, false, MODEL_TASKS | MODEL_EXITS,
			    "syscall_entry_exit_group" },
	[HOW_START] = { start, false, MODEL_TASKS, "sched_process_fork" },
	[HOW_LEADER_START] = { leader_start, false, MODEL_TASKS, "sched_process_fork" },
	[HOW_THREADS_LEFT] = { threads_left, false, MODEL_TASKS | MODEL_EXITS, NULL },
	[HOW_ON_CPU] = { on_cpu, false, MODEL_TASKS | MODEL_RUNS, "sched_switch" },
	[HOW_DISK_NAME] = { disk_name, true, MODEL_DISKS, "lttng_statedump_block_device" },
	[HOW_HANDLER_NAME] = { handler_name, true, MODEL_HANDLERS, "irq_handler_entry" },
	[HOW_FILE_PATH] = { file_path, true, MODEL_TASKS | MODEL_FILES, NULL },
	[HOW_FILE_TYPE] = { file_type, false, MODEL_TASKS | MODEL_FILES, NULL },
};

unsigned int rec_how_needs(int how)
{
	return hows[how].needs;
}

bool rec_how_is_known(const struct recorded *r, int how)
{
	return !hows[how].told_by || map_get_str(&r->names, str_of(hows[how].told_by));
}

/* ---- words ---- */

/* Until the next event. */
static const char *copy_text(struct recorded *r, struct str s)
{
	size_t n = (size_t)(s.n < TEXT_MOST ? s.n : TEXT_MOST);
	char *to = r->texts + r->texts_used;

	if (r->texts_used + n + 1 > RECORDED_TEXTS_BYTES)
		return "";
	if (n)
		memcpy(to, s.p, n);
	to[n] = '\0';
	r->texts_used += n + 1;
	return to;
}

/* As programs read it: UTF-8 that ends with a zero. */
static const char *text_value(struct recorded *r, const struct ctf_value *v)
{
	struct buf utf8 = { 0 };
	const char *copy;

	if (v->type->encoding == CTF_UTF8)
		return v->type->until_zero ? v->text.p : copy_text(r, v->text);
	ctf_text_utf8(v->type, v->text, &utf8);
	copy = copy_text(r, (struct str){ utf8.p, (int)utf8.n });
	buf_fini(&utf8);
	return copy;
}

void rec_fetch(struct recorded *r, const struct rec_fetch *f, const struct ctf_event *e,
	       struct record *rec)
{
	const struct source s = { r, f, e, rec->cpu, ctf_value(e, f->slot) };
	bool is_text = hows[f->how].is_text;
	uint64_t word;

	if (!s.v->has)
		return;
	if (s.v->kind == CTF_TEXT) {
		word = (uint64_t)(uintptr_t)text_value(r, s.v);
		is_text = true;
	} else if (!hows[f->how].make(&s, &word)) {
		return;
	}
	rec->words[f->word] = word;
	rec->valid |= RECORD_BIT(f->word);
	if (is_text)
		rec->strings |= RECORD_BIT(f->word);
}
