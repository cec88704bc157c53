/*
 * ctf: traces in the Common Trace Format, 1.8 (TSDL) and 2 (JSON), as LTTng and
 * babeltrace write them.
 *
 * ctf_open finds every trace below a path and reads its metadata. What the reader of a
 * trace wants is said per event class with ctf_want; then ctf_next hands out the events,
 * the streams merged in order of time (equal times: in order of stream number). Files are
 * mapped and decoded in place: only wanted fields are read, the rest is skipped, and
 * memory does not grow with the trace.
 *
 *	struct ctf *t = ctf_open(&err, path);
 *	for each class c of t->classes: slot[c->number] = ctf_want(c, CTF_PAYLOAD, "tid");
 *	ctf_begin(t, &(struct ctf_options){ 0 });
 *	while ((e = ctf_next(t)))
 *		use(ctf_value(e, slot[e->class->number]));
 *	ctf_close(t);
 *
 * A trace is hostile input: what can be read is read; what was wrong is in t->notes, one
 * line for each kind of thing and place.
 */
#ifndef CTF_CTF_H
#define CTF_CTF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* ---- types of fields ---- */

enum ctf_kind {
	CTF_UINT, CTF_SINT,	/* also enumerations: with labels */
	CTF_REAL,
	CTF_TEXT,		/* strings, and arrays and sequences of characters */
	CTF_BLOB,
	CTF_ARRAY,		/* fixed length, or the length of a field before it */
	CTF_STRUCT,
	CTF_VARIANT,		/* one of its members */
	CTF_OPTION,		/* its one member, or nothing */
	CTF_KINDS
};

/* low..high of the selector or the enumeration; signed where its integer is. */
struct ctf_range {
	uint64_t low, high;
};

struct ctf_label {
	const char *name;
	struct ctf_range range;
};

enum ctf_encoding { CTF_UTF8, CTF_UTF16BE, CTF_UTF16LE, CTF_UTF32BE, CTF_UTF32LE };

struct ctf_type;

struct ctf_member {
	const char *name;		/* as shown: without LTTng's underscore */
	const char *raw_name;		/* as in the metadata */
	struct ctf_type *type;
	const struct ctf_range *ranges;	/* of variants and options: when it is there */
	int n_ranges;
	int name_bytes;
};

#define CTF_NO_REGISTER (-1)

struct ctf_type {
	enum ctf_kind kind;
	uint32_t bits;			/* of integers and reals; 0: LEB128 */
	uint32_t align_bits;
	uint8_t base;			/* integers are shown as: 2 8 10 16 */
	bool big_endian;
	bool reversed;			/* bit order is not the byte order's usual one */
	bool is_enum, is_bool, is_flags;
	bool is_char;			/* an array of it is text */
	bool until_zero;		/* TEXT: ends with a zero, has no length */
	uint8_t encoding;		/* of TEXT: enum ctf_encoding */
	bool hidden;			/* tells about the packet or event: not shown as a field */
	bool shared;			/* it may be in several places: who changes it makes a copy */
	uint16_t roles;			/* a bit for each enum ctf_role */
	int reg;			/* an integer that a later field depends on */
	int from_reg;			/* length of TEXT BLOB ARRAY; selector of VARIANT OPTION */
	bool from_signed;		/* the selector is signed */
	uint64_t count;			/* fixed length */
	struct ctf_type *element;
	struct ctf_member *members;
	int n_members;
	struct ctf_label *labels;
	int n_labels;
	int clock;			/* of an integer that tells the time; -1 */
	void *unbound;			/* the name of what it depends on, until it is bound */
};

/* What an optional has when it is there; any other type is that itself. */
static inline const struct ctf_type *ctf_present(const struct ctf_type *t)
{
	while (t && t->kind == CTF_OPTION)
		t = t->members[0].type;
	return t;
}

/* ---- what is in a trace ---- */

enum ctf_scope {
	CTF_PACKET_HEADER, CTF_PACKET_CONTEXT, CTF_EVENT_HEADER, CTF_STREAM_CONTEXT,
	CTF_EVENT_CONTEXT, CTF_PAYLOAD,
	CTF_SCOPES
};

struct ctf_clock {
	const char *name, *description;
	uint64_t frequency;
	int64_t offset_s;
	uint64_t offset_cycles;
	bool is_absolute;		/* since 1970 */
};

struct ctf_trace;
struct ctf_stream_class;
struct ctf_program;

/* An event class: sched_switch of one channel of one trace. */
struct ctf_class {
	const struct ctf_trace *trace;
	struct ctf_stream_class *of;	/* the reader's own */
	int number;			/* in ctf.classes */
	uint64_t id;
	const char *name;
	int64_t log_level;		/* -1: none */
	struct ctf_type *scopes[CTF_SCOPES];	/* structs or NULL; those of the stream too */
	struct ctf_program *wants;	/* what is wanted of it; NULL: nothing */
	struct ctf_program *bare;	/* passes over an event; of all classes of these types */
	const struct ctf_program *program;	/* that of the two that is run */
	bool is_skipped;		/* set before ctf_begin: ctf_next leaves it out, but for
					 * a packet's first event, which tells what was lost and
					 * has no values */
};

struct ctf_env {
	const char *name, *text;	/* an integer's text, too */
	bool is_int;
};

struct ctf_trace {
	const char *path;		/* the folder of its metadata */
	int version;			/* 1 or 2 */
	bool has_uuid;
	uint8_t uuid[16];
	struct ctf_env *env;
	int n_env;
	struct ctf_clock *clocks;
	int n_clocks;
	struct ctf_stream_class **stream_classes;
	int n_stream_classes;
	struct ctf_meta *meta;		/* the reader's own */
};

/* What one file or ring of files, one CPU of one channel, holds. */
struct ctf_stream {
	const struct ctf_trace *trace;
	struct ctf_stream_class *class;	/* NULL: no packet of it could be read */
	const char *path;		/* of its first file */
	int number;
	int cpu;			/* of the present packet; -1: not told */
	int64_t packet_ns;		/* from then on it has events */
	uint64_t events, packets, bytes;
	int64_t last_ns;		/* of its last event; INT64_MIN: none */
	uint64_t discarded_events, discarded_packets;
	/* before its first packet, as that tells: what a ring has overwritten, or an earlier chunk has;
	 * of a reading with begin_ns, before the first that is read */
	uint64_t earlier_events, earlier_packets;
	bool known_discarded;		/* its packets have the counter */
};

/* ---- values ---- */

struct ctf_value {
	bool has;
	enum ctf_kind kind;
	union {
		uint64_t u;
		int64_t i;
		double r;
		struct str text;	/* TEXT and BLOB: in the mapped file, valid until ctf_next */
		uint64_t at_bit;	/* ARRAY STRUCT VARIANT OPTION: see ctf_print_value */
	};
	const struct ctf_type *type;
};

struct ctf_event {
	const struct ctf_class *class;
	const struct ctf_stream *stream;
	int64_t time_ns;		/* since 1970, where the clock is absolute */
	bool has_time;
	const struct ctf_value *values, *packet_values;
};

/* ---- the reader ---- */

struct ctf {
	struct ctf_trace **traces;
	int n_traces;
	struct ctf_class **classes;
	int n_classes;
	struct ctf_stream **streams;
	int n_streams;
	const char **notes;		/* what could not be read, and what follows from it */
	int n_notes;
	uint64_t bytes, bytes_done, events_done;	/* for progress, packet by packet */
};

struct ctf_options {
	bool has_begin, has_end;
	int64_t begin_ns, end_ns;	/* events of begin_ns <= time <= end_ns */
	bool any_order;			/* stream by stream: faster */
};

/* NULL and e filled: nothing below path can be read as a trace. */
struct ctf *ctf_open(struct err *e, const char *path);
void ctf_close(struct ctf *t);

/*
 * Makes the field part of what ctf_next reads: a slot for ctf_value, or -1: the class has
 * no such field. name: members with dots between ("network_header.ipv4.saddr"), with or
 * without LTTng's underscore. Before ctf_begin.
 */
int ctf_want(struct ctf *t, struct ctf_class *c, enum ctf_scope scope, const char *name);
/* The type behind such a name, or NULL. */
const struct ctf_type *ctf_field(const struct ctf_class *c, enum ctf_scope scope,
				 const char *name);

/* From the first event on; may be called again. */
void ctf_begin(struct ctf *t, const struct ctf_options *o);
/* The next event, valid until the next call, or NULL at the end. */
const struct ctf_event *ctf_next(struct ctf *t);
/* What ctf_next gave last; NULL: nothing. */
const struct ctf_event *ctf_given(const struct ctf *t);

#define CTF_PACKET_SLOT 0x10000	/* slots from here on are the packet's */

static inline const struct ctf_value *ctf_value(const struct ctf_event *e, int slot)
{
	static const struct ctf_value none;

	if (slot < 0)
		return &none;
	return slot < CTF_PACKET_SLOT ? &e->values[slot] : &e->packet_values[slot - CTF_PACKET_SLOT];
}

/*
 * A reader of the same events for another thread, after ctf_begin with any_order: it hands
 * out all events of the streams that it takes, the largest first, until each stream was
 * taken by one. Only ctf_next of it, and no ctf_next of t until ctf_unshare, which is called
 * when they have ended: what t counts and notes is then that of all, and t is at its end.
 */
struct ctf *ctf_share(struct ctf *t);
void ctf_unshare(struct ctf *t, struct ctf *const *shares, int n);

/* The elements of an array of integers of the event that ctf_next gave last, at most so many:
 * how many. 0: it is empty, or no such array. */
int ctf_integers(const struct ctf *t, const struct ctf_value *v, uint64_t *to, int most);

/* ---- text ---- */

/* TEXT of any encoding, without its end, as UTF-8; what is none becomes U+FFFD. */
void ctf_text_utf8(const struct ctf_type *t, struct str text, struct buf *out);

/* The whole event, one line, as babeltrace2 --no-delta --clock-seconds prints it. */
void ctf_print_event(struct ctf *t, const struct ctf_event *e, struct buf *out);
/* The same as JSON: {"time":NS or null,"event":..,"origin":"HOST:PROCESS:(PID)","packet":{},
 * "context":{},"fields":{}}. escape adds text as the inside of a JSON string. */
typedef void ctf_escape(struct buf *out, const char *text, int n);
void ctf_json_event(struct ctf *t, const struct ctf_event *e, ctf_escape *escape, struct buf *out);
/* One value of the event that ctf_next gave last: also of a structure, an array. */
void ctf_print_value(struct ctf *t, const struct ctf_value *v, struct buf *out);
/* "int32", "text", "array of uint64", "struct { ... }". */
void ctf_print_type(const struct ctf_type *type, struct buf *out);
/* The text that the environment has for the name, or NULL. */
const char *ctf_env(const struct ctf_trace *trace, const char *name);

#endif
