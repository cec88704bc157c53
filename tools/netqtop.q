# queues of network devices: packets and their sizes
#
# Question: who uses the network?
#
# Every second, for each queue of a device: the packets that it sent and received.
#
#     $ culprit netqtop
#     $ culprit netqtop --device eth0 5
#
# Columns: DEVICE, QUEUE, SENT and RECEIVED (packets), SENT_BYTES, RECEIVED_BYTES.
#
# Example:
#
#     $ culprit netqtop 1 1
#     DEVICE  QUEUE  SENT  RECEIVED  SENT_BYTES  RECEIVED_BYTES
#     lo          0    82        82     2158966         2157818
#
# All packets use one queue. On a device with several queues, one busy queue means one busy CPU.
param device: glob "only this device"

(net:net_dev_start_xmit | let out = 1, queue = queue_mapping),
(net:netif_receive_skb | let out = 0, queue = skb.queue_mapping)
| where name ~ $device
| sent = count where out == 1, received = count where out == 0,
  sent_bytes = sum(len * 1B) where out == 1, received_bytes = sum(len * 1B) where out == 0
  by device = name, queue
| every 1s
