#!/bin/sh
# Pictures in a browser: each is opened in headless Chromium without a network, and a script
# that is added to it clicks, types and looks at what changed. test: early
C=$CULPRIT
[ -x "$C" ] || { echo "not ok pictures: nothing is built"; exit 1; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
cd "$TMP" || exit 1

cat >a.folded <<'END'
shop;main;parse;malloc 10
shop;main;parse;</script><script>document.title=1</script> 5
shop;main;"><img src=x onerror=document.title=2> 5
shop;main;read;ksys_read_[k];vfs_read_[k] 30
shop;main;]]>&amp;${1} 10
node;LazyCompile:*f a.js_[j];inner_[i] 40
END
sed 's/ 30$/ 90/; s/ 10$/ 5/' a.folded >b.folded
awk 'BEGIN { for (i = 0; i < 30000; i++) printf "a;b%d;c%d;d%d %d\n", i % 7, i % 1000, i, i % 13 + 1 }' >many.folded

# What every page's script can use; it answers the page that it is a frame of.
cat >common.js <<'END'
const say = [];
const find = id => document.getElementById(id);
const check = (name, ok, why) => say.push((ok ? 'ok ' : 'not ok ') + name + (ok ? '' : ': ' + why));
const rects = () => [...document.querySelectorAll('#boxes rect')];
const texts = () => [...document.querySelectorAll('#boxes text')].map(t => t.textContent);
const box = name => rects().find(r => r.node !== undefined && label(r.node) === name);
const press = (key, at) => (at || document).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
const click = e => {
	const r = e.getBoundingClientRect();
	const top = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
	top.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: r.x + r.width / 2, clientY: r.y + r.height / 2 }));
};
const wide = e => e.getBoundingClientRect().width;
const look_for = pattern => {
	find('search').value = pattern;
	find('search').dispatchEvent(new Event('input'));
	return find('matched').textContent;
};
END
cat >answer.js <<'END'
parent.postMessage('page ' + location.pathname.replace(/.*\/test_/, '') + '\n' + say.join('\n') + '\n', '*');
END
cat >flame_common.js <<'END'
const all = wide(box('all'));
check(P + 'opens', rects().length >= 14, rects().length);
check(P + 'no_injection', document.title !== '1' && document.title !== '2' && !document.querySelector('img') &&
	box('<\/script><script>document.title=1<\/script>') && box('"><img src=x onerror=document.title=2>'), document.title);
click(box('read'));
check(P + 'click_zooms', Math.abs(wide(box('read')) - all) < 2 && !box('parse') && box('shop'), wide(box('read')));
press('Escape');
check(P + 'escape_resets', wide(box('read')) < all / 2 && box('parse'), wide(box('read')));
press('Home'); press('ArrowUp'); press('ArrowRight'); press('ArrowUp');
check(P + 'arrows', find('details').textContent.startsWith('main: 60 samples, 60.0%'), find('details').textContent);
press('Enter');
check(P + 'enter_zooms', Math.abs(wide(box('main')) - all) < 2 && !box('inner'), 1);
press('Backspace'); press('Backspace');
check(P + 'backspace', box('inner'), 1);
const below = box('main').getBoundingClientRect().y;
click(find('flip'));
check(P + 'upside_down', box('all').getBoundingClientRect().y < box('main').getBoundingClientRect().y, below);
press('i');
box('vfs_read').dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
check(P + 'hover', find('details').textContent === 'vfs_read: 30 samples, 30.0%', find('details').textContent);
check(P + 'legend', ['kernel', 'user', 'JIT', 'inlined'].every(k => find('legend').textContent.includes(k)), find('legend').textContent);
check(P + 'colors', new Set(['main', 'vfs_read', 'LazyCompile:*f a.js', 'inner'].map(n =>
	Math.floor(parseInt(box(n).getAttribute('fill').slice(4)) / 30))).size === 4, 1);
END
cat >html.js <<'END'
const P = 'html_';
END
cat >html2.js <<'END'
press('/');
check('html_slash_focuses', document.activeElement === find('search'), document.activeElement.id);
check('html_search', look_for('read') === '3 functions match: 30 samples, 30.0%', find('matched').textContent);
check('html_search_colors', box('read').getAttribute('fill').startsWith('hsl(300') && !box('main').getAttribute('fill').startsWith('hsl(300'), 1);
press('Escape', find('search'));
check('html_search_ends', find('matched').textContent === '' && !box('read').getAttribute('fill').startsWith('hsl(300'), 1);
check('html_search_wrong_pattern', look_for('(').startsWith('0 functions'), find('matched').textContent);
END
cat >svg.js <<'END'
const P = 'svg_';
END
cat >svg2.js <<'END'
for (const key of ['/', 'v', 'f', 'x', 'Backspace', 's', 'Enter'])
	press(key);
check('svg_search', find('matched').textContent === '1 function matches: 30 samples, 30.0%' &&
	find('search').textContent === 'search: vfs', find('matched').textContent);
press('Escape');
check('svg_search_ends', find('search').textContent === 'search (/)' && !find('matched').textContent, 1);
END
cat >diff.js <<'END'
const hue = name => parseInt(box(name).getAttribute('fill').slice(4));
check('diff_red_grew', hue('vfs_read') === 4, box('vfs_read').getAttribute('fill'));
check('diff_blue_shrank', hue('inner') === 218, box('inner').getAttribute('fill'));
box('vfs_read').dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
check('diff_points', find('details').textContent ===
	'vfs_read: 90 samples, 60.0%, +30.00 points from a.folded to b.folded', find('details').textContent);
check('diff_search', look_for('read') === '3 functions match: 90 samples, 60.0%', look_for('read'));
look_for('');
const before = wide(box('vfs_read'));
click(find('swap'));
check('diff_other_side', wide(box('vfs_read')) < before * 0.6 && hue('vfs_read') === 4, wide(box('vfs_read')));
check('diff_search_other_side', look_for('read') === '3 functions match: 30 samples, 30.0%', look_for('read'));
END
cat >many.js <<'END'
check('many_bounded', rects().length <= 5100, rects().length);
check('many_says_what_is_left_out', /frames are narrower/.test(find('drawn').textContent), find('drawn').textContent);
check('many_sum', about(0).startsWith('all: 209,982 samples'), about(0));
const b3 = box('b3');
click(b3);
check('many_zoom_shows_more', rects().length > 500 && rects().length <= 5100, rects().length);
END

# PAGE with the scripts added is among those that are looked at.
look() { # PAGE SCRIPT...
	page=$1
	shift
	case $page in
	*.svg) open='<script><![CDATA[' close=']]></script></svg>' last='</svg>' ;;
	*) open='<script>' close='</script></body></html>' last='</body>' ;;
	esac
	{
		sed "/^$(echo "$last" | sed 's:/:\\/:')\$/,\$d" "$page"
		echo "$open"
		cat common.js "$@"
		cat answer.js
		echo "$close"
	} >"test_$page"
	echo "$page" >>pages
}

# All in one browser, which takes seconds to start, each in a frame; prints their answers.
browse() {
	{
		echo '<html><body><pre id="answer"></pre><script>
			addEventListener("message", e => document.getElementById("answer").textContent += e.data)</script>'
		sed 's:.*:<iframe width="1200" height="800" src="test_&"></iframe>:' pages
		echo '</body></html>'
	} >pages.html
	timeout 300 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--user-data-dir="$TMP/browser" --host-resolver-rules='MAP * ~NOTFOUND' \
		--window-size=1200,800 --virtual-time-budget=60000 --dump-dom "file://$TMP/pages.html" >dom 2>browser.err
	sed -n 's/.*<pre id="answer">//; /^page /,/<.pre>/p' dom >answers
	grep -E '^(ok|not ok) ' answers
	while read -r page; do
		grep -qx "page $page" answers && continue
		tail -n 5 browser.err | sed 's/^/# /'
		echo "not ok $page: its script did not get to its end"
	done <pages
}

"$C" flame -o a.html a.folded && "$C" flame -o a.svg a.folded &&
	"$C" flame --diff -o diff.html a.folded b.folded && "$C" flame -o many.html many.folded || {
	echo "not ok pictures: cannot be made"
	exit 1
}

# Nothing is fetched: the only addresses are names of formats.
if grep -hoE '(https?:)?//[a-z][^"'"'"' ]*|(src|href)=' a.html a.svg diff.html |
	grep -v '^http://www.w3.org/2000/svg$' | grep -vE '^(src|href)=$' | grep .; then
	echo "not ok pictures_need_no_network"
else
	echo "ok pictures_need_no_network"
fi

if [ -z "$browser" ]; then
	echo "skip pictures: no Chromium here (package chromium)"
	exit 0
fi
# ---- heat maps, of runs: where tracing is not permitted there is none ----

cat >heat_common.js <<'END'
const heat = find('heat');
const at = (x, y) => {
	const r = heat.getBoundingClientRect(), b = box_of(x, y);
	return { bubbles: true, clientX: r.x + b[0] + b[2] / 2, clientY: r.y + b[1] + b[3] / 2 };
};
const box_of = box;
const cells = [...grid.keys()].map(k => k.split(',').map(Number));
const total = () => countIn(() => true);
const hit = (x, y) => {
	heat.dispatchEvent(new MouseEvent('mousemove', at(x, y)));
	heat.dispatchEvent(new MouseEvent('click', at(x, y)));
};
const ends = [...cells].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
const first = ends[0], last = ends[ends.length - 1];
check(P + 'has_counts', total() > 0 && columns > 0, total());
heat.dispatchEvent(new MouseEvent('mousemove', at(...first)));
check(P + 'hover', find('heatDetails').textContent.endsWith(': ' + grid.get(first.join()).toLocaleString('en')),
	find('heatDetails').textContent);
hit(...first); hit(...first);
check(P + 'click_chooses', find('heatDetails').textContent.endsWith('chosen: ' +
	grid.get(first.join()).toLocaleString('en')), find('heatDetails').textContent);
const press_heat = key => heat.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
END
cat >heat.js <<'END'
const P = 'heat_';
END
cat >heat2.js <<'END'
press_heat('Escape');
check('heat_escape', !find('heatDetails').textContent.includes('chosen'), find('heatDetails').textContent);
press_heat('l');
check('heat_linear', find('scale').textContent === 'logarithmic', find('scale').textContent);
const x0 = cursor[0];
press_heat('ArrowRight');
check('heat_arrows', cursor[0] === Math.min(columns - 1, x0 + 1), cursor);
END
cat >scope.js <<'END'
const P = 'scope_';
END
cat >scope2.js <<'END'
check('scope_flame_of_range', tree.sum === grid.get(first.join()), tree.sum);
press_heat('Escape');
check('scope_flame_of_all', tree.sum === total() && tree.sum === events, tree.sum);
hit(...first); hit(...last);
check('scope_search', look_for('.').endsWith(' functions match: ' + total() + ' samples, 100.0%'), look_for('.'));
check('scope_two_clicks', tree.sum === total(), tree.sum);
END

cat >icicle.js <<'END'
const at = name => box(name).getBoundingClientRect();
const request = at('request'), sleep = at('clock_nanosleep');
check('icicle_root_at_top', box('all') && at('all').y < request.y && request.y < sleep.y, request.y);
check('icicle_in_time', sleep.x > request.x + 2 && sleep.right <= request.right + 1, sleep.x);
check('icicle_no_box_for_gaps', rects().every(r => !r.node || label(r.node) !== 'all'), 1);
const short = wide(box('clock_nanosleep'));
click(box('clock_nanosleep'));
check('icicle_zooms', wide(box('clock_nanosleep')) > short && box('request'), short);
press('Escape');
press('Home'); press('ArrowDown'); press('ArrowDown');
check('icicle_search', /^1 function matches: [0-9.]+ ms, [1-9][0-9.]*%$/.test(look_for('sleep')), look_for('sleep'));
check('icicle_arrows', find('details').textContent.startsWith('request: '), find('details').textContent);
END

# box() is the heat map's there.
look_heat() {
	sed '/^const box = /d; /^const click = /,/^};/d' common.js >common_heat.js
	mv common_heat.js common.js
	look "$@"
}

look a.html html.js flame_common.js html2.js
look a.svg svg.js flame_common.js svg2.js
look diff.html diff.js
look many.html many.js
calls=$B/tests/work/calls
if "$C" run -q -o icicle.html "$calls:request(), syscall:clock_nanosleep | tree" -- \
	"$calls" nested 1 4000000 >/dev/null 2>why; then
	look icicle.html icicle.js
else
	echo "skip pictures_icicle: $(head -n 1 why)"
fi
if ! "$C" run -q -d 1 -o heat.html 'syscall:* | hist(duration) | every 100ms' -- \
	sh -c 'for i in 1 2 3 4 5; do ls /; sleep 0.1; done' >/dev/null 2>why; then
	echo "skip pictures_heat: $(head -n 1 why)"
	browse
	exit 0
fi
look_heat heat.html heat.js heat_common.js heat2.js
"$C" run -q -d 10 -o scope.html 'cpu@997hz | print comm, stack' -- \
	sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' >/dev/null 2>&1
look_heat scope.html scope.js heat_common.js scope2.js
browse
