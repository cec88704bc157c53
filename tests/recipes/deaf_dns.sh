#!/bin/sh
# docs/recipes.md: a program waits for a DNS server that never answers.
# test: matrix
. tests/recipes/lib
name=recipe_deaf_dns
needs_bpf $name
recipe deaf_dns


step 1
between ${name}_host "$(awk '$3 == "bash" && $5 < 0 && $6 == "example.org" { print $4 }' "$SAID")" 900000 60000000
step 2
between ${name}_poll "$(awk '$2 == "bash" && $4 == 0 { print $3 }' "$SAID")" 900000 60000000
