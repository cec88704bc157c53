/*
 * child_reader: a process that reads a file for this one, because what reads it (libdw) was not
 * written for files that are anybody's. It has bounded memory and bounded time for each
 * question; when it breaks, that is one sentence here and the run goes on.
 */
#ifndef USER_CHILD_READER_H
#define USER_CHILD_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct child_reader;

/* What the child does. Both run in it: what they change is not seen here. */
struct child_reader_work {
	/* Opens; what answer() gets as self. NULL with *why: why it cannot be read. */
	void *(*begin)(int fd, const char **why);
	/* The answer to one question, of at most CHILD_READER_ANSWER_MOST bytes. */
	void (*answer)(void *self, const char *question, size_t bytes, struct buf *out);
	int most_ms;			/* for one question, and to open */
};
#define CHILD_READER_ANSWER_MOST (16u << 20)

/* Starts one that reads this file; fd stays the caller's. Never NULL. */
struct child_reader *child_reader_start(const struct child_reader_work *work, int fd);
void child_reader_stop(struct child_reader *c);

/* False: no answer, now and later. */
bool child_reader_ask(struct child_reader *c, const void *question, size_t bytes, struct buf *answer);
/* Why, as the end of a sentence about the file's debug information; NULL: it works. */
const char *child_reader_trouble(const struct child_reader *c);

#endif
