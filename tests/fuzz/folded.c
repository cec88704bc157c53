/*
 * fuzz: stacks from hostile files, folded and JSON, into every picture. The first byte
 * says which and whether it is a difference.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/folded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct view_ops *const views[] = {
		&view_folded, &view_svg, &view_html, &view_pprof, &view_speedscope,
	};
	static const struct names names = { 0 };
	unsigned bits = size ? data[0] : 0;
	const struct view_ops *ops = views[(bits & 7) % 5];
	struct type type = { .kind = bits & 8 ? TY_DURATION : TY_INT, .size = 8 };
	char *text = NULL;
	size_t n = 0;
	struct view_options o = {
		.out = open_memstream(&text, &n), .names = &names, .title = "<fuzz>&",
		.diff = bits & 16 ? VIEW_DIFF_QUERIES : VIEW_NO_DIFF, .sides = { "<a>", "\"b\"" },
	};
	struct folded f;
	FILE *in;

	if (size < 2)
		goto out;
	in = fmemopen((void *)(data + 1), size - 1, "r");
	folded_init(&f, ops, ops->open(&o), type, bits & 32 ? 1000000000 : 1);
	f.pairs = (bits & 16) && (bits & 64);
	folded_read(&f, in);
	ops->close(f.view);
	folded_fini(&f);
	fclose(in);
	fflush(o.out);
	/* markup and strings of names are data: no tag begins with what was read */
	if ((ops == &view_svg || ops == &view_html) && memmem(text, n, "<fuzz", 5))
		__builtin_trap();
out:
	fclose(o.out);
	free(text);
	return 0;
}
