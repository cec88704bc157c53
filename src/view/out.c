/* Writing with errors kept. See out.h. */
#include "view/out.h"

#include <errno.h>

void out_write(struct out *o)
{
	errno = 0;
	if (!o->error && o->line.n && fwrite(o->line.p, 1, o->line.n, o->file) != o->line.n)
		o->error = errno ? -errno : -EIO;
	buf_clear(&o->line);
}

int out_flush(struct out *o)
{
	errno = 0;
	if (!o->error && fflush(o->file))
		o->error = errno ? -errno : -EIO;
	return o->error;
}

int out_close(struct out *o)
{
	int error;

	out_write(o);
	error = out_flush(o);
	buf_fini(&o->line);
	return error;
}
