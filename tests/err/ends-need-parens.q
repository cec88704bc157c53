# expect: ends-need-parens 2:19
from a:b where x>1, c:d on k to a:c on k | count
