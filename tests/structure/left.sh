#!/bin/sh
# What tests/left says of BPF objects: those of another run beside, which come and go, are none that this one left.
export B="$TMP/b" TMPDIR="$TMP/run"
mkdir -p "$B/tests/work" "$TMPDIR" "$TMP/bin"
ln -s "$(command -v true)" "$TMP/bin/sleep"
PATH=$TMP/bin:$PATH
orphans() { printf '#!/bin/sh\n%s\n' "$1" >"$B/tests/work/orphans"; chmod +x "$B/tests/work/orphans"; }
left() { tests/left end "no run $$" | grep left_no_bpf_object; }
is() { # NAME GOT EXPECTED
	[ "$2" = "$3" ] && echo "ok $1" || echo "got '$2', expected '$3'
not ok $1"
}
orphans 'echo map 1 old'
tests/left begin
orphans 'echo map 1 old; echo "map $(($(date +%N | sed "s/^0*//") + 2)) beside"'
is left_beside "$(left)" 'ok left_no_bpf_object'
orphans 'echo map 1 old; echo map 2 own'
is left_own "$(left)" 'not ok left_no_bpf_object'
