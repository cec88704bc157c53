#!/bin/sh
# docs/recipes.md: processes that live too shortly for top use up a CPU.
# test: matrix
. tests/recipes/lib
name=recipe_short_lived
needs_bpf $name
recipe short_lived
(while :; do /bin/true; done) &
loop=$!
trap 'kill $loop' EXIT

# A machine may be busy: 20 a second are many.
step 1
between ${name}_rate "$(awk 'NR == 2 { print $1 }' "$SAID")" 20 1000000
step 2
is ${name}_parent "$(awk -v p=$loop '$2 == p { print $1 }' "$SAID")" true
step 3
between ${name}_age "$(awk -v p=$loop '$4 == p { print $5 }' "$SAID" | sort -n | head -n 1)" 1 100000
