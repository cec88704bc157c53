/* What is wanted of events, and the events of all streams in order of time. */
#include <string.h>

#include "ctf/impl.h"

/* ---- wanted fields ---- */

static struct ctf_type **member(struct ctf_type *t, struct str name)
{
	for (int i = 0; t && i < t->n_members; i++)
		if (str_is(name, t->members[i].name) || str_is(name, t->members[i].raw_name))
			return &t->members[i].type;
	return NULL;
}

/* What an optional has, as ctf_present. */
static struct ctf_type **present(struct ctf_type **place)
{
	while (place && (*place)->kind == CTF_OPTION)
		place = &(*place)->members[0].type;
	return place;
}

/* Where the field's type is, or NULL. */
static struct ctf_type **place_of(const struct ctf_class *c, enum ctf_scope scope, const char *name)
{
	struct ctf_type *t = c->scopes[scope], **place;

	for (;;) {
		size_t n = strcspn(name, ".");

		/* a name of CTF 2 can have dots */
		place = member(t, str_of(name));
		if (place || !name[n])
			return present(place);
		place = present(member(t, (struct str){ name, (int)n }));
		if (!place)
			return NULL;
		t = *place;
		name += n + 1;
	}
}

const struct ctf_type *ctf_field(const struct ctf_class *c, enum ctf_scope scope,
				 const char *name)
{
	struct ctf_type **place = place_of(c, scope, name);

	return place ? *place : NULL;
}

static struct ctf_program *program_of(struct reader *r, struct ctf_class *c, enum ctf_scope scope)
{
	struct ctf_stream_class *s = c->of;

	if (scope == CTF_PACKET_CONTEXT)
		return s->packet;
	if (scope < CTF_STREAM_CONTEXT)
		return NULL;
	if (!c->wants)
		c->wants = program_new(&r->arena);
	return c->wants;
}

int ctf_want(struct ctf *t, struct ctf_class *c, enum ctf_scope scope, const char *name)
{
	struct reader *r = (struct reader *)t;
	struct ctf_type **place = place_of(c, scope, name), *type;
	struct ctf_program *p = place ? program_of(r, c, scope) : NULL;
	int first = scope == CTF_PACKET_CONTEXT ? CTF_PACKET_SLOT : 0, slot;

	if (!p)
		return -1;
	/* the decoder knows it by its type */
	type = meta_own(&r->arena, place);
	for (int i = 0; i < p->wanted.n; i++)
		if (p->wanted.v[i].type == type)
			return first + i;
	slot = p->wanted.n;
	vec_push(&r->arena, &p->wanted, ((struct ctf_wanted){ scope, type, slot }));
	p->built = false;
	return first + slot;
}

/* ---- order ---- */

static inline bool is_before(const struct stream *a, const struct stream *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns :
	       a->pub.number < b->pub.number;
}

static void sift_down(struct reader *r, int at)
{
	struct stream *s = r->heap[at];

	for (;;) {
		int child = at * 2 + 1;

		if (child >= r->n_heap)
			break;
		if (child + 1 < r->n_heap && is_before(r->heap[child + 1], r->heap[child]))
			child++;
		if (!is_before(r->heap[child], s))
			break;
		r->heap[at] = r->heap[child];
		at = child;
	}
	r->heap[at] = s;
}

/* Is the heap's first stream still before the two below it? */
static inline bool is_first(const struct reader *r, const struct stream *s)
{
	return (r->n_heap < 2 || is_before(s, r->heap[1])) &&
	       (r->n_heap < 3 || is_before(s, r->heap[2]));
}

/* The heap's first stream goes on to its next event. */
static void advance_first(struct reader *r)
{
	struct stream *s = r->heap[0];

	if (!stream_advance(r, s))
		r->heap[0] = r->heap[--r->n_heap];
	else if (is_first(r, s))
		return;
	sift_down(r, 0);
}

/* With any order the heap holds one stream: the next when it is at its end. */
static bool refill(struct reader *r)
{
	struct stream *s;

	while (!r->n_heap && (s = reader_take_stream(r)))
		if (stream_advance(r, s))
			r->heap[r->n_heap++] = s;
	return r->n_heap > 0;
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* Room for the values of any event, any packet; what all events of a stream have. */
static void make_room(struct reader *r, int event_most, int packet_most)
{
	for (int i = 0; i < r->streams.n; i++) {
		struct stream *s = r->streams.v[i];

		s->values = stream_alloc(&r->arena, sizeof(*s->values) * (size_t)(event_most + 1));
		s->packet_values = stream_alloc(&r->arena, sizeof(*s->values) *
						(size_t)(packet_most + 1));
		s->event = (struct ctf_event){
			.stream = &s->pub, .has_time = s->clock != NULL, .values = s->values,
			.packet_values = s->packet_values,
		};
	}
	r->n_scratch_values = packet_most + 1;
	r->scratch_values = arena_array(&r->arena, struct ctf_value, r->n_scratch_values);
}

static void build_all(struct reader *r)
{
	int event_most = 0, packet_most = 0;

	for (int i = 0; i < r->classes.n; i++) {
		struct ctf_class *c = r->classes.v[i];
		struct ctf_program *p = c->wants && !c->is_skipped ? c->wants : c->bare;

		if (!p->built)
			program_build(&r->arena, p, c->scopes, CTF_STREAM_CONTEXT, CTF_SCOPES,
				      c->of->header->modulus, c->of->header->residue);
		c->program = p;
		if (c->wants)
			event_most = larger(event_most, c->wants->wanted.n);
	}
	for (int i = 0; i < r->streams.n; i++) {
		struct stream *s = r->streams.v[i];
		struct ctf_program *p = s->class->packet;

		if (!p->built)
			program_build(&r->arena, p, s->class->scopes, CTF_PACKET_CONTEXT,
				      CTF_EVENT_HEADER, 1, 0);
		packet_most = larger(packet_most, p->wanted.n);
	}
	make_room(r, event_most, packet_most);
}

void ctf_begin(struct ctf *t, const struct ctf_options *o)
{
	struct reader *r = (struct reader *)t;

	r->options = *o;
	r->first_ns = o->has_begin ? o->begin_ns : INT64_MIN;
	r->last_ns = o->has_end ? o->end_ns : INT64_MAX;
	r->given = false;
	r->pub.bytes_done = r->pub.events_done = 0;
	build_all(r);
	if (!r->heap)
		r->heap = arena_array(&r->arena, struct stream *, r->streams.n + 1);
	r->n_heap = r->turn = 0;
	for (int i = 0; i < r->streams.n; i++)
		stream_rewind(r, r->streams.v[i]);
	if (o->any_order)
		return;
	while (r->turn < r->streams.n) {
		struct stream *s = r->streams.v[r->turn++];

		if (stream_advance(r, s))
			r->heap[r->n_heap++] = s;
	}
	for (int i = r->n_heap / 2 - 1; i >= 0; i--)
		sift_down(r, i);
}

const struct ctf_event *ctf_next(struct ctf *t)
{
	struct reader *r = (struct reader *)t;

	if (r->given)
		advance_first(r);
	r->given = false;
	while (r->n_heap || refill(r)) {
		struct stream *s = r->heap[0];

		r->given_at = s->bits.pos;
		if (stream_take(r, s)) {
			r->given = true;
			s->event.class = s->next;
			s->event.time_ns = s->time_ns;
			return &s->event;
		}
		advance_first(r);
	}
	return NULL;
}

const struct ctf_event *ctf_given(const struct ctf *t)
{
	const struct reader *r = (const struct reader *)t;

	return r->given ? &r->heap[0]->event : NULL;
}

int ctf_integers(const struct ctf *t, const struct ctf_value *v, uint64_t *to, int most)
{
	const struct stream *s = ((const struct reader *)t)->heap[0];
	const struct ctf_type *e = v->has && v->kind == CTF_ARRAY ? v->type->element : NULL;
	uint64_t count, align, stride, at;
	int n = 0;

	if (!e || (e->kind != CTF_UINT && e->kind != CTF_SINT) || !e->bits)
		return 0;
	count = v->type->from_reg >= 0 ? s->regs[v->type->from_reg] : v->type->count;
	align = e->align_bits ? e->align_bits : 1;
	stride = (e->bits + align - 1) / align * align;
	at = (v->at_bit + align - 1) / align * align;
	for (; n < most && (uint64_t)n < count && at + e->bits <= s->bits.end; at += stride)
		to[n++] = bits_uint(&s->bits, at, e);
	return n;
}
