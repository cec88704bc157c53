# expect: out-of-range 2:1
every 1us | count
