/* fuzz: any bytes as /proc/kallsyms; then the names of some addresses. */
#include <stdio.h>
#include <stdlib.h>

#include "kern/knames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t addresses[] = { 0, 1, 0xffffffff81000000, 0xffffffff81000123, UINT64_MAX };
	struct knames *k = knames_open(0);
	struct names names = knames_names(k);
	FILE *f = size ? fmemopen((void *)data, size, "r") : NULL;

	if (f) {
		knames_read(k, f);
		fclose(f);
		for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
			struct stack_frame frame = { .address = addresses[i] };

			names.ksym(names.self, addresses[i]);
			knames_frame(k, &frame, false);
			knames_frame(k, &frame, true);
		}
	}
	knames_close(k);
	return 0;
}
