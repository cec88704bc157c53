/*
 * The frames of a file: its sections through elf_file, CIEs and FDEs, in order of address.
 * What an FDE's program says is ehframe_run.c's.
 */
#include "user/ehframe.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "user/ehframe_impl.h"

#define FDES_MOST (1u << 20)
#define SECTION_BYTES_MOST (256u << 20)
#define PADDING_MOST 16			/* between two functions: nobody runs there */
#define ROWS_OF_FDE 16

/* ---- sections ---- */

struct section {
	struct cursor bytes;
	char *copy;			/* to be freed */
	uint64_t address;		/* of its first byte, when it is loaded */
	bool is_debug;			/* .debug_frame */
};

struct fde {
	uint64_t begin, end;
	struct section *of;
	uint64_t cie;			/* where in the section */
	struct cursor program;
};

struct reader {
	struct section sections[2];
	int n_sections;
	struct fde *fdes;
	size_t n_fdes, cap_fdes;
	/* the CIE that was parsed last */
	const struct section *cie_of;
	uint64_t cie_at;
	struct cie cie;
	bool cie_good;
};

enum { PE_OMIT = 0xff, PE_PCREL = 0x10, PE_INDIRECT = 0x80 };

/* A number in one of DW_EH_PE_*'s formats, without its base. */
static uint64_t encoded(struct cursor *c, uint8_t encoding)
{
	switch (encoding & 0xf) {
	case 0x0:
	case 0x4:
	case 0xc:
		return cursor_word(c, 8);
	case 0x1:
		return cursor_uleb(c);
	case 0x2:
		return cursor_word(c, 2);
	case 0x3:
		return cursor_word(c, 4);
	case 0x9:
		return (uint64_t)cursor_sleb(c);
	case 0xa:
		return (uint64_t)(int16_t)cursor_word(c, 2);
	case 0xb:
		return (uint64_t)(int32_t)cursor_word(c, 4);
	}
	c->bad = true;
	return 0;
}

static bool encoding_known(uint8_t encoding)
{
	return (encoding & 0xf0) == 0 || (encoding & 0xf0) == PE_PCREL;
}

/* What the letters of a CIE's augmentation stand for. */
static bool augmentation(struct cie *cie, const char *letters, struct cursor data)
{
	for (const char *p = letters; *p; p++) {
		uint8_t encoding;

		switch (*p) {
		case 'R':
			cie->encoding = cursor_byte(&data);
			break;
		case 'P':
			encoding = cursor_byte(&data);
			if (encoding != PE_OMIT)
				encoded(&data, encoding);
			break;
		case 'L':
			cursor_byte(&data);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B':
		case 'G':
			break;
		default:
			return false;
		}
	}
	return !data.bad && encoding_known(cie->encoding);
}

/* The length of an entry; wide: of 64-bit DWARF. */
static uint64_t entry_length(struct cursor *c, bool *wide)
{
	uint64_t n = cursor_word(c, 4);

	*wide = n == UINT32_MAX;
	return *wide ? cursor_word(c, 8) : n;
}

static bool parse_cie(const struct section *s, uint64_t at, struct cie *cie)
{
	struct cursor c = s->bytes;
	const char *letters;
	bool wide;
	int version;

	*cie = (struct cie){ 0 };
	if (at >= (uint64_t)(c.end - c.p))
		return false;
	c.p += at;
	c = cursor_take(&c, entry_length(&c, &wide));
	if (cursor_word(&c, wide && s->is_debug ? 8 : 4) !=
	    (!s->is_debug ? 0 : wide ? UINT64_MAX : UINT32_MAX))
		return false;
	version = cursor_byte(&c);
	letters = (const char *)c.p;
	if (c.bad || (version != 1 && version != 3 && version != 4) ||
	    !memchr(c.p, 0, (size_t)(c.end - c.p)))
		return false;
	c.p += strlen(letters) + 1;
	if (version == 4 && (cursor_byte(&c) != 8 || cursor_byte(&c) != 0))
		return false;
	cie->code_align = cursor_uleb(&c);
	cie->data_align = cursor_sleb(&c);
	cie->ra = version == 1 ? cursor_byte(&c) : cursor_uleb(&c);
	cie->has_data = letters[0] == 'z';
	if (letters[0] && !cie->has_data)
		return false;
	if (cie->has_data && !augmentation(cie, letters + 1, cursor_take(&c, cursor_uleb(&c))))
		return false;
	cie->program = c;
	return !c.bad;
}

/* Kept until the next call; NULL: not to be used. */
static const struct cie *find_cie(struct reader *r, const struct section *s, uint64_t at)
{
	if (r->cie_of != s || r->cie_at != at) {
		r->cie_good = parse_cie(s, at, &r->cie);
		r->cie_of = s;
		r->cie_at = at;
	}
	return r->cie_good ? &r->cie : NULL;
}

static uint64_t place_of(const struct section *s, const struct cursor *c)
{
	return s->address + (uint64_t)(c->p - s->bytes.p);
}

static void add_fde(struct reader *r, struct section *s, uint64_t cie_at, struct cursor c)
{
	const struct cie *cie = find_cie(r, s, cie_at);
	struct fde f = { .of = s, .cie = cie_at };
	uint64_t place, bytes;

	if (!cie)
		return;
	place = (cie->encoding & 0x70) == PE_PCREL ? place_of(s, &c) : 0;
	f.begin = encoded(&c, cie->encoding);
	if (!f.begin)			/* its function was dropped by the linker */
		return;
	f.begin += place;
	bytes = encoded(&c, cie->encoding & 0xf);
	if (cie->has_data)
		cursor_take(&c, cursor_uleb(&c));
	if (c.bad || !bytes || bytes > UINT64_MAX - f.begin || r->n_fdes == FDES_MOST)
		return;
	f.end = f.begin + bytes;
	f.program = c;
	if (r->n_fdes == r->cap_fdes) {
		r->cap_fdes = r->cap_fdes ? 2 * r->cap_fdes : 256;
		r->fdes = xrealloc(r->fdes, sizeof(*r->fdes) * r->cap_fdes);
	}
	r->fdes[r->n_fdes++] = f;
}

static void read_section(struct reader *r, struct section *s)
{
	struct cursor c = s->bytes;

	while (c.p < c.end && !c.bad) {
		bool wide;
		uint64_t n = entry_length(&c, &wide), id, id_at;
		struct cursor entry = cursor_take(&c, n);

		id_at = (uint64_t)(entry.p - s->bytes.p);
		if (!n)
			continue;
		id = cursor_word(&entry, wide && s->is_debug ? 8 : 4);
		if (entry.bad)
			continue;
		if (s->is_debug && id != (wide ? UINT64_MAX : UINT32_MAX))
			add_fde(r, s, id, entry);
		else if (!s->is_debug && id && id <= id_at)
			add_fde(r, s, id_at - id, entry);
	}
}

/* ---- all of a file ---- */

static int fde_order(const void *x, const void *y)
{
	const struct fde *a = x, *b = y;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->of != b->of ? (a->of < b->of ? -1 : 1) : 0;
}

static void sort_fdes(struct reader *r)
{
	for (size_t i = 1; i < r->n_fdes; i++)
		if (fde_order(&r->fdes[i - 1], &r->fdes[i]) > 0) {
			qsort(r->fdes, r->n_fdes, sizeof(*r->fdes), fde_order);
			return;
		}
}

static void make_rows(struct reader *r, struct rows *rows)
{
	/* room for what most have, so that it is seldom moved; what is not used is no memory */
	rows->cap = r->n_fdes * ROWS_OF_FDE;
	rows->v = rows->cap ? xmalloc(rows->cap * sizeof(*rows->v)) : NULL;
	for (size_t i = 0; i < r->n_fdes; i++) {
		const struct fde *f = &r->fdes[i];
		uint64_t next = i + 1 < r->n_fdes ? r->fdes[i + 1].begin : UINT64_MAX;
		uint64_t end = f->end < next ? f->end : next;
		const struct cie *cie = find_cie(r, f->of, f->cie);

		if (!cie || end == f->begin)
			continue;
		ehframe_run(cie, f->program, f->begin, end, rows);
		if (next - end > PADDING_MOST)
			rows_add(rows, end, unwind_rule(UNWIND_NONE, 0, 0));
	}
}

static void find_sections(const struct elf_file *m, struct reader *r)
{
	static const char *const names[] = { ".eh_frame", ".debug_frame" };

	for (int i = 0; i < 2; i++) {
		const Elf64_Shdr *h = elf_file_section(m, names[i]);
		char *p = h && h->sh_type != SHT_NOBITS && !(h->sh_flags & SHF_COMPRESSED)
			? elf_file_copy(m, h->sh_offset, h->sh_size, SECTION_BYTES_MOST) : NULL;

		if (p)
			r->sections[r->n_sections++] = (struct section){
				.bytes = { (uint8_t *)p, (uint8_t *)p + h->sh_size, false },
				.copy = p, .address = h->sh_addr, .is_debug = i };
	}
}

static bool read_image(struct elf_file *m, struct ehframe *out)
{
	struct reader r = { 0 };
	struct rows rows = { 0 };

	*out = (struct ehframe){ 0 };
	if (elf_file_head(m) || m->head.e_machine != EM_X86_64 ||
	    elf_file_code(m, out->segments, EHFRAME_SEGMENTS_MOST, &out->n_segments))
		return false;
	elf_file_sections(m);
	find_sections(m, &r);
	for (int i = 0; i < r.n_sections; i++)
		read_section(&r, &r.sections[i]);
	sort_fdes(&r);
	make_rows(&r, &rows);
	for (int i = 0; i < r.n_sections; i++)
		free(r.sections[i].copy);
	free(r.fdes);
	out->rows = rows.v;
	out->n = rows.n;
	out->cut = rows.cut;
	if (!rows.n)
		ehframe_free(out);
	return rows.n;
}

bool ehframe_read(int fd, struct ehframe *out)
{
	struct elf_file m;
	bool good = !elf_file_adopt(&m, fd) && read_image(&m, out);

	m.fd = -1;			/* it stays the caller's */
	elf_file_close(&m);
	return good;
}

bool ehframe_read_memory(const void *image, size_t bytes, struct ehframe *out)
{
	struct elf_file m = { .fd = -1, .memory = image, .bytes = bytes };
	bool good = read_image(&m, out);

	elf_file_close(&m);
	return good;
}

void ehframe_free(struct ehframe *f)
{
	free(f->rows);
	*f = (struct ehframe){ 0 };
}

uint32_t ehframe_rule(const struct ehframe *f, uint64_t address)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? f->rows[low - 1].rule : unwind_rule(UNWIND_NONE, 0, 0);
}
