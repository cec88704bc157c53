# the slow requests of a prefork Apache server, and their phases
def request = (from syscall:accept4.return where comm == "apache2" && ret >= 0 on (pid, ret)
                 to (syscall:close.enter, syscall:shutdown.enter) on (pid, fd))
def lookup  = syscall:newfstatat | in request
def query   = (from syscall:connect.enter to syscall:newfstatat.enter) | in request
request | where duration > 1s | split lookup, query
