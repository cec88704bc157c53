# CPU flame graph;  which file is read most
cpu@99hz | count by stack, comm
