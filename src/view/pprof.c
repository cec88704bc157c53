/*
 * pprof: profile.proto of github.com/google/pprof, gzipped. Each frame of the tree is a
 * location of one function; addresses are not kept, so nothing is left to symbolise.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "view/format.h"
#include "view/picture.h"

/* Fields of the messages. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5, PROFILE_STRING = 6,
	TYPE_TYPE = 1, TYPE_UNIT = 2,
	SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2,
	MAPPING_ID = 1, MAPPING_FILENAME = 5, MAPPING_HAS_FUNCTIONS = 7,
	LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3,
};

/* Places in the string table. */
enum { STRING_NONE, STRING_TYPE, STRING_UNIT, STRING_FIRST };

static void varint(struct buf *b, uint64_t x)
{
	for (; x >= 0x80; x >>= 7)
		buf_putc(b, (char)(x | 0x80));
	buf_putc(b, (char)x);
}

static void number(struct buf *b, int field, uint64_t x)
{
	varint(b, (uint64_t)field << 3);
	varint(b, x);
}

static void bytes(struct buf *b, int field, const void *p, size_t n)
{
	varint(b, (uint64_t)field << 3 | 2);
	varint(b, n);
	buf_add(b, p, n);
}

/* A message inside another; empties it. */
static void inside(struct buf *b, int field, struct buf *message)
{
	bytes(b, field, message->p, message->n);
	buf_clear(message);
}

static const char *module_of(const struct flame_frame *f)
{
	return f->module ? f->module : f->kind == FRAME_KERNEL ? "[kernel.kallsyms]" : NULL;
}

struct pprof {
	struct buf out, message, part;
	const struct flame *flame;
	struct map modules;			/* to their numbers from 1 */
	struct arena arena;
	VEC(const char *) names;		/* of the modules */
};

static int module_number(struct pprof *p, const char *name)
{
	void **at = name ? map_put_str(&p->arena, &p->modules, str_of(name)) : NULL;

	if (!at)
		return 0;
	if (!*at) {
		vec_push(&p->arena, &p->names, name);
		*at = (void *)(intptr_t)p->names.n;
	}
	return (int)(intptr_t)*at;
}

/* Locations and functions have the number of the frame and 1. */
static void add_frames(struct pprof *p)
{
	const struct flame *f = p->flame;

	for (int i = 0; i < f->frames.n; i++) {
		int module = module_number(p, module_of(&f->frames.v[i]));
		uint64_t id = (uint64_t)i + 1;

		number(&p->part, LINE_FUNCTION, id);
		number(&p->message, LOCATION_ID, id);
		if (module)
			number(&p->message, LOCATION_MAPPING, (uint64_t)module);
		inside(&p->message, LOCATION_LINE, &p->part);
		inside(&p->out, PROFILE_LOCATION, &p->message);
		number(&p->message, FUNCTION_ID, id);
		number(&p->message, FUNCTION_NAME, (uint64_t)(STRING_FIRST + i));
		number(&p->message, FUNCTION_SYSTEM_NAME, (uint64_t)(STRING_FIRST + i));
		inside(&p->out, PROFILE_FUNCTION, &p->message);
	}
	for (int i = 0; i < p->names.n; i++) {
		number(&p->message, MAPPING_ID, (uint64_t)i + 1);
		number(&p->message, MAPPING_FILENAME, (uint64_t)(STRING_FIRST + f->frames.n + i));
		number(&p->message, MAPPING_HAS_FUNCTIONS, 1);
		inside(&p->out, PROFILE_MAPPING, &p->message);
	}
}

static void add_samples(struct pprof *p)
{
	const struct flame *f = p->flame;

	for (int i = 0; i < f->n; i++) {
		uint64_t value = f->nodes[i].self[0];

		if (!value)
			continue;
		for (int at = i; f->nodes[at].parent >= 0; at = f->nodes[at].parent)
			varint(&p->part, (uint64_t)f->nodes[at].frame + 1);
		inside(&p->message, SAMPLE_LOCATION, &p->part);
		varint(&p->part, value > INT64_MAX ? INT64_MAX : value);
		inside(&p->message, SAMPLE_VALUE, &p->part);
		inside(&p->out, PROFILE_SAMPLE, &p->message);
	}
}

static void add_string(struct pprof *p, const char *s)
{
	bytes(&p->out, PROFILE_STRING, s, strlen(s));
}

static void add_strings(struct pprof *p, const char *type, const char *unit)
{
	add_string(p, "");
	add_string(p, type);
	add_string(p, unit);
	for (int i = 0; i < p->flame->frames.n; i++) {
		const char *name = p->flame->frames.v[i].name;

		escape_text(&p->part, name, (int)strlen(name));		/* it must be UTF-8 */
		inside(&p->out, PROFILE_STRING, &p->part);
	}
	for (int i = 0; i < p->names.n; i++) {
		escape_text(&p->part, p->names.v[i], (int)strlen(p->names.v[i]));
		inside(&p->out, PROFILE_STRING, &p->part);
	}
}

/* 0 or -errno */
static int gzip(struct buf *out, const struct buf *in)
{
	z_stream z = { .next_in = (Bytef *)in->p, .avail_in = (uInt)in->n };
	unsigned char chunk[65536];
	int code;

	if (in->n > UINT32_MAX || deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
					       Z_DEFAULT_STRATEGY) != Z_OK)
		return -EFBIG;
	do {
		z.next_out = chunk;
		z.avail_out = sizeof(chunk);
		code = deflate(&z, Z_FINISH);
		buf_add(out, chunk, sizeof(chunk) - z.avail_out);
	} while (code == Z_OK);
	deflateEnd(&z);
	return code == Z_STREAM_END ? 0 : -EIO;
}

static void emit(struct sink *v)
{
	struct pprof p = { .flame = &v->flame };
	const char *unit = picture_unit(v);
	bool measured = v->unit.kind == TY_DURATION || v->unit.kind == TY_SIZE;
	int error;

	number(&p.message, TYPE_TYPE, STRING_TYPE);
	number(&p.message, TYPE_UNIT, STRING_UNIT);
	inside(&p.out, PROFILE_SAMPLE_TYPE, &p.message);
	add_samples(&p);
	add_frames(&p);
	add_strings(&p, v->unit.kind == TY_DURATION ? "time" : v->unit.kind == TY_SIZE ? "space" : unit,
		    !measured ? "count" : v->unit.kind == TY_DURATION ? "nanoseconds" : "bytes");
	error = gzip(&v->out.line, &p.out);
	if (error)
		v->out.error = error;
	out_write(&v->out);
	buf_fini(&p.out);
	buf_fini(&p.message);
	buf_fini(&p.part);
	arena_fini(&p.arena);
}

static struct sink *pprof_open(const struct view_options *o)
{
	return picture_open_by_path(o, emit);
}

const struct view_ops view_pprof = {
	.name = "pprof",
	.help = "stacks for `pprof` (profile.proto, gzipped)",
	.endings = "pprof pb gz",
	.open = pprof_open,
	.shape = VIEW_PICTURE,
	.suits = picture_needs_path,
	.sink = { PICTURE_SINK, .tree = picture_tree },
	.close = picture_close,
};
