/*
 * packed: texts that the binary carries compressed, as the Makefile writes them: the
 * shipped tools and what pictures bring along.
 */
#ifndef BASE_PACKED_H
#define BASE_PACKED_H

struct packed {
	const unsigned char *p;		/* gzip */
	unsigned int n, text_bytes;
};

/* Writes the text_bytes of the text to `text`. */
void packed_read(const struct packed *packed, char *text);

#endif
