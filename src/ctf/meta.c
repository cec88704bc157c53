/* What both metadata languages make, and the metadata file itself. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ctf/impl.h"

bool meta_error(struct ctf_meta *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!m->error)
		m->error = arena_vprintf(m->arena, fmt, ap);
	va_end(ap);
	return false;
}

struct ctf_type *meta_type(struct ctf_meta *m, enum ctf_kind kind)
{
	struct ctf_type *t = arena_new(m->arena, struct ctf_type);

	t->kind = kind;
	t->base = 10;
	t->reg = t->from_reg = CTF_NO_REGISTER;
	t->clock = -1;
	t->align_bits = 1;
	return t;
}

struct ctf_type *meta_int(struct ctf_meta *m, uint32_t bits, bool is_signed)
{
	struct ctf_type *t = meta_type(m, is_signed ? CTF_SINT : CTF_UINT);

	t->bits = bits;
	t->align_bits = bits % 8 ? 1 : 8;
	return t;
}

struct ctf_stream_class *meta_stream(struct ctf_meta *m, uint64_t id)
{
	struct ctf_stream_class *s;

	for (int i = 0; i < m->streams.n; i++)
		if (m->streams.v[i]->id == id)
			return m->streams.v[i];
	s = arena_new(m->arena, struct ctf_stream_class);
	s->trace = m->trace;
	s->id = id;
	s->clock = -1;
	vec_push(m->arena, &m->streams, s);
	return s;
}

int meta_clock(const struct ctf_meta *m, struct str id)
{
	for (int i = 0; i < m->clock_ids.n; i++)
		if (str_is(id, m->clock_ids.v[i]))
			return i;
	return -1;
}

/* LTTng puts an underscore before the names of fields. */
static const char *shown_name(const char *raw)
{
	return raw[0] == '_' ? raw + 1 : raw;
}

void meta_member(struct ctf_meta *m, struct ctf_type *of, const char *name,
		 struct ctf_type *type)
{
	const char *shown = m->trace->version == 2 ? name : shown_name(name);

	vec_push(m->arena, &m->members, ((struct ctf_member){
		.name = shown, .raw_name = name, .type = type, .name_bytes = (int)strlen(shown),
	}));
	if (of->kind == CTF_STRUCT && type->align_bits > of->align_bits)
		of->align_bits = type->align_bits;
}

void meta_members(struct ctf_meta *m, struct ctf_type *of, int from)
{
	int n = m->members.n - from;

	of->n_members = n;
	if (n) {
		of->members = arena_array(m->arena, struct ctf_member, n);
		memcpy(of->members, &m->members.v[from], sizeof(*of->members) * (size_t)n);
	}
	m->members.n = from;
}

#define NAMES_BYTES 65536

const char *meta_text(struct ctf_meta *m, struct str s)
{
	size_t bytes = (size_t)s.n + 1;
	char *text = m->names;

	if (bytes > NAMES_BYTES / 16)
		return arena_strndup(m->arena, s.p, (size_t)s.n);
	if (bytes > m->names_left) {
		text = arena_alloc(m->arena, NAMES_BYTES);
		m->names_left = NAMES_BYTES;
	}
	m->names = text + bytes;
	m->names_left -= bytes;
	if (s.n)
		memcpy(text, s.p, (size_t)s.n);
	text[s.n] = 0;
	return text;
}

struct ctf_type *meta_own(struct arena *a, struct ctf_type **place)
{
	struct ctf_type *own;

	if (!(*place)->shared)
		return *place;
	own = arena_new(a, struct ctf_type);
	*own = **place;
	own->shared = false;
	return *place = own;
}

void meta_bound(struct ctf_meta *m)
{
	m->bytes_most = m->arena->bytes + CTF_TYPES_LEAST + CTF_TYPES_TIMES * m->text_bytes;
}

bool meta_is_large(const struct ctf_meta *m)
{
	return m->arena->bytes > m->bytes_most;
}

/* ---- the file ---- */

#define PACKET_MAGIC 0x75d11d57u
#define PACKET_HEADER_BYTES 37

static uint32_t load32(const uint8_t *p, bool big_endian)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return big_endian ? __builtin_bswap32(v) : v;
}

/* Text wrapped in packets: header, text, padding; into one text in place. */
static size_t unpack(uint8_t *p, size_t bytes, bool *cut)
{
	bool big_endian = load32(p, true) == PACKET_MAGIC;
	size_t out = 0;

	for (size_t at = 0; at < bytes;) {
		uint64_t content, packet, have = bytes - at;

		if (have < PACKET_HEADER_BYTES || load32(p + at, big_endian) != PACKET_MAGIC) {
			*cut = true;
			break;
		}
		content = load32(p + at + 24, big_endian) / 8;
		packet = load32(p + at + 28, big_endian) / 8;
		if (content < PACKET_HEADER_BYTES || packet < content) {
			*cut = true;
			break;
		}
		if (content > have) {
			*cut = true;
			content = have;
		}
		memmove(p + out, p + at + PACKET_HEADER_BYTES, content - PACKET_HEADER_BYTES);
		out += content - PACKET_HEADER_BYTES;
		if (packet >= have)
			break;
		at += packet;
	}
	return out;
}

char *metadata_text(struct arena *a, const char *path, size_t *bytes, const char **why, bool *cut)
{
	int fd = file_open(path);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	struct stat st;
	char *text = NULL;

	*why = NULL;
	if (!f || fstat(fileno(f), &st)) {
		*why = strerror(errno);
	} else if (!S_ISREG(st.st_mode)) {
		*why = "it is not a file";
	} else if (st.st_size > CTF_METADATA_MOST) {
		*why = "it is too large for metadata";
	} else {
		text = arena_alloc(a, (size_t)st.st_size + 1);
		*bytes = fread(text, 1, (size_t)st.st_size, f);
		if (*bytes >= PACKET_HEADER_BYTES &&
		    (load32((uint8_t *)text, false) == PACKET_MAGIC ||
		     load32((uint8_t *)text, true) == PACKET_MAGIC))
			*bytes = unpack((uint8_t *)text, *bytes, cut);
		text[*bytes] = 0;
	}
	if (f)
		fclose(f);
	return text;
}
