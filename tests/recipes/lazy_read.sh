#!/bin/sh
# docs/recipes.md: a program reads into memory that it gives back after each use.
# test: matrix
. tests/recipes/lib
name=recipe_lazy_read
needs_bpf $name
recipe lazy_read
pages=$((4 * 1024 * 1024 / 4096))

step 1
is ${name}_call "$(awk '$1 == "pread64" { print $2 }' "$SAID")" 100
step 2
between ${name}_faults "$(awk '$1 == "trouble" { print $4 }' "$SAID")" $((100 * pages)) \
	"$(sed -n 's/^faults \([0-9]*\),.*/\1/p' "$SAID")"
step 3
is ${name}_stack "$(awk '/_copy_to_iter/ { copy = NR } /sys_pread64/ && copy { print "pread copies" }' "$SAID")" \
	'pread copies'
step 4
is ${name}_given_back "$(awk '$2 == 4 { print $1, $3 }' "$SAID")" '4194304 100'
