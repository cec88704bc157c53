#!/bin/sh
# See tests/vm/quick. test: early timeout=1300
exec tests/vm/quick 6.12 full session
