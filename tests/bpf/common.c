/* cg_common: what is behind the NUL of a comm. */
#include <stdlib.h>
#include <string.h>

#include "bpf/cg_field.h"
#include "vm/vm.h"
#include "test.h"

#define COMM_BYTES 16

static struct arena arena;

/* The program replaces the comm that its context is. */
static void make(struct vm *vm, struct vm_code *c)
{
	struct as *as = as_new(&arena);
	struct err e = { .arena = &arena };
	static struct img_prog p = { .name = "p" };

	as_mov(as, R6, R1);
	as_load(as, 8, R1, R6, 0);
	as_load(as, 8, R2, R6, 8);
	cg_clear_behind_nul(as);
	as_store(as, 8, R6, 0, R1);
	as_store(as, 8, R6, 8, R2);
	as_imm(as, R0, 0);
	as_exit(as);
	CHECK_STR(as_finish(as, &arena, &p.insns, &p.notes, &p.n_insns), NULL);
	REQUIRE(!vm_code_init(&arena, c, &p, vm, &e));
}

TEST(common_comm_behind_its_nul)
{
	static const unsigned char bytes[] = { 0x00, 0x01, 0x02, 'a', 0x7f, 0x80, 0x81, 0xff };
	static struct vm vm;
	struct vm_code c;

	make(&vm, &c);
	srandom(7);
	for (int i = 0; i < 20000; i++) {
		unsigned char comm[COMM_BYTES], want[COMM_BYTES] = { 0 };

		for (int k = 0; k < COMM_BYTES; k++)	/* a NUL is rare in some, not in others */
			comm[k] = random() % 4 > i % 5 ? bytes[random() % 8] : bytes[1 + random() % 7];
		memcpy(want, comm, strnlen((char *)comm, COMM_BYTES));
		REQUIRE(vm_code_run(&c, &vm, comm, COMM_BYTES));
		REQUIRE(!memcmp(comm, want, COMM_BYTES));
	}
}
