/* Texts that the binary carries compressed: see packed.h. */
#include <assert.h>
#include <zlib.h>

#include "base/packed.h"

#define GZIP_WINDOW (15 + 16)

void packed_read(const struct packed *packed, char *text)
{
	z_stream z = {
		.next_in = (Bytef *)packed->p, .avail_in = packed->n,
		.next_out = (Bytef *)text, .avail_out = packed->text_bytes,
	};
	int code = inflateInit2(&z, GZIP_WINDOW);

	if (code == Z_OK)
		code = inflate(&z, Z_FINISH);
	assert(code == Z_STREAM_END && !z.avail_out);
	inflateEnd(&z);
}
