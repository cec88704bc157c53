/*
 * ending: how a command ends: its exit status, what it wrote, and why it failed.
 */
#ifndef CLI_ENDING_H
#define CLI_ENDING_H

#include "base/buf.h"
#include "base/err.h"

enum ending {
	END_DONE,
	END_FAILED,	/* while running */
	END_WRONG,	/* the command line or the query */
	END_UNABLE,	/* this machine can't: culprit doctor says why */
};

/* Writes b to standard output and empties it; false when that failed. */
bool put(struct buf *b);
/* Flushes standard output at the end of a command; its status. */
int put_end(int status);
/* To standard error; what a terminal would obey, of words of the command line, is escaped. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The chain of causes for standard error, once. Returns the exit status it means. */
int err_print(const struct err *e, int status);

#endif
