/* How a command ends. See cli/ending.h. */
#include "cli/ending.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "view/format.h"

bool put(struct buf *b)
{
	bool ok = !b->n || fwrite(b->p, 1, b->n, stdout) == b->n;

	buf_clear(b);
	return ok;
}

int put_end(int status)
{
	/* an earlier write's reason is still in errno: nothing but put() comes between */
	int error = fflush(stdout) || ferror(stdout) ? (errno ? errno : EIO) : 0;

	if (!error || error == EPIPE)
		return status;
	fprintf(stderr, "culprit: cannot write: %s\n", strerror(error));
	return status ? status : END_FAILED;
}

void complain(const char *fmt, ...)
{
	struct buf b = { 0 }, clean = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	escape_file(&clean, b.p, (int)b.n);
	fwrite(clean.p, 1, clean.n, stderr);
	buf_fini(&b);
	buf_fini(&clean);
}

int err_print(const struct err *e, int status)
{
	for (int i = e->causes.n - 1; i >= 0; i--)
		complain("%s%s\n", i == e->causes.n - 1 ? "culprit: " : "  because: ",
			 e->causes.v[i]);
	if (e->help)
		complain("help: %s\n", e->help);
	else if (e->unable)
		fputs("help: `culprit doctor` says what this machine can trace\n", stderr);
	return e->unable ? END_UNABLE : status;
}
