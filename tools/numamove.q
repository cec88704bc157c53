# pages moved between memory nodes
#
# Question: is memory short, and who needs it?
# Instead: `culprit run 'migrate:mm_migrate_pages | sum(succeeded) by reason'`
#
# Every second how many pages were moved to another node, and how long that took.
#
#     $ culprit numamove
#
# Columns: MIGRATIONS, TIME in them.
#
# Example:
#
#     $ culprit numamove 12 1
#     MIGRATIONS  SPENT(us)
#             18  88893.462
#
# 18 pages followed a program that was moved to the other node: 5 ms each, which it waited for.
migrate_misplaced_folio() else migrate_misplaced_page()
| migrations = count, spent = sum(duration)
| every 1s
