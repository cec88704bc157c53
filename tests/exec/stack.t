Stacks as keys, columns and kept values. A frame of the kernel is shown with k: here.

=== kernel_stack_as_key
--- query
block:issue | count by kstack | top 10
--- events
event block:issue n:u32
event block:done n:u32
event sched:wake pid:tid
1.0 tid=1 pid=1 comm=a kstack=submit;write;entry ustack=write;main block:issue n=1
1.1 tid=1 kstack=submit;write;entry ustack=write;loop;main block:issue n=2
1.2 tid=2 pid=2 comm=b kstack=submit;read;entry ustack=write;main block:issue n=3
1.3 tid=2 kstack=submit;write;entry ustack=write;main block:issue n=4
1.4 tid=2 kstack=irq;idle sched:wake pid=1
1.5 tid=1 kstack=complete;entry ustack=read;main block:done n=1
1.6 tid=2 kstack=complete;softirq block:done n=3
--- expect
kstack | count
[k:submit k:write k:entry] | 3
[k:submit k:read k:entry] | 1

=== program_stacks_are_of_a_process
The same frames in another process are another stack.
--- query
block:issue | count by ustack, comm | top 10
--- expect
ustack | comm | count
[write main] | "b" | 2
[write loop main] | "a" | 1
[write main] | "a" | 1

=== both
--- query
block:issue, block:done | print n, stack
--- expect
1 | [k:submit k:write k:entry write main]
2 | [k:submit k:write k:entry write loop main]
3 | [k:submit k:read k:entry write main]
4 | [k:submit k:write k:entry write main]
1 | [k:complete k:entry read main]
3 | [k:complete k:softirq]

=== none
No program there: the row's key is none.
--- query
block:done | print n, ustack, kstack
--- expect
1 | [read main] | [k:complete k:entry]
3 | - | [k:complete k:softirq]

=== of_begin_via_and_end
--- query
from block:issue on n via sched:wake on pid to block:done on n
| print begin.n, begin.kstack, via.kstack, end.kstack, begin.stack, end.ustack
--- expect
1 | [k:submit k:write k:entry] | [k:irq k:idle] | [k:complete k:entry] | [k:submit k:write k:entry write main] | [read main]
3 | [k:submit k:read k:entry] | - | [k:complete k:softirq] | [k:submit k:read k:entry write main] | -

=== worst_keeps_them
--- query
from block:issue on n to block:done on n | worst 1 print duration, begin.kstack, kstack, end.stack
--- expect
duration | begin.kstack | kstack | end.stack
500000000 | [k:submit k:write k:entry] | [k:submit k:write k:entry] | [k:complete k:entry read main]

=== let
--- query
block:issue | let s = kstack, u = ustack | count by u, s, comm | top 1
--- expect
u | s | comm | count
[write loop main] | [k:submit k:write k:entry] | "a" | 1

=== distinct
--- query
block:issue | distinct(kstack), distinct(ustack), distinct(stack), last(kstack)
--- expect
distinct(kstack) | distinct(ustack) | distinct(stack) | last(kstack)
2 | 3 | 4 | [k:submit k:write k:entry]

=== too_deep_and_not_taken
--- query
x:y | print kstack
--- events
event x:y n:u32
1.0 tid=1 kstack=? x:y
1.1 tid=1 kstack=f1;f2;f3;f4;f5;f6;f7;f8;f9;f10;f11;f12;f13;f14;f15;f16;f17;f18;f19;f20;f21;f22;f23;f24;f25;f26;f27;f28;f29;f30;f31;f32;f33;f34;f35;f36;f37;f38;f39;f40;f41;f42;f43;f44;f45;f46;f47;f48;f49;f50;f51;f52;f53;f54;f55;f56;f57;f58;f59;f60;f61;f62;f63;f64;f65;f66;f67;f68;f69;f70;f71;f72;f73;f74;f75;f76;f77;f78;f79;f80;f81;f82;f83;f84;f85;f86;f87;f88;f89;f90;f91;f92;f93;f94;f95;f96;f97;f98;f99;f100;f101;f102;f103;f104;f105;f106;f107;f108;f109;f110;f111;f112;f113;f114;f115;f116;f117;f118;f119;f120;f121;f122;f123;f124;f125;f126;f127;f128 x:y
--- expect
[ cut: the kernel could not take it]
[k:f1 k:f2 k:f3 k:f4 k:f5 k:f6 k:f7 k:f8 k:f9 k:f10 k:f11 k:f12 k:f13 k:f14 k:f15 k:f16 k:f17 k:f18 k:f19 k:f20 k:f21 k:f22 k:f23 k:f24 k:f25 k:f26 k:f27 k:f28 k:f29 k:f30 k:f31 k:f32 k:f33 k:f34 k:f35 k:f36 k:f37 k:f38 k:f39 k:f40 k:f41 k:f42 k:f43 k:f44 k:f45 k:f46 k:f47 k:f48 k:f49 k:f50 k:f51 k:f52 k:f53 k:f54 k:f55 k:f56 k:f57 k:f58 k:f59 k:f60 k:f61 k:f62 k:f63 k:f64 k:f65 k:f66 k:f67 k:f68 k:f69 k:f70 k:f71 k:f72 k:f73 k:f74 k:f75 k:f76 k:f77 k:f78 k:f79 k:f80 k:f81 k:f82 k:f83 k:f84 k:f85 k:f86 k:f87 k:f88 k:f89 k:f90 k:f91 k:f92 k:f93 k:f94 k:f95 k:f96 k:f97 k:f98 k:f99 k:f100 k:f101 k:f102 k:f103 k:f104 k:f105 k:f106 k:f107 k:f108 k:f109 k:f110 k:f111 k:f112 k:f113 k:f114 k:f115 k:f116 k:f117 k:f118 k:f119 k:f120 k:f121 k:f122 k:f123 k:f124 k:f125 k:f126 k:f127 cut: too deep]
! stacks cut 1
! stacks lost 1

=== a_full_table
Other stacks stay apart; only their frames are not known.
--- query
x:y | print kstack
--- options
limits table_rows=2
--- events
event x:y n:u32
1.0 tid=1 kstack=a;c x:y
1.1 tid=1 kstack=b;c x:y
1.2 tid=1 kstack=c;c x:y
1.3 tid=1 kstack=a;c x:y
--- expect
[k:a k:c]
[k:b k:c]
[ cut: its frames found no room: --table-size]
[k:a k:c]
! stacks dropped 1

=== samples_of_different_kinds_in_one_column
--- query
x:y, x:z | print n, n == 1 ? kstack : ustack
--- events
event x:y n:u32
event x:z n:u32
1.0 tid=1 kstack=a;c ustack=d;e x:y n=1
1.1 tid=1 kstack=a;c ustack=d;e x:z n=2
--- expect
1 | [k:a k:c]
2 | [d e]
