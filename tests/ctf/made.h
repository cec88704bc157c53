/* made: traces of one stream that tests write: a header of 28 bytes, events of 10 and their fields. */
#ifndef TESTS_CTF_MADE_H
#define TESTS_CTF_MADE_H

#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"

/* Up to the events. */
#define MADE_METADATA "/* CTF 1.8 */\n" \
	"typealias integer { size = 16; align = 8; } := u16;" \
	"typealias integer { size = 32; align = 8; } := u32;" \
	"typealias integer { size = 64; align = 8; } := u64;" \
	"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; };" \
	"clock { name = c; }; typealias integer { size = 64; align = 8; map = clock.c.value; } := t64;" \
	"stream { packet.context := struct { t64 timestamp_begin; u64 content_size; u64 packet_size; };" \
	"  event.header := struct { u16 id; t64 timestamp; }; };"

static inline void made_put(struct buf *b, uint64_t v, int bytes)
{
	buf_add(b, &v, (size_t)bytes);
}

static inline void made_packet_begin(struct buf *b, uint64_t time)
{
	made_put(b, 0xc1fc1fc1, 4);
	made_put(b, time, 8);
	made_put(b, 0, 8);
	made_put(b, 0, 8);
}

/* at: the packet's; its sizes in bytes */
static inline void made_packet_end(struct buf *b, size_t at, uint64_t content, uint64_t packet)
{
	content *= 8;
	packet *= 8;
	memcpy(b->p + at + 12, &content, 8);
	memcpy(b->p + at + 20, &packet, 8);
}

static inline void made_event(struct buf *b, uint16_t id, uint64_t time)
{
	made_put(b, id, 2);
	made_put(b, time, 8);
}

static inline void made_write(const char *path, const void *data, size_t bytes)
{
	FILE *f = fopen(path, "we");

	REQUIRE(f && fwrite(data, 1, bytes, f) == bytes);
	fclose(f);
}

/* A folder with the metadata; path: of its stream. */
static inline void made_folder(const char *name, const char *metadata, char folder[256],
			       char stream[300])
{
	const char *tmp = getenv("TMP");

	snprintf(folder, 256, "%s/%s", tmp ? tmp : "/tmp", name);
	mkdir(folder, 0777);
	snprintf(stream, 300, "%s/metadata", folder);
	made_write(stream, metadata, strlen(metadata));
	snprintf(stream, 300, "%s/stream", folder);
}

#endif
