# where code needs many cycles for an instruction
#
# Question: who is using the CPU?
#
# Cycles per instruction by stack, from two samplings of the processor's counters: one of cycles,
# one of instructions. Below 1 code computes; well above it waits, mostly for memory. Needs a
# machine whose counters can be seen, which most virtual machines' cannot.
#
#     $ culprit cpi -d 10
#     $ culprit cpi -p 1234 -d 10
#     $ culprit cpi -d 10 -o /tmp/cpi.svg
#
# Columns: COMM, the STACK; CYCLES and INSTRUCTIONS sampled, in millions; CPI.
#
# Example:
#
#     $ culprit cpi -d 1
#     culprit: cannot attach to cycles@1000000
#       because: perf_event_open on CPU 0: No such file or directory
#     help: this processor, or the virtual machine, has no such counter; cpu@99hz works everywhere
#
# The usual answer of a virtual machine: its processor shows no counters. profile works there.
param kernel K: flag "the kernel's part of the stack alone"
param user   U: flag "the program's part of the stack alone"
param top:      int "the most cycles only"

table cycles       = (cycles@1000000 | count by comm, stack = $kernel ? kstack : $user ? ustack : stack),
      instructions = (instructions@1000000 | count by comm, stack = $kernel ? kstack : $user ? ustack : stack)
| let cpi = cycles / instructions
| top $top by cycles if $top
| sort cycles
