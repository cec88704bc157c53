# args: -p 1
irq:irq_handler_entry | count
