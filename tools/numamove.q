# pages moved between memory nodes
#
# Question: is memory short, and who needs it?
# Instead: `culprit run 'migrate:mm_migrate_pages | sum(succeeded) by reason'`
#
# Every second: how many pages were moved to another memory node, and how long this took.
#
#     $ culprit numamove
#
# Columns: MIGRATIONS, SPENT (time in them).
#
# Example:
#
#     $ culprit numamove 12 1
#     MIGRATIONS  SPENT(us)
#             18  88893.462
#
# 18 pages followed a program that had moved to the other node. The program waited 5 ms for each.
migrate_misplaced_folio() else migrate_misplaced_page()
| migrations = count, spent = sum(duration)
| every 1s
