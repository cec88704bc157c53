/* BPF programs and maps that the kernel has and no process holds by a file descriptor, a line
 * `KIND ID NAME` each: what a tracer that has ended left behind (pinned, or leaked). */
#include <ctype.h>
#include <dirent.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_IDS = 65536 };

struct kind {
	const char *name, *fdinfo;	/* as /proc/PID/fdinfo names its id */
	enum bpf_cmd next, open;
	unsigned int ids[MAX_IDS];
	bool held[MAX_IDS];
	int count;
};

static struct kind kinds[] = {
	{ .name = "program", .fdinfo = "prog_id:", .next = BPF_PROG_GET_NEXT_ID, .open = BPF_PROG_GET_FD_BY_ID },
	{ .name = "map", .fdinfo = "map_id:", .next = BPF_MAP_GET_NEXT_ID, .open = BPF_MAP_GET_FD_BY_ID },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static long bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof *attr);
}

static void enumerate(struct kind *k)
{
	union bpf_attr attr = { 0 };

	while (k->count < MAX_IDS && bpf(k->next, &attr) == 0) {
		k->ids[k->count++] = attr.next_id;
		attr.start_id = attr.next_id;
	}
}

static void hold(struct kind *k, unsigned int id)
{
	for (int i = 0; i < k->count; i++)
		k->held[i] |= k->ids[i] == id;
}

static void read_fdinfo(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[256];

	while (f && fgets(line, sizeof line, f))
		for (int i = 0; i < KINDS; i++)
			if (strncmp(line, kinds[i].fdinfo, strlen(kinds[i].fdinfo)) == 0)
				hold(&kinds[i], (unsigned int)atol(line + strlen(kinds[i].fdinfo)));
	if (f)
		fclose(f);
}

static void read_process(const char *pid)
{
	char path[512];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%s/fdinfo", pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "/proc/%s/fdinfo/%s", pid, e->d_name);
		read_fdinfo(path);
	}
	if (d)
		closedir(d);
}

/* Empty for what is gone meanwhile. */
static const char *name_of(const struct kind *k, unsigned int id, char *name)
{
	union bpf_attr attr = { .prog_id = id };
	struct bpf_prog_info prog = { 0 };
	struct bpf_map_info map = { 0 };
	int fd = (int)bpf(k->open, &attr);

	if (fd < 0)
		return "";
	attr = (union bpf_attr){ .info = { .bpf_fd = (unsigned int)fd,
		.info_len = k->next == BPF_PROG_GET_NEXT_ID ? sizeof prog : sizeof map,
		.info = k->next == BPF_PROG_GET_NEXT_ID ? (unsigned long)&prog : (unsigned long)&map } };
	bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	snprintf(name, BPF_OBJ_NAME_LEN, "%s", *prog.name ? prog.name : *map.name ? map.name : "-");
	close(fd);
	return name;
}

int main(void)
{
	char name[BPF_OBJ_NAME_LEN];
	struct dirent *e;
	DIR *proc;

	for (int i = 0; i < KINDS; i++)
		enumerate(&kinds[i]);
	proc = opendir("/proc");
	while (proc && (e = readdir(proc)))
		if (isdigit((unsigned char)*e->d_name))
			read_process(e->d_name);
	for (int i = 0; i < KINDS; i++)
		for (int j = 0; j < kinds[i].count; j++)
			if (!kinds[i].held[j] && *name_of(&kinds[i], kinds[i].ids[j], name))
				printf("%s %u %s\n", kinds[i].name, kinds[i].ids[j], name);
	return 0;
}
