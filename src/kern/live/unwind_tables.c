/* The rows of binaries in the kernel: see unwind_tables.h. */
#include "kern/live/unwind_tables.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/map.h"
#include "base/vec.h"
#include "kern/sysbpf.h"
#include "user/ehframe.h"

#define PAGE_BYTES 4096u
#define PENDING_MOST 64
#define OFFSET_MOST (UINT64_MAX / 4)	/* of a file: none is so long */

/* What of a file is mapped as code, from a page's begin on. */
struct code {
	uint64_t offset;
	uint32_t bytes, chunk;
};

struct unwind_table {
	struct code codes[16];
	int n_codes;
};

/* A file that is written anew has another one. */
struct identity {
	uint64_t dev, ino, bytes, changed_s, changed_ns;
};

struct known {
	struct unwind_file_key key;
	struct unwind_file file;
};

struct unwind_tables {
	struct arena arena;
	struct map files;		/* struct identity -> struct unwind_table; &none: it has none */
	struct unwind_table none;
	const struct unwind_table *vdso;
	uint32_t *directory;		/* as the kernel has it, mapped here */
	uint32_t n_chunks;
	int pieces_fd, files_fd, piece_fd;	/* the last: of the last piece */
	uint32_t *pieces[UNWIND_PIECES];	/* NULL: it is full, and only in the kernel */
	uint32_t n_pieces, used;	/* rows of the last piece */
	uint32_t pending[PENDING_MOST];	/* pieces that the kernel's table lacks, */
	int pending_fds[PENDING_MOST];	/* and their maps; the last may be piece_fd */
	uint32_t n_pending;
	VEC(struct known) known;	/* files that the kernel's table lacks */
	uint64_t dropped;
};

#define DIRECTORY_BYTES (sizeof(uint32_t) * UNWIND_CHUNKS)
#define PIECE_BYTES (sizeof(uint32_t) * UNWIND_PIECE_ROWS)

struct unwind_tables *unwind_tables_open(int pieces_fd, int chunks_fd, int files_fd)
{
	struct unwind_tables *u = xcalloc(1, sizeof(*u));
	int kind = chunks_fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *p = mmap(NULL, DIRECTORY_BYTES, PROT_READ | PROT_WRITE, kind, chunks_fd, 0);

	if (p == MAP_FAILED) {
		free(u);
		return NULL;
	}
	u->directory = p;
	u->pieces_fd = pieces_fd;
	u->files_fd = files_fd;
	u->piece_fd = -1;
	return u;
}

void unwind_tables_close(struct unwind_tables *u)
{
	if (!u)
		return;
	unwind_tables_flush(u);
	for (uint32_t i = 0; i < u->n_pieces; i++)
		free(u->pieces[i]);
	if (u->piece_fd >= 0)
		close(u->piece_fd);
	munmap(u->directory, DIRECTORY_BYTES);
	arena_fini(&u->arena);
	free(u);
}

/* ---- pieces ---- */

/* To the kernel, what the last piece is by now. */
static void piece_write(struct unwind_tables *u)
{
	uint32_t zero = 0;

	if (u->piece_fd >= 0)
		sysbpf_map_update(u->piece_fd, &zero, u->pieces[u->n_pieces - 1]);
}

/* A table of tables waits for all CPUs whenever it is changed, some 10 ms: many at once. */
static void flush_pieces(struct unwind_tables *u)
{
	uint32_t n = u->n_pending;
	bool together;

	if (!n)
		return;
	together = !sysbpf_map_batch(BPF_MAP_UPDATE_BATCH, u->pieces_fd, NULL, NULL, u->pending,
				     u->pending_fds, &n);
	for (uint32_t i = 0; i < u->n_pending; i++) {
		if (!together && sysbpf_map_update(u->pieces_fd, &u->pending[i], &u->pending_fds[i]))
			u->dropped++;
		if (u->pending_fds[i] != u->piece_fd)
			close(u->pending_fds[i]);
	}
	u->n_pending = 0;
}

/* Programs take a file's chunks for good: behind its rows. */
void unwind_tables_flush(struct unwind_tables *u)
{
	flush_pieces(u);
	for (int i = 0; i < u->known.n && u->files_fd >= 0; i++)
		sysbpf_map_update(u->files_fd, &u->known.v[i].key, &u->known.v[i].file);
	u->known.n = 0;
}

static void piece_end(struct unwind_tables *u)
{
	bool pending = u->n_pending && u->pending_fds[u->n_pending - 1] == u->piece_fd;

	if (u->piece_fd < 0)
		return;
	piece_write(u);
	if (!pending)
		close(u->piece_fd);
	u->piece_fd = -1;
	free(u->pieces[u->n_pieces - 1]);
	u->pieces[u->n_pieces - 1] = NULL;
}

static bool piece_add(struct unwind_tables *u)
{
	struct sysbpf_map m = { .name = "unwind_piece", .type = BPF_MAP_TYPE_ARRAY,
				.key_bytes = 4, .value_bytes = PIECE_BYTES,
				.max_entries = 1 };

	piece_end(u);
	if (u->n_pieces == UNWIND_PIECES)
		return false;
	if (u->pieces_fd >= 0) {
		u->piece_fd = sysbpf_map_create(&m);
		if (u->piece_fd < 0)
			return false;
		if (u->n_pending == PENDING_MOST)
			flush_pieces(u);
		u->pending[u->n_pending] = u->n_pieces;
		u->pending_fds[u->n_pending++] = u->piece_fd;
	}
	u->pieces[u->n_pieces++] = xcalloc(1, PIECE_BYTES);
	u->used = 1;			/* an entry of the directory is never 0 */
	return true;
}

/* Room for a chunk's rows, whatever their number. False: there is none. */
static bool find_room(struct unwind_tables *u)
{
	bool here = u->n_pieces && u->pieces[u->n_pieces - 1] &&
		    u->used <= UNWIND_PIECE_ROWS - UNWIND_CHUNK_ROWS;

	return here || piece_add(u);
}

uint64_t unwind_tables_bytes(const struct unwind_tables *u)
{
	return u->n_pieces * (uint64_t)PIECE_BYTES;
}

uint32_t unwind_tables_files(const struct unwind_tables *u)
{
	return (uint32_t)u->files.n;
}

uint64_t unwind_tables_dropped(const struct unwind_tables *u)
{
	return u->dropped;
}

uint32_t unwind_tables_rule(const struct unwind_tables *u, const struct unwind_range *r, uint64_t place)
{
	uint32_t entry = u->directory[r->chunk + (place >> UNWIND_CHUNK_SHIFT)];
	uint32_t n = entry >> (UNWIND_ENTRY_PIECE + UNWIND_ENTRY_ROW);
	const uint32_t *rows;
	uint32_t rule;

	if (!entry)
		return unwind_rule(UNWIND_NONE, 0, 0);
	rows = u->pieces[entry % UNWIND_PIECES] +
	       (entry >> UNWIND_ENTRY_PIECE) % (1u << UNWIND_ENTRY_ROW);
	while (n && rows[n] >> UNWIND_RULE_BITS > place % UNWIND_CHUNK_BYTES)
		n--;
	rule = rows[n] & ((1u << UNWIND_RULE_BITS) - 1);
	return rule % (1u << UNWIND_KIND_BITS) == UNWIND_FAR ? rows[rule >> UNWIND_OFFSET_SHIFT] : rule;
}

/* ---- chunks ---- */

/* The first row at or behind the address. */
static size_t row_at(const struct ehframe *f, uint64_t address)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->rows[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The rule for a row; *behind: how many u32 are behind the chunk's first row by now. */
static uint32_t row_rule(uint32_t *first, uint32_t *behind, uint32_t rule)
{
	if (rule >> UNWIND_RULE_BITS == 0)
		return rule;
	first[++*behind] = rule;
	return unwind_rule(UNWIND_FAR, *behind * 8, 0);
}

static size_t count_far(const struct ehframe_row *rows, size_t n)
{
	size_t far = 0;

	for (size_t i = 0; i < n; i++)
		far += rows[i].rule >> UNWIND_RULE_BITS != 0;
	return far;
}

/* The n rows from `rows` on, and the rule before them. False: no room. */
static bool put_chunk(struct unwind_tables *u, uint64_t begin, const struct ehframe_row *rows, size_t n,
		      uint32_t before, uint32_t *entry)
{
	uint32_t *to, behind;

	if (n && rows[0].address == begin) {
		before = rows[0].rule;
		rows++;
		n--;
	}
	if (!n && before == unwind_rule(UNWIND_NONE, 0, 0))
		return true;
	if (n + count_far(rows, n) + 1 >= UNWIND_CHUNK_ROWS || !find_room(u))
		return false;
	to = u->pieces[u->n_pieces - 1] + u->used;
	behind = (uint32_t)n;
	to[0] = row_rule(to, &behind, before);
	for (size_t i = 0; i < n; i++)
		to[i + 1] = (uint32_t)(rows[i].address - begin) << UNWIND_RULE_BITS |
			    row_rule(to, &behind, rows[i].rule);
	*entry = (uint32_t)n << (UNWIND_ENTRY_PIECE + UNWIND_ENTRY_ROW) |
		 u->used << UNWIND_ENTRY_PIECE | (u->n_pieces - 1);
	u->used += behind + 1;
	return true;
}

/* The chunks of one segment. False: no room for all. */
static bool put_code(struct unwind_tables *u, struct unwind_table *t, const struct ehframe *f,
		     const struct elf_code *s)
{
	uint64_t head = s->addr % PAGE_BYTES == s->offset % PAGE_BYTES ? s->addr % PAGE_BYTES : 0;
	uint64_t begin = s->addr - head, end, n_chunks;
	size_t row = row_at(f, begin), last;
	bool all = true;

	if (s->offset > OFFSET_MOST || __builtin_add_overflow(s->addr, s->bytes, &end))
		return false;
	last = row_at(f, end);
	if (last == row)
		return true;
	n_chunks = ((last < f->n ? end - 1 : f->rows[last - 1].address) - begin) / UNWIND_CHUNK_BYTES + 1;
	if (n_chunks > UNWIND_CHUNKS - u->n_chunks)
		return false;
	t->codes[t->n_codes++] = (struct code){ s->offset - head,
						(uint32_t)(n_chunks * UNWIND_CHUNK_BYTES), u->n_chunks };
	for (; n_chunks; n_chunks--, begin += UNWIND_CHUNK_BYTES) {
		size_t next = row_at(f, begin + UNWIND_CHUNK_BYTES);

		all &= put_chunk(u, begin, f->rows + row, next - row,
				 row ? f->rows[row - 1].rule : unwind_rule(UNWIND_NONE, 0, 0),
				 &u->directory[u->n_chunks++]);
		row = next;
	}
	return all;
}

/* ---- binaries ---- */

static struct unwind_table *table_make(struct unwind_tables *u, const struct ehframe *f)
{
	struct unwind_table *t = arena_new(&u->arena, struct unwind_table);
	bool all = true;

	for (int i = 0; i < f->n_segments; i++)
		all &= put_code(u, t, f, &f->segments[i]);
	piece_write(u);
	u->dropped += !all;
	return t;
}

static struct identity identity_of(const struct stat *st)
{
	return (struct identity){ st->st_dev, st->st_ino, (uint64_t)st->st_size,
				  (uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec };
}

/* NULL: it is another one by now, or gone. */
static struct unwind_table *read_file(struct unwind_tables *u, const char *path, const struct identity *id)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct unwind_table *t = NULL;
	struct identity opened;
	struct ehframe f;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st)) {
		opened = identity_of(&st);
		if (!memcmp(&opened, id, sizeof(opened)))
			t = &u->none;
	}
	if (t && ehframe_read(fd, &f)) {
		t = table_make(u, &f);
		ehframe_free(&f);
	}
	close(fd);
	return t;
}

/* `t` may be &none. */
static void know_file(struct unwind_tables *u, const struct identity *id, const struct unwind_table *t)
{
	struct known k = {
		/* as the kernel has the device's number */
		.key = { (uint64_t)major(id->dev) << 20 | minor(id->dev), id->ino },
		.file = { .bytes = id->bytes, .changed_s = id->changed_s, .changed_ns = id->changed_ns },
	};

	if (t->n_codes > 1)
		return;
	if (t->n_codes) {
		k.file.offset = t->codes[0].offset;
		k.file.code_bytes = t->codes[0].bytes;
		k.file.chunk = t->codes[0].chunk;
	}
	vec_push(&u->arena, &u->known, k);
}

const struct unwind_table *unwind_tables_file(struct unwind_tables *u, const char *path, uint64_t inode)
{
	struct identity id;
	struct unwind_table **slot;
	struct stat st;

	/* a FIFO must not hold us */
	if (stat(path, &st) || !S_ISREG(st.st_mode) || (inode && st.st_ino != inode))
		return NULL;
	id = identity_of(&st);
	slot = (struct unwind_table **)map_put(&u->arena, &u->files, &id, sizeof(id));
	if (!*slot) {
		*slot = read_file(u, path, &id);
		if (*slot)
			know_file(u, &id, *slot);
	}
	return *slot == &u->none ? NULL : *slot;
}

/* Every process has the same one as we. */
const struct unwind_table *unwind_tables_vdso(struct unwind_tables *u)
{
	const Elf64_Ehdr *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct ehframe f;

	if (!u->vdso && image) {
		u->vdso = &u->none;
		if (ehframe_read_memory(image, image->e_shoff + (size_t)image->e_shnum *
						       image->e_shentsize, &f)) {
			u->vdso = table_make(u, &f);
			know_file(u, &(struct identity){ 0 }, u->vdso);
			ehframe_free(&f);
		}
	}
	return u->vdso == &u->none ? NULL : u->vdso;
}

bool unwind_table_map(const struct unwind_table *t, const struct unwind_mapping *m, struct unwind_process *to)
{
	uint64_t m_end = m->offset + (m->end - m->begin);

	if (m->offset > OFFSET_MOST || m->end > UNWIND_NOWHERE)
		return true;
	for (int i = 0; i < t->n_codes; i++) {
		const struct code *c = &t->codes[i];
		uint64_t from = c->offset > m->offset ? c->offset : m->offset;
		uint64_t until = c->offset + c->bytes < m_end ? c->offset + c->bytes : m_end;

		if (from >= until)
			continue;
		if (to->n == UNWIND_RANGES_MOST)
			return false;
		to->begins[to->n] = m->begin + (from - m->offset);
		to->ranges[to->n++] = (struct unwind_range){
			.base = m->begin + (c->offset - m->offset),
			.bytes = (uint32_t)(until - c->offset), .chunk = c->chunk };
		return true;
	}
	return true;
}
