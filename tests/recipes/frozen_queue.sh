#!/bin/sh
# docs/recipes.md: requests are slow, but the disk is not: software keeps them back.
# test: matrix
name=recipe_frozen_queue
if [ ! -x "$CULPRIT" ]; then
	echo "skip $name: no binary"
	exit 0
elif ! why=$(tests/qemu/run --ready 6.12); then
	echo "skip $name: $why"
	exit 0
fi
tests/qemu/run 6.12 --append preempt=voluntary --timeout 120 --add docs/recipes.md -- \
	tests/qemu/guest/frozen.sh >"$TMP/out" 2>&1
status=$?
# The disk: of 3,000 requests the median is in the histogram's first rows. Handing them over:
# some took ten milliseconds and more.
awk '/^step 2/ { exit } $2 == "->" { n += $5; if ($3 <= 100) quick += $5 }
	END { exit !(n == 3000 && quick > n / 2) }' "$TMP/out"
disk=$?
awk '/^step 2/ { two = 1 } two && $2 == "dd" && $4 == "nullb0" && $8 > 10000 { slow++ }
	END { exit !slow }' "$TMP/out"
handing=$?
if [ "$status $disk $handing" = '0 0 0' ]; then
	echo "ok $name"
else
	cat "$TMP/out"
	echo "not ok $name: status $status, disk $disk, handing over $handing"
fi
