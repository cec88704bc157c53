/*
 * Files of descriptors and the paths of files, put together as fs/d_path.c does.
 */
#include "bpf/cg_parts.h"
#include "bpf/cg_probe.h"

#include <stddef.h>
#include <string.h>

#define MOUNTS_MOST 64			/* passed on the way to the root; components: as many as fit */

/* R0 = current->files->fdt->fd[R0], none when it is not open */
void cg_file(struct cg *cg, const struct px *e, as_label none)
{
	int fd = cg_frame(cg, 8), table = cg_frame(cg, 8);

	cg_word(cg, e->kids[0], none);
	as_store(cg->as, 8, R10, fd, R0);
	as_call(cg->as, BPF_FUNC_get_current_task_btf);
	cg_deref(cg, cg_member(cg, "task_struct", "files"));
	cg_deref(cg, cg_member(cg, "files_struct", "fdt"));
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
	as_store(cg->as, 8, R10, table, R0);
	as_mov(cg->as, R3, R0);
	as_alu_imm(cg->as, BPF_ADD, R3, cg_member(cg, "fdtable", "max_fds"));
	cg_probe(cg, 4, SPACE_KERNEL);
	as_load(cg->as, 8, R1, R10, fd);
	as_jump_if(cg->as, BPF_JGE, R1, R0, none);
	as_load(cg->as, 8, R0, R10, table);
	cg_deref(cg, cg_member(cg, "fdtable", "fd"));
	as_load(cg->as, 8, R1, R10, fd);
	as_alu_imm(cg->as, BPF_LSH, R1, 3);
	as_alu(cg->as, BPF_ADD, R0, R1);
	cg_deref(cg, 0);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
}

struct walk {
	struct cg_parts parts;
	int dentry, mount, left, parent;	/* frame */
	int32_t d_parent, d_name, mnt_root, mnt_mountpoint, mnt_parent, mnt;
	as_label whole, cut;
};

/* At a mount's root: go on at the place where it is mounted; whole at the last. */
static void cross_mount(struct cg *cg, const struct walk *w)
{
	as_load(cg->as, 8, R0, R10, w->mount);
	cg_deref(cg, w->mnt_parent);
	as_load(cg->as, 8, R1, R10, w->mount);
	as_jump_if(cg->as, BPF_JEQ, R0, R1, w->whole);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, w->cut);
	as_store(cg->as, 8, R10, w->parent, R0);
	as_load(cg->as, 8, R0, R10, w->mount);
	cg_deref(cg, w->mnt_mountpoint);
	as_store(cg->as, 8, R10, w->dentry, R0);
	as_load(cg->as, 8, R0, R10, w->parent);
	as_store(cg->as, 8, R10, w->mount, R0);
}

/* The text at R3 is the next part. */
static void add_text(struct cg *cg, const struct walk *w, int terminator)
{
	cg_parts_next(cg, &w->parts, w->cut);
	as_call(cg->as, BPF_FUNC_probe_read_kernel_str);
	cg_parts_add(cg, &w->parts, terminator, w->cut);
}

static void add_component(struct cg *cg, const struct walk *w)
{
	as_load(cg->as, 8, R0, R10, w->dentry);
	cg_deref(cg, w->d_name);
	as_mov(cg->as, R3, R0);
	add_text(cg, w, '/');
	as_load(cg->as, 8, R0, R10, w->parent);
	as_store(cg->as, 8, R10, w->dentry, R0);
}

static struct walk walk_begin(struct cg *cg, int room)
{
	return (struct walk){
		.parts = cg_parts_begin(cg, room),
		.dentry = cg_frame(cg, 8), .mount = cg_frame(cg, 8),
		.left = cg_frame(cg, 8), .parent = cg_frame(cg, 8),
		.d_parent = cg_member(cg, "dentry", "d_parent"),
		.d_name = cg_member(cg, "dentry", "d_name.name"),
		.mnt_root = cg_member(cg, "vfsmount", "mnt_root"),
		.mnt_mountpoint = cg_member(cg, "mount", "mnt_mountpoint"),
		.mnt_parent = cg_member(cg, "mount", "mnt_parent"),
		.mnt = cg_member(cg, "mount", "mnt"),
		.whole = as_new_label(cg->as), .cut = as_new_label(cg->as),
	};
}

/* ---- what has no place in the tree ---- */

static const struct path_row {
	int32_t magic;
	const char *form;
} path_rows[PATHS] = {
#define PATH(id, magic_, form_) { magic_, form_ },
#include "bpf/path.def"
#undef PATH
};

static void set_kind(struct cg *cg, const struct walk *w, int kind)
{
	cg_parts_set(cg, &w->parts, offsetof(struct img_head, path), kind);
}

/* R0 = the dentry's inode */
static void load_inode(struct cg *cg, const struct walk *w)
{
	as_load(cg->as, 8, R0, R10, w->dentry);
	cg_deref(cg, cg_member(cg, "dentry", "d_inode"));
}

/* What the kind's form asks for; goes on at name with it in w->parent, or is whole. */
static void make_named(struct cg *cg, const struct walk *w, int kind, as_label name)
{
	const char *form = path_rows[kind].form;

	set_kind(cg, w, kind);
	if (strstr(form, "%n")) {
		load_inode(cg, w);
		cg_deref(cg, cg_member(cg, "inode", "i_ino"));
		as_store(cg->as, 8, w->parts.text.reg, w->parts.text.off, R0);
		as_store_imm(cg->as, 4, w->parts.head.reg, w->parts.head.off, 8);
	}
	if (strstr(form, "%k")) {
		load_inode(cg, w);
		cg_deref(cg, cg_member(cg, "inode", "i_private"));
		cg_deref(cg, cg_member(cg, "ns_common", "ops"));
		cg_deref(cg, cg_member(cg, "proc_ns_operations", "name"));
	} else if (strstr(form, "%s")) {
		as_load(cg->as, 8, R0, R10, w->dentry);
		cg_deref(cg, w->d_name);
	} else {
		as_jump(cg->as, w->whole);
		return;
	}
	as_store(cg->as, 8, R10, w->parent, R0);
	as_jump(cg->as, name);
}

/*
 *	if (dentry->d_op->d_dname && !(dentry == dentry->d_parent && dentry == mnt->mnt_root))
 *		by dentry->d_sb->s_magic;
 */
static void named(struct cg *cg, const struct walk *w)
{
	as_label made = as_new_label(cg->as), name = as_new_label(cg->as);
	as_label tree = as_new_label(cg->as);

	as_load(cg->as, 8, R0, R10, w->dentry);
	cg_deref(cg, cg_member(cg, "dentry", "d_op"));
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, tree);
	cg_deref(cg, cg_member(cg, "dentry_operations", "d_dname"));
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, tree);
	as_load(cg->as, 8, R0, R10, w->mount);
	cg_deref(cg, w->mnt + w->mnt_root);
	as_load(cg->as, 8, R1, R10, w->dentry);
	as_jump_if(cg->as, BPF_JNE, R0, R1, made);
	cg_deref(cg, w->d_parent);
	as_load(cg->as, 8, R1, R10, w->dentry);
	as_jump_if(cg->as, BPF_JEQ, R0, R1, tree);
	as_bind(cg->as, made);
	as_load(cg->as, 8, R0, R10, w->dentry);
	cg_deref(cg, cg_member(cg, "dentry", "d_sb"));
	cg_deref(cg, cg_member(cg, "super_block", "s_magic"));
	for (int i = 0; i < PATHS; i++) {
		as_label next = as_new_label(cg->as);

		if (!path_rows[i].magic)
			continue;
		as_jump_if_imm(cg->as, BPF_JNE, R0, path_rows[i].magic, next);
		make_named(cg, w, i, name);
		as_bind(cg->as, next);
	}
	make_named(cg, w, PATH_NAMED, name);
	as_bind(cg->as, name);
	as_load(cg->as, 8, R3, R10, w->parent);
	add_text(cg, w, 0);
	as_jump(cg->as, w->whole);
	as_bind(cg->as, tree);
}

/* if (!dentry->d_hash.pprev && dentry != dentry->d_parent) " (deleted)" */
static void deleted(struct cg *cg, const struct walk *w)
{
	as_label there = as_new_label(cg->as);

	as_load(cg->as, 8, R0, R10, w->dentry);
	cg_deref(cg, cg_member(cg, "dentry", "d_hash.pprev"));
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, there);
	as_load(cg->as, 8, R0, R10, w->dentry);
	cg_deref(cg, w->d_parent);
	as_load(cg->as, 8, R1, R10, w->dentry);
	as_jump_if(cg->as, BPF_JEQ, R0, R1, there);
	set_kind(cg, w, PATH_DELETED);
	as_bind(cg->as, there);
}

/*
 * From the leaf to the root, with the mounts on the way (fs/d_path.c: prepend_path):
 *
 *	while (left--) {
 *		if (dentry == mount->mnt.mnt_root) {
 *			if (mount == mount->mnt_parent) goto whole;
 *			dentry = mount->mnt_mountpoint; mount = mount->mnt_parent;
 *		} else {
 *			parent = dentry->d_parent;
 *			if (dentry == parent) goto cut;		// moved out of what is mounted there
 *			bytes += name and '/'; dentry = parent;
 *		}
 *	}
 * cut:
 */
static void walk(struct cg *cg, const struct walk *w)
{
	as_label loop = as_new_label(cg->as), root = as_new_label(cg->as);
	as_label next = as_new_label(cg->as);

	as_store_imm(cg->as, 8, R10, w->left, w->parts.room / 2 + MOUNTS_MOST);
	as_bind(cg->as, loop);
	as_load(cg->as, 8, R0, R10, w->dentry);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, w->cut);
	as_load(cg->as, 8, R0, R10, w->mount);
	cg_deref(cg, w->mnt + w->mnt_root);
	as_load(cg->as, 8, R1, R10, w->dentry);
	as_jump_if(cg->as, BPF_JEQ, R0, R1, root);
	as_mov(cg->as, R0, R1);
	cg_deref(cg, w->d_parent);
	as_store(cg->as, 8, R10, w->parent, R0);
	as_load(cg->as, 8, R1, R10, w->dentry);
	as_jump_if(cg->as, BPF_JEQ, R0, R1, w->cut);
	add_component(cg, w);
	as_jump(cg->as, next);
	as_bind(cg->as, root);
	cross_mount(cg, w);
	as_bind(cg->as, next);
	as_load(cg->as, 8, R1, R10, w->left);
	as_alu_imm(cg->as, BPF_SUB, R1, 1);
	as_store(cg->as, 8, R10, w->left, R1);
	as_jump_if_imm(cg->as, BPF_JNE, R1, 0, loop);
	as_bind(cg->as, w->cut);
	cg_parts_set(cg, &w->parts, offsetof(struct img_head, missing), MISSING_CUT);
	as_bind(cg->as, w->whole);
}

/* The walk begins at the struct path whose address e is. */
static void start(struct cg *cg, const struct walk *w, const struct px *e, as_label none)
{
	cg_word(cg, e, none);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
	as_store(cg->as, 8, R10, w->parent, R0);
	cg_deref(cg, cg_member(cg, "path", "dentry"));
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
	as_store(cg->as, 8, R10, w->dentry, R0);
	as_load(cg->as, 8, R0, R10, w->parent);
	cg_deref(cg, cg_member(cg, "path", "mnt"));
	as_alu_imm(cg->as, BPF_SUB, R0, w->mnt);
	as_store(cg->as, 8, R10, w->mount, R0);
}

void cg_path(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	struct walk w = walk_begin(cg, room);

	start(cg, &w, e->kids[0], none);
	named(cg, &w);
	deleted(cg, &w);
	walk(cg, &w);
	cg_parts_end(cg, &w.parts, at, room);
}

/* The text as the first part, with its NUL; not there: missing, or none where it is read again. */
static void add_given(struct cg *cg, const struct walk *w, const struct px *e, as_label none)
{
	as_label there = as_new_label(cg->as);

	cg_word(cg, e->kids[1], none);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
	as_store(cg->as, 8, R10, w->parent, R0);
	cg_parts_next(cg, &w->parts, w->cut);
	as_load(cg->as, 8, R3, R10, w->parent);
	as_call(cg->as, e->space == SPACE_KERNEL ? BPF_FUNC_probe_read_kernel_str : BPF_FUNC_probe_read_user_str);
	as_jump_if_imm(cg->as, BPF_JSGT, R0, 0, there);
	if (e->absent_is_none) {
		as_jump(cg->as, none);
	} else {
		cg_parts_set(cg, &w->parts, offsetof(struct img_head, missing), MISSING_ABSENT);
		as_jump(cg->as, w->whole);
	}
	as_bind(cg->as, there);
	cg_parts_add(cg, &w->parts, 0, w->cut);
}

/* kids[0]: the address of a struct path, kids[1]: of a text, which may be relative to it. */
void cg_fullpath(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	struct walk w = walk_begin(cg, room);
	as_label relative = as_new_label(cg->as);

	add_given(cg, &w, e, none);
	as_load(cg->as, 1, R0, w.parts.text.reg, w.parts.text.off);
	as_jump_if_imm(cg->as, BPF_JNE, R0, '/', relative);
	set_kind(cg, &w, PATH_GIVEN);
	as_jump(cg->as, w.whole);
	as_bind(cg->as, relative);
	set_kind(cg, &w, PATH_BELOW);
	start(cg, &w, e->kids[0], none);
	walk(cg, &w);
	cg_parts_end(cg, &w.parts, at, room);
}
