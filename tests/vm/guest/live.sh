# Inside a virtual machine: tests of tests/live that are named run here as they do outside;
# `options` and `load` are its lists of tools and queries.
export CULPRIT=/job/bin/culprit W=/job/bin/work B=/none SCALE=20
for name; do
	export TMP=/tmp/$name
	mkdir -p "$TMP"
	start=$(date +%s)
	case $name in
	options) sh tests/live/options each $(ls tools | sed 's/\.q$//') ;;
	load) sh tests/live/load tests/live/queries ;;
	fields) SLOW=20 ./fields ;;
	*) sh "tests/live/$name.sh" ;;
	esac
	echo "# $name took $(($(date +%s) - start)) s"
	rm -rf "$TMP"
done 2>&1
exit 0
