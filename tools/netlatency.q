# network devices: how long packets wait to be sent
#
# Question: is the network slow, or does it lose packets?
#
# For each device a histogram of the time from when a packet is queued until the device gets it.
#
#     $ culprit netlatency -d 10
#     $ culprit netlatency --device eth0
#
# Columns: DEVICE, the histogram.
#
# Example:
#
#     $ culprit netlatency -d 2
#     device = lo
#          usecs               : count     distribution
#           1.02 -> 2.05       : 47       |***********************                 |
#           2.05 -> 4.10       : 79       |****************************************|
#           4.10 -> 8.19       : 25       |************                            |
#           8.19 -> 16.4       : 13       |******                                  |
#           16.4 -> 32.8       : 7        |***                                     |
#
# (Cut.) The device gets packets within microseconds. With a device that is too slow they wait for milliseconds.
param device: glob "only this device"

from net:net_dev_queue to net:net_dev_xmit on skbaddr
| where begin.name ~ $device
| hist(duration) by device = begin.name
