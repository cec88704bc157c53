/*
 * window: packets read into memory of their stream, piece by piece, each while it is in a CPU's
 * cache. Mapping each page costs four times as much. Where there is too little memory, and of what
 * is no file, packets are read where they are mapped.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctf/impl.h"

#define WINDOW_BYTES (160u << 10)	/* less than the caches of a CPU; doubled for a larger event */
#define AHEAD_BITS (4096 * 8)		/* most events are shorter */

void window_spare(struct reader *r, void *window)
{
	memcpy(window, &r->spare_windows, sizeof(r->spare_windows));
	r->spare_windows = window;
}

/* Of the usual size: one that another stream has done with, or of the arena, whose pages are
 * huge. */
static void *usual_window(struct reader *r)
{
	void *window = r->spare_windows;

	if (!window)
		return window_alloc(&r->arena);
	memcpy(&r->spare_windows, window, sizeof(r->spare_windows));
	return window;
}

/* Not of malloc, which would keep the memory for other threads' sake. */
static void *large_window(uint64_t bytes)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

static bool window_grow(struct reader *r, struct stream *s, uint64_t bytes)
{
	uint8_t *window;

	if (r->windows_bytes - s->window_bytes + bytes > CTF_WINDOWS_MOST)
		return false;
	window = bytes > WINDOW_BYTES ? large_window(bytes) : usual_window(r);
	if (!window)
		return false;
	if (s->window)
		memcpy(window, s->window, s->window_bytes);
	window_free(r, s);
	r->windows_bytes += bytes;
	s->window = window;
	s->window_bytes = bytes;
	return true;
}

void *window_alloc(struct arena *a)
{
	return arena_alloc(a, WINDOW_BYTES);
}

void window_begin(struct reader *r, struct stream *s)
{
	s->read_on_at = UINT64_MAX;
	s->in_window = s->file->fd >= 0 && (s->window || window_grow(r, s, WINDOW_BYTES));
	if (!s->in_window)
		return;
	s->event_at = s->bits.pos;
	s->bits.mapped_bytes = s->window_at = s->bits.pos / 8;
	s->read_on_at = s->bits.pos;
}

/* Only what is read of the event stays in the window. False: there is no room for more. */
static bool window_move(struct reader *r, struct stream *s)
{
	uint64_t from = s->event_at / 8, there = s->bits.mapped_bytes - from;

	if (there == s->window_bytes)
		return window_grow(r, s, s->window_bytes * 2);
	memmove(s->window, s->window + (from - s->window_at), there);
	s->window_at = from;
	return true;
}

/* The packet's bytes from `got` up to `to`; how far it came. */
static uint64_t window_read(const struct stream *s, uint64_t got, uint64_t to)
{
	ssize_t n = 1;

	while (got < to && n) {
		n = pread(s->file->fd, s->window + (got - s->window_at), to - got,
			  (off_t)(s->packet_at + got));
		if (n < 0 && errno != EINTR)
			break;
		errno = 0;
		got += n > 0 ? (uint64_t)n : 0;
	}
	return got;
}

bool window_read_on(struct reader *r, struct stream *s)
{
	uint64_t to = (s->end + 7) / 8, got;

	if (s->read_on_at == UINT64_MAX)
		return false;
	if (!window_move(r, s)) {
		uint64_t at = s->bits.pos;

		s->bits = file_packet(s);
		s->bits.pos = at;
		s->in_window = false;
		s->read_on_at = UINT64_MAX;
		return true;
	}
	if (to > s->window_at + s->window_bytes)
		to = s->window_at + s->window_bytes;
	got = window_read(s, s->bits.mapped_bytes, to);
	if (got < to) {
		if (!file_is_cut(r, s->file) && !s->file->noted) {
			reader_note(r, "%s, byte %llu cannot be read: %s", s->file->path,
				    (unsigned long long)(s->packet_at + got),
				    errno ? strerror(errno) : "the file ends there");
			s->file->noted = true;
		}
		s->end = got * 8;
	}
	s->bits.base = s->window - s->window_at;
	s->bits.mapped_bytes = got;
	s->bits.end = got * 8 < s->end ? got * 8 : s->end;
	s->read_on_at = s->bits.end == s->end ? UINT64_MAX : s->bits.end - AHEAD_BITS;
	return true;
}

void window_free(struct reader *r, struct stream *s)
{
	if (s->window_bytes > WINDOW_BYTES)
		munmap(s->window, s->window_bytes);
	else if (s->window)
		window_spare(r, s->window);
	r->windows_bytes -= s->window_bytes;
	s->window = NULL;
	s->window_bytes = 0;
}
