/* Open files and their paths. */
#include "func/rules.h"

/* A struct file's own path; else where a struct path is. */
static struct px *type_path(struct func_call *c)
{
	const struct catalog *cat = c->env->catalog;
	struct px *p = c->args[0];
	struct cat_member m;

	c->x->type = (struct type){ .kind = TY_PATH, .bytes = TEXT_HEAD_BYTES + STRING_BYTES_USUAL };
	c->x->may_none = true;
	if ((p->type.kind == TY_PTR || p->type.kind == TY_STRUCT) && !p->type.user) {
		if (func_points_to(c, p, "path"))
			return c->x;
		if (func_points_to(c, p, "file") &&
		    cat->ops->member(cat->self, p->type.ktype, str_of("f_path"), &m)) {
			struct px *at = px_node(c->env, PX_ADDR, p->loc, &m.type, 1, &p);

			at->offset = m.offset;
			at->text = str_of("f_path");
			if (p->op == PX_ADDR) {
				at->kids[0] = p->kids[0];
				at->offset += p->offset;
			}
			c->x->kids[0] = at;
			return c->x;
		}
	}
	c->x = px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
			"%s() needs a struct file or a struct path, "
			"but this has type %s", c->name, type_name(&p->type));
	diag_help(c->env->diag, "of a file descriptor write path(file(fd))");
	return c->x;
}

const struct func_ops func_path = {
	.name = "path",
	.takes = "(file)",
	.help = "the path of a struct file",
	.example = "syscall:read | bytes = sum(ret) where ret > 0 by path(file(fd)) | top 10",
	.min_args = 1,
	.max_args = 1,
	.type = type_path,
	.reads_memory = true,
	.emit_text = cg_path,
};

#define FULL_PATH_BYTES 248

static struct px *type_fullpath(struct func_call *c)
{
	struct px *name = c->args[1], *x;
	int space = px_space(name);

	if (env_is_recorded(c->env))
		return px_none(c->env, c->e->loc);
	if (space < 0)
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[1]->loc,
				"fullpath() needs the address of a text, but this has type %s",
				type_name(&name->type));
	x = type_path(c);
	if (!px_is_poison(x)) {
		x->space = (uint8_t)space;
		x->type.bytes = TEXT_HEAD_BYTES + FULL_PATH_BYTES;
	}
	return x;
}

const struct func_ops func_fullpath = {
	.name = "fullpath",
	.takes = "(folder, name)",
	.help = "a file's name as given, with the folder before it if it is relative",
	.example = "syscall:openat | where dfd != -100 | print fullpath(file(dfd), filename)",
	.min_args = 2,
	.max_args = 2,
	.type = type_fullpath,
	.reads_memory = true,
	.reads_text = true,
	.emit_text = cg_fullpath,
};

static struct px *type_file(struct func_call *c)
{
	const struct catalog *cat = c->env->catalog;

	if (!func_is_number(c->args[0]))
		return func_not_number(c, 0);
	if (env_is_recorded(c->env)) {
		c->x = px_wrong(c->env, DIAG_UNABLE, c->e->loc,
				"file() needs the running kernel: a trace has no kernel objects");
		diag_help(c->env->diag, "of a system call's fd a trace tells path(file(fd))");
		return c->x;
	}
	c->x->type = (struct type){ .kind = TY_PTR, .size = 8,
		.ktype = cat ? cat->ops->struct_type(cat->self, str_of("file")) : 0 };
	c->x->may_none = true;
	return c->x;
}

const struct func_ops func_file = {
	.name = "file",
	.takes = "(fd)",
	.help = "the struct file of a file descriptor of this process",
	.example = "syscall:read | count by path(file(fd)), file(fd).f_inode.i_ino",
	.min_args = 1,
	.max_args = 1,
	.type = type_file,
	.reads_memory = true,
	.emit_word = cg_file,
};
