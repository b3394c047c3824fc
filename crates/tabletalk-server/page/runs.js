// Runs of recipes that were kept: figures by set, plots, and two runs side by side.

import {h, svg, select, table, t, number, get, p, head, load, facts, moment, time} from "./common.js"

const address = (name, other) => `#/evaluations/${encodeURIComponent(name)}${other ? `?with=${encodeURIComponent(other)}` : ""}`
const unique = list => [...new Map(list.map(one => [JSON.stringify(one), one])).values()]

// The list of all runs, as a part of a view.
export async function list() {
	const {runs} = await get("evaluations/runs")
	return [h("h2", t("runs")), runs.length ? table(".list#run-list", [t("name"), t("recipe"), t("begun"), t("sets"), t("variants")], runs.map(run => [
		h("td", h("a", {href: address(run.name)}, run.name), " ", !run.complete && h("span.badge", t("unfinished")), h("div.soft", run.about)),
		run.recipe, moment(run.begun), run.sets.join(", "), number(run.variants.length)]), ["", "col-type", "", "col-type", "col-size"]) : h("p.soft", t("none"))]
}

// One run, and another beside it where one was chosen.
export async function view(root, name, other) {
	const place = h("div.page#run")
	root.append(head(name, h("a.small", {href: "#/evaluations"}, `← ${t("nav.evaluations")}`)), place)
	await load(place, async () => {
		const [run, {runs}] = await Promise.all([get(p`evaluations/runs/${name}`), get("evaluations/runs")])
		const names = runs.map(r => r.name).filter(n => n !== name)
		const pick = select([["", t("compare.none")], ...names], other, {label: t("compare"), onchange() {location.hash = address(name, pick.value)}}, "#compare")
		return [h("p", run.about), about(run), names.length > 0 && h("label.actions", h("span.soft", t("compare")), pick),
			other ? sides(run, await get(p`evaluations/runs/${other}`)) : report(run)]
	})
}

const about = ({recipe, task, begun, seconds, complete, provenance: {version, commit, sample, seed, machine = {}, chat} = {}}) => [
	facts(recipe, t(`run.${task}`, {}, task), moment(begun), time(1000 * seconds), chat ?? t("no.model"), !complete && t("unfinished")),
	h("details", h("summary", t("provenance")), facts(version && `tabletalk ${version}`, commit, sample && t("run.sample", {n: sample, seed: String(seed)}),
		machine.processor, machine.cores && t("n.cores", {n: machine.cores}), machine.memory_gib && `${number(machine.memory_gib, 1)} GiB`, machine.system))]

// Sets with the cells of each, in the order of the variants; the place of a variant gives its colour.
function blocks(run) {
	const names = unique([...run.variants, ...run.cells.map(c => ({name: c.variant}))].map(v => v.name))
	const all = unique([...run.sets.map(s => [s.name, s.size ?? null]), ...run.cells.map(c => [c.set, c.size ?? null])]).map(([name, size]) => {
		const rows = run.cells.filter(c => c.set === name && (c.size ?? null) === size).map(cell => ({...cell, index: names.indexOf(cell.variant)})).sort((a, b) => a.index - b.index)
		const measured = rows.filter(row => !row.skipped)
		return {name, size, rows, measured, metrics: ordered(measured), queries: Math.max(0, ...rows.map(row => row.queries))}
	})
	return all.filter(block => block.rows.length || !all.some(other => other.rows.length && other.name === block.name))
}

const title = ({name, size}) => (size == null ? name : t("of.size", {name, n: size}))

// Names of metrics: their parts, their order, and which of them matter most.
const FIRST = "accuracy coverage precision exact_match f1 macro_f1 citation recall@ precision@ f1@ ndcg@ mrr".split(" ")
const LAST = "prompt_tokens reply_tokens calls ms".split(" ")
const CHOSEN = "accuracy recall@ prompt_tokens coverage mrr ms ndcg@ precision macro_f1 exact_match f1 citation calls reply_tokens".split(" ")
const MOST = 5

function parts(name) {
	const [, level = "", stem = name, k = ""] = /^(?:([^.]+)\.)?([^@]+@?)(\d*)$/.exec(name) ?? []
	return {level, stem, k: Number(k)}
}

const rank = (list, one) => (list.indexOf(one) + list.length + 1) % (list.length + 1) // the unknown come last
const by = key => (a, b) => {
	const [left, right] = [key(a), key(b)]
	const i = left.findIndex((value, at) => value !== right[at])
	return i < 0 ? 0 : left[i] < right[i] ? -1 : 1
}
const isShare = name => !/tokens$|^calls$|^ms(_|$)/.test(parts(name).stem)
const levelsOf = names => unique(names.map(name => parts(name).level))

const ordered = rows => unique(rows.flatMap(row => Object.keys(row.metrics))).sort(by(name => {
	const {level, stem, k} = parts(name)
	return [rank(["", "row", "column", "cell"], level), FIRST.includes(stem) ? FIRST.indexOf(stem) : FIRST.length + rank(["", ...LAST], stem) % 5, k, name]
}))

function weighed(names) {
	const usual = ({level, stem}) => names.map(parts).filter(one => one.level === level && one.stem === stem).sort(by(one => [Math.abs(Math.log(one.k / 10))]))[0].k
	return [...names].sort(by(name => {
		const one = parts(name)
		const [isUsual, isRecall, chosen] = [!one.k || usual(one) === one.k, one.stem === "recall@", rank(CHOSEN, one.stem)]
		const isMain = isUsual && (isRecall || (!one.level && chosen < CHOSEN.length))
		return [isMain ? 0 : isRecall ? 1 : isUsual ? 2 : 3, chosen, rank(["", "row", "column", "cell"], one.level), one.k]
	}))
}

const leadOf = names => ["accuracy", "macro_f1", "exact_match", "f1"].find(name => names.includes(name)) ?? weighed(names).find(isShare) ?? weighed(names)[0]

function main(names) {
	const lead = leadOf(names)
	const chosen = [lead, ...weighed(names).filter(name => name !== lead)].slice(0, MOST)
	return [lead, ...names.filter(name => name !== lead && chosen.includes(name))]
}

// A metric in words; its level is said elsewhere unless it is asked for.
function words(name, isFull) {
	const {level, stem, k} = parts(name)
	const text = t(`metric.${stem.replace("@", "")}`, {}, stem.replace(/[_@]/g, " ").trim()) + (k ? `@${k}` : "")
	return isFull && level ? `${t(`level.${level}`, {}, level)} · ${text}` : text
}

const isGood = m => m && [m.mean, m.low, m.high].every(Number.isFinite)
const value = (name, v) => (!Number.isFinite(v) ? "–" : isShare(name) ? v.toFixed(3) : number(v, v < 10 ? 2 : v < 100 ? 1 : 0))
const interval = (name, m) => value(name, m.mean) + (isShare(name) && isGood(m) ? ` (${value(name, m.low)}–${value(name, m.high)})` : "")
const signed = (name, v) => (Number.isFinite(v) ? (v < 0 ? "−" : "+") + value(name, Math.abs(v)) : "–")
const side = (name, v) => ((v > 0) === isShare(name) ? "good" : "bad")
const arrow = v => (v < 0 ? "▼" : "▲")
const isClear = a => a?.p != null && a.p < 0.05
const chance = v => (!Number.isFinite(v) ? "–" : v < 0.001 ? "< 0.001" : v.toFixed(3))

// The report of a run: what grows with tables, then set by set.
function report(run) {
	const all = blocks(run)
	const first = run.variants[0]?.name ?? ""
	return all.length ? [families(all).map(grown), all.map(block => section(block, first))] : h("p.soft", t("none"))
}

function section(block, first) {
	const {measured, metrics} = block
	const errors = block.rows.reduce((sum, row) => sum + row.errors, 0)
	const hasMarks = measured.some(row => Object.values(row.against ?? {}).some(isClear))
	const [whole, ...inner] = levelsOf(metrics).map(level => [level && h("h3", t("level.inside", {level: t(`level.${level}`, {}, level)})), figures(block, metrics.filter(name => parts(name).level === level), first)])
	const skipped = block.rows.filter(row => row.skipped)
	return h("section.run-set", h("h2", title(block)), facts(t("n.queries", {n: block.queries}), errors > 0 && t("n.errors", {n: errors})),
		metrics.length > 0 && [whole, h("p.soft", t("bars.note"), hasMarks && ` ${t("marks.note", {name: first})}`), plots(block), inner, every(block)],
		!block.rows.length && h("p.soft", t("none")),
		skipped.length > 0 && h("ul", skipped.map(row => h("li", h("b", row.variant), " ", h("span.soft", `${t("skipped")}: ${row.skipped}`)))))
}

function figures({measured}, names, first) {
	const [lead, ...others] = main(names)
	const hasPairs = measured.some(row => row.against?.[lead])
	const most = name => (isShare(name) ? 1 : Math.max(...measured.map(row => row.metrics[name]?.high ?? 0)))
	const shown = (row, name, mark) => {
		const m = row.metrics[name]
		return m && h("td", {class: !isShare(name) && "plain-number"}, h("b", value(name, m.mean)), mark, bar(row.index, m, most(name)), isShare(name) && isGood(m) && h("small.soft", `${value(name, m.low)}–${value(name, m.high)}`))
	}
	const mark = (name, a) => (isClear(a) ? h("span.mark-of", {class: side(name, a.difference), title: `${signed(name, a.difference)}, p ${chance(a.p)}`}, arrow(a.difference)) : h("span.mark-of"))
	const paired = a => a && h("td", h("span", {class: isClear(a) ? side(lead, a.difference) : "soft"}, signed(lead, a.difference), isClear(a) && ` ${arrow(a.difference)}`),
		h("small.soft", `${signed(lead, a.low)} … ${signed(lead, a.high)}`), h("small.soft", `p ${chance(a.p)}`))
	return table(".plain-grid.run-figures", [t("variant"), words(lead), ...(hasPairs ? [t("difference.to", {name: first})] : []), ...others.map(name => words(name))], measured.map(row => [
		h("th", row.variant), shown(row, lead), ...(hasPairs ? [paired(row.against?.[lead])] : []), ...others.map(name => shown(row, name, mark(name, row.against?.[name])))]))
}

const every = ({measured, metrics}) => h("details", h("summary", t("all.figures")), table(".plain-grid", [t("metric"), ...measured.map(row => row.variant)], [
	...metrics.map(name => [h("th", words(name, true)), ...measured.map(row => row.metrics[name] && interval(name, row.metrics[name]))]),
	[h("th", t("seconds")), ...measured.map(row => number(row.seconds, 1))],
	[h("th", t("memory")), ...measured.map(row => row.memory_mib && `${number(row.memory_mib)} MiB`)]], ["", ...measured.map(() => "figure")]))

// Drawing.
const [WIDE, HIGH, LEFT, RIGHT, TOP, FOOT] = [440, 280, 52, 12, 30, 236]
const SHAPES = ["M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-3.6-3.6h7.2v7.2h-7.2z", "M0-4.8L4.6 3.4h-9.2z", "M0-5.2L4.6 0L0 5.2L-4.6 0z", "M0 4.8L4.6-3.4h-9.2z",
	"M-1.5-4.6h3v3.1h3.1v3h-3.1v3.1h-3v-3.1h-3.1v-3h3.1z", "M-4.4-2.3L-2.3-4.4L0-2.1L2.3-4.4L4.4-2.3L2.1 0L4.4 2.3L2.3 4.4L0 2.1L-2.3 4.4L-4.4 2.3L-2.1 0z", "M-5-2.4h10v4.8h-10z"]
const series = i => `series-${i % 8}`
const text = (x, y, anchor, said, kind) => svg("text", {x, y, "text-anchor": anchor, class: kind}, said)
const line = (x1, y1, x2, y2, ...kind) => svg("line", {x1, y1, x2, y2, class: kind})
const mark = (i, x, y, said) => svg("path", {class: [series(i), "mark"], transform: `translate(${x} ${y})`, d: SHAPES[(i + Math.floor(i / 8)) % 8]}, said && svg("title", said))
const plot = (name, high, said, ...marks) => h("figure", h("figcaption", name), svg("svg", {class: "plot", viewBox: `0 0 ${WIDE} ${high}`, role: "img", label: `${name}: ${said.join("; ")}`}, marks))
const wide = said => [...said].reduce((sum, c) => sum + (c >= "\u1100" ? 11.5 : 6.5), 0)
const cut = (said, most) => (wide(said) <= most ? said : `${[...said].slice(0, Math.floor(most / 6.5) - 1).join("")}…`)

function bar(i, m, most) {
	const at = v => 2 + 54 * Math.min(1, Math.max(0, v / (most || 1)))
	return isGood(m) && svg("svg", {class: "bar", viewBox: "0 0 58 8", "aria-hidden": true}, line(0, 4, 58, 4, "axis"), line(at(m.low), 4, at(m.high), 4, series(i), "interval"), line(at(m.mean), 1, at(m.mean), 7, series(i)))
}

const legend = rows => h("ul.legend", unique(rows.map(row => [row.index, row.variant])).map(([i, name]) => h("li", svg("svg", {viewBox: "-13 -6 26 12", "aria-hidden": true}, line(-13, 0, 13, 0, series(i)), mark(i, 0, 0)), name)))

// A round step, at least as large.
const round = least => {const ten = 10 ** Math.floor(Math.log10(least)); return ten * [1, 2, 5, 10].find(n => n * ten >= least * 0.999)}

function even(values, from, to) {
	const low = Math.min(...values)
	const high = Math.max(...values) > low ? Math.max(...values) : low + 1
	const step = round((high - low) / 4)
	const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)]
	return {ticks: Array.from({length: last - first + 1}, (_, i) => Number(((first + i) * step).toPrecision(9))), at: v => from + ((v / step - first) / (last - first)) * (to - from)}
}

// By powers where values differ by much; nothing at all has a place of its own there.
function fit(values, from, to) {
	const above = values.filter(v => v > 0)
	const [low, high] = [Math.min(...above), Math.max(...above)]
	if (!(high / low >= 12)) return even([0, ...values], from, to)
	const hasZero = above.length < values.length
	const start = hasZero ? from + (to - from) * 0.14 : from
	const steps = [1, 2, 5].map(n => Array.from({length: 24}, (_, i) => n * 10 ** (i - 9))).flat().sort((a, b) => a - b)
	const [least, most] = [steps.findLast(v => v <= low * 1.001), steps.find(v => v >= high * 0.999)]
	const fine = steps.filter(v => v >= least && v <= most)
	const ticks = fine.length > 7 ? fine.filter(v => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-6) : fine
	return {ticks: hasZero ? [0, ...ticks] : ticks, at: v => (v <= 0 ? from + Math.sign(to - from) * 8 : start + (Math.log(v / least) / Math.log(most / least)) * (to - start))}
}

function given(values, from, to) {
	const [low, high] = [values[0], values.at(-1)]
	const way = low > 0 && high / low >= 5 ? Math.log : v => v
	return {ticks: values, at: v => from + ((way(v) - way(low)) / (way(high) - way(low))) * (to - from)}
}

const across = ({ticks, at}, name) => [ticks.map(tick => [line(LEFT, at(tick), WIDE - RIGHT, at(tick), "axis"), text(LEFT - 8, at(tick) + 4, "end", number(tick, 3))]), text(0, 12, "start", name)]

function along({ticks, at}, foot, name) {
	let free = -Infinity
	return [ticks.map(tick => {
		const [x, said] = [at(tick), number(tick, 3)]
		const isFree = x - wide(said) / 2 > free
		if (isFree) free = x + wide(said) / 2 + 4
		return [line(x, foot, x, foot + 4, "axis"), isFree && text(x, foot + 17, "middle", said)]
	}), text(WIDE - RIGHT, foot + 36, "end", name)]
}

function plots(block) {
	const {measured, metrics} = block
	const lead = leadOf(metrics)
	const curves = levelsOf(metrics).map(level => recall(block, level)).filter(Boolean)
	return h("div.plots", curves.length > 0 && legend(measured), confidence(block, lead), isShare(lead) && scatter(block, lead, "prompt_tokens"), curves)
}

// Means of one metric with their intervals; the first is the measure of the others.
function confidence({measured}, name) {
	const rows = measured.filter(row => isGood(row.metrics[name])).map(row => ({...row, m: row.metrics[name]}))
	if (!rows.length) return null
	const left = Math.min(170, Math.max(...rows.map(row => wide(row.variant)))) + 12
	const foot = 14 + 24 * rows.length
	const x = even([...rows.flatMap(row => [row.m.low, row.m.high]), ...(isShare(name) ? [] : [0])], left, WIDE - 58)
	return plot(t("plot.confidence", {metric: words(name, true)}), foot + 44, rows.map(row => `${row.variant} ${interval(name, row.m)}`),
		x.ticks.map(tick => line(x.at(tick), 6, x.at(tick), foot, "axis")), line(x.at(rows[0].m.mean), 6, x.at(rows[0].m.mean), foot, "base"),
		rows.map((row, i) => {
			const y = 20 + 24 * i
			return [text(left - 12, y + 4, "end", cut(row.variant, left - 12), "name"), line(x.at(row.m.low), y, x.at(row.m.high), y, series(row.index), "interval"),
				mark(row.index, x.at(row.m.mean), y, `${row.variant}: ${interval(name, row.m)}`), text(WIDE, y + 4, "end", value(name, row.m.mean))]
		}), along(x, foot, words(name)))
}

// What an answer is worth against what it costs.
function scatter({measured}, name, cost) {
	const rows = measured.filter(row => isGood(row.metrics[name]) && isGood(row.metrics[cost])).map(row => ({...row, m: row.metrics[name], spent: row.metrics[cost].mean}))
	if (!rows.some(row => row.spent > 0)) return null
	const x = fit(rows.map(row => row.spent), LEFT + 10, WIDE - RIGHT - 12)
	const y = even(rows.flatMap(row => [row.m.low, row.m.high]), FOOT, TOP)
	const points = rows.map(row => ({...row, x: x.at(row.spent), y: y.at(row.m.mean), said: cut(row.variant, 180)}))
	const taken = points.flatMap(({x, y: at, m}) => [[x - 6, at - 6, x + 6, at + 6], [x - 1, y.at(m.high), x + 1, y.at(m.low)]])
	return plot(t("plot.against", {metric: words(name), cost: words(cost)}), HIGH, rows.map(row => `${row.variant} ${value(name, row.m.mean)}, ${value(cost, row.spent)}`),
		across(y, words(name)), along(x, FOOT, words(cost)), points.map(({x, index, m}) => line(x, y.at(m.low), x, y.at(m.high), series(index), "whisker")), labels(points, taken),
		points.map(point => mark(point.index, point.x, point.y, `${point.variant}: ${interval(name, point.m)}, ${value(cost, point.spent)} ${words(cost)}`)))
}

// Names beside points, where they cover nothing; far ones have a line.
function labels(points, taken) {
	const shared = (a, b) => Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]))
	return points.map(({x, y, said, index}) => {
		const long = wide(said)
		const places = [0, 9, 18, 28, 40, 54].flatMap((away, i) => [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [1, 1], [-1, -1], [-1, 1]].slice(i ? 2 : 0).map(([dx, dy]) => {
			const [at, middle] = [x + dx * (9 + away * 0.6), y + dy * (12 + away)]
			const left = at - (long * (1 - dx)) / 2
			const area = [left, middle - 7, left + long, middle + 7]
			return {at, middle, dx, area, isFar: i > 1, cost: taken.reduce((sum, other) => sum + shared(area, other), 0) + 4 * (14 * long - shared(area, [LEFT, 16, WIDE, FOOT]))}
		}))
		const best = places.reduce((a, b) => (a.cost <= b.cost + 0.5 ? a : b))
		taken.push(best.area)
		const [near, beside] = [Math.min(best.area[2], Math.max(best.area[0], x)), Math.min(best.area[3] - 2, Math.max(best.area[1] + 2, y))]
		return [best.isFar && line(x, y, near, beside, series(index), "whisker"), text(best.at, best.middle + 4, ["end", "middle", "start"][best.dx + 1], said, "name halo")]
	})
}

// Lines of a metric over numbers; `rows` are {index, variant, points: [[number, mean]]}.
function lines(name, metric, over, all) {
	const rows = all.filter(row => row.points.length)
	const values = unique(rows.flatMap(row => row.points.map(([k]) => k))).sort((a, b) => a - b)
	if (values.length < 2) return null
	const spread = Math.min(4.5, 26 / rows.length)
	const room = (spread * rows.length) / 2 + 8
	const x = given(values, LEFT + room, WIDE - RIGHT - room)
	const y = (isShare(metric) ? even : fit)(rows.flatMap(row => row.points.flatMap(([, m]) => [m.low, m.mean, m.high])), FOOT, TOP)
	return plot(name, HIGH, rows.map(row => `${row.variant} ${value(metric, row.points.at(-1)[1].mean)}`), across(y, words(metric).split("@")[0]), along(x, FOOT, over), rows.map((row, i) => {
		const points = row.points.map(([k, m]) => [x.at(k) + spread * (i - (rows.length - 1) / 2), y.at(m.mean), m, k])
		return [points.map(([px, , m]) => line(px, y.at(m.low), px, y.at(m.high), series(row.index), "whisker")),
			svg("polyline", {class: series(row.index), points: points.map(([px, py]) => `${px},${py}`).join(" ")}),
			points.map(([px, py, m, k]) => mark(row.index, px, py, `${row.variant}, ${number(k)}: ${interval(metric, m)}`))]
	}))
}

function recall({measured, metrics}, level) {
	const names = metrics.filter(name => parts(name).level === level && parts(name).stem === "recall@" && parts(name).k)
	const rows = measured.map(row => ({...row, points: names.filter(name => isGood(row.metrics[name])).map(name => [parts(name).k, row.metrics[name]])}))
	const said = level ? `${t("plot.recall")}, ${t("level.inside", {level: t(`level.${level}`, {}, level)})}` : t("plot.recall")
	return names.length > 1 && lines(said, names.at(-1), "K", rows)
}

// The same set with tables of several sizes; its name may hold the size.
function families(all) {
	const sized = all.filter(block => block.size != null)
	const family = ({name, size}) => (name.endsWith(size) && name.slice(0, -String(size).length).replace(/[-@_ ./]+$/, "")) || name
	return unique(sized.map(family)).map(name => ({name, members: sized.filter(block => family(block) === name).sort((a, b) => a.size - b.size)})).filter(({members}) => members.length > 1)
}

function grown({name, members}) {
	const measured = members.flatMap(block => block.measured)
	const metrics = ordered(measured)
	if (!metrics.length) return null
	const lead = leadOf(metrics)
	const of = metric => unique(measured.map(row => row.index)).sort((a, b) => a - b).map(index => {
		const mine = members.map(block => [block.size, block.measured.find(row => row.index === index)]).filter(([, row]) => isGood(row?.metrics[metric]))
		return {index, variant: measured.find(row => row.index === index).variant, points: mine.map(([size, row]) => [size, row.metrics[metric]])}
	})
	return h("section.run-set", h("h2", t("grown", {name})), h("div.plots", legend(measured),
		[lead, "prompt_tokens", "ms"].filter((metric, i, list) => metrics.includes(metric) && list.indexOf(metric) === i).map(metric => lines(t("plot.sizes", {metric: words(metric, true)}), metric, t("rows"), of(metric)))))
}

// Two runs: what both measured. Their queries are not paired here, so only intervals that lie apart are marked.
function sides(left, right) {
	const others = blocks(right)
	const made = blocks(left).map(block => {
		const other = others.find(b => b.name === block.name && b.size === block.size)
		const pairs = block.measured.map(row => [row, other?.measured.find(r => r.variant === row.variant)]).filter(([, row]) => row)
		const names = main(block.metrics.filter(name => other?.metrics.includes(name))).filter(Boolean)
		return pairs.length > 0 && names.length > 0 && h("section.run-set", h("h2", title(block)), table(".plain-grid", [t("variant"), t("metric"), t("difference"), left.name, right.name],
			pairs.flatMap(([a, b]) => names.filter(name => a.metrics[name] && b.metrics[name]).map((name, i) => compared(i ? "" : a.variant, name, a.metrics[name], b.metrics[name]))), ["", "", "figure", "figure", "figure"]))
	}).filter(Boolean)
	return made.length ? [h("p.soft", t("apart.note")), made] : h("p.soft", t("nothing.common"))
}

function compared(variant, name, a, b) {
	const isKnown = isGood(a) && isGood(b)
	const change = isKnown ? b.mean - a.mean : NaN
	const isApart = isKnown && (a.low > b.high || b.low > a.high)
	return [h("th", variant), words(name, true), h("span", {class: isApart && side(name, change)}, signed(name, change), isApart && ` ${arrow(change)}`), interval(name, a), interval(name, b)]
}
