/*
 * task: who ran when an event happened. From the event's contexts; where there
 * are none from what earlier events told: each CPU's thread from switches, names
 * and parents from the state dump, forks and execs. What no event told is none.
 */
#include <stdio.h>
#include <stdlib.h>

#include "trace/impl.h"

#define IDLE (1ull << 32)		/* key of an idle thread, + CPU */

/* ---- threads ---- */

static uint64_t key_of(int64_t tid, uint32_t cpu)
{
	return tid ? (uint32_t)tid : IDLE | cpu;
}

static uint32_t slot_of(const struct rec_tasks *t, uint64_t key)
{
	uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (t->cap - 1);

	while (t->slots[i] && t->keys[i] != key)
		i = (i + 1) & (t->cap - 1);
	return i;
}

static void grow(struct rec_tasks *t)
{
	struct rec_tasks old = *t;

	t->cap = t->cap ? t->cap * 2 : 256;
	t->slots = xcalloc(t->cap, sizeof(*t->slots));
	t->keys = xcalloc(t->cap, sizeof(*t->keys));
	for (uint32_t i = 0; i < old.cap; i++) {
		uint32_t to;

		if (!old.slots[i])
			continue;
		to = slot_of(t, old.keys[i]);
		t->slots[to] = old.slots[i];
		t->keys[to] = old.keys[i];
	}
	free(old.slots);
	free(old.keys);
}

static void set_word(struct rec_thread *t, int word, uint64_t value)
{
	t->words[word - RECORD_FIELDS_MOST] = value;
	t->valid |= RECORD_BIT(word);
}

static void set_comm(struct rec_thread *t, struct str name)
{
	int n = name.n < RECORD_COMM_BYTES ? name.n : RECORD_COMM_BYTES - 1;

	memset(t->comm, 0, sizeof(t->comm));
	if (n)
		memcpy(t->comm, name.p, (size_t)n);
	set_word(t, RECORD_COMM, (uint64_t)(uintptr_t)t->comm);
}

static struct rec_thread *thread_of(struct recorded *r, uint64_t key)
{
	struct rec_tasks *t = &r->tasks;
	uint32_t i;

	if (t->n >= t->cap / 2)
		grow(t);
	i = slot_of(t, key);
	if (!t->slots[i]) {
		t->slots[i] = xcalloc(1, sizeof(**t->slots));
		t->keys[i] = key;
		t->n++;
		set_word(t->slots[i], RECORD_TID, key & IDLE ? 0 : key);
		if (key & IDLE)
			set_word(t->slots[i], RECORD_PID, 0);
	}
	return t->slots[i];
}

struct rec_thread *rec_thread_of(struct recorded *r, int64_t tid, uint32_t cpu)
{
	return thread_of(r, key_of(tid, cpu));
}

struct rec_thread *rec_thread_find(const struct recorded *r, int64_t tid, uint32_t cpu)
{
	return r->tasks.cap ? r->tasks.slots[slot_of(&r->tasks, key_of(tid, cpu))] : NULL;
}

/* Its number is used again. */
static struct rec_thread *thread_new(struct recorded *r, int64_t tid)
{
	struct rec_thread *t = thread_of(r, key_of(tid, 0));

	t->valid = RECORD_BIT(RECORD_TID);
	t->call_valid = 0;
	t->start_ns = r->record.time_ns;
	t->exits = t->group_exits = false;
	rec_files_free(t);
	return t;
}

void rec_tasks_init(struct rec_tasks *t, unsigned int needs)
{
	*t = (struct rec_tasks){ .n_cpus = RECORDED_CPUS_MOST };
	t->current = xcalloc(t->n_cpus, sizeof(*t->current));
	if (needs & MODEL_HANDLERS)
		t->handlers = xcalloc(t->n_cpus, sizeof(*t->handlers));
}

void rec_tasks_fini(struct rec_tasks *t)
{
	for (uint32_t i = 0; i < t->cap; i++) {
		if (!t->slots[i])
			continue;
		rec_files_free(t->slots[i]);
		free(t->slots[i]->texts);
		free(t->slots[i]);
	}
	free(t->slots);
	free(t->keys);
	free(t->current);
	free(t->handlers);
}

static struct rec_thread *set_current(struct recorded *r, uint32_t cpu, uint64_t key)
{
	struct rec_thread *t = thread_of(r, key);

	if (cpu < r->tasks.n_cpus) {
		r->tasks.current[cpu] = key + 1;
		t->last_cpu = cpu;
	}
	return t;
}

bool rec_thread_runs(const struct recorded *r, int64_t tid, uint32_t cpu)
{
	const struct rec_thread *t = rec_thread_find(r, tid, cpu);

	return t && r->tasks.current[t->last_cpu] == key_of(tid, cpu) + 1;
}

/* ---- what events tell ---- */

static void learn_name(struct recorded *r, uint64_t key, const struct ctf_value *comm)
{
	if (comm->has && comm->kind == CTF_TEXT)
		set_comm(thread_of(r, key), comm->text);
}

/* prev_tid prev_comm: it runs at this event */
static void learn_prev(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	uint64_t key = key_of(v[0]->i, cpu);

	if (!v[0]->has)
		return;
	set_current(r, cpu, key);
	learn_name(r, key, v[1]);
}

/* next_tid next_comm */
static void learn_next(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	learn_prev(r, cpu, v);
}

/* child_tid child_pid child_comm parent_tid parent_pid */
static void learn_fork(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_thread *child, *parent;

	if (!v[0]->has)
		return;
	child = thread_new(r, v[0]->i);
	if (v[1]->has)
		set_word(child, RECORD_PID, v[1]->u);
	if (v[2]->has && v[2]->kind == CTF_TEXT)
		set_comm(child, v[2]->text);
	if (!v[3]->has)
		return;
	parent = thread_of(r, key_of(v[3]->i, cpu));
	if (v[4]->has)
		set_word(parent, RECORD_PID, v[4]->u);
	if (v[1]->has && v[1]->i != v[0]->i) {	/* a thread has its process's parent */
		if (parent->valid & RECORD_BIT(RECORD_PPID))
			set_word(child, RECORD_PPID,
				 parent->words[RECORD_PPID - RECORD_FIELDS_MOST]);
	} else if (v[4]->has) {
		set_word(child, RECORD_PPID, v[4]->u);
	}
}

/* tid filename: the name becomes that of the file */
static void learn_exec(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct str name = v[1]->has && v[1]->kind == CTF_TEXT ? v[1]->text : (struct str){ "", 0 };

	for (int i = name.n; i > 0; i--)
		if (name.p[i - 1] == '/')
			name = str_sub(name, i, -1);
	if (v[0]->has && name.n)
		set_comm(thread_of(r, key_of(v[0]->i, cpu)), name);
}

/* tid pid ppid name */
static void learn_state(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_thread *t;

	if (!v[0]->has)
		return;
	t = thread_of(r, key_of(v[0]->i, cpu));
	if (v[1]->has)
		set_word(t, RECORD_PID, v[1]->u);
	if (v[2]->has)
		set_word(t, RECORD_PPID, v[2]->u);
	learn_name(r, key_of(v[0]->i, cpu), v[3]);
}

void rec_disk_learn(struct recorded *r, uint64_t dev, struct rec_disk disk)
{
	void **at = map_put(&r->arena, &r->disks, &dev, sizeof(dev));
	const struct rec_disk *old = *at;

	if (old && (old->time_ns != disk.time_ns ? old->time_ns > disk.time_ns :
		    old->stream > disk.stream))
		return;
	*at = arena_new(&r->arena, struct rec_disk);
	*(struct rec_disk *)*at = disk;
}

/* dev diskname */
static void learn_disk(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	(void)cpu;
	if (v[0]->has && v[1]->has && v[1]->kind == CTF_TEXT)
		rec_disk_learn(r, v[0]->u, (struct rec_disk){
			r->record.time_ns, r->event->stream->number,
			arena_strndup(&r->arena, v[1]->text.p, (size_t)v[1]->text.n) });
}

/* irq name */
static void learn_handler(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_handler *h = &r->tasks.handlers[cpu < r->tasks.n_cpus ? cpu : 0];

	if (!v[0]->has || !v[1]->has || v[1]->kind != CTF_TEXT)
		return;
	h->irq = v[0]->u;
	snprintf(h->name, sizeof(h->name), "%.*s", STR_ARG(v[1]->text));
}

const char *rec_handler_name(const struct recorded *r, uint32_t cpu, uint64_t irq)
{
	const struct rec_handler *h = &r->tasks.handlers[cpu < r->tasks.n_cpus ? cpu : 0];

	return *h->name && h->irq == irq ? h->name : NULL;
}

static const struct rec_role roles[] = {
	{ "sched_switch", "prev_tid prev_comm", WHEN_FIRST, true, MODEL_TASKS, learn_prev },
	{ "sched_switch", "next_tid next_comm", WHEN_DONE, true, MODEL_TASKS, learn_next },
	{ "sched_switch", "next_tid", WHEN_DONE, false, MODEL_RUNS, learn_next },
	{ "sched_process_fork", "child_tid child_pid child_comm parent_tid parent_pid",
	  WHEN_KNOWN, false, MODEL_TASKS, learn_fork },
	{ "sched_process_exec", "tid filename", WHEN_FIRST, true, MODEL_TASKS, learn_exec },
	{ "lttng_statedump_process_state", "tid pid ppid name", WHEN_FIRST, false, MODEL_TASKS,
	  learn_state },
	{ "lttng_statedump_block_device", "dev diskname", WHEN_FIRST, false, 0, learn_disk },
	{ "irq_handler_entry", "irq name", WHEN_FIRST, false, MODEL_HANDLERS, learn_handler },
	{ 0 }
};

/* ---- running ---- */

static const struct {
	int word;
	const char *names[2];		/* of the kernel, of programs */
} contexts[] = {
	{ RECORD_TID, { "tid", "vtid" } },
	{ RECORD_PID, { "pid", "vpid" } },
	{ RECORD_PPID, { "ppid", "vppid" } },
	{ RECORD_COMM, { "procname", NULL } },
	{ RECORD_UID, { "uid", "vuid" } },
	{ RECORD_GID, { "gid", "vgid" } },
};
#define CONTEXTS (int)(sizeof(contexts) / sizeof(contexts[0]))

bool rec_has_context(const struct ctf_class *class, const char *name)
{
	return ctf_field(class, CTF_EVENT_CONTEXT, name) || ctf_field(class, CTF_STREAM_CONTEXT, name);
}

static bool is_context(const struct recorded *r, const char *name)
{
	for (int i = 0; name && i < r->trace->n_classes; i++)
		if (rec_has_context(r->trace->classes[i], name))
			return true;
	return false;
}

/* Events from which the model learns it. */
static const struct {
	const char *event;
	uint64_t words;
} tellers[] = {
#define OF_THREAD (RECORD_BIT(RECORD_TID) | RECORD_BIT(RECORD_COMM))
#define OF_PROCESS (OF_THREAD | RECORD_BIT(RECORD_PID) | RECORD_BIT(RECORD_PPID))
	{ "sched_switch", OF_THREAD },
	{ "sched_process_exec", OF_THREAD },
	{ "sched_process_fork", OF_PROCESS },
	{ "lttng_statedump_process_state", OF_PROCESS },
};

static bool is_of_processes(const struct recorded *r, int word)
{
	for (int i = 0; i < r->trace->n_classes; i++) {
		const struct rec_thread *p = r->classes[r->trace->classes[i]->number].process;

		if (p && p->valid & RECORD_BIT(word))
			return true;
	}
	return false;
}

static bool is_told(const struct recorded *r, int word)
{
	if (is_of_processes(r, word))
		return true;
	for (int i = 0; i < CONTEXTS; i++)
		if (contexts[i].word == word && (is_context(r, contexts[i].names[0]) ||
						 is_context(r, contexts[i].names[1])))
			return true;
	for (size_t i = 0; i < sizeof(tellers) / sizeof(*tellers); i++)
		if (tellers[i].words & RECORD_BIT(word) &&
		    map_get_str(&r->names, str_of(tellers[i].event)))
			return true;
	return false;
}

/* Asked for each event of a glob: found out once. */
bool rec_word_is_known(struct recorded *r, int word)
{
	const uint64_t bit = RECORD_BIT(word);

	if (!(r->asked_words & bit) && is_told(r, word))
		r->known_words |= bit;
	r->asked_words |= bit;
	return r->known_words & bit;
}

int rec_want_context(struct recorded *r, struct ctf_class *class, const char *name)
{
	int slot = ctf_want(r->trace, class, CTF_EVENT_CONTEXT, name);

	return slot >= 0 ? slot : ctf_want(r->trace, class, CTF_STREAM_CONTEXT, name);
}

static int want_first(struct recorded *r, struct ctf_class *class, const char *const *names)
{
	int slot = rec_want_context(r, class, names[0]);

	return slot < 0 && names[1] ? rec_want_context(r, class, names[1]) : slot;
}

/* Cuts the first of names with blanks between off. */
static struct str next_name(struct str *names)
{
	int n = 0;
	struct str name;

	while (n < names->n && names->p[n] != ' ')
		n++;
	name = str_sub(*names, 0, n);
	*names = str_sub(*names, n < names->n ? n + 1 : n, -1);
	return name;
}

struct named_roles {
	VEC(const struct rec_role *) roles;
};

static void name_roles(struct recorded *r, const struct rec_role *role)
{
	for (; role->events; role++)
		for (struct str left = str_of(role->events); left.n;) {
			void **slot = map_put_str(&r->arena, &r->roles, next_name(&left));
			struct named_roles *named = *slot;

			if (!named)
				*slot = named = arena_new(&r->arena, struct named_roles);
			vec_push(&r->arena, &named->roles, role);
		}
}

void rec_roles_make(struct recorded *r)
{
	name_roles(r, roles);
	name_roles(r, rec_file_roles);
	name_roles(r, rec_exit_roles);
}

static void want_lesson(struct recorded *r, struct rec_class *c, struct ctf_class *class,
			const struct rec_role *role)
{
	struct rec_lesson lesson = { .role = role };
	struct str fields = str_of(role->fields);

	for (int i = 0; i < ROLE_FIELDS_MOST; i++) {
		struct str name = next_name(&fields);

		lesson.slots[i] = !name.n ? -1 :
			ctf_want(r->trace, class, CTF_PAYLOAD,
				 arena_strndup(&r->arena, name.p, (size_t)name.n));
	}
	vec_push(&r->arena, &c->lessons, lesson);
	c->learns |= (uint8_t)(1 << role->when);
}

static void want_lessons(struct recorded *r, struct rec_class *c, struct ctf_class *class)
{
	const struct named_roles *named = map_get_str(&r->roles, str_of(class->name));
	bool told = c->commons[RECORD_TID - RECORD_FIELDS_MOST] >= 0;

	for (int i = 0; named && i < named->roles.n; i++) {
		const struct rec_role *role = named->roles.v[i];

		if (!(role->by_context && told) && (!role->needs || role->needs & r->needs))
			want_lesson(r, c, class, role);
	}
}

void rec_task_want(struct recorded *r, struct rec_class *c, struct ctf_class *class)
{
	for (int i = 0; i < RECORD_WORDS - RECORD_FIELDS_MOST; i++)
		c->commons[i] = -1;
	for (int i = 0; (r->needs & MODEL_TASKS) && i < CONTEXTS; i++)
		if (r->common_words & RECORD_BIT(contexts[i].word))
			c->commons[contexts[i].word - RECORD_FIELDS_MOST] =
				want_first(r, class, contexts[i].names);
	want_lessons(r, c, class);
}

void rec_learn(struct recorded *r, const struct rec_class *c, const struct ctf_event *e,
	       uint32_t cpu, enum rec_when when)
{
	const struct ctf_value *v[ROLE_FIELDS_MOST];

	for (int i = 0; i < c->lessons.n; i++) {
		const struct rec_lesson *lesson = &c->lessons.v[i];

		if (lesson->role->when != when)
			continue;
		for (int k = 0; k < ROLE_FIELDS_MOST; k++)
			v[k] = ctf_value(e, lesson->slots[k]);
		lesson->role->learn(r, cpu, v);
	}
}

/* LTTng with buffers for each process. */
struct rec_thread *rec_process_of(struct recorded *r, const struct ctf_trace *trace)
{
	const char *pid = ctf_env(trace, "vpid"), *name = ctf_env(trace, "procname");
	struct rec_thread *t = NULL;
	char *end;
	uint64_t number;

	if (!pid || !*pid)
		return NULL;
	number = strtoull(pid, &end, 10);
	if (*end)
		return NULL;
	t = arena_new(&r->arena, struct rec_thread);
	set_word(t, RECORD_PID, number);
	if (name)
		set_comm(t, str_of(name));
	return t;
}

/* What is not known of the thread, but of its process. */
static void add_process(struct rec_thread *t, const struct rec_thread *process)
{
	set_word(t, RECORD_PID, process->words[RECORD_PID - RECORD_FIELDS_MOST]);
	if (process->valid & ~t->valid & RECORD_BIT(RECORD_COMM))
		set_comm(t, str_of(process->comm));
}

/* The thread that the event's context or else its CPU tells, NULL: neither does. */
static struct rec_thread *find(struct recorded *r, const struct rec_class *c,
			       const struct ctf_event *e, uint32_t cpu)
{
	const struct ctf_value *tid = ctf_value(e, c->commons[RECORD_TID - RECORD_FIELDS_MOST]);
	uint64_t key;

	if (tid->has) {
		key = key_of(tid->i, cpu);
		return c->is_kernel ? set_current(r, cpu, key) : thread_of(r, key);
	}
	if (cpu >= r->tasks.n_cpus || !r->tasks.current[cpu])
		return NULL;
	return thread_of(r, r->tasks.current[cpu] - 1);
}

struct rec_thread *rec_task_of(struct recorded *r, const struct rec_class *c,
			       const struct ctf_event *e, struct record *rec)
{
	struct rec_thread *t = find(r, c, e, rec->cpu);

	if (!t)
		return c->process;
	if (c->process)
		add_process(t, c->process);
	for (int i = 1; i < CONTEXTS; i++) {
		const struct ctf_value *v =
			ctf_value(e, c->commons[contexts[i].word - RECORD_FIELDS_MOST]);

		if (!v->has)
			continue;
		if (contexts[i].word != RECORD_COMM)
			set_word(t, contexts[i].word, v->u);
		else if (v->kind == CTF_TEXT)
			set_comm(t, v->text);
	}
	return t;
}
