#!/bin/sh
# Functions of programs that begin with what the kernel takes no probe on: said, not counted as 0.
. tests/live/lib
needs_bpf live_lock_said live_lock_left_out live_lock_listed live_lock_all_left_out
[ "$(uname -m)" = x86_64 ] || { echo 'skip live_lock: not x86-64'; exit 0; }
cat >"$TMP/lk.c" <<'END'
long n;
__attribute__((noinline)) void ref_get(long *p) { __sync_fetch_and_add(p, 1); }
__attribute__((noinline)) void ref_plain(long *p) { (*p)++; }
int main(void) { for (int i = 0; i < 1000; i++) { ref_get(&n); ref_plain(&n); } return 0; }
END
cc -O1 -fno-inline -fcf-protection=none -o "$TMP/lk" "$TMP/lk.c" || { bad live_lock_said; exit; }
trace run "$TMP/lk:ref_get() | count; $TMP/lk:ref_plain() | count" -- "$TMP/lk"
is live_lock_said "$status $(grep -c 'ref_get begins with a LOCK prefix: the kernel takes no probe there' "$ERR")" "2 1"
trace run "$TMP/lk:ref_*() | count by event" -- "$TMP/lk"
is live_lock_left_out "$(sum count)/$(sum count event=ref_plain) $(grep -c '^culprit: 1 function of .*lk:ref_\*() cannot be traced: culprit explain lists them$' "$ERR")" \
	'1000/1000 1'
is live_lock_listed "$("$CULPRIT" list functions -v "$TMP/lk:ref_*" | grep -c '^ref_get: cannot be traced: begins with a LOCK prefix$')" 1
trace run "$TMP/lk:ref_g*() | count" -- "$TMP/lk"
is live_lock_all_left_out "$status $(grep -c "no function of .*lk that matches 'ref_g\*' can be traced: ref_get begins with a LOCK prefix" "$ERR")" '2 1'
