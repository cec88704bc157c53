# trace 'sys_read (arg3 > 20000) "read %d bytes", arg3'
syscall:read | where count > 20000 | print "read %d bytes", count
