#!/bin/sh
# See tests/vm/quick; the queries in live_6.12.sh, as 6.1 and the kernel here take them, too. test: early timeout=5000
exec tests/vm/quick 6.12 full session
