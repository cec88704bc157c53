/* impl: what the parts of the reader share. Public: ctf.h. */
#ifndef CTF_IMPL_H
#define CTF_IMPL_H

#include <signal.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "ctf/ctf.h"

/* Bounds on what a hostile trace can make us do. */
#define CTF_DEPTH_MOST 32		/* types in types */
#define CTF_NODES_MOST 2000000		/* bound types of a trace */
#define CTF_SCOPE_NODES_MOST 100000	/* of one scope */
#define CTF_ALIGN_MOST (1u << 20)
#define CTF_METADATA_MOST (256u << 20)
#define CTF_TYPES_LEAST (64u << 20)	/* bytes that types may take, of however little text */
#define CTF_TYPES_TIMES 4		/* and for each byte of text */
#define CTF_NOTES_MOST 100
#define CTF_WINDOWS_MOST (16u << 20)	/* bytes of packets in memory of our own */

/* What an integer tells about the packet or the event. */
enum ctf_role {
	ROLE_NONE, ROLE_MAGIC, ROLE_UUID, ROLE_STREAM_CLASS, ROLE_STREAM, ROLE_TIME,
	ROLE_PACKET_END, ROLE_CONTENT_SIZE, ROLE_PACKET_SIZE, ROLE_SEQUENCE,
	ROLE_DISCARDED, ROLE_EVENT_CLASS, ROLE_CPU,
	CTF_ROLES
};
#define ROLE_BIT(role) (1u << (role))

#define CTF_LARGE "the types take more memory than metadata of this size may"

/* ---- metadata ---- */

/* What a length or a selector names, until it is bound. */
struct ctf_path {
	int scope;		/* enum ctf_scope, or -1: search outwards from here */
	int up;			/* CTF 2: structures to leave first; -1: search by name */
	const char **parts;
	int n_parts;
};

enum header_form { HEADER_GENERAL, HEADER_COMPACT, HEADER_LARGE };

struct ctf_stream_class {
	struct ctf_trace *trace;
	uint64_t id;
	const char *name;
	struct ctf_type *scopes[CTF_SCOPES];	/* the first four */
	int clock;				/* CTF 2: default clock; else -1 */
	struct ctf_class **by_id;		/* dense: below n_by_id */
	int n_by_id;
	struct map far;				/* larger ids */
	VEC(struct ctf_class *) classes;
	int n_regs, n_class_regs;	/* of packet and header; most of any event */
	enum header_form form;
	int id_reg;			/* of headers that are not general: where the number goes */
	struct ctf_program *packet, *header;
};

static inline const struct ctf_class *stream_class_of_id(const struct ctf_stream_class *s, uint64_t id)
{
	if (id < (uint64_t)s->n_by_id)
		return s->by_id[id];
	return map_get(&s->far, &id, sizeof(id));
}

struct ctf_meta {
	struct arena *arena;
	struct ctf_trace *trace;
	const char *file;		/* for messages */
	bool big_endian;		/* the trace's native order */
	bool has_order;
	struct ctf_type *packet_header;
	struct ctf_program *packet_header_program;
	int n_header_regs;
	VEC(struct ctf_clock) clocks;
	VEC(const char *) clock_ids;
	VEC(struct ctf_env) env;
	VEC(struct ctf_stream_class *) streams;
	VEC(struct ctf_class *) classes;
	VEC(uint64_t) class_streams;	/* the stream class id of each of classes */
	struct map bound;		/* by stream and shared types: the first of their classes */
	VEC(struct ctf_member) members;	/* of structures that are being read, the innermost last */
	char *names;			/* room for names_left bytes of texts */
	size_t names_left;
	size_t text_bytes;
	size_t bytes_most;		/* of the arena, when its types are read or bound */
	int n_most_regs;		/* that any stream needs */
	int nodes;			/* of bound types */
	const char *error;		/* first thing wrong, or NULL */
};

/* Records the first error; returns false. */
bool meta_error(struct ctf_meta *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
struct ctf_type *meta_type(struct ctf_meta *m, enum ctf_kind kind);
struct ctf_type *meta_int(struct ctf_meta *m, uint32_t bits, bool is_signed);
struct ctf_stream_class *meta_stream(struct ctf_meta *m, uint64_t id);	/* finds or adds */
int meta_clock(const struct ctf_meta *m, struct str id);		/* -1: none such */
/* A text that stays, as tightly as it can be. */
const char *meta_text(struct ctf_meta *m, struct str s);
/* Members of `of` are added one by one behind the `from` that meta.members has before, then are its own. */
void meta_member(struct ctf_meta *m, struct ctf_type *of, const char *name,
		 struct ctf_type *type);
void meta_members(struct ctf_meta *m, struct ctf_type *of, int from);
/* A type of which one place is changed. */
struct ctf_type *meta_own(struct arena *a, struct ctf_type **place);
/* From now on its types may take so much memory as its text allows. */
void meta_bound(struct ctf_meta *m);
bool meta_is_large(const struct ctf_meta *m);

/* The text of a metadata file, unpacked from its packets. NULL: *why says why. */
char *metadata_text(struct arena *a, const char *path, size_t *bytes, const char **why,
		    bool *cut);
/* Both keep what came before an error, which is in m->error. */
void tsdl_parse(struct ctf_meta *m, struct str text);
void json_metadata_parse(struct ctf_meta *m, struct str text);

/* Gives every scope of every class a tree of its own, with what it depends on found and
 * registers given out; links classes to their streams. */
void meta_bind(struct ctf_meta *m);

/* ---- programs ---- */

enum ctf_op {
	OP_END, OP_ALIGN, OP_SKIP, OP_INT, OP_VARINT, OP_REAL, OP_ZERO, OP_TEXT, OP_REPEAT,
	OP_LOOP, OP_AGAIN, OP_SWITCH, OP_JUMP, OP_NODE,
};

/* One step of a decoder. */
struct ctf_step {
	uint8_t op;			/* enum ctf_op */
	uint16_t roles;			/* a bit for each enum ctf_role */
	bool plain;			/* INT: little-endian, whole bytes */
	uint32_t align;			/* ALIGN; REPEAT and LOOP: of an element */
	uint64_t bits;			/* SKIP: how many; INT, REAL; REPEAT: an element's */
	uint64_t count;			/* TEXT REPEAT LOOP, where there is no from_reg */
	int reg, slot;			/* where the value goes; -1: nowhere */
	int from_reg;			/* of a length or selector; -1: count */
	int to;				/* LOOP: behind its end; AGAIN: its body; JUMP */
	int depth;			/* LOOP AGAIN: which counter */
	const struct ctf_type *type;
	int *targets;			/* SWITCH: of each member, then of none */
};

struct ctf_wanted {
	enum ctf_scope scope;
	const struct ctf_type *type;
	int slot;
};

/* The decoder of some scopes one behind the other: built once, then run per event. */
struct ctf_program {
	struct ctf_step *steps;		/* to OP_END */
	VEC(struct ctf_wanted) wanted;
	uint64_t modulus, residue;	/* at the end: position == residue mod modulus */
	uint64_t fixed_bits;		/* is_fixed: nothing is read and all are this long */
	bool is_fixed, built;
};

/* Builds p for scopes from..to-1; modulus, residue: what is known of the position. */
void program_build(struct arena *a, struct ctf_program *p, struct ctf_type *const *scopes,
		   int from, int to, uint64_t modulus, uint64_t residue);
struct ctf_program *program_new(struct arena *a);
enum header_form program_header_form(const struct ctf_type *t);
/* Its size, where that is the same wherever it begins; else false. */
bool type_fixed(const struct ctf_type *t, uint64_t *bits);

/* ---- packets ---- */

struct bits {
	const uint8_t *base;	/* of the packet */
	uint64_t pos, end;	/* bits */
	uint64_t mapped_bytes;	/* that can be read from base on */
	const char *wrong;	/* why reading failed, other than by the end; or NULL */
};

struct decoded {		/* roles that were read */
	uint64_t role[CTF_ROLES];
	uint32_t has;		/* bit for each role */
	uint8_t uuid[16];
	uint64_t context_at;	/* where the packet's context begins */
	int role_bits[CTF_ROLES];
};

/* Runs p from b->pos; values: a slot for each wanted. False: it goes past the end or cannot
 * be. */
bool program_run(const struct ctf_program *p, struct bits *b, uint64_t *regs,
		 struct ctf_value *values, struct decoded *d);
uint64_t bits_uint(const struct bits *b, uint64_t at, const struct ctf_type *t);
bool bits_varint(struct bits *b, bool is_signed, uint64_t *v);
/* The number at b->pos, of any size, which is passed. False: it goes past the end. */
bool bits_int(struct bits *b, const struct ctf_type *t, uint64_t *v);
/* Text or bytes of t, of a length that was found before unless it ends with a zero. */
bool bits_text(struct bits *b, const struct ctf_type *t, uint64_t bytes, struct str *s);
bool range_has(const struct ctf_range *r, uint64_t v, bool is_signed);
double bits_real(const struct bits *b, uint64_t at, const struct ctf_type *t);
const struct ctf_member *type_choice(const struct ctf_type *t, uint64_t selector);
unsigned text_unit(const struct ctf_type *t);	/* bytes of a character, or of a part of one */

static inline int64_t sign_extend(uint64_t v, uint32_t bits)
{
	return bits && bits < 64 ? (int64_t)(v << (64 - bits)) >> (64 - bits) : (int64_t)v;
}

#define HEAD_BYTES 128			/* LTTng's heads are shorter */

struct ctf_file {
	const char *path;
	const uint8_t *map;
	uint64_t bytes;
	uint64_t mapped_bytes;		/* 0: somebody else's memory */
	int fd;				/* -1: none, packets are read where they are mapped */
	dev_t device;
	ino_t inode;
	uint64_t next;			/* offset of the packet to come */
	bool has_next, noted, index_noted;
	bool cut_noted;			/* it is shorter than it was */
	struct decoded head;		/* of that packet */
	uint8_t head_bytes[HEAD_BYTES];	/* its first ones; to read them from the file costs a tenth
					 * of the mapping of their page */
	bool is_head_read;		/* they are there, and its head is in them */
	uint64_t packet_bytes, content_bits;
};

struct stream {
	struct ctf_stream pub;		/* first: the two are one */
	struct trace_group *group;
	struct ctf_stream_class *class;
	const struct ctf_clock *clock;	/* NULL: none */
	VEC(struct ctf_file) files;
	uint64_t instance;
	bool has_instance;
	const char *base_name;
	uint64_t *regs;
	struct ctf_value *values, *packet_values;
	struct ctf_event event;		/* as it is handed out */
	struct ctf_file *file;		/* whose packet is being read */
	uint64_t packet_at;		/* offset in the file */
	uint8_t head_bytes[HEAD_BYTES];	/* of it, where packet_values can be; see ctf_file */
	uint8_t *window;		/* memory for a part of it; NULL: none */
	uint64_t window_bytes, window_at;	/* where in the packet it begins */
	bool in_window;			/* else it is read where it is mapped */
	uint64_t read_on_at;		/* bits: from here on more of the packet has to be read */
	uint64_t end;			/* bits: of the packet; those of `bits` are there already */
	struct bits bits;		/* at the event that comes next */
	uint64_t cycles;
	int64_t time_ns, begin_ns;	/* of its next event; where its clock counts ns, of 0 */
	bool counts_ns;
	int64_t latest_ns;		/* of the event before that one; INT64_MIN: there is none */
	bool back_noted;		/* one note of time that goes back is enough */
	uint64_t context_at;		/* of the packet */
	uint64_t event_at;		/* where that one begins */
	const struct ctf_class *next;	/* its class; NULL: the stream is at its end */
	struct decoded last;		/* head of the packet that is being read */
	bool has_last;
	bool is_first;			/* the next event is its packet's first */
	bool noted;			/* one note of a packet that is wrong is enough */
	uint64_t events_done;		/* told to the reader */
};

struct share_note {
	int stream, turn;		/* its number; which of the share's notes */
	const char *text;
};

struct trace_group {			/* folders of one trace, by uuid */
	struct ctf_trace pub;
	struct ctf_meta meta;
	VEC(const char *) folders;
	struct str origin;		/* "hostname:procname:(vpid) " before each event */
	uint64_t metadata_bytes;
	bool is_short;			/* its metadata is not all there, which is said */
};

struct reader {
	struct ctf pub;			/* first */
	struct arena arena;
	VEC(struct trace_group *) groups;
	VEC(struct ctf_trace *) traces;
	VEC(struct ctf_class *) classes;
	VEC(struct stream *) streams;
	VEC(const char *) notes;
	struct ctf_options options;
	int64_t first_ns, last_ns;	/* the range that they ask for */
	struct stream **heap;		/* by time, then number; heap[0] is read now */
	int n_heap;
	int turn;			/* any_order: the stream that is read next */
	struct stream **by_bytes;	/* any_order: the largest first, for shares */
	struct reader *of;		/* a share: whose streams it takes; else NULL */
	int reading;			/* a share: the stream's number */
	VEC(struct share_note) share_notes;
	uint64_t *scratch_regs;		/* for heads of packets that are not read yet */
	struct ctf_value *scratch_values;
	int n_scratch_regs, n_scratch_values;
	bool given;			/* event is of heap[0], which has to go on */
	uint64_t given_at;		/* in its packet: the event's contexts and fields */
	int n_fds;			/* that files have */
	int n_refused;			/* files that are not read */
	uint64_t windows_bytes;		/* of all windows */
	void *spare_windows;		/* of the usual size, each begins with the next; or NULL */
	struct sigaction old_bus;
};

/* A trace of one stream that is in memory; data must stay until ctf_close. */
struct ctf *reader_open_bytes(struct str metadata, const void *data, uint64_t bytes);
/* From here to unwatch mapped pages that a file lost read as zeros, in the whole process. */
void reader_watch(struct reader *r);
void reader_unwatch(struct reader *r);
void reader_note(struct reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void reader_keep_note(struct reader *r, const char *text);
/* For progress: bytes of the stream were read, and its events since then. */
void reader_add_done(struct reader *r, struct stream *s, uint64_t bytes);

/* share.c */
/* any order: the next stream that is this reader's, NULL: all are taken */
struct stream *reader_take_stream(struct reader *r);

/* file.c: the heads of packets */
/* A descriptor, or -1 with errno: never waits, as the open of a pipe would. */
int file_open(const char *path);
/* The same to read; NULL: it is no file either. */
FILE *file_stream(const char *path);
/* Maps a file of the trace and adds it to the stream that it belongs to. bytes: what its index tells
 * of its size; 0: nothing. */
void reader_add_file(struct reader *r, struct trace_group *g, const char *path,
		     const char *base_name, uint64_t bytes);
/* The same with a file that is in memory already. */
void reader_add_bytes(struct reader *r, struct trace_group *g, struct ctf_file f,
		      const char *base_name);
void file_close(struct reader *r, struct ctf_file *f);
/* The packet that the stream is in, where it is mapped. */
struct bits file_packet(const struct stream *s);
/* Memory of one stream: no other thread writes near it, into the same line of a cache. */
void *stream_alloc(struct arena *a, size_t bytes);
/* Reads the head of the packet at file->next; false: the file is at its end. */
bool file_peek(struct reader *r, struct trace_group *g, struct stream *s, struct ctf_file *f);
/* Into that packet: its head is read again, for the registers and values that hold while its
 * events are read; s->bits are behind it. */
bool file_enter(struct stream *s, struct ctf_file *f, struct decoded *d);
/*
 * Is the file shorter than it was when it was mapped? Then it has its note. What is missing
 * reads as zeros, so that is asked where zeros are, or where what was read is wrong.
 */
bool file_is_cut(struct reader *r, struct ctf_file *f);
/* The uuid, the stream class, and in *b what is behind header and context. */
bool packet_head(struct trace_group *g, struct ctf_stream_class **class, struct bits *b,
		 uint64_t *regs, struct ctf_value *values, struct decoded *d, const char **why);

/* index.c: how many bytes of packets the file of this path had when its index was written; 0: it
 * has none */
uint64_t index_bytes(struct arena *a, const char *path);
/* the last packet before begin_ns, as far as an index tells; else 0. */
uint64_t index_begin(struct reader *r, struct stream *s, struct ctf_file *f, int64_t begin_ns);

/* window.c */
/* The packet that bits are of is read into the stream's window, from bits.pos on, if it can. */
void window_begin(struct reader *r, struct stream *s);
/* Keeps the event at event_at. False: all of the packet that the file has is there. */
bool window_read_on(struct reader *r, struct stream *s);
void window_free(struct reader *r, struct stream *s);
/* One of the usual size, and gives it to the reader. */
void *window_alloc(struct arena *a);
void window_spare(struct reader *r, void *window);

/* stream.c: from packet to packet, from event to event */
void stream_rewind(struct reader *r, struct stream *s);
/* To the next event: its class, time and body; false: none. */
bool stream_advance(struct reader *r, struct stream *s);
/* What was read of its packet is wrong: the rest of it is left out. */
void stream_give_up(struct reader *r, struct stream *s, const char *why);
/* Reads what is wanted of the event; false: it is broken or not asked for. */
bool stream_take(struct reader *r, struct stream *s);
/* False: it does not fit in 64 bits. */
bool ctf_clock_ns(const struct ctf_clock *c, uint64_t cycles, int64_t *ns);

#endif
