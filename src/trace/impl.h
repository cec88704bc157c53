/* recorded_impl: what the parts of recorded*.c share. Public: recorded.h. */
#ifndef TRACE_IMPL_H
#define TRACE_IMPL_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "table/stack.h"
#include "trace/recorded.h"

/* What is made of a recorded value: value.c. */
enum rec_how {
	HOW_AS_IS, HOW_STATE, HOW_PRIO, HOW_REQUEST, HOW_REQUEST_FLAGS,
	/* of the model */
	HOW_PROCESS, HOW_NAME, HOW_LEADER_NAME, HOW_PARENT, HOW_EXIT_CODE, HOW_LEADER_EXIT_CODE,
	HOW_START, HOW_LEADER_START, HOW_THREADS_LEFT, HOW_ON_CPU,
	HOW_DISK_NAME, HOW_HANDLER_NAME, HOW_FILE_PATH, HOW_FILE_TYPE,
	HOWS
};

/* What of the model is needed: bits. */
enum { MODEL_TASKS = 1, MODEL_DISKS = 2, MODEL_HANDLERS = 4, MODEL_FILES = 8, MODEL_EXITS = 16,
       MODEL_NAMES = 32, MODEL_RUNS = 64 };

/* Where a word of a record comes from. */
struct rec_field {
	const char *from;		/* in the trace */
	uint8_t scope;			/* enum ctf_scope */
	uint8_t word, how;
};

/* An event under one name. */
struct rec_form {
	struct cat_event cat;
	const char *full;		/* of a live one: "sched:sched_switch" */
	bool live;
	bool is_built;			/* fields are made when they are asked for */
	struct rec_name *of;
	VEC(struct cat_field) fields;
	VEC(struct cat_field *) told;	/* expressions that were asked for */
	VEC(struct rec_field) from;	/* of both */
};

/* A name of the trace, of one or more classes. */
struct rec_name {
	const char *name;
	VEC(struct ctf_class *) classes;
	struct rec_form *own;		/* NULL: nobody asked for it */
	VEC(struct rec_form *) live;
};

/* An expression that was asked of calls; in each of them it is the same word. */
struct rec_told {
	const char *text;
	uint8_t word;
};

/* A system call; its two ends are event classes. */
struct rec_call {
	struct cat_syscall cat;
	bool is_built;
	struct ctf_class *enter, *exit;
	VEC(struct cat_field) params;
	VEC(struct cat_field *) told;
	VEC(struct rec_field) from;
};

enum { REC_KERNEL, REC_USER, REC_STACKS };

enum rec_end { NOT_A_CALL, CALL_ENTERS, CALL_RETURNS };

struct rec_fetch {
	int slot, more[3];		/* HOW_REQUEST: sector, device, number of sectors, flags */
	uint8_t word, how;
};

/* What a class's event is made into. */
struct rec_out {
	const struct cat_event *event;	/* NULL: only to be kept */
	bool is_call, is_start;
	VEC(struct rec_fetch) fetches;
};
#define OUTS_MOST 4
#define RECORDED_CPUS_MOST 65536
#define RECORDED_TEXTS_BYTES 65536	/* of one event */

#define ROLE_FIELDS_MOST 6

/* What an event class tells the model: a row of a table, and where its fields are. */
struct rec_lesson {
	const struct rec_role *role;
	int slots[ROLE_FIELDS_MOST];
};

struct rec_class {
	struct rec_name *name;
	struct rec_call *call;		/* NULL: not of a call, or of those called unknown */
	uint8_t end;			/* enum rec_end */
	bool is_kernel;			/* the running thread is that of the CPU */
	struct rec_thread *process;	/* what the trace's environment tells of all its threads,
					 * which are one process's; NULL: nothing */
	/* from recorded_begin on */
	int n_outs;
	struct rec_out *outs;		/* room for OUTS_MOST; NULL: there is none */
	int id, ret;			/* of calls: slots */
	int stacks[REC_STACKS];		/* slots */
	int commons[RECORD_WORDS - RECORD_FIELDS_MOST];	/* contexts: slots */
	VEC(struct rec_lesson) lessons;	/* what the model learns from it */
	uint8_t learns;			/* bit for each enum rec_when that has one */
	bool keeps;			/* the call's arguments are needed when it returns */
	bool is_plain;			/* one record, which only says that it happened */
};

/* ---- tasks: task.c ---- */

struct rec_thread {
	uint64_t valid;			/* as in struct record, of the common words */
	uint64_t words[RECORD_WORDS - RECORD_FIELDS_MOST];
	char comm[RECORD_COMM_BYTES];
	/* the open call: all but what it returns */
	uint64_t call_valid, call_strings, call[RECORD_FIELDS_MOST];
	uint32_t call_gaps;		/* how many gaps there were before it */
	char *texts;
	size_t texts_bytes;
	uint64_t start_ns;		/* 0: not seen */
	uint32_t last_cpu;		/* on which it ran last */
	bool exits, group_exits;	/* it, or its process, called exit; with */
	uint64_t exit_code, group_exit_code;
	bool has_ended;
	int64_t member_of;		/* the process whose first thread it is not; 0: none */
	uint64_t n_members;		/* of its process besides itself, where it is the first */
	struct rec_files *files;	/* of a process: its first thread's; NULL: none known */
	struct rec_file_call *file_call;	/* the open call, if it is about files */
};

/* What was said of a disk last: of equal times in the stream of the larger number. */
struct rec_disk {
	uint64_t time_ns;
	int stream;
	const char *name;
};

/* The handler that ran last on a CPU. */
struct rec_handler {
	uint64_t irq;
	char name[64];
};

struct rec_tasks {
	struct rec_thread **slots;	/* open addressing by tid */
	uint64_t *keys;
	uint32_t n, cap;
	uint64_t *current;		/* by CPU: key of its thread + 1; 0: not known */
	struct rec_handler *handlers;	/* by CPU */
	uint32_t n_cpus;
	struct map tables;		/* address of a table of files -> its process */
};

/* When the model learns of an event: before its thread is known; then; when its own programs
 * have run. */
enum rec_when { WHEN_FIRST, WHEN_KNOWN, WHEN_DONE };

struct rec_role {
	const char *events, *fields;	/* names, blanks between */
	uint8_t when;			/* enum rec_when */
	bool by_context;		/* not needed where events say their thread */
	uint8_t needs;			/* MODEL_ bits it is for; 0: always */
	void (*learn)(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v);
};
extern const struct rec_role rec_exit_roles[];
extern const struct rec_role rec_file_roles[];	/* the last has no events */

/* The process that the trace is of, as its environment names it; NULL: it is of no single one. */
struct rec_thread *rec_process_of(struct recorded *r, const struct ctf_trace *trace);
/* The model's thread for the event, or NULL; rec's common words are filled. */
struct rec_thread *rec_task_of(struct recorded *r, const struct rec_class *c,
			       const struct ctf_event *e, struct record *rec);
/* What the event says. */
void rec_learn(struct recorded *r, const struct rec_class *c, const struct ctf_event *e,
	       uint32_t cpu, enum rec_when when);
/* Has the event such a context, its own or its stream's? */
bool rec_has_context(const struct ctf_class *class, const char *name);
/* The slot of a context's member, of the event or of all of its stream; < 0: there is none. */
int rec_want_context(struct recorded *r, struct ctf_class *class, const char *name);
/* Can the trace tell it, of some thread at least? word: RECORD_PID and on */
bool rec_word_is_known(struct recorded *r, int word);
/* NULL: nothing is known of it. */
struct rec_thread *rec_thread_find(const struct recorded *r, int64_t tid, uint32_t cpu);
/* How many threads of the process are left while this one ends. False: not known. */
bool rec_threads_left(const struct recorded *r, int64_t tid, int64_t pid, uint32_t cpu, uint64_t *n);
/* It is what runs on a CPU now, as far as the trace tells. */
bool rec_thread_runs(const struct recorded *r, int64_t tid, uint32_t cpu);
struct rec_thread *rec_thread_of(struct recorded *r, int64_t tid, uint32_t cpu);
const char *rec_handler_name(const struct recorded *r, uint32_t cpu, uint64_t irq);
void rec_roles_make(struct recorded *r);
/* Wants what the model needs of the class; behind rec_roles_make. */
void rec_task_want(struct recorded *r, struct rec_class *c, struct ctf_class *class);
/* needs: MODEL_ bits */
void rec_tasks_init(struct rec_tasks *t, unsigned int needs);
void rec_tasks_fini(struct rec_tasks *t);
/* ---- files: file.c ---- */

/* The path behind a thread's file descriptor; NULL: not known. */
const char *rec_file_path(const struct recorded *r, const struct rec_thread *t, int64_t fd);
/* A socket whose name is not known. */
bool rec_file_is_socket(const struct recorded *r, const struct rec_thread *t, int64_t fd);
void rec_files_free(struct rec_thread *t);

/* ---- open calls: call.c ---- */

void rec_call_keep(struct rec_thread *t, const struct record *rec, uint32_t gaps);
void rec_call_give(struct rec_thread *t, struct record *rec, uint32_t gaps);

/* ---- stacks: stack.c ---- */

struct rec_stack {
	struct record_stack stack;
	uint64_t frames[STACK_FRAMES];
};

/* Does any event have them? */
bool rec_stack_is_known(struct recorded *r, int which);
/* Those that are wanted. */
void rec_stacks_want(struct recorded *r);
void rec_stacks_take(struct recorded *r, const struct rec_class *c, struct record *rec);
const struct stack *rec_stack_show(void *self, struct arena *a, const void *id, int bytes);

/* ---- values: value.c ---- */

/* MODEL_ bits of what the value comes from. */
unsigned int rec_how_needs(int how);
/* Does the trace have the event that tells it? */
bool rec_how_is_known(const struct recorded *r, int how);
/* The value as a word of rec; not if there is none. */
void rec_fetch(struct recorded *r, const struct rec_fetch *f, const struct ctf_event *e,
	       struct record *rec);

/* ---- the state dump before --begin: dump.c ---- */

/* What it tells; in recorded_begin, before the range is read. */
void rec_dump_learn(struct recorded *r, const struct ctf_options *range);

/* ---- who runs at the start: start.c ---- */

/* The event "cpu@start"; NULL: nothing tells. */
const struct cat_event *rec_start_event(struct recorded *r);
/* Is it the class that tells, and does a program ask? */
bool rec_start_is_told_by(const struct recorded *r, const struct rec_class *c);
void rec_start_init(struct recorded *r, const struct ctf_options *range);
/* A packet begins with the event. lossy: events of its CPU are missing. */
void rec_start_packet(struct recorded *r, const struct ctf_stream *s, bool lossy);
/* The record of the CPU's first switch becomes that of the start; false: it is not the first. */
bool rec_start_make(struct recorded *r, struct record *rec);

/* ---- which events are not read at all: skip.c ---- */

/* Leaves out the classes that nobody asks for and that tell nothing of tasks. */
void rec_skip(struct recorded *r);
uint64_t rec_last_ns(const struct recorded *r);	/* of the trace's last event */

/* ---- share.c ---- */

/* Does each event tell all that its records need: no other event before it matters? */
bool rec_tells_itself(const struct recorded *r);
void rec_disk_learn(struct recorded *r, uint64_t dev, struct rec_disk disk);

/* ---- recorded.c ---- */

struct rec_stream {			/* what was seen of it last */
	uint64_t packets, lost, lost_packets;
	bool was_lossy;
	int64_t since_ns;		/* from then on it has all events, but for what was lost */
};

struct recorded {
	struct arena arena;
	struct ctf *trace;
	struct rec_class *classes;	/* by number */
	struct map names;		/* "sched_switch" -> rec_name */
	struct map live;		/* "sched:sched_switch" -> rec_form */
	VEC(const char *) own_names, live_names, call_names;
	struct map calls;		/* "read" -> rec_call */
	VEC(struct rec_told) call_told;
	struct rec_call *by_number[SYSCALL_MOST];
	int free_nr;			/* from here down: a number for a call that has none */
	bool has_unknown;
	VEC(const struct enum_desc *) enums;
	struct map disks;		/* device -> struct rec_disk */
	struct cat_event enter, exit, start;
	uint64_t asked_words, known_words;	/* common ones */
	int8_t has_stacks[REC_STACKS];	/* 1: some event has them, -1: none, 0: not asked */
	/* while reading */
	unsigned int needs;		/* MODEL_ bits */
	const struct recorded_wants *wants;	/* from recorded_begin on */
	struct map asked;		/* cat_event -> struct recorded_event */
	struct map roles;		/* name of a class -> what it teaches */
	struct rec_tasks tasks;
	struct rec_stream *streams;
	const struct ctf_event *event;	/* whose records are handed out */
	const struct rec_class *class;	/* its */
	int out;			/* the next of its class */
	bool began, ended;
	int64_t begin_ns;		/* of the range; INT64_MIN: none */
	uint64_t *started;		/* bit for each CPU: it is known, or no more to be known, who ran there */
	uint32_t gaps;			/* in which events are missing, so far */
	struct rec_thread *thread;
	uint64_t common_words;		/* that programs read */
	char *texts;			/* of the event */
	size_t texts_used;
	struct rec_stack stacks[REC_STACKS];	/* of the event */
	struct record record;
	const struct stack *(*show_stack)(void *self, struct arena *a, const void *id, int bytes);
	void *show_self;
};

extern const struct catalog_ops recorded_catalog_ops;

/* Names of events and calls; before anything is asked. */
void rec_names_make(struct recorded *r);
struct rec_form *rec_own_form(struct recorded *r, struct rec_name *n);
void rec_form_build(struct recorded *r, struct rec_form *f);
void rec_call_build(struct recorded *r, struct rec_call *c);
/* The type of what an end of the call tells; NULL: neither does. *of_return: only the return. */
const struct ctf_type *rec_call_field(const struct rec_call *c, const char *name, bool *of_return);
/* False: what the language has no values for (a structure, an array). */
bool rec_type(struct recorded *r, const struct ctf_type *t, const char *name, struct type *to);

/* FIELD of lttng.def. Texts are in the rows: pointers would be moved when the program starts. */
struct rec_field_row {
	char system[8], event[20], field[32], from[16];
	uint8_t kind, how;
};
/* The i-th of the rows, those of threads' members among them; false past the last. */
bool rec_field_row(int i, struct rec_field_row *row);
bool rec_row_applies(struct recorded *r, const struct rec_form *f, const struct rec_field_row *row,
		     struct rec_field *from, struct type *type);

/* ---- expressions: told.c ---- */
const struct cat_field *rec_told(void *self, const struct cat_event *event,
				 const struct cat_syscall *call, struct str text);
const char *rec_valueless(void *self, const struct cat_event *event,
			  const struct cat_syscall *call, struct str text);
void rec_list_told(void *self, const struct cat_event *event, const struct cat_syscall *call,
		   struct str begin, void (*each)(void *arg, const char *text), void *arg);
/* What of call_told the call has, into its `from`. */
void rec_call_tell(struct recorded *r, struct rec_call *c);
/* Of the first of the name's classes that has it; *scope is where. */
const struct ctf_type *rec_find(const struct rec_name *n, const char *field, uint8_t *scope);

#endif
