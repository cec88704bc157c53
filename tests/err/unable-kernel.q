# expect: unable 3:1
# args: --without fentry --without kprobe --without kprobe_multi
vfs_read() | count
