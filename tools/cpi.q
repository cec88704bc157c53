# cycles per instruction, by stack
#
# Question: who is using the CPU?
#
# Cycles per instruction, from samples of two of the processor's counters: cycles and instructions.
# Below 1 the code computes; well above 1 it waits, mostly for memory. The tool needs hardware
# counters, which most virtual machines do not have.
#
#     $ culprit cpi -d 10
#     $ culprit cpi -p 1234 -d 10
#     $ culprit cpi -d 10 -o /tmp/cpi.svg
#
# Columns: COMM, STACK, CYCLES and INSTRUCTIONS (in millions), CPI (CYCLES / INSTRUCTIONS).
#
# Example:
#
#     $ culprit cpi -d 1
#     culprit: cannot attach to cycles@1000000
#       because: perf_event_open on CPU 0: No such file or directory
#     help: this processor, or the virtual machine, has no such counter; cpu@99hz works everywhere
#
# The usual answer in a virtual machine: its processor has no counters. profile works there.
param kernel K: flag "only the kernel's part of the stack"
param user   U: flag "only the program's part of the stack"
param top:      int "show only the N with the most cycles"

table cycles       = (cycles@1000000 | count by comm, stack = $kernel ? kstack : $user ? ustack : stack),
      instructions = (instructions@1000000 | count by comm, stack = $kernel ? kstack : $user ? ustack : stack)
| let cpi = cycles / instructions
| top $top by cycles if $top
| sort cycles
