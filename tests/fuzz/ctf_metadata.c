/* Metadata as text or JSON, and events read with what it says from bytes that do not fit. */
#include <stdint.h>

#include "ctf/impl.h"

static void read_all(struct ctf *t)
{
	const struct ctf_event *e;
	struct buf out = { 0 };

	for (int i = 0; i < t->n_classes; i++)
		for (int s = 0; s < CTF_SCOPES; s++)
			if (t->classes[i]->scopes[s])
				ctf_print_type(t->classes[i]->scopes[s], &out);
	ctf_begin(t, &(struct ctf_options){ 0 });
	for (int n = 0; n < 1000 && (e = ctf_next(t)); n++) {
		buf_clear(&out);
		ctf_print_event(t, e, &out);
	}
	buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t text = size > 64 ? size - 64 : size;
	struct ctf *t = reader_open_bytes((struct str){ (const char *)data, (int)text },
					  data + text, size - text);

	read_all(t);
	ctf_close(t);
	return 0;
}
