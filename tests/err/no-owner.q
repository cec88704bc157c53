# expect: no-owner 3:1
# args: -p 1
irq:irq_handler_entry | count
