/*
 * fuzz: any bytes as the kernel's types (BTF): what they name is looked up, with the members
 * and elements of it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "fuzz/types.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void function(void *arg, const char *name, uint32_t ktype)
{
	struct ktype_call call;
	uint32_t returns;

	(void)name;
	ktype_signature(arg, ktype, &call, &returns);
}

static void tracepoint(void *arg, const char *name)
{
	struct ktype_call call;

	ktype_tracepoint(arg, str_of(name), &call);
}

static void look_up(struct ktypes *k)
{
	struct type t;
	int64_t value;

	for (uint32_t id = 0; id < 64; id++)
		look_at(k, id, 2);
	look_at(k, ktype_struct(k, str_of("task_struct")), 2);
	look_at(k, ktype_enum(k, str_of("state")), 1);
	look_at(k, ktype_typedef(k, str_of("u64")), 1);
	look_at(k, ktype_make_struct(k, str_of("task_struct")), 2);
	ktype_enumerator(k, str_of("RUNNING"), &value, &t);
	ktype_each_tracepoint(k, tracepoint, k);
	ktype_each_function(k, NULL, function, k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	int fd = memfd_create("btf", MFD_CLOEXEC);
	char path[32];
	struct ktypes *k;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	k = ktypes_open(path, NULL, &e);
	if (k)
		look_up(k);
	else if (!e.causes.n)
		__builtin_trap();
	ktypes_close(k);
	close(fd);
	arena_fini(&a);
	return 0;
}
