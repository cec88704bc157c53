# expect: param-value 4:1
# args: -q
param function: source
$function() | count
