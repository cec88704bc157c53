# expect: no-event 2:1
usdt:/bin/true:no:probe | count
