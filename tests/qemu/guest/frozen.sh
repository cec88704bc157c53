# Inside a virtual machine: the commands of docs/recipes.md on a quick disk whose queue is
# frozen again and again, by writing its attributes.
modprobe null_blk
queue=/sys/block/nullb0/queue
while :; do
	for times in 1 2 3 4 5 6 7 8 9 10; do	# each is quick on a quick machine
		echo 32 >$queue/nr_requests
		echo 64 >$queue/nr_requests
	done
	usleep 5000	# or reads never get through
done &
freezer=$!
awk '/^```/ { inside = $0 == "```sh-recipe frozen_queue"; next }
	inside && /^\$ / { n++; print substr($0, 3) >("/tmp/step." n) }' docs/recipes.md
for step in 1 2; do
	echo "step $step"
	sh /tmp/step.$step 2>&1 | cat
done
kill $freezer
exit 0
