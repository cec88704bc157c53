#!/bin/sh
# See tests/vm/live. test: timeout=5000 matrix
exec tests/vm/live 6.1 voluntary
