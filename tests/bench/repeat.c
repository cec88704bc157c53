/*
 * repeat: a long trace out of a short one.
 *
 *	repeat TRACE OUT TIMES
 *
 * Writes a trace of LTTng TIMES times one behind the other into the new folder OUT: each
 * packet again, later by a multiple of 2^32 ns, so that the low bits of time that its
 * events have stay as they are. Times that are whole are moved.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ctf/impl.h"

/* Of a packet: its context's 64-bit words begin, end, content and packet bits, number. */
enum { CONTEXT_AT = 32, BEGIN_AT = CONTEXT_AT, END_AT = CONTEXT_AT + 8, SIZE_AT = CONTEXT_AT + 24,
       NUMBER_AT = CONTEXT_AT + 32 };

struct file {
	const struct ctf_file *from;
	VEC(uint64_t) times;			/* where events have their whole time */
};

static uint64_t load(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void move(uint8_t *p, uint64_t by)
{
	uint64_t v = load(p) + by;

	memcpy(p, &v, sizeof(v));
}

/* Notes the event that s is at if its header is of the long form. */
static void note_time(struct arena *a, struct file *f, const struct stream *s)
{
	const uint8_t *header = s->bits.base + s->event_at / 8;
	bool large = s->class->form == HEADER_LARGE;

	if (large ? header[0] == 255 && header[1] == 255 : (header[0] & 31) == 31)
		vec_push(a, &f->times, s->packet_at + s->event_at / 8 + (large ? 6 : 5));
}

/* The time of all packets, which are open before their first event and after their last. */
static void widen(const struct ctf_file *f, uint64_t *first, uint64_t *last)
{
	for (uint64_t at = 0; at < f->bytes; at += load(f->map + at + SIZE_AT) / 8) {
		uint64_t begin = load(f->map + at + BEGIN_AT), end = load(f->map + at + END_AT);

		*first = begin < *first ? begin : *first;
		*last = end > *last ? end : *last;
	}
}

static void write_file(const struct file *f, const char *path, uint64_t shift, int times)
{
	uint8_t *copy = xmalloc(f->from->bytes);
	FILE *out = fopen(path, "we");
	uint64_t n = 0;

	if (!out) {
		perror(path);
		exit(1);
	}
	memcpy(copy, f->from->map, f->from->bytes);
	for (uint64_t at = 0; at < f->from->bytes; at += load(copy + at + SIZE_AT) / 8)
		n++;
	for (int i = 0; i < times; i++) {
		fwrite(copy, 1, f->from->bytes, out);
		for (uint64_t at = 0; at < f->from->bytes; at += load(copy + at + SIZE_AT) / 8) {
			move(copy + at + BEGIN_AT, shift);
			move(copy + at + END_AT, shift);
			move(copy + at + NUMBER_AT, n);
		}
		for (int k = 0; k < f->times.n; k++)
			move(copy + f->times.v[k], shift);
	}
	if (fclose(out)) {
		perror(path);
		exit(1);
	}
	free(copy);
}

static void copy_metadata(const char *folder, const char *out)
{
	char command[4096];

	snprintf(command, sizeof(command), "cp '%s/metadata' '%s/'", folder, out);
	if (mkdir(out, 0777) || system(command)) {
		perror(out);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	struct arena a = { 0 };
	struct ctf *t = argc == 4 ? ctf_open(&e, argv[1]) : NULL;
	struct reader *r = (struct reader *)t;
	uint64_t first = UINT64_MAX, last = 0;

	if (!t) {
		fprintf(stderr, "usage: repeat TRACE OUT TIMES\n");
		return 2;
	}
	struct file *files = arena_array(&a, struct file, t->n_streams + 1);

	ctf_begin(t, &(struct ctf_options){ 0 });
	while (ctf_next(t)) {
		const struct stream *s = r->heap[0];

		files[s->pub.number].from = &s->files.v[0];
		note_time(&a, &files[s->pub.number], s);
	}
	for (int i = 0; i < t->n_streams; i++)
		if (files[i].from)
			widen(files[i].from, &first, &last);
	copy_metadata(t->traces[0]->path, argv[2]);
	for (int i = 0; i < t->n_streams; i++) {
		const char *name = r->streams.v[i]->base_name;

		if (files[i].from)
			write_file(&files[i], arena_printf(&a, "%s/%s", argv[2], name),
				   (((last - first) >> 32) + 1) << 32, atoi(argv[3]));
	}
	arena_fini(&a);
	ctf_close(t);
	return 0;
}
