/*
 * out: where a view writes: a line that is built up, then written whole. A write
 * that failed is remembered and told at the next flush; nothing is written
 * after it.
 */
#ifndef VIEW_OUT_H
#define VIEW_OUT_H

#include <stdio.h>

#include "base/buf.h"

struct out {
	FILE *file;
	struct buf line;
	int error;			/* -errno of the first write that failed */
};

void out_write(struct out *o);		/* the line, and clears it */
int out_flush(struct out *o);		/* 0 or -errno */
int out_close(struct out *o);		/* flushes and frees; the file stays open */

#endif
