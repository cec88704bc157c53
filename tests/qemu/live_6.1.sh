#!/bin/sh
# See tests/qemu/live. test: timeout=5000 matrix
exec tests/qemu/live 6.1 voluntary
