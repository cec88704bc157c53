/* What is told of a trace that is not read whole. */
#include "ctf/impl.h"

void reader_note(struct reader *r, const char *fmt, ...)
{
	struct share_note note = { .stream = r->reading, .turn = r->share_notes.n };
	va_list ap;

	if (r->notes.n > CTF_NOTES_MOST)
		return;
	va_start(ap, fmt);
	note.text = arena_vprintf(&r->arena, fmt, ap);
	va_end(ap);
	if (r->of)
		vec_push(&r->arena, &r->share_notes, note);
	else
		reader_keep_note(r, note.text);
}

void reader_keep_note(struct reader *r, const char *text)
{
	if (r->notes.n > CTF_NOTES_MOST)
		return;
	if (r->notes.n == CTF_NOTES_MOST)
		text = "and more of the kind";
	vec_push(&r->arena, &r->notes, text);
	r->pub.notes = r->notes.v;
	r->pub.n_notes = r->notes.n;
}
