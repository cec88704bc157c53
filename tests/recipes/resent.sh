#!/bin/sh
# docs/recipes.md: a connection that loses segments is found without a capture.
# test: matrix
. tests/recipes/lib
name=recipe_resent
needs_bpf $name
recipe resent

step 1
is ${name}_counted "$(awk '$4 == 8080 { print $5 }' "$SAID")" "$(sed -n 's/^sent again //p' "$SAID")"
between ${name}_some "$(sed -n 's/^sent again //p' "$SAID")" 1 400
step 2
between ${name}_lines "$(grep -c ' 8080 ESTABLISHED' "$SAID")" 1 400
