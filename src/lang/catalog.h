/*
 * catalog: what can be named here: events, fields, system calls, C types.
 *
 * The compiler asks this one interface; kern/ fills it for the running kernel
 * (tracefs formats, BTF, the table of events in event/), replay/ for recorded
 * or made events. Everything returned lives as long as the catalog.
 */
#ifndef LANG_CATALOG_H
#define LANG_CATALOG_H

#include "base/str.h"
#include "table/type.h"

/* Where the value of a field is when the program runs. This is all that
 * differs between the two executors. */
enum loc_kind {
	LOC_NONE,
	LOC_ARG,	/* BTF tracepoint: argument `index` at ctx + 8 * index, a word
			 * whose low type.size bytes count: the rest is zero, not sign */
	LOC_FORMAT,	/* perf tracepoint: size bytes at ctx + offset; STRING: the char
			 * array there (bytes long), or with data_loc a u32 there whose
			 * low 16 bits are the offset of the text in ctx; ARRAY, STRUCT: the
			 * thing itself there */
	LOC_SYSARG,	/* its argument `index`, a word */
	LOC_SYSRET,	/* what it returned */
	LOC_RECORD,	/* decoded event: word `index` of the record (lang/record.h);
			 * strings: the word is a pointer; none if its valid bit is 0 */
	LOC_SAMPLE_IP,	/* sample: the instruction pointer */
	LOC_SAMPLE_PERIOD,
	LOC_FUNCARG,	/* function: argument `index`, a word whose low type.size bytes count:
			 * of the registers, or with fentry as LOC_ARG */
	LOC_FUNCRET,	/* what it returned */
	LOC_OPERAND	/* static probe: where `operand` says; its low type.size bytes count */
};

/* The machine's general registers, as its instructions number them. */
#ifdef __x86_64__
#define CAT_REGISTER_IP 16
#define CAT_REGISTERS 17
#else
#define CAT_REGISTER_IP 0
#define CAT_REGISTERS 0
#endif

enum operand_kind { OPERAND_NUMBER, OPERAND_REGISTER, OPERAND_MEMORY };

/* What a static probe passes: a number, a register, or what is in the program's memory at
 * number + base + index * scale. */
struct cat_operand {
	uint8_t kind;			/* enum operand_kind */
	int8_t base, index;		/* registers; MEMORY: -1: none */
	uint8_t scale;
	int64_t number;			/* MEMORY: fits an int32_t */
};

struct cat_field {
	const char *name;
	struct type type;
	uint8_t loc;			/* enum loc_kind */
	bool data_loc;			/* FORMAT */
	uint8_t index;			/* ARG, SYSARG, RECORD */
	uint32_t offset, size;		/* FORMAT; size 1 2 4 8, or the array's bytes */
	uint8_t bit_offset, bit_size;	/* FORMAT, 0: whole */
	bool maybe_null;		/* ARG: the kernel may pass NULL here, so that the
					 * verifier (6.14) refuses to follow it without a test */
	bool opaque;			/* ARG: the verifier does not let a program load it (a pointer
					 * to a pointer, to const void before 6.16): it is probed */
	/* The same value as an expression over the BTF arguments, from
	 * event/field.def, or NULL: the event can then only be attached in its
	 * perf form when this field is used. A bare name in it is an argument first. */
	const char *from_args;
	/* FORMAT: what is stored is not the value but `raw`, and the value is the
	 * expression from_raw, in which raw->name is that. NULL: it is the value. */
	const struct cat_field *raw;
	const char *from_raw;
	const struct cat_operand *operand;	/* OPERAND */
	bool of_return;			/* of a call: only what returns tells it */
	const char *unable;		/* why it cannot be read, behind its name: then loc is NONE */
};

enum cat_kind {
	CAT_TRACEPOINT, CAT_SYSCALL_ENTER, CAT_SYSCALL_EXIT, CAT_SAMPLE, CAT_TIMER,
	CAT_FUNC_ENTER, CAT_FUNC_RETURN
};

struct cat_event {
	uint8_t kind;			/* enum cat_kind */
	const char *system, *name;	/* "sched", "sched_switch" */
	int n_fields;			/* of the format, by their own names */
	const struct cat_field *fields;
	int n_args;			/* of the C call (LOC_ARG), or 0: no BTF form */
	const struct cat_field *args;
	uint32_t btf_id;		/* of btf_trace_NAME; 0: no BTF form */
	int perf_id;			/* tracefs id; 0: no perf form */
	/* Facts that only event/event.def knows. */
	bool interrupt;			/* runs in whoever was interrupted: no bare pid
					 * tid comm uid cgroup ustack task, no owner */
	bool exclusive;			/* never interrupted by, and never interrupting,
					 * another event's program that is exclusive, too,
					 * on the same CPU: plain adds are exact */
	const char *owner;		/* expression (a task) or NULL: the running thread */
	bool owner_runs;		/* and that is the running one */
	bool in_allocator;		/* of the kernel's memory: nothing can be allocated there */
};

struct cat_syscall {
	int nr;				/* 0 .. SYSCALL_MOST - 1 */
	const char *name;		/* "read" */
	int n_params;
	const struct cat_field *params;	/* LOC_SYSARG */
	uint8_t facts;			/* CALL_*, of event/syscall.def */
};
enum {
	CALL_ENDS_TASK = 1,		/* does not return */
	CALL_EXECS = 2,			/* returns in another program */
	CALL_NEW_REGISTERS = 4,		/* returns with others than it was entered with */
	CALL_NO_RESULT = 8		/* has no ret, and its return lacks the call's number */
};
#define SYSCALL_MOST 1024
#define CALL_I386 512			/* the number 0 of 32-bit programs on x86-64: event/syscall_i386.def */

/* A function, of the kernel or of a program: one place where it begins. Or of a program's
 * static probe one place. */
struct cat_function {
	const char *name;		/* plain: "f", also of the compiler's copy "f.isra.0" */
	const char *symbol;		/* "f.isra.0" */
	const char *module;		/* kernel: "btrfs"; NULL: vmlinux */
	uint32_t btf_id;		/* kernel: of its FUNC; 0: none, or not this copy's */
	uint64_t address;		/* kernel: which of several of this name; 0: the only one */
	int stands_for;			/* kernel: functions of this name, whose addresses are hidden:
					 * only one of them is attached to; 0: 1 */
	const char *path;		/* user: the file, as this process opens it; NULL: kernel */
	uint64_t dev, inode;		/* user: which file that is, by whatever path */
	uint64_t offset;		/* user: where in the file */
	bool is_probe;			/* user: a place of a static probe */
	uint64_t semaphore;		/* static probe: where in the file it counts its listeners; 0:
					 * nowhere */
	int64_t pid;			/* user: of this process only; 0: of all */
	bool throws;			/* user: its file throws exceptions, which a probe on a
					 * return does not survive */
	int n_params;			/* by name from BTF or DWARF, else arg0 .. arg5 */
	int n_spare;			/* the last of them have a second name, arg0 .. arg5 */
	const char *no_names;		/* user: why the parameters have no names; NULL: they have */
	const struct cat_field *params;	/* LOC_FUNCARG, or OPERAND; static probe: LOC_OPERAND */
	const struct cat_field *ret;	/* LOC_FUNCRET; NULL: it returns nothing */
};

/* A function of programs as it is written: "/usr/bin/bash:readline", "libc.so:malloc",
 * "pid:1234:work". */
struct cat_user {
	struct str text;
	const int64_t *pids;		/* of these processes only: a library is theirs */
	int n_pids;
	bool others;			/* and of more that are not known yet */
	bool returns;			/* where it returns is needed, too */
	bool params;			/* and what debug information tells of its parameters: else they
					 * are arg0 .. arg5 and ret, numbers */
	bool probes;			/* a static probe: "/usr/bin/python3:python:gc__start" */
};

/* What every event or call knows by this name is meant, also of a program's function that has a
 * parameter of the same name: what a query means must not depend on whether the debug information
 * is installed. Such a parameter is arg0 .. arg5. */
bool cat_is_reserved(struct str name);

/* A member of a struct or union, found by name through anonymous ones. */
struct cat_member {
	struct type type;
	uint32_t offset;		/* bytes from the begin of the struct */
	uint8_t bit_offset, bit_size;	/* of a bit field: within `type.size` bytes at offset */
	bool via_union;			/* the verifier may see another member there, so that it
					 * cannot be read directly */
};

struct catalog {
	const struct catalog_ops *ops;
	void *self;
};

/* Ways to attach to functions: tried when somebody asks, some by attaching for a moment; and
 * whether the kernel tells what its own functions' probes missed. */
enum cat_can {
	CAN_FENTRY, CAN_KPROBE, CAN_KPROBE_MULTI, CAN_KPROBE_SESSION, CAN_TELL_MISSED,
	CAN_UPROBE, CAN_UPROBE_MULTI, CAN_UPROBE_SESSION
};

enum cat_list { LIST_EVENTS, LIST_SYSCALLS };

struct catalog_ops {
	const char *list_help;		/* which command shows what there is; NULL: `list` */
	/* NULL when there is none. */
	const struct cat_event *(*event)(void *self, struct str system, struct str name);
	const struct cat_syscall *(*syscall)(void *self, struct str name);
	/* The raw events under all system calls: kind CAT_SYSCALL_ENTER or _EXIT. */
	const struct cat_event *(*syscall_event)(void *self, enum cat_kind kind);
	/* Names matching the glob, sorted, "system:name" or "read"; calls each. */
	void (*list)(void *self, enum cat_list what, struct str glob,
		     void (*each)(void *arg, const char *name), void *arg);
	/* Kernel functions whose plain name matches the glob, in this module (n == 0: in
	 * any), that can be traced, sorted; calls each. NULL: no functions here. */
	void (*functions)(void *self, struct str module, struct str glob,
			  void (*each)(void *arg, const struct cat_function *f), void *arg);
	/* NULL: none of them. */
	bool (*can)(void *self, enum cat_can what);
	/* Why there was none, as a sentence; *help may become what to do instead. */
	const char *(*no_function)(void *self, struct str module, struct str glob,
				   const char **help);
	/* Those that match and cannot be traced, by why. NULL: not known here. */
	void (*untraceable)(void *self, struct str module, struct str glob,
			    void (*each)(void *arg, const char *why, const char *name), void *arg);
	/* `functions` for functions and static probes of programs, in order of file and offset. NULL: none here. */
	void (*user_functions)(void *self, const struct cat_user *u,
			       void (*each)(void *arg, const struct cat_function *f), void *arg);
	void (*user_untraceable)(void *self, const struct cat_user *u,
				 void (*each)(void *arg, const char *why, const char *name), void *arg);
	const char *(*no_user_function)(void *self, const struct cat_user *u, const char **help);
	/* The path of a process's program, as a source names it. */
	const char *(*program)(void *self, int64_t pid);
	/* A common field (ppid, ...) that needs this executor's own way: a field
	 * with loc or from_args (an expression over `task`); NULL: the helper
	 * of bpf/cg_common.c does. */
	const struct cat_field *(*common)(void *self, struct str name);

	/* What a recorded event tells of an expression that follows pointers live or goes into
	 * structures: "rq.q.disk.disk_name", "path(file(fd))", "fds[0].events", without blanks
	 * and side. NULL: nothing. call: the event is an end of it; else NULL. told NULL:
	 * pointers can be followed. */
	const struct cat_field *(*told)(void *self, const struct cat_event *event,
					const struct cat_syscall *call, struct str text);
	/* All that begins with the text. */
	void (*list_told)(void *self, const struct cat_event *event,
			  const struct cat_syscall *call, struct str begin,
			  void (*each)(void *arg, const char *text), void *arg);
	/* What kind of thing ("an array") it recorded by that name, of which there are no
	 * values; NULL: none. */
	const char *(*valueless)(void *self, const struct cat_event *event,
				 const struct cat_syscall *call, struct str text);

	/* C types. Numbers are ours to pass back; 0 is none. */
	uint32_t (*struct_type)(void *self, struct str name);
	/* Of the program that a function of this path is of. NULL: none are known. */
	uint32_t (*program_struct)(void *self, const char *path, struct str name);
	bool (*member)(void *self, uint32_t ktype, struct str name, struct cat_member *m);
	/* i-th member, for lists and suggestions; false past the end. */
	bool (*member_at)(void *self, uint32_t ktype, int i, const char **name,
			  struct cat_member *m);
	/* Elements of an ARRAY type: their type, bytes and number. */
	bool (*element)(void *self, uint32_t ktype, struct type *t, uint32_t *bytes,
			uint32_t *n);
	/* What a PTR's ktype is as a value to load: a word, STRUCT, or STRING for char. */
	bool (*pointee)(void *self, uint32_t ktype, struct type *t);
	bool (*enumerator)(void *self, struct str name, int64_t *value, struct type *t);
	const char *(*ktype_name)(void *self, uint32_t ktype);
};

#endif
