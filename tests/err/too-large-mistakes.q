# expect: no-event 8:14
# expect: too-large 3:10
def d0 = syscall:read
def d1 = d0, d0
def d2 = d1, d1
def d3 = d2, d2
def d4 = d3, d3
def d5 = d4, sched:no_such
def d6 = d5, d5
def d7 = d6, d6
def d8 = d7, d7
def d9 = d8, d8
def d10 = d9, d9
def d11 = d10, d10
def d12 = d11, d11
def d13 = d12, d12
def d14 = d13, d13
def d15 = d14, d14
def d16 = d15, d15
def d17 = d16, d16
def d18 = d17, d17
def d19 = d18, d18
def d20 = d19, d19
def d21 = d20, d20
def d22 = d21, d21
def d23 = d22, d22
def d24 = d23, d23
def d25 = d24, d24
def d26 = d25, d25
def d27 = d26, d26
def d28 = d27, d27
def d29 = d28, d28
d29 | count
