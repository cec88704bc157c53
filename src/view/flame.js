'use strict';
// The flame graph of svg and html files. The data is a tree in preorder; only boxes that
// can be seen are made. Of an icicle they are in order of time, frame -1 is time between. Names come as data and go into text nodes only, never into markup.

const NS = 'http://www.w3.org/2000/svg';
const ROW = 17, SEEN = 5000;
const el = id => document.getElementById(id);
const D = JSON.parse(el('data').textContent);

function shown(x, unit) {
	const scales = {
		ns: [['s', 1e9], ['ms', 1e6], ['us', 1e3], ['ns', 1]],
		bytes: [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10], ['bytes', 1]],
	}[unit];
	if (!scales)
		return x.toLocaleString('en') + (unit ? ' ' + unit : '');
	const [name, size] = scales.find(s => Math.abs(x) >= s[1]) || scales[scales.length - 1];
	return (size === 1 ? x : (x / size).toFixed(x / size < 10 ? 2 : 1)) + ' ' + name;
}

const percent = part => (100 * part).toFixed(part < 0.1 ? 2 : 1) + '%';

function hash(text) {
	let h = 0;
	for (let i = 0; i < text.length; i++)
		h = (h * 31 + text.charCodeAt(i)) | 0;
	return (h >>> 0) / 2 ** 32;
}

const KINDS = [
	{ name: 'kernel', hue: 20, sat: 85 }, { name: 'user', hue: 46, sat: 90 },
	{ name: 'JIT', hue: 110, sat: 50 }, { name: 'inlined', hue: 185, sat: 50 },
	{ name: '', hue: 220, sat: 14, light: 20 },
];

// One tree of [depth, frame, total, the other side's total if there is one, ...].
function Flame(nodes, stride) {
	const n = nodes.length / stride;
	const t = {
		n, depth: new Int32Array(n), frame: new Int32Array(n), total: new Float64Array(n),
		other: new Float64Array(n), x: new Float64Array(n), up: new Int32Array(n).fill(-1),
		end: new Int32Array(n), sum: 0, sumOther: 0,
	};
	const open = [], next = [0];
	for (let i = 0; i < n; i++) {
		const d = t.depth[i] = nodes[i * stride];
		t.frame[i] = nodes[i * stride + 1];
		while (open.length > d)
			t.end[open.pop()] = i;
		t.up[i] = d ? open[d - 1] : -1;
		open[d] = i;
		t.total[i] = nodes[i * stride + 2];
		t.other[i] = stride > 3 ? nodes[i * stride + 3] : 0;
	}
	while (open.length)
		t.end[open.pop()] = n;
	t.place = () => {
		for (let i = 0; i < n; i++) {
			const d = t.depth[i];
			t.x[i] = next[d] = d ? next[d] : 0;
			next[d] += t.total[i];
			next[d + 1] = t.x[i];
		}
	};
	t.place();
	t.sum = t.total[0];
	t.sumOther = t.other[0];
	return t;
}

let tree = Flame(D.nodes, D.stride);
let zoom = 0, chosen = -1, turned = D.kind === 'icicle', query = '', swapped = false;
let matches = null, least = 1, drawn = [], width = 1200, typing = false, deltaMost = 0;

function share(i) {
	return tree.sum ? tree.total[i] / tree.sum : 0;
}

function delta(i) {
	const b = tree.sum ? tree.total[i] / tree.sum : 0;
	const a = tree.sumOther ? tree.other[i] / tree.sumOther : 0;
	return swapped ? a - b : b - a;
}

function color(i) {
	const frame = D.frames[tree.frame[i]], kind = KINDS[frame ? frame[1] : 4];
	if (matches && matches[tree.frame[i]])
		return 'hsl(300 85% 72%)';
	if (D.kind === 'diff') {
		const part = deltaMost ? Math.sqrt(Math.abs(delta(i)) / deltaMost) : 0;
		if (part < 0.03)
			return '#eeeeee';
		return `hsl(${delta(i) > 0 ? 4 : 218} 90% ${Math.round(96 - 36 * part)}%)`;
	}
	const h = frame ? hash(frame[0]) : 0;
	return `hsl(${Math.round(kind.hue + 14 * h - 7)} ${kind.sat}% ${Math.round(62 + (kind.light || 0) + 14 * hash((frame || [''])[0] + 'x'))}%)`;
}

function label(i) {
	const frame = D.frames[tree.frame[i]];
	return frame ? frame[0] : 'all';
}

function about(i) {
	const frame = D.frames[tree.frame[i]];
	let text = label(i) + (frame && frame[2] ? ' [' + frame[2] + ']' : '') + ': ' +
		shown(tree.total[i], D.unit) + ', ' + percent(share(i));
	if (D.kind === 'diff')
		text += ', ' + (delta(i) > 0 ? '+' : '') + (100 * delta(i)).toFixed(2) +
			' points from ' + D.sides[0] + ' to ' + D.sides[1];
	return text;
}

function make(name, attributes, parent) {
	const e = document.createElementNS(NS, name);
	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	return parent.appendChild(e);
}

// The boxes below the zoomed one that are at least `wide` pixels; those left out are counted.
function visible(wide) {
	const scale = width / (tree.total[zoom] || 1), found = [];
	let out = 0;
	for (let i = zoom; i < tree.end[zoom];) {
		if (i && tree.frame[i] < 0) {
			i = tree.end[i];		// time between calls
		} else if (tree.total[i] * scale < wide) {
			out += tree.total[i] > 0 ? tree.end[i] - i : 0;
			i = tree.end[i];
		} else {
			found.push(i++);
			if (found.length > SEEN)
				return null;
		}
	}
	return { found, out };
}

function draw() {
	const boxes = el('boxes'), svg = el('flame'), fresh = boxes.cloneNode(false);
	let seen, deepest = 0;
	width = Math.max(400, window.innerWidth - 20);
	for (least = 1; !(seen = visible(least));)
		least *= 1.6;
	drawn = [];
	for (let i = tree.up[zoom]; i >= 0; i = tree.up[i])
		drawn.push(i);
	const above = drawn.length;
	drawn.push(...seen.found);
	for (const i of drawn)
		deepest = Math.max(deepest, tree.depth[i]);
	const height = (deepest + 1) * ROW, scale = width / (tree.total[zoom] || 1);
	drawn.forEach((i, at) => {
		const w = at < above ? width : tree.total[i] * scale;
		const x = at < above ? 0 : (tree.x[i] - tree.x[zoom]) * scale;
		const y = turned ? tree.depth[i] * ROW : height - (tree.depth[i] + 1) * ROW;
		const rect = make('rect', { x: x.toFixed(2), y, height: ROW - 1,
			width: Math.max(0.3, w - 0.5).toFixed(2), fill: color(i), rx: w > 6 ? 2 : 0 }, fresh);
		rect.node = i;
		if (at < above)
			rect.setAttribute('class', 'above');
		const room = Math.floor((w - 4) / 7);
		if (room > 2) {
			const name = label(i);
			make('text', { x: (x + 4).toFixed(2), y: y + 12 }, fresh).textContent =
				name.length > room ? name.slice(0, room - 1) + '\u2026' : name;
		}
	});
	boxes.replaceWith(fresh);
	const top = D.html ? 0 : 112;
	svg.setAttribute('viewBox', `0 0 ${width + 20} ${height + top + 10}`);
	svg.setAttribute('width', width + 20);
	svg.setAttribute('height', height + top + 10);
	el('drawn').textContent = seen.out ? `${seen.out.toLocaleString('en')} frames are narrower than ` +
		`${least.toFixed(1)} pixels: zoom in` : '';
	mark();
}

// The keyboard's box.
function mark() {
	for (const r of el('boxes').querySelectorAll('.chosen'))
		r.classList.remove('chosen');
	const rect = rectOf(chosen);
	if (rect) {
		rect.classList.add('chosen');
		el('details').textContent = about(chosen);
	}
}

function rectOf(i) {
	for (const r of el('boxes').querySelectorAll('rect'))
		if (r.node === i)
			return r;
	return null;
}

function choose(i) {
	if (i < 0)
		return;
	chosen = i;
	mark();
	const rect = rectOf(i);
	if (rect && D.html)
		rect.scrollIntoView({ block: 'nearest' });
}

function zoomTo(i) {
	zoom = chosen = i;
	search(query);
}

function search(text) {
	query = text;
	matches = null;
	el('matched').textContent = '';
	if (text) {
		let re, sum = 0, functions = 0;
		try {
			re = new RegExp(text, 'i');
		} catch (e) {
			re = { test: name => name.includes(text) };
		}
		matches = D.frames.map(f => re.test(f[0]));
		functions = matches.filter(x => x).length;
		for (let i = zoom; i < tree.end[zoom];)
			if (matches[tree.frame[i]]) {
				sum += tree.total[i];
				i = tree.end[i];
			} else {
				i++;
			}
		el('matched').textContent = `${functions} function${functions === 1 ? ' matches' : 's match'}: ` +
			`${shown(sum, D.unit)}, ${percent(tree.total[zoom] ? sum / tree.total[zoom] : 0)}`;
	}
	if (!D.html)
		el('search').textContent = text || typing ? 'search: ' + text + (typing ? '_' : '') : 'search (/)';
	draw();
}

function next(i, step) {
	const row = drawn.filter(k => tree.depth[k] === tree.depth[i]);
	return row[row.indexOf(i) + step];
}

const keys = {
	ArrowLeft: () => choose(next(chosen, -1) ?? chosen),
	ArrowRight: () => choose(next(chosen, 1) ?? chosen),
	caller: () => choose(tree.up[chosen]),
	callee: () => choose(drawn.find(i => tree.up[i] === chosen && i !== chosen) ?? chosen),
	ArrowUp: () => (turned ? keys.caller : keys.callee)(),
	ArrowDown: () => (turned ? keys.callee : keys.caller)(),
	Enter: () => zoomTo(Math.max(0, chosen)),
	Backspace: () => zoomTo(Math.max(0, tree.up[zoom])),
	Home: () => zoomTo(0),
	'/': () => startSearch(),
	Escape: () => query ? clearSearch() : zoomTo(0),
	i: () => { turned = !turned; draw(); },
	s: () => swap(),
};

// The other side of a difference gives the widths.
function swap() {
	if (D.kind !== 'diff')
		return;
	swapped = !swapped;
	[tree.total, tree.other] = [tree.other, tree.total];
	[tree.sum, tree.sumOther] = [tree.sumOther, tree.sum];
	tree.place();
	zoomTo(0);
}

function startSearch() {
	if (D.html) {
		el('search').focus();
		el('search').select();
	} else {
		typing = true;
		search(query);
	}
}

function clearSearch() {
	if (D.html)
		el('search').value = '';
	typing = false;
	search('');
}

// An SVG has no input field: what is typed is the search.
function type(key) {
	if (key === 'Escape')
		return clearSearch();
	if (key === 'Enter')
		typing = false;
	const text = key === 'Backspace' ? query.slice(0, -1) : key.length === 1 ? query + key : query;
	search(text);
}

function onKey(e) {
	if (e.ctrlKey || e.metaKey || e.altKey || e.target === el('heat'))
		return;
	if (D.html && e.target === el('search')) {
		if (e.key === 'Escape')
			clearSearch();
		if (e.key === 'Escape' || e.key === 'Enter')
			el('search').blur();
		return;
	}
	if (typing || keys[e.key]) {
		e.preventDefault();
		if (typing)
			return type(e.key);
		if (chosen < 0)
			chosen = zoom;
		keys[e.key]();
	}
}

function listen() {
	const svg = el('flame');
	svg.addEventListener('click', e => {
		if (e.target.node !== undefined)
			zoomTo(e.target.node);
	});
	svg.addEventListener('mouseover', e => {
		if (e.target.node === undefined)
			return;
		el('details').textContent = about(e.target.node);
		if (!e.target.firstChild)
			make('title', {}, e.target).textContent = about(e.target.node);
	});
	document.addEventListener('keydown', onKey);
	el('reset').addEventListener('click', () => zoomTo(0));
	el('flip').addEventListener('click', keys.i);
	if (D.kind === 'diff')
		el('swap').addEventListener('click', swap);
	if (D.html)
		el('search').addEventListener('input', e => search(e.target.value));
	else
		el('search').addEventListener('click', startSearch);
	window.addEventListener('resize', draw);
}

function start() {
	for (let i = 1; i < tree.n; i++)
		deltaMost = Math.max(deltaMost, Math.abs(delta(i)));
	listen();
	draw();
	// the root is where the eye begins: it must be in the window
	if (!turned && el('flame').getBoundingClientRect().bottom > Math.max(600, window.innerHeight) + 40)
		keys.i();
}

if (D.nodes.length)
	start();
