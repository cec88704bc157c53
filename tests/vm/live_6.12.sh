#!/bin/sh
# See tests/vm/live. test: timeout=1300 long
exec tests/vm/live 6.12 full
