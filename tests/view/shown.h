/* What a view writes, as a string. */
#ifndef SHOWN_H
#define SHOWN_H

#include <stdio.h>
#include <stdlib.h>

#include "view/view.h"

struct shown {
	const struct view_ops *ops;
	struct sink *view;
	struct view_options o;
	char *text;
	size_t n;
};

static const char *fake_disk(void *self, uint64_t dev)
{
	(void)self;
	return dev == (8u << 20) ? "sda" : NULL;
}

static const char *fake_user(void *self, uint64_t uid)
{
	(void)self;
	return uid ? NULL : "root";
}

static const char *fake_symbol(void *self, uint64_t addr)
{
	(void)self;
	return addr == 0x1000 ? "vfs_read+0x12" : NULL;
}

static uint64_t fake_wall(void *self, uint64_t ns)
{
	(void)self;
	return ns + 1000000000000000000ull;		/* 2001-09-09 01:46:40 UTC */
}

static const struct names fake_names = {
	.disk = fake_disk,
	.user = fake_user,
	.ksym = fake_symbol,
	.wall_ns = fake_wall,
};

__attribute__((unused))
static void shown_open(struct shown *s, const struct view_ops *ops, int width)
{
	setenv("TZ", "UTC", 1);
	*s = (struct shown){ .ops = ops, .o = { .header = true, .width = width,
					       .names = &fake_names, .title = "test" } };
	s->o.out = open_memstream(&s->text, &s->n);
}

__attribute__((unused))
static void shown_start(struct shown *s)
{
	s->view = s->ops->open(&s->o);
}

/* Valid until shown_close. */
__attribute__((unused))
static const char *shown_text(struct shown *s)
{
	s->ops->sink.flush(s->view);
	return s->text;
}

__attribute__((unused))
static void shown_close(struct shown *s)
{
	s->ops->close(s->view);
	fclose(s->o.out);
	free(s->text);
}

#endif
