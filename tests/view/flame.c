#include "test.h"
#include "view/flame.h"

/* However many different stacks come: what has a node counts there, what finds none at its caller. */
TEST(flame_is_bounded)
{
	struct flame f;
	int first, last;

	flame_init(&f);
	first = flame_child(&f, 0, 0);
	for (int i = 1; i < FLAME_NODES - 1; i++)
		flame_child(&f, 0, i);
	CHECK(f.n == FLAME_NODES && !f.full);
	last = flame_child(&f, first, 1);
	CHECK(last == first && f.full == 1);
	CHECK(flame_child(&f, 0, 0) == first && f.full == 1);
	CHECK(flame_child(&f, first, -1) == first && f.full == 2);
	flame_fini(&f);
}
