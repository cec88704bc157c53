/* The time of a clock's cycles. */
#include "base/clock.h"
#include "ctf/impl.h"

bool ctf_clock_ns(const struct ctf_clock *c, uint64_t cycles, int64_t *ns)
{
	__int128 v = (__int128)c->offset_s * NS_PER_S;

	if (c->frequency == NS_PER_S)
		v += (__int128)c->offset_cycles + cycles;
	else
		v += ((__int128)c->offset_cycles + cycles) * NS_PER_S / (__int128)c->frequency;
	*ns = (int64_t)v;
	return *ns == v;
}
