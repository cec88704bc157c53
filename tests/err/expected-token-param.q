# expect: expected-token 5:12
# expect: expected-token 6:11
# expect: expected-token 7:27

param min: 10ms
param max = 10ms
param over: duration = 10 ms "least"
syscall:read | where duration > 1ms | count
