/* Files of streams: mapped as they are, their packets found by their own headers. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctf/impl.h"

#define PACKET_MAGIC 0xc1fc1fc1u

static struct ctf_stream_class *class_by_id(const struct ctf_meta *m, uint64_t id)
{
	for (int i = 0; i < m->streams.n; i++)
		if (m->streams.v[i]->id == id)
			return m->streams.v[i];
	return NULL;
}

static const char in_header[] = "it ends in its header";
static const char in_context[] = "a packet ends in its context";
static const char no_class[] = "the metadata has no stream class of a packet's stream_id";

bool packet_head(struct trace_group *g, struct ctf_stream_class **class, struct bits *b,
		 uint64_t *regs, struct ctf_value *values, struct decoded *d, const char **why)
{
	struct ctf_meta *m = &g->meta;
	uint64_t id = 0;

	*why = in_header;
	memset(d, 0, sizeof(*d));
	if (m->packet_header && !program_run(m->packet_header_program, b, regs, values, d))
		return false;
	*why = "a packet does not begin with the magic number";
	if (d->has & 1u << ROLE_MAGIC && d->role[ROLE_MAGIC] != PACKET_MAGIC)
		return false;
	*why = "a packet's uuid is another trace's";
	if (d->has & 1u << ROLE_UUID && g->pub.has_uuid && memcmp(d->uuid, g->pub.uuid, 16))
		return false;
	if (d->has & 1u << ROLE_STREAM_CLASS)
		id = d->role[ROLE_STREAM_CLASS];
	else if (m->streams.n == 1)
		id = m->streams.v[0]->id;
	*class = class_by_id(m, id);
	*why = no_class;
	if (!*class)
		return false;
	*why = in_context;
	d->context_at = b->pos;
	return program_run((*class)->packet, b, regs, values, d);
}

static void note_cut(struct reader *r, struct ctf_file *f, uint64_t bytes)
{
	if (!f->noted && !f->cut_noted)
		reader_note(r, "%s is cut off: %llu bytes are missing at its end", f->path,
			    (unsigned long long)bytes);
	f->cut_noted = true;
}

/* Sizes of the packet: what it says, checked against what there is. */
static const char *set_sizes(struct reader *r, struct ctf_file *f, uint64_t head_bits)
{
	uint64_t left = f->bytes - f->next;
	uint64_t packet = left * 8, content;

	if (f->head.has & 1u << ROLE_PACKET_SIZE)
		packet = f->head.role[ROLE_PACKET_SIZE];
	else if (f->head.has & 1u << ROLE_CONTENT_SIZE)
		packet = (f->head.role[ROLE_CONTENT_SIZE] + 7) & ~7ull;
	content = f->head.has & 1u << ROLE_CONTENT_SIZE ? f->head.role[ROLE_CONTENT_SIZE] : packet;
	if (!packet || packet % 8 || packet < head_bits || content > packet || content < head_bits)
		return "a packet's sizes contradict each other";
	if (packet / 8 > left) {
		note_cut(r, f, packet / 8 - left);
		f->noted = true;
		packet = left * 8;
		if (content > packet)
			content = packet;
	}
	f->packet_bytes = packet / 8;
	f->content_bits = content;
	return NULL;
}

/* ---- files that shrink ---- */

/* A page that the file has no more becomes one of zeros. Knows no maps: it has no state. */
static void page_is_gone(int number, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)info->si_addr;

	(void)context;
	if (info->si_code != BUS_ADRERR ||
	    mmap((void *)(at - at % page), page, PROT_READ,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		signal(number, SIG_DFL);
}

void reader_watch(struct reader *r)
{
	struct sigaction bus = { .sa_sigaction = page_is_gone, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &bus, &r->old_bus);
}

void reader_unwatch(struct reader *r)
{
	sigaction(SIGBUS, &r->old_bus, NULL);
}

bool file_is_cut(struct reader *r, struct ctf_file *f)
{
	struct stat st;

	if (!f->mapped_bytes || stat(f->path, &st) || st.st_ino != f->inode ||
	    st.st_dev != f->device || (uint64_t)st.st_size >= f->mapped_bytes)
		return false;
	if ((uint64_t)st.st_size < f->bytes)
		f->bytes = (uint64_t)st.st_size;
	if (!f->noted)
		reader_note(r, "%s was cut off while it was read: %llu bytes are missing at its "
			    "end", f->path, (unsigned long long)(f->mapped_bytes - f->bytes));
	f->noted = true;
	return true;
}

/* ---- heads ---- */

struct bits file_packet(const struct stream *s)
{
	const struct ctf_file *f = s->file;
	uint64_t left = f->bytes > s->packet_at ? f->bytes - s->packet_at : 0;

	return (struct bits){ .base = f->map + s->packet_at, .mapped_bytes = left,
			      .end = s->end < left * 8 ? s->end : left * 8 };
}

static struct bits some_bits(const uint8_t *base, uint64_t bytes)
{
	return (struct bits){ .base = base, .end = bytes * 8, .mapped_bytes = bytes };
}

/* The head of the packet at next; *b is behind it. */
static bool read_head(struct reader *r, struct trace_group *g, struct ctf_file *f,
		      struct ctf_stream_class **class, struct bits *b, const char **why)
{
	f->is_head_read = f->fd >= 0 && pread(f->fd, f->head_bytes, HEAD_BYTES, (off_t)f->next) ==
					HEAD_BYTES;
	if (f->is_head_read) {
		*b = some_bits(f->head_bytes, HEAD_BYTES);
		if (packet_head(g, class, b, r->scratch_regs, r->scratch_values, &f->head, why))
			return true;
		f->is_head_read = false;
	}
	*b = some_bits(f->map + f->next, f->bytes - f->next);
	return packet_head(g, class, b, r->scratch_regs, r->scratch_values, &f->head, why);
}

bool file_enter(struct stream *s, struct ctf_file *f, struct decoded *d)
{
	struct ctf_stream_class *class;
	struct bits b = some_bits(s->head_bytes, HEAD_BYTES);
	const char *why;

	s->file = f;
	s->packet_at = f->next;
	s->end = f->content_bits;
	s->bits = file_packet(s);
	s->end = s->bits.end;
	if (f->is_head_read)
		memcpy(s->head_bytes, f->head_bytes, HEAD_BYTES);
	else
		b = s->bits;
	if (!packet_head(s->group, &class, &b, s->regs, s->packet_values, d, &why) ||
	    b.pos > s->bits.end)	/* cut off since it was peeked at */
		return false;
	s->bits.pos = b.pos;
	return true;
}

bool file_peek(struct reader *r, struct trace_group *g, struct stream *s, struct ctf_file *f)
{
	struct ctf_stream_class *class = NULL;
	const char *why = NULL;
	struct bits b;

	f->has_next = false;
	if (f->next >= f->bytes)
		return false;
	if (read_head(r, g, f, &class, &b, &why)) {
		why = class == s->class ? set_sizes(r, f, b.pos) :
		      "its packets are of several stream classes";
		f->has_next = !why;
	}
	if (why && !file_is_cut(r, f) && !f->noted &&
	    !(f->cut_noted && (why == in_header || why == in_context))) {
		reader_note(r, "%s, byte %llu: %s: the file is read up to here", f->path,
			    (unsigned long long)f->next, why);
		f->noted = true;
	}
	return f->has_next;
}

/* ---- adding ---- */

#define FDS_MOST 256

/* Of what the process may open, all other files need more. */
static bool may_keep_fd(const struct reader *r)
{
	struct rlimit most;

	return r->n_fds < FDS_MOST && !getrlimit(RLIMIT_NOFILE, &most) &&
	       (rlim_t)r->n_fds < most.rlim_cur / 4;
}

int file_open(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

FILE *file_stream(const char *path)
{
	int fd = file_open(path);
	struct stat st;
	FILE *f = NULL;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		f = fdopen(fd, "r");
	if (fd >= 0 && !f)
		close(fd);
	return f;
}

static bool map_file(struct reader *r, struct ctf_file *f)
{
	int fd = file_open(f->path);
	void *map = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		reader_note(r, "%s cannot be read: %s", f->path, strerror(errno));
	} else if (S_ISREG(st.st_mode) && st.st_size) {
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map == MAP_FAILED) {
			reader_note(r, "%s cannot be read: %s", f->path, strerror(errno));
			map = NULL;
		} else {
			f->bytes = f->mapped_bytes = (uint64_t)st.st_size;
			f->device = st.st_dev;
			f->inode = st.st_ino;
			madvise(map, f->bytes, MADV_SEQUENTIAL);
		}
	}
	f->fd = map && may_keep_fd(r) ? fd : -1;
	r->n_fds += f->fd >= 0;
	if (fd >= 0 && f->fd < 0)
		close(fd);
	f->map = map;
	return map != NULL;
}

void file_close(struct reader *r, struct ctf_file *f)
{
	if (f->mapped_bytes)
		munmap((void *)f->map, f->mapped_bytes);
	if (f->fd >= 0) {
		close(f->fd);
		r->n_fds--;
	}
}

#define APART_BYTES 128			/* two lines: they are fetched in pairs */

void *stream_alloc(struct arena *a, size_t bytes)
{
	return (char *)arena_alloc(a, bytes + 2 * APART_BYTES) + APART_BYTES;
}

/* Files of one stream have its instance's number or, without one, the same name. */
static struct stream *find_stream(struct reader *r, const struct trace_group *g,
				  const struct ctf_stream_class *class, const struct decoded *d,
				  const char *base_name)
{
	bool has = d->has & 1u << ROLE_STREAM;

	for (int i = 0; i < r->streams.n; i++) {
		struct stream *s = r->streams.v[i];

		if (s->group == g && s->class == class && s->has_instance == has &&
		    (has ? s->instance == d->role[ROLE_STREAM] : !strcmp(s->base_name, base_name)))
			return s;
	}
	return NULL;
}

static struct stream *new_stream(struct reader *r, struct trace_group *g,
				 struct ctf_stream_class *class, const struct decoded *d,
				 const char *base_name, const char *path)
{
	struct stream *s = stream_alloc(&r->arena, sizeof(*s));
	int n = class->n_class_regs > class->n_regs ? class->n_class_regs : class->n_regs;

	s->pub = (struct ctf_stream){ .trace = &g->pub, .class = class, .path = path, .cpu = -1 };
	s->group = g;
	s->class = class;
	s->clock = class->clock >= 0 ? &g->meta.clocks.v[class->clock] : NULL;
	s->has_instance = d->has & 1u << ROLE_STREAM;
	s->instance = d->role[ROLE_STREAM];
	s->base_name = base_name;
	s->regs = stream_alloc(&r->arena, sizeof(*s->regs) * (size_t)(n + 1));
	vec_push(&r->arena, &r->streams, s);
	return s;
}

void reader_add_bytes(struct reader *r, struct trace_group *g, struct ctf_file f,
		      const char *base_name)
{
	struct ctf_stream_class *class = NULL;
	const char *why;
	struct stream *s;
	struct bits b;

	if (!read_head(r, g, &f, &class, &b, &why)) {
		if (why != no_class || !g->is_short)
			reader_note(r, "%s is not read: %s", f.path, why);
		r->n_refused++;
		file_close(r, &f);
		return;
	}
	s = find_stream(r, g, class, &f.head, base_name);
	if (!s)
		s = new_stream(r, g, class, &f.head, base_name, f.path);
	s->pub.bytes += f.bytes;
	r->pub.bytes += f.bytes;
	vec_push(&r->arena, &s->files, f);
}

void reader_add_file(struct reader *r, struct trace_group *g, const char *path,
		     const char *base_name, uint64_t bytes)
{
	struct ctf_file f = { .path = path };
	struct stat st;

	if (!map_file(r, &f)) {
		if (bytes && !stat(path, &st) && !st.st_size)
			reader_note(r, "%s is empty: %llu bytes of packets are missing, as its index "
				    "tells", path, (unsigned long long)bytes);
		return;
	}
	if (f.bytes < bytes)
		note_cut(r, &f, bytes - f.bytes);
	reader_add_bytes(r, g, f, base_name);
}
