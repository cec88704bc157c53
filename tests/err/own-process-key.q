# warning: own-process-key 2:51
from syscall:read.enter to syscall:close.enter on fd | count
