/*
 * What follows structs of the kernel whose places the catalog tells: command
 * lines, argument lists, files of descriptors and their paths.
 *
 * Texts of several parts are put together in scratch, with room behind for one
 * part more, so that the verifier needs to know only that the used bytes are
 * fewer than the room; then copied.
 */
#include "bpf/cg_state.h"

#define ARGV_MOST 20			/* strings read of a list */
#define PATH_STEPS 32			/* components and mounts passed on the way to the root */

/* Byte offset of struct.member (with dots); fails when there is none. */
static int32_t member(struct cg *cg, const char *structure, const char *path)
{
	const struct catalog *c = cg->plan->catalog;
	uint32_t type = c ? c->ops->struct_type(c->self, str_of(structure)) : 0;
	struct cat_member m = { .offset = 0 };
	uint32_t off = 0;

	for (const char *p = path; type && *p;) {
		int n = (int)strcspn(p, ".");

		if (!c->ops->member(c->self, type, (struct str){ p, n }, &m)) {
			type = 0;
			break;
		}
		off += m.offset;
		type = m.type.ktype;
		p += n;
		if (!*p)
			return (int32_t)off;
		p++;
	}
	cg_fail(cg, "needs a member of a kernel struct that this kernel does not tell");
	return 0;
}

/* R0 = *(u64 *)(R0 + off), 0 when it can't be read */
static void follow(struct cg *cg, int32_t off)
{
	as_mov(cg->as, R3, R0);
	if (off)
		as_alu_imm(cg->as, BPF_ADD, R3, off);
	cg_probe(cg, 8, SPACE_KERNEL);
}

static void count_cut(struct cg *cg)
{
	if (cg->branch)
		cg_count(cg, cg->branch->query->c_cut);
}

/*
 *	if (task != current || !task->mm) "";
 *	n = mm->arg_end - mm->arg_start;
 *	if (n > room - 2) { n = room - 2; cut++; }
 *	probe_read_user(at, n, mm->arg_start);
 */
void cg_cmdline(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	as_label end = as_new_label(cg->as), fits = as_new_label(cg->as);
	int task = cg_frame(cg, 8), mm = cg_frame(cg, 8), bytes = cg_frame(cg, 8);

	cg_zero(cg, at, room);
	cg_word(cg, e->kids[0], none);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_store(cg->as, 8, R10, task, R0);
	as_call(cg->as, BPF_FUNC_get_current_task_btf);
	as_load(cg->as, 8, R1, R10, task);
	as_jump_if(cg->as, BPF_JNE, R0, R1, end);
	follow(cg, member(cg, "task_struct", "mm"));
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_store(cg->as, 8, R10, mm, R0);
	follow(cg, member(cg, "mm_struct", "arg_end"));
	as_store(cg->as, 8, R10, bytes, R0);
	as_load(cg->as, 8, R0, R10, mm);
	follow(cg, member(cg, "mm_struct", "arg_start"));
	as_store(cg->as, 8, R10, mm, R0);
	as_load(cg->as, 8, R1, R10, bytes);
	as_alu(cg->as, BPF_SUB, R1, R0);
	as_store(cg->as, 8, R10, bytes, R1);
	as_jump_if_imm(cg->as, BPF_JLE, R1, room - 2, fits);
	count_cut(cg);
	as_store_imm(cg->as, 8, R10, bytes, room - 2);
	as_bind(cg->as, fits);
	as_load(cg->as, 8, R2, R10, bytes);
	/* once more, for the verifier: what a slot holds it may have forgotten */
	as_jump_if_imm(cg->as, BPF_JGT, R2, room - 2, end);
	cg_addr(cg, R1, at);
	as_load(cg->as, 8, R3, R10, mm);
	as_call(cg->as, BPF_FUNC_probe_read_user);
	as_bind(cg->as, end);
	cg_frame_free(cg, 24);
}

/* ---- texts of several parts ---- */

struct parts {
	struct place area;		/* 2 * room, in scratch */
	struct place used;		/* u64 there: bytes of complete parts */
	int room;
};

static struct parts parts_begin(struct cg *cg, int room)
{
	struct cg_state *s = cg->state;
	struct parts p = { .room = room, .used = { R9, s->scratch_used } };

	/* scratch whatever the frame's state: offsets vary, which a frame forbids */
	s->wants_action[s->action] |= s->in_guard ? NEED_SCRATCH_GUARD : NEED_SCRATCH_BODY;
	p.area = (struct place){ R9, s->scratch_used + 8 };
	s->scratch_used += 8 + 2 * room;
	if (s->scratch_used > SCRATCH_BYTES)
		cg_fail(cg, "keeps more text at once than a program has room for");
	as_store_imm(cg->as, 8, p.used.reg, p.used.off, 0);
	cg_zero(cg, p.area, room);
	return p;
}

/* R1 = where the next part goes; to full when there is no room */
static void parts_next(struct cg *cg, const struct parts *p, as_label full)
{
	as_load(cg->as, 8, R4, p->used.reg, p->used.off);
	as_jump_if_imm(cg->as, BPF_JGE, R4, p->room - 2, full);
	cg_addr(cg, R1, p->area);
	as_alu(cg->as, BPF_ADD, R1, R4);
}

/* A part of R0 bytes with its NUL was written; a terminator other than NUL. */
static void parts_add(struct cg *cg, const struct parts *p, int terminator, as_label end)
{
	as_jump_if_imm(cg->as, BPF_JSLE, R0, 0, end);
	as_jump_if_imm(cg->as, BPF_JGT, R0, p->room, end);
	as_load(cg->as, 8, R4, p->used.reg, p->used.off);
	as_jump_if_imm(cg->as, BPF_JGE, R4, p->room - 2, end);
	as_alu(cg->as, BPF_ADD, R4, R0);
	as_store(cg->as, 8, p->used.reg, p->used.off, R4);
	if (!terminator)
		return;
	cg_addr(cg, R1, p->area);
	as_alu(cg->as, BPF_ADD, R1, R4);
	as_store_imm(cg->as, 1, R1, -1, terminator);
}

/* Copies what fits, ended by NULs, and counts what does not. */
static void parts_end(struct cg *cg, const struct parts *p, struct place at, int room)
{
	as_label whole = as_new_label(cg->as);

	cg_copy(cg, at, p->area, room);
	as_load(cg->as, 8, R0, p->used.reg, p->used.off);
	as_jump_if_imm(cg->as, BPF_JLE, R0, room - 1, whole);
	as_store_imm(cg->as, 2, at.reg, at.off + room - 2, 0);
	count_cut(cg);
	as_bind(cg->as, whole);
}

/*
 *	for (i = 0; i < ARGV_MOST; i++) {
 *		p = user word argv[i];
 *		if (!p) break;
 *		n = probe_read_user_str(area + used, room, p);
 *		used += n;
 *	}
 */
void cg_argv(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	as_label loop = as_new_label(cg->as), end = as_new_label(cg->as);
	int list = cg_frame(cg, 8), left = cg_frame(cg, 8);
	struct parts p = parts_begin(cg, room);

	cg_word(cg, e->kids[0], none);
	as_store(cg->as, 8, R10, list, R0);
	as_store_imm(cg->as, 8, R10, left, ARGV_MOST);
	as_bind(cg->as, loop);
	as_load(cg->as, 8, R3, R10, list);
	cg_probe(cg, 8, SPACE_USER);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_mov(cg->as, R3, R0);
	parts_next(cg, &p, end);
	as_imm(cg->as, R2, room);
	as_call(cg->as, BPF_FUNC_probe_read_user_str);
	parts_add(cg, &p, 0, end);
	as_load(cg->as, 8, R1, R10, list);
	as_alu_imm(cg->as, BPF_ADD, R1, 8);
	as_store(cg->as, 8, R10, list, R1);
	as_load(cg->as, 8, R1, R10, left);
	as_alu_imm(cg->as, BPF_SUB, R1, 1);
	as_store(cg->as, 8, R10, left, R1);
	as_jump_if_imm(cg->as, BPF_JNE, R1, 0, loop);
	as_bind(cg->as, end);
	parts_end(cg, &p, at, room);
	cg_frame_free(cg, 16);
}

/* ---- files ---- */

/* R0 = current->files->fdt->fd[R0], none when it is not open */
void cg_file(struct cg *cg, const struct px *e, as_label none)
{
	int fd = cg_frame(cg, 8), table = cg_frame(cg, 8);

	cg_word(cg, e->kids[0], none);
	as_store(cg->as, 8, R10, fd, R0);
	as_call(cg->as, BPF_FUNC_get_current_task_btf);
	follow(cg, member(cg, "task_struct", "files"));
	follow(cg, member(cg, "files_struct", "fdt"));
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
	as_store(cg->as, 8, R10, table, R0);
	as_mov(cg->as, R3, R0);
	as_alu_imm(cg->as, BPF_ADD, R3, member(cg, "fdtable", "max_fds"));
	cg_probe(cg, 4, SPACE_KERNEL);
	as_load(cg->as, 8, R1, R10, fd);
	as_jump_if(cg->as, BPF_JGE, R1, R0, none);
	as_load(cg->as, 8, R0, R10, table);
	follow(cg, member(cg, "fdtable", "fd"));
	as_load(cg->as, 8, R1, R10, fd);
	as_alu_imm(cg->as, BPF_LSH, R1, 3);
	as_alu(cg->as, BPF_ADD, R0, R1);
	follow(cg, 0);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
	cg_frame_free(cg, 16);
}

struct walk {
	int dentry, mount, left, parent;	/* frame */
	int32_t d_parent, d_name, mnt_root, mnt_mountpoint, mnt_parent, mnt;
};

/* At a mount's root: go on at the place where it is mounted; to end at the last. */
static void cross_mount(struct cg *cg, const struct walk *w, as_label end)
{
	as_load(cg->as, 8, R0, R10, w->mount);
	follow(cg, w->mnt_parent);
	as_load(cg->as, 8, R1, R10, w->mount);
	as_jump_if(cg->as, BPF_JEQ, R0, R1, end);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_store(cg->as, 8, R10, w->parent, R0);
	as_load(cg->as, 8, R0, R10, w->mount);
	follow(cg, w->mnt_mountpoint);
	as_store(cg->as, 8, R10, w->dentry, R0);
	as_load(cg->as, 8, R0, R10, w->parent);
	as_store(cg->as, 8, R10, w->mount, R0);
}

static void add_name(struct cg *cg, const struct walk *w, const struct parts *p, as_label end)
{
	as_load(cg->as, 8, R0, R10, w->dentry);
	follow(cg, w->d_name);
	as_mov(cg->as, R3, R0);
	parts_next(cg, p, end);
	as_imm(cg->as, R2, p->room);
	as_call(cg->as, BPF_FUNC_probe_read_kernel_str);
	parts_add(cg, p, '/', end);
	as_load(cg->as, 8, R0, R10, w->parent);
	as_store(cg->as, 8, R10, w->dentry, R0);
}

static struct walk walk_begin(struct cg *cg)
{
	return (struct walk){
		.dentry = cg_frame(cg, 8), .mount = cg_frame(cg, 8),
		.left = cg_frame(cg, 8), .parent = cg_frame(cg, 8),
		.d_parent = member(cg, "dentry", "d_parent"),
		.d_name = member(cg, "dentry", "d_name.name"),
		.mnt_root = member(cg, "vfsmount", "mnt_root"),
		.mnt_mountpoint = member(cg, "mount", "mnt_mountpoint"),
		.mnt_parent = member(cg, "mount", "mnt_parent"),
		.mnt = member(cg, "mount", "mnt"),
	};
}

/*
 * R0 is the address of a struct path; from the leaf to the root, with the mounts
 * on the way (fs/d_path.c: prepend_path):
 *
 *	while (left--) {
 *		parent = dentry->d_parent;
 *		if (dentry == mount->mnt.mnt_root || dentry == parent) {
 *			if (mount == mount->mnt_parent) break;
 *			dentry = mount->mnt_mountpoint; mount = mount->mnt_parent;
 *		} else {
 *			used += name and '/'; dentry = parent;
 *		}
 *	}
 */
void cg_path(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	as_label loop = as_new_label(cg->as), root = as_new_label(cg->as);
	as_label next = as_new_label(cg->as), end = as_new_label(cg->as);
	struct mark m = cg_mark(cg);
	struct parts p = parts_begin(cg, room);
	struct walk w = walk_begin(cg);

	cg_word(cg, e->kids[0], none);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
	as_store(cg->as, 8, R10, w.parent, R0);
	follow(cg, member(cg, "path", "dentry"));
	as_store(cg->as, 8, R10, w.dentry, R0);
	as_load(cg->as, 8, R0, R10, w.parent);
	follow(cg, member(cg, "path", "mnt"));
	as_alu_imm(cg->as, BPF_SUB, R0, w.mnt);
	as_store(cg->as, 8, R10, w.mount, R0);
	as_store_imm(cg->as, 8, R10, w.left, PATH_STEPS);
	as_bind(cg->as, loop);
	as_load(cg->as, 8, R0, R10, w.dentry);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	follow(cg, w.d_parent);
	as_store(cg->as, 8, R10, w.parent, R0);
	as_load(cg->as, 8, R1, R10, w.dentry);
	as_jump_if(cg->as, BPF_JEQ, R0, R1, root);
	as_load(cg->as, 8, R0, R10, w.mount);
	follow(cg, w.mnt + w.mnt_root);
	as_load(cg->as, 8, R1, R10, w.dentry);
	as_jump_if(cg->as, BPF_JEQ, R0, R1, root);
	add_name(cg, &w, &p, end);
	as_jump(cg->as, next);
	as_bind(cg->as, root);
	cross_mount(cg, &w, end);
	as_bind(cg->as, next);
	as_load(cg->as, 8, R1, R10, w.left);
	as_alu_imm(cg->as, BPF_SUB, R1, 1);
	as_store(cg->as, 8, R10, w.left, R1);
	as_jump_if_imm(cg->as, BPF_JNE, R1, 0, loop);
	as_bind(cg->as, end);
	parts_end(cg, &p, at, room);
	cg_release(cg, m);
}
