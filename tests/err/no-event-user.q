# expect: no-event 9:2
# expect: no-event 10:3
# expect: no-event 11:3
# expect: no-event 12:3
# expect: no-event 13:3
# expect: no-event 14:3
# expect: no-event 15:3
# expect: no-event 16:3
(/no/such/file:f(),
  /etc/passwd:f(),
  /dev/null:f(),
  libno-such.so:f(),
  libc.so.6:no_such_function_here(),
  libc.so.6:malloc,
  pid:0:f(),
  pid:x) | count
