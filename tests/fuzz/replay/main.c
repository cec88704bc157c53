/* The inputs that are named, each given once to a fuzz target: what was found stays mended. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "re");
		static uint8_t bytes[1 << 20];
		size_t n = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
		uint8_t *exact = malloc(n + !n);	/* a read past its end is found */

		if (!f || !exact) {
			perror(argv[i]);
			return 1;
		}
		fclose(f);
		for (size_t k = 0; k < n; k++)
			exact[k] = bytes[k];
		printf("%s\n", argv[i]);
		fflush(stdout);
		LLVMFuzzerTestOneInput(exact, n);
		free(exact);
	}
	return 0;
}
