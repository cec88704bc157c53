/*
 * Packets of any bytes under the metadata of the seeds of ctf_metadata: the first byte
 * chooses. Events are read with some fields wanted and printed whole.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctf/impl.h"

static struct str metadata(int which)
{
	static struct str texts[2];
	static const char *const names[] = {
		"tests/fuzz/corpus/ctf_metadata/tsdl", "tests/fuzz/corpus/ctf_metadata/json",
	};
	size_t bytes;
	const char *why;
	bool cut;

	if (!texts[which].p) {
		static struct arena a;

		texts[which].p = metadata_text(&a, names[which], &bytes, &why, &cut);
		if (!texts[which].p)
			abort();
		texts[which].n = (int)bytes;
	}
	return texts[which];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ctf_event *e;
	struct buf out = { 0 };
	struct ctf *t;

	if (!size)
		return 0;
	t = reader_open_bytes(metadata(data[0] & 1), data + 1, size - 1);
	for (int i = 0; data[0] & 2 && i < t->n_classes; i++) {
		ctf_want(t, t->classes[i], CTF_PAYLOAD, "s");
		ctf_want(t, t->classes[i], CTF_PAYLOAD, "v");
		ctf_want(t, t->classes[i], CTF_PAYLOAD, "n");
		ctf_want(t, t->classes[i], CTF_PACKET_CONTEXT, "cpu_id");
	}
	ctf_begin(t, &(struct ctf_options){ .any_order = data[0] & 4 });
	while ((e = ctf_next(t))) {
		buf_clear(&out);
		ctf_print_event(t, e, &out);
		for (int i = 0; e->class->program->wanted.n > i; i++)
			ctf_print_value(t, ctf_value(e, i), &out);
	}
	buf_fini(&out);
	ctf_close(t);
	return 0;
}
