#!/bin/sh
# See tests/qemu/quick; the queries in live_6.12.sh, as 6.1 and the kernel here take them, too. test: early timeout=5000
exec tests/qemu/quick 6.12 full session
