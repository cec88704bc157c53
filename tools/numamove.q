# pages moved between memory nodes
#
# Question: is memory short, and who needs it?
# Instead: `culprit run 'migrate:mm_migrate_pages | sum(succeeded) by reason'`
#
# Every second: how many pages were moved to another memory node, because programs on the other node
# use them, and how long this took. A call moves a folio: one page, or many.
#
#     $ culprit numamove
#
# Columns: PAGES (moved), CALLS (also those that moved nothing), SPENT (time in them).
#
# Example:
#
#     $ culprit numamove 12 1
#     PAGES  CALLS   SPENT(us)
#     16388     36  923645.090
#
# 64 MB in large pages followed a program that had moved to the other node. This took 0.9 s.
def moves = migrate_misplaced_folio() else migrate_misplaced_page()
table pages = (migrate:mm_migrate_pages | sum(succeeded) where reason == MR_NUMA_MISPLACED),
      calls = (moves | count), spent = (moves | sum(duration))
| every 1s
