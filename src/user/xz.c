/*
 * Unpacking with bounds: some kilobytes can stand for gigabytes.
 */
#include "user/xz.h"
#include "base/arena.h"

#include <lzma.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PACKED_BYTES_MOST (32u << 20)
#define UNPACKED_BYTES_MOST (64u << 20)
#define MEMORY_BYTES_MOST (64u << 20)	/* of the decoder: its dictionary */
#define PIECE (1u << 16)

/* False: damaged, too large, or no memory for the file. */
static bool unpack(const char *packed, size_t n, int to)
{
	lzma_stream s = LZMA_STREAM_INIT;
	uint8_t *piece = xmalloc(PIECE);
	uint64_t unpacked = 0;
	lzma_ret r = lzma_stream_decoder(&s, MEMORY_BYTES_MOST, 0);

	s.next_in = (const uint8_t *)packed;
	s.avail_in = n;
	while (r == LZMA_OK) {
		ssize_t got;

		s.next_out = piece;
		s.avail_out = PIECE;
		r = lzma_code(&s, LZMA_FINISH);
		got = (ssize_t)(PIECE - s.avail_out);
		unpacked += (uint64_t)got;
		if (unpacked > UNPACKED_BYTES_MOST || write(to, piece, (size_t)got) != got)
			r = LZMA_MEMLIMIT_ERROR;
	}
	lzma_end(&s);
	free(piece);
	return r == LZMA_STREAM_END;
}

int xz_open(const struct elf_file *m, const Elf64_Shdr *s)
{
	char *packed = s ? elf_file_copy(m, s->sh_offset, s->sh_size, PACKED_BYTES_MOST) : NULL;
	int fd = packed ? memfd_create("debugdata", MFD_CLOEXEC) : -1;

	if (fd >= 0 && !unpack(packed, s->sh_size, fd)) {
		close(fd);
		fd = -1;
	}
	free(packed);
	return fd;
}
