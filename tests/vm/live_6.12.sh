#!/bin/sh
# See tests/vm/live. test: timeout=1300 matrix
exec tests/vm/live 6.12 full
