'use strict';
// The heat map of html files: time by size, or for samples the second by its fraction.
// A range that is chosen gives the flame graph of its stacks, when rows had stacks.

const H = D.heat, LEFT = 70, BOTTOM = 20, FRACTIONS = 50, SECOND = 1e9;
const canvas = el('heat'), pen = canvas.getContext('2d');
const hasEvents = Boolean(H.events);
const isScope = hasEvents && !H.events.some((x, i) => i % 3 === 1 && x > 0);
const grid = new Map();		// "x,y" -> count
let slot, columns, rows, most = 1, linear = false, cursor = null, from = null, to = null;
const event = { time: i => H.events[3 * i], value: i => H.events[3 * i + 1], node: i => H.events[3 * i + 2] };
const events = hasEvents ? H.events.length / 3 : 0;

// Ranges of values, a quarter of an octave each, as the rows of the map.
function quarter(value) {
	if (value < 4)
		return [value, value];
	const top = 2 ** (Math.floor(Math.log2(value)) - 2), lo = Math.floor(value / top) * top;
	return [lo, lo + top - 1];
}

function place(i) {
	if (isScope)
		return [Math.floor(event.time(i) / SECOND),
			Math.floor(event.time(i) % SECOND / SECOND * FRACTIONS)];
	const lo = quarter(event.value(i))[0];
	return [Math.min(columns - 1, Math.floor(event.time(i) / slot)), rows.findIndex(r => r[0] === lo)];
}

function count(x, y, n) {
	const key = x + ',' + y, sum = (grid.get(key) || 0) + n;
	grid.set(key, sum);
	most = Math.max(most, sum);
}

function fill() {
	if (isScope) {
		slot = SECOND;
		columns = Math.floor(H.length / SECOND) + 1;
		rows = Array.from({ length: FRACTIONS }, (_, k) => [k * 20, k * 20 + 19]);
		linear = true;
	} else if (hasEvents) {
		slot = Math.max(1e6, H.length / 200);
		columns = Math.floor(H.length / slot) + 1;
		const seen = new Map();
		for (let i = 0; i < events; i++)
			seen.set(quarter(event.value(i))[0], quarter(event.value(i)));
		rows = [...seen.values()].sort((a, b) => a[0] - b[0]);
	} else {
		slot = H.slot;
		columns = 1;
		rows = H.ranges;
		for (let i = 0; i < H.cells.length; i += 3) {
			columns = Math.max(columns, H.cells[i] + 1);
			count(H.cells[i], H.cells[i + 1], H.cells[i + 2]);
		}
	}
	for (let i = 0; i < events; i++)
		count(...place(i), 1);
}

// ---- drawing ----

const bounds = () => rows.filter(r => r[0] > -1e18 && r[1] < 9e18);
let lowest, highest;

// 0 at the bottom, 1 at the top
function part(value) {
	const f = linear ? x => x : x => Math.log2(Math.max(0, x) + 1);
	return Math.min(1, Math.max(0, (f(value) - f(lowest)) / (f(highest) - f(lowest) || 1)));
}

const size = () => [canvas.clientWidth - LEFT, canvas.clientHeight - BOTTOM - 6];
const yOf = value => 6 + size()[1] * (1 - part(value));
const xOf = column => LEFT + size()[0] * column / columns;
const unit = () => isScope ? 'ms' : D.heatUnit;
const inUnit = value => isScope ? value + ' ms' : shown(value, unit());

function heatColor(n) {
	const c = isScope ? n / most : Math.log(1 + n) / Math.log(1 + most);
	return `hsl(${Math.round(52 - 50 * c)} 92% ${Math.round(88 - 50 * c)}%)`;
}

function labels() {
	const [w, h] = size();
	pen.fillStyle = '#444';
	pen.font = '11px system-ui, sans-serif';
	pen.textAlign = 'right';
	let last = Infinity;
	for (const value of [...new Set(bounds().map(r => r[0]).concat(highest))].sort((a, b) => a - b))
		if (last - yOf(value) > 22) {
			last = yOf(value);
			pen.fillText(inUnit(value), LEFT - 5, last + 4);
		}
	pen.textAlign = 'center';
	const step = Math.ceil(columns / Math.max(1, Math.floor(w / 90)));
	for (let column = 0; column <= columns; column += step) {
		pen.fillText(clock(column * slot), Math.min(xOf(column), LEFT + w - 38), h + 20);
	}
}

// The time of day, with its fraction where columns are shorter than a second.
function clock(ns) {
	const at = new Date(H.begin + ns / 1e6), fraction = slot < 1e9 ? '.' + String(at.getMilliseconds()).padStart(3, '0') : '';
	return at.toTimeString().slice(0, 8) + fraction;
}

function inRange(x, y) {
	if (!from)
		return false;
	const end = to || cursor;
	if (!isScope)
		return between(x, from[0], end[0]) && between(y, from[1], end[1]);
	return between(x * FRACTIONS + y, from[0] * FRACTIONS + from[1], end[0] * FRACTIONS + end[1]);
}

const between = (v, a, b) => v >= Math.min(a, b) && v <= Math.max(a, b);

function box(x, y) {
	const top = yOf(rows[y][1] + 1), left = xOf(x);
	return [left, top, Math.max(1, xOf(x + 1) - left - (columns < 300 ? 0.5 : 0)),
		Math.max(1, yOf(rows[y][0]) - top - 0.5)];
}

function paint() {
	const dots = window.devicePixelRatio || 1;
	canvas.style.width = Math.max(400, window.innerWidth - 20) + 'px';
	canvas.style.height = '300px';
	canvas.width = canvas.clientWidth * dots;
	canvas.height = canvas.clientHeight * dots;
	pen.scale(dots, dots);
	pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
	lowest = Math.min(...bounds().map(r => r[0]));
	highest = Math.max(...bounds().map(r => r[1] + 1));
	pen.fillStyle = '#f7f7f7';
	pen.fillRect(LEFT, 6, ...size());
	for (const [key, n] of grid) {
		const [x, y] = key.split(',').map(Number);
		pen.fillStyle = heatColor(n);
		pen.fillRect(...box(x, y));
	}
	pen.fillStyle = '#2060ff50';
	for (let x = 0; from && x < columns; x++)
		for (let y = 0; y < rows.length; y++)
			if (inRange(x, y))
				pen.fillRect(...box(x, y));
	if (cursor) {
		pen.strokeStyle = '#000';
		pen.strokeRect(...box(...cursor));
	}
	labels();
}

// ---- choosing ----

function countIn(test) {
	let sum = 0;
	for (const [key, n] of grid)
		if (test(...key.split(',').map(Number)))
			sum += n;
	return sum;
}

function tell() {
	if (!cursor)
		return;
	const [x, y] = cursor, n = grid.get(x + ',' + y) || 0, r = rows[y];
	const range = r[0] < -1e18 ? 'below ' + inUnit(r[1] + 1) : r[1] > 9e18 ? inUnit(r[0]) + ' and more' :
		inUnit(r[0]) + ' to ' + inUnit(r[1] + 1);
	let text = `${clock(x * slot)}, ${shown(x * slot, 'ns')} after the begin, ${range}: ${n.toLocaleString('en')}`;
	if (from)
		text += `; chosen: ${countIn(inRange).toLocaleString('en')}`;
	el('heatDetails').textContent = text;
}

// The flame graph of what is chosen, or of all.
function flameOf(test) {
	if (!hasEvents || !tree.n)
		return;
	tree.total.fill(0);
	for (let i = 0; i < events; i++)
		if (test(...place(i)))
			tree.total[event.node(i)] += isScope ? 1 : event.value(i);
	for (let i = tree.n - 1; i > 0; i--)
		tree.total[tree.up[i]] += tree.total[i];
	tree.sum = tree.total[0];
	tree.place();
	zoomTo(0);
}

function pick() {
	if (!cursor)
		return;
	if (!from || to) {
		from = cursor;
		to = null;
	} else {
		to = cursor;
		flameOf(inRange);
	}
	tell();
	paint();
}

function leave() {
	from = to = null;
	flameOf(() => true);
	tell();
	paint();
}

function under(e) {
	const at = canvas.getBoundingClientRect();
	const x = Math.floor((e.clientX - at.left - LEFT) / size()[0] * columns);
	const y = rows.findIndex(r => e.clientY - at.top <= yOf(r[0]) && e.clientY - at.top > yOf(r[1] + 1));
	return x < 0 || x >= columns || y < 0 ? null : [x, y];
}

function onHeatKey(e) {
	const order = rows.map((r, y) => y).sort((a, b) => rows[a][0] - rows[b][0]);
	const move = (dx, dy) => {
		const [x, y] = cursor || [0, order[0]], at = order.indexOf(y) + dy;
		cursor = [Math.min(columns - 1, Math.max(0, x + dx)),
			order[Math.min(order.length - 1, Math.max(0, at))]];
	};
	const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
	const acts = { Enter: pick, ' ': pick, Escape: leave, l: turnScale };
	if (e.ctrlKey || e.metaKey || e.altKey || !(moves[e.key] || acts[e.key]))
		return;
	e.preventDefault();
	if (moves[e.key])
		move(...moves[e.key]);
	else
		acts[e.key]();
	tell();
	paint();
}

function turnScale() {
	if (isScope)
		return;
	linear = !linear;
	el('scale').textContent = linear ? 'logarithmic' : 'linear';
	paint();
}

function startHeat() {
	fill();
	el('scale').hidden = isScope;
	el('heatAbout').textContent = (isScope ? 'each column is a second, from its begin below to its end above' :
		new Date(H.begin).toLocaleDateString() + ': time to the right, ' + D.heatName + ' upwards') + '; darker is more, at most ' +
		most.toLocaleString('en') + '. Click twice for a range' +
		(hasEvents ? ': its flame graph is below' : '') + '.' +
		(H.leftOut ? ` The last ${H.leftOut.toLocaleString('en')} rows are left out.` : '');
	el('scale').addEventListener('click', turnScale);
	canvas.addEventListener('mousemove', e => { cursor = under(e) || cursor; tell(); paint(); });
	canvas.addEventListener('click', e => { cursor = under(e) || cursor; pick(); });
	canvas.addEventListener('keydown', onHeatKey);
	window.addEventListener('resize', paint);
	paint();
}

startHeat();
