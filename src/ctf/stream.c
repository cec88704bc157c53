/* One stream: the next packet of its files, the next event of its packet. */
#include <string.h>

#include "base/clock.h"
#include "ctf/impl.h"

/* ---- time ---- */

/* A time of `bits` bits is the low part of a clock that only goes forward. */
static inline uint64_t forward(uint64_t cycles, uint64_t v, int bits)
{
	uint64_t mask = bits >= 64 ? ~0ull : (1ull << bits) - 1;
	uint64_t next = (cycles & ~mask) | (v & mask);

	return next < cycles && bits < 64 ? next + mask + 1 : next;
}

/* ---- packets ---- */

/* Which of two packets is earlier, by what they tell. */
static bool is_before(const struct decoded *a, const struct decoded *b)
{
	uint32_t both = a->has & b->has;

	if (both & 1u << ROLE_TIME && a->role[ROLE_TIME] != b->role[ROLE_TIME])
		return a->role[ROLE_TIME] < b->role[ROLE_TIME];
	return both & 1u << ROLE_SEQUENCE && a->role[ROLE_SEQUENCE] < b->role[ROLE_SEQUENCE];
}

/* Snapshots that overlap have the same packet in several files. */
static bool is_same(const struct decoded *a, const struct decoded *b)
{
	const uint32_t told = 1u << ROLE_TIME | 1u << ROLE_PACKET_END | 1u << ROLE_SEQUENCE;
	uint32_t both = a->has & b->has & told;

	for (int i = 0; i < CTF_ROLES; i++)
		if (both & 1u << i && a->role[i] != b->role[i])
			return false;
	return both & (1u << ROLE_TIME | 1u << ROLE_SEQUENCE);
}

static struct ctf_file *earliest(struct stream *s)
{
	struct ctf_file *best = NULL;

	for (int i = 0; i < s->files.n; i++) {
		struct ctf_file *f = &s->files.v[i];

		if (f->has_next && (!best || is_before(&f->head, &best->head)))
			best = f;
	}
	return best;
}

/* What the counters of two packets in a row say was lost between them. */
static void count_lost(struct stream *s, const struct decoded *d)
{
	const struct decoded *last = s->has_last ? &s->last : NULL;
	int bits = d->role_bits[ROLE_DISCARDED];
	uint64_t lost;

	if (d->has & 1u << ROLE_DISCARDED) {
		s->pub.known_discarded = true;
		lost = d->role[ROLE_DISCARDED];
		if (last)
			lost -= last->role[ROLE_DISCARDED];
		if (bits < 64)
			lost &= (1ull << bits) - 1;
		/* the stream is older than what was recorded of it */
		if (!last && d->has & 1u << ROLE_SEQUENCE && d->role[ROLE_SEQUENCE])
			s->pub.earlier_events = lost;
		else
			s->pub.discarded_events += lost;
	}
	if (!last && d->has & 1u << ROLE_SEQUENCE)
		s->pub.earlier_packets = d->role[ROLE_SEQUENCE];
	if (last && d->has & 1u << ROLE_SEQUENCE &&
	    d->role[ROLE_SEQUENCE] > last->role[ROLE_SEQUENCE])
		s->pub.discarded_packets += d->role[ROLE_SEQUENCE] - last->role[ROLE_SEQUENCE] - 1;
}

static bool role_ns(const struct stream *s, const struct decoded *d, enum ctf_role role,
		    int64_t *ns)
{
	return s->clock && d->has & 1u << role && ctf_clock_ns(s->clock, d->role[role], ns);
}

static bool is_before_range(const struct reader *r, const struct stream *s, const struct decoded *d)
{
	int64_t ns;

	return r->options.has_begin && role_ns(s, d, ROLE_PACKET_END, &ns) &&
	       ns < r->options.begin_ns;
}

static bool is_behind_range(const struct reader *r, const struct stream *s, const struct decoded *d)
{
	int64_t ns;

	return r->options.has_end && role_ns(s, d, ROLE_TIME, &ns) && ns > r->options.end_ns;
}

static bool enter(struct reader *r, struct stream *s, struct ctf_file *f)
{
	struct decoded d;

	if (f->next >= f->bytes)
		return false;		/* cut off since it was peeked at */
	if (!file_enter(s, f, &d)) {
		file_is_cut(r, f);
		return false;
	}
	if (d.has & 1u << ROLE_TIME)
		s->cycles = forward(s->cycles, d.role[ROLE_TIME], d.role_bits[ROLE_TIME]);
	/* buffers are made before tracing begins */
	if (!s->packet_at || !role_ns(s, &d, ROLE_TIME, &s->pub.packet_ns))
		s->pub.packet_ns = INT64_MIN;
	s->context_at = d.context_at;
	s->pub.cpu = d.has & 1u << ROLE_CPU ? (int)d.role[ROLE_CPU] : -1;
	s->pub.packets++;
	s->is_first = true;
	window_begin(r, s);
	return true;
}

/* Goes into the packet unless it was read already or nobody asks for it. */
static bool try_packet(struct reader *r, struct stream *s, struct ctf_file *f)
{
	bool wanted = !is_before_range(r, s, &f->head);

	if (s->has_last && is_same(&f->head, &s->last))
		return false;
	if (wanted)
		count_lost(s, &f->head);
	s->last = f->head;
	s->has_last = true;
	return wanted && enter(r, s, f);
}

static __attribute__((noinline)) bool next_packet(struct reader *r, struct stream *s)
{
	struct ctf_file *f;
	bool ok = false;

	s->bits.pos = s->bits.end = 0;
	s->read_on_at = UINT64_MAX;
	while (!ok && (f = earliest(s))) {
		/* Of a file that is in order all is behind what is. */
		uint64_t bytes = f->bytes > f->next && is_behind_range(r, s, &f->head) ?
				 f->bytes - f->next : f->packet_bytes;

		ok = bytes == f->packet_bytes && try_packet(r, s, f);
		reader_add_done(r, s, bytes);
		f->next += bytes;
		file_peek(r, s->group, s, f);
	}
	if (!ok)
		window_free(r, s);
	return ok;
}

void stream_rewind(struct reader *r, struct stream *s)
{
	s->pub.events = s->pub.packets = s->events_done = 0;
	s->pub.last_ns = INT64_MIN;
	s->pub.discarded_events = s->pub.discarded_packets = 0;
	s->pub.earlier_events = s->pub.earlier_packets = 0;
	s->pub.known_discarded = false;
	s->pub.cpu = -1;
	s->has_last = false;
	s->counts_ns = s->clock && s->clock->frequency == NS_PER_S &&
		       ctf_clock_ns(s->clock, 0, &s->begin_ns);
	s->cycles = 0;
	s->latest_ns = INT64_MIN;
	s->bits = (struct bits){ 0 };
	s->end = 0;
	s->read_on_at = UINT64_MAX;
	window_free(r, s);
	for (int i = 0; i < s->files.n; i++) {
		struct ctf_file *f = &s->files.v[i];

		f->next = r->options.has_begin ? index_begin(r, s, f, r->options.begin_ns) : 0;
		reader_add_done(r, s, f->next);
		file_peek(r, s->group, s, f);
	}
}

/* Was what was read so far of the packet there? Not when its file was cut off meanwhile. */
static __attribute__((noinline)) bool is_whole(struct reader *r, struct stream *s)
{
	const struct ctf_file *f = s->file;
	uint64_t left;

	if (!file_is_cut(r, s->file) || s->in_window)
		return true;
	left = f->bytes > s->packet_at ? f->bytes - s->packet_at : 0;
	if (s->bits.mapped_bytes > left)
		s->bits.mapped_bytes = left;
	if (s->end > left * 8)
		s->end = left * 8;
	if (s->bits.end > s->end)
		s->bits.end = s->end;
	return s->bits.pos <= s->end;
}

/* Does its packet end where the file was cut off, which the file's note says? */
static bool ends_at_cut(struct reader *r, const struct stream *s)
{
	const struct ctf_file *f = s->file;

	return file_is_cut(r, s->file) ||
	       ((f->noted || f->cut_noted) && s->packet_at + s->end / 8 >= f->bytes);
}

void stream_give_up(struct reader *r, struct stream *s, const char *why)
{
	if (!ends_at_cut(r, s) && !s->noted)
		reader_note(r, "%s: %s: the rest of that packet is left out", s->pub.path, why);
	s->noted = true;
	s->bits.pos = s->bits.end = s->end;
	s->read_on_at = UINT64_MAX;
}

/* Why the event cannot be read: what is wrong, or that the packet ends. */
static const char *misfit(struct bits *b, const char *end)
{
	const char *wrong = b->wrong;

	b->wrong = NULL;
	return wrong ? wrong : end;
}

/* ---- events ---- */

/* Headers of LTTng that have all of number and time, behind the mark that says so. */
static __attribute__((noinline)) bool read_extended(struct stream *s, uint64_t *id, unsigned int mark_bits)
{
	struct bits *b = &s->bits;
	const uint8_t *p = b->base + (b->pos + mark_bits) / 8;
	uint32_t word;

	if (b->end - b->pos < mark_bits + 96)
		return false;
	memcpy(&word, p, 4);
	memcpy(&s->cycles, p + 4, 8);
	*id = word;
	b->pos += mark_bits + 96;
	return true;
}

/* The others: number and the low bits of time. */
static inline bool read_lttng(struct stream *s, uint64_t *id)
{
	struct bits *b = &s->bits;
	bool large = s->class->form == HEADER_LARGE;
	const uint8_t *p;
	uint32_t word;
	uint16_t half;

	b->pos = (b->pos + 7) & ~7ull;
	if (b->pos > b->end || b->end - b->pos < (large ? 48 : 32))
		return false;
	p = b->base + b->pos / 8;
	if (!large) {
		memcpy(&word, p, 4);
		*id = word & 31;
		if (*id == 31)
			return read_extended(s, id, 8);
		s->cycles = forward(s->cycles, word >> 5, 27);
		b->pos += 32;
		return true;
	}
	memcpy(&half, p, 2);
	memcpy(&word, p + 2, 4);
	*id = half;
	if (half == 65535)
		return read_extended(s, id, 16);
	s->cycles = forward(s->cycles, word, 32);
	b->pos += 48;
	return true;
}

static __attribute__((noinline)) bool read_general(struct stream *s, uint64_t *id)
{
	struct decoded d;

	d.has = 0;
	if (!program_run(s->class->header, &s->bits, s->regs, NULL, &d))
		return false;
	*id = d.has & 1u << ROLE_EVENT_CLASS ? d.role[ROLE_EVENT_CLASS] :
	      s->class->classes.n ? s->class->classes.v[0]->id : 0;
	if (d.has & 1u << ROLE_TIME)
		s->cycles = forward(s->cycles, d.role[ROLE_TIME], d.role_bits[ROLE_TIME]);
	return true;
}

static inline bool read_header(struct stream *s, uint64_t *id)
{
	if (s->class->form == HEADER_GENERAL)
		return read_general(s, id);
	if (!read_lttng(s, id))
		return false;
	s->regs[s->class->id_reg] = *id;
	return true;
}

/* Clocks of one count a nanosecond, nearly all, need one addition. */
static inline bool set_time(struct stream *s)
{
	if (s->counts_ns && s->cycles <= INT64_MAX)
		return !__builtin_add_overflow(s->begin_ns, (int64_t)s->cycles, &s->time_ns);
	return !s->clock || ctf_clock_ns(s->clock, s->cycles, &s->time_ns);
}

/* A tracer's clock goes forward. What says otherwise gets the time before it: a duration is never
 * negative, and the order of all streams stands. */
static __attribute__((noinline)) void stay_in_time(struct reader *r, struct stream *s)
{
	double seconds = (double)(s->latest_ns - s->time_ns) / NS_PER_S;

	s->time_ns = s->latest_ns;
	if (s->back_noted || file_is_cut(r, s->file))	/* what was cut off reads as zeros */
		return;
	s->back_noted = true;
	reader_note(r, "%s: time goes back by %.9f s: its events from there on get the time before, "
		    "until it is reached again", s->pub.path, seconds);
}

static inline bool read_event(struct reader *r, struct stream *s)
{
	uint64_t id;

	s->event_at = s->bits.pos;
	while (!read_header(s, &id)) {
		s->bits.pos = s->event_at;
		if (window_read_on(r, s))
			continue;
		stream_give_up(r, s, misfit(&s->bits, "an event is cut off at a packet's end"));
		return false;
	}
	s->next = stream_class_of_id(s->class, id);
	if (!s->next) {
		s->noted |= s->group->is_short;
		stream_give_up(r, s, "an event of a class that the metadata does not have");
		return false;
	}
	if (!set_time(s)) {
		stream_give_up(r, s, "a time that does not fit in 64 bits of nanoseconds");
		return false;
	}
	if (s->time_ns < s->latest_ns)
		stay_in_time(r, s);
	s->latest_ns = s->time_ns;
	return true;
}

/* Is there nothing behind the position: padding, or what a file that was cut off reads as? */
static inline bool is_before_zeros(const struct bits *b)
{
	uint64_t at = (b->pos + 7) / 8, word;

	if (at + sizeof(word) > b->mapped_bytes)
		return true;
	memcpy(&word, b->base + at, sizeof(word));
	return !word;
}

static inline bool is_asked_for(const struct reader *r, const struct stream *s)
{
	return (s->time_ns >= r->first_ns && s->time_ns <= r->last_ns) || !s->clock;
}

static inline __attribute__((always_inline)) bool take(struct reader *r, struct stream *s)
{
	const struct ctf_program *p = s->next->program;
	struct bits *b = &s->bits;
	const uint64_t at = b->pos;
	bool ok;

	do {
		b->pos = at;
		if (p->is_fixed) {
			ok = p->fixed_bits <= b->end - b->pos;
			b->pos += p->fixed_bits;
		} else {
			ok = program_run(p, b, s->regs, s->values, NULL);
		}
	} while (!ok && window_read_on(r, s));
	if (ok && is_before_zeros(b) && !is_whole(r, s)) {
		b->pos = b->end;
		return false;
	}
	if (!ok || b->pos == s->event_at) {
		stream_give_up(r, s, ok ? "an event of no size" :
			       misfit(b, "an event's fields go past the end of its packet"));
		return false;
	}
	if (!is_asked_for(r, s))
		return false;
	s->pub.events++;
	s->pub.last_ns = s->time_ns;
	return true;
}

bool stream_take(struct reader *r, struct stream *s)
{
	return take(r, s);
}

static __attribute__((noinline)) void no_values(struct stream *s)
{
	for (int i = 0; s->next->wants && i < s->next->wants->wanted.n; i++)
		s->values[i].has = false;
}

/* The next event that somebody wants, or that is the first of a packet. */
bool stream_advance(struct reader *r, struct stream *s)
{
	for (;;) {
		while (s->bits.pos >= s->read_on_at) {
			s->event_at = s->bits.pos;
			window_read_on(r, s);
		}
		if (s->bits.pos < s->bits.end) {
			if (!read_event(r, s))
				continue;
			if (s->next->is_skipped && !s->is_first) {
				take(r, s);
				continue;
			}
			if (s->next->is_skipped)
				no_values(s);
			s->is_first = false;
			if (s->pub.packet_ns == INT64_MIN)
				s->pub.packet_ns = s->time_ns;
			return true;
		} else if (!next_packet(r, s)) {
			s->next = NULL;
			return false;
		}
	}
}
