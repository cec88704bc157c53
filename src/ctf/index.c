/*
 * index: LTTng's index files, folder/index/NAME.idx beside folder/NAME: where each packet
 * begins, and its times. Used to go near what --begin asks for without touching the packets
 * before, and to tell that a file is missing or shorter than it was; all else is said by the
 * packets themselves, also whether the index lies.
 */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "ctf/impl.h"

#define INDEX_MAGIC 0xc1f1dcc1u
#define ENTRY_BYTES_MOST 4096

struct index_head {			/* all big-endian */
	uint32_t magic, major, minor, entry_bytes;
};

struct index_entry {			/* what is used of one */
	uint64_t at, packet_bits, content_bits, begin, end;
};

static const char *index_path(struct arena *a, const char *path)
{
	const char *name = strrchr(path, '/');

	return name ? arena_printf(a, "%.*s/index%s.idx", (int)(name - path), path, name) : NULL;
}

static bool read_head(FILE *in, struct index_head *h)
{
	return fread(h, sizeof(*h), 1, in) == 1 && be32toh(h->magic) == INDEX_MAGIC &&
	       be32toh(h->major) == 1 && be32toh(h->entry_bytes) >= sizeof(struct index_entry) &&
	       be32toh(h->entry_bytes) <= ENTRY_BYTES_MOST;
}

static bool read_entry(FILE *in, uint32_t bytes, struct index_entry *e)
{
	uint64_t words[ENTRY_BYTES_MOST / 8];

	if (fread(words, bytes, 1, in) != 1)
		return false;
	*e = (struct index_entry){ be64toh(words[0]), be64toh(words[1]), be64toh(words[2]),
				   be64toh(words[3]), be64toh(words[4]) };
	return true;
}

/* Packets stand one behind the other, from the file's begin. */
static bool is_at(const struct index_entry *e, uint64_t at)
{
	return e->at == at && e->packet_bits && !(e->packet_bits % 8);
}

uint64_t index_bytes(struct arena *a, const char *path)
{
	const char *own = index_path(a, path);
	FILE *in = own ? file_stream(own) : NULL;
	struct index_head head;
	struct index_entry e;
	uint64_t at = 0;

	if (!in)
		return 0;
	if (read_head(in, &head))
		while (read_entry(in, be32toh(head.entry_bytes), &e) && is_at(&e, at) &&
		       e.packet_bits / 8 <= INT64_MAX - at)
			at += e.packet_bits / 8;
	fclose(in);
	return at;
}

/* The last packet that ends before begin_ns, *found: there is one; false: entries that
 * cannot be, as packets stand one behind the other. */
static bool search(const struct stream *s, const struct ctf_file *f, FILE *in, int64_t begin_ns,
		   struct index_entry *best, bool *found)
{
	struct index_head head;
	struct index_entry e;
	uint64_t at = 0;
	int64_t ns;

	if (!read_head(in, &head))
		return false;
	while (read_entry(in, be32toh(head.entry_bytes), &e)) {
		if (!is_at(&e, at))
			return false;
		if (e.packet_bits / 8 > f->bytes - at)
			break;		/* cut off, which is said already */
		at += e.packet_bits / 8;
		if (!ctf_clock_ns(s->clock, e.end, &ns) || ns >= begin_ns)
			break;
		*best = e;
		*found = true;
	}
	return true;
}

/* Does the packet that the entry leads to say the same? */
static bool is_true(struct reader *r, struct stream *s, struct ctf_file *f,
		    const struct index_entry *e)
{
	const uint32_t told = 1u << ROLE_TIME | 1u << ROLE_PACKET_END;
	bool noted = f->noted, is;

	f->noted = true;		/* if it is no packet, that is the index's mistake */
	f->next = e->at;
	is = file_peek(r, s->group, s, f) && (f->head.has & told) == told &&
	     f->head.role[ROLE_TIME] == e->begin && f->head.role[ROLE_PACKET_END] == e->end &&
	     f->packet_bytes == e->packet_bits / 8;
	f->noted = noted;
	return is;
}

uint64_t index_begin(struct reader *r, struct stream *s, struct ctf_file *f, int64_t begin_ns)
{
	const char *path = s->clock && f->mapped_bytes ? index_path(&r->arena, f->path) : NULL;
	FILE *in = path ? file_stream(path) : NULL;
	struct index_entry e = { 0 };
	bool found = false, ok;

	if (!in)
		return 0;
	ok = search(s, f, in, begin_ns, &e, &found) && (!found || is_true(r, s, f, &e));
	fclose(in);
	if (!ok && !f->index_noted)
		reader_note(r, "%s does not fit its packets: it is not used", path);
	f->index_noted |= !ok;
	return ok && found ? e.at : 0;
}
