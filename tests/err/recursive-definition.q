# expect: recursive-definition 3:9
def a = b;
def b = a;
a | count
