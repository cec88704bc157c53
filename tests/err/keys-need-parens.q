# expect: keys-need-parens 3:16
# expect: keys-need-parens 3:38
from a:b on dev, sector to c:d on dev, sector | count
