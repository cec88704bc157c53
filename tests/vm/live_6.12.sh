#!/bin/sh
# See tests/vm/live. test: timeout=600
exec tests/vm/live 6.12 full
