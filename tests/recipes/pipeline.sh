#!/bin/sh
# docs/recipes.md: which end of a pipe waits for which.
# test: matrix
. tests/recipes/lib
name=recipe_pipeline
needs_bpf $name
recipe pipeline

step 1
is ${name}_waits "$(awk '$1 == "tar" { print $2; exit }' "$SAID")" gzip
step 2
is ${name}_stacks "$(awk '/^target = / { pair = $3 $6 } /pipe_write/ && pair == "tar,gzip" { w = 1 }
	w && /pipe_read/ { print "write waits for read"; exit }' "$SAID")" 'write waits for read'
