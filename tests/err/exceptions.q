# warning: exceptions 2:1
libstdc++.so.6:_ZSt9terminatev() | count
