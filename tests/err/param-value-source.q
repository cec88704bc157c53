# expect: param-value 3:1
param function: source
$function() | count
