#!/bin/sh
# Slow queries of a real server, by its static probes (PostgreSQL) or its functions (MariaDB):
# every query that a client sends is a row with its text, and the one that sleeps takes at
# least as long as it sleeps. Where a server is installed; it runs below $TMP, on a socket.
# test: matrix
. tests/live/lib
needs_bpf live_postgresql live_mariadb

queries='SELECT 1 AS one;
SELECT pg_sleep(0.05);
SELECT count(*) FROM pg_class;'

D= stop=:
end() {
	$stop >/dev/null 2>&1
	[ -z "$D" ] || rm -rf "$D"
	D= stop=:
}
trap end EXIT
trap 'exit 1' INT TERM

stop_postgresql() { su postgres -s /bin/sh -c "$PG/pg_ctl -D $D/db -m immediate stop"; }
stop_mariadb() { kill $pid && wait $pid; }

postgresql() {
	set -- /usr/lib/postgresql/*/bin
	PG=$1
	[ -x "$PG/initdb" ] || { echo 'skip live_postgresql: no postgresql here (package postgresql-15, unpacked by make deps)'; return; }
	"$CULPRIT" list probes "$PG/postgres:query__start" >/dev/null 2>&1 ||
		{ echo 'skip live_postgresql: it was built without static probes'; return; }
	D=$(mktemp -d)
	chown postgres "$D"
	stop=stop_postgresql
	su postgres -s /bin/sh -c "$PG/initdb -N -A trust -D $D/db && $PG/pg_ctl -w -D $D/db \
		-o '-k $D -c listen_addresses= -c fsync=off' -l $D/log start" >"$TMP/pg" 2>&1 ||
		{ echo "skip live_postgresql: the server does not start: $(tail -n 1 "$TMP/pg")"; return; }
	printf '%s\n' "$queries" >"$D/queries"
	trace_begin dbslower "$PG/postgres" --min 0
	"$PG/psql" -qAt -h "$D" -U postgres -f "$D/queries" postgres >"$TMP/answers"
	traced INT
	is live_postgresql_all "$(cells query | sort)" "$(printf '%s\n' "$queries" | sort)"
	between live_postgresql_time "$(cells latency 'query=SELECT pg_sleep(0.05);')" 50000000 10000000000
	end
}

# MARIADB: a folder in which Debian's packages were unpacked.
mariadb() {
	root=${MARIADB-}
	server=$root/usr/sbin/mariadbd client=$root/usr/bin/mariadb
	[ -x "$server" ] && [ -x "$client" ] ||
		{ echo 'skip live_mariadb: no mariadb-server here (package mariadb-server-core, unpacked by make deps)'; return; }
	D=$(mktemp -d)
	mkdir "$D/data"
	"$server" --no-defaults --user=root --skip-grant-tables --skip-networking --socket="$D/s" \
		--datadir="$D/data" --lc-messages-dir="$root/usr/share/mysql" \
		--innodb-buffer-pool-size=16M --innodb-log-file-size=8M >"$D/log" 2>&1 &
	pid=$!
	stop=stop_mariadb
	for i in $(seq 200); do
		"$client" --no-defaults -S "$D/s" -e 'SELECT 0' >/dev/null 2>&1 && break
		sleep 0.1
	done
	trace_begin mysqld_qslower "$server" --min 0 -p $pid
	"$client" --no-defaults -S "$D/s" -N -e 'SELECT 1; SELECT SLEEP(0.05)' >"$TMP/answers"
	traced INT
	is live_mariadb_all "$(cells query | tr '\n' ' ')" 'SELECT 1 SELECT SLEEP(0.05) '
	between live_mariadb_time "$(cells latency 'query=SELECT SLEEP(0.05)')" 50000000 10000000000
	trace_begin mysqld_qslower "$server" --min 0
	"$client" --no-defaults -S "$D/s" -N -e 'SELECT 1; SELECT SLEEP(0.05)' >"$TMP/answers"
	traced INT
	is live_mariadb_any_process "$(cells query pid=$pid | tr '\n' ' ')" 'SELECT 1 SELECT SLEEP(0.05) '
	trace_begin dbslower "$server" --min 40ms
	"$client" --no-defaults -S "$D/s" -N -e 'SELECT 1; SELECT SLEEP(0.05)' >"$TMP/answers"
	traced INT
	is live_mariadb_slow "$(cells query)" 'SELECT SLEEP(0.05)'
	end
}

postgresql
mariadb
