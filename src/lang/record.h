/*
 * record: one decoded event, what a reader (made.c, later ctf/) hands to replay/.
 *
 * The programs see the part from `valid` on as their context: word k is there when
 * bit k of valid is set, else the field is none. A catalog field of kind LOC_RECORD
 * is the word of its index. The last words are the common fields, for all events
 * alike. Of a system call word 0 is the number, words 1 to 6 are the arguments, at its
 * return too when the reader saw the entry, and word 7 is what it returned.
 */
#ifndef LANG_RECORD_H
#define LANG_RECORD_H

#include "lang/catalog.h"

enum {
	RECORD_SYSNR = 0, RECORD_SYSARG = 1, RECORD_SYSRET = 7,
	RECORD_FIELDS_MOST = 56,	/* an event's own */
	RECORD_PID = RECORD_FIELDS_MOST, RECORD_TID, RECORD_PPID, RECORD_COMM,
	RECORD_UID, RECORD_GID, RECORD_CGROUP,
	RECORD_WORDS
};

#define RECORD_COMM_BYTES 16
#define RECORD_BIT(word) (1ull << (word))

/* A stack as it was at the event, innermost first. */
struct record_stack {
	int n;				/* -1: it could not be taken */
	const uint64_t *frames;
};

struct record {
	uint64_t time_ns;		/* never less than the one before */
	const struct cat_event *event;	/* NULL: only `lost` is meant */
	uint64_t lost, lost_packets;	/* events and packets of them lost before this one */
	bool gap;			/* events of this CPU are missing: what is open may have
					 * lost its end */
	uint64_t strings;		/* bit k: word k is the address of a text, ended by NUL,
					 * that lives until the event has been run */
	uint32_t cpu;
	const struct record_stack *kstack, *ustack;	/* NULL: there is none */
	/* the context */
	uint64_t valid;
	uint64_t words[RECORD_WORDS];
};

#endif
