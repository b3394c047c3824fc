// How well things are found: figures, plots, and a form to measure again.

import {h, svg, put, button, submit, field, check, select, table, t, number, session, get, post, remove, p, head, doing, follow, moment, notice, load} from "./common.js"
import {saveResult} from "./take.js"
import {inWords} from "./say.js"
import * as runs from "./runs.js"

export async function view(root, {id, query}) {
	if (id) return runs.view(root, id, query.get("with"))
	const [place, said, kept] = [h("div.page"), h("section.page#feedback"), h("section.page#runs")]
	root.append(head(t("nav.evaluations")), place, said, kept)
	load(said, feedback)
	load(kept, runs.list)
	async function draw(name) {
		const {evaluations} = await get("evaluations")
		const shown = evaluations.find(e => e.name === name) ?? evaluations[0]
		const pick = select(evaluations.map(e => [e.name, `${e.name} · ${moment(e.time)}`]), shown?.name, {label: t("name"), onchange: () => draw(pick.value)})
		const drop = async () => {if (confirm(t("delete.sure", {name: shown.name}))) await draw(await remove(p`evaluations/${shown.name}`))}
		put(place, shown ? [h("div.actions", pick, h("span.soft", t("n.queries", {n: shown.queries})), session.may("write") && button(t("delete"), doing(drop), ".small.quiet")), plots(shown.rows), figures(shown.rows), shown.answers && figures([{name: t("answers"), ...shown.answers}])]
			: h("p.soft", t("none")), session.may("write") && form(draw))
	}
	await draw()
}

// What was said of answers with a thumb, and as a file.
async function feedback() {
	const said = (await get("feedback")).feedback
	const heads = ["judged", "question", "answer", "read.as", "way.table", "statement"].map(key => t(key))
	const rows = said.map(one => [t(one.good ? "judged.right" : "judged.wrong"), one.question, one.answer, inWords(one.words), one.table, one.sql])
	const file = format => button(format.toUpperCase(), doing(() => saveResult({columns: heads, rows: rows.map(row => row.map(cell => cell ?? ""))}, format, t("feedback"))), `.small.take-${format}`, {title: t("save.as", {format: format.toUpperCase()})})
	return [h("h2", t("feedback")), rows.length > 0 ? [h("div.actions", file("csv"), file("xlsx")), table(".plain-grid.feedback-table", heads.slice(0, -1), rows.map(row => row.slice(0, -1)))] : h("p.soft", t("feedback.none"))]
}

const metricsOf = rows => [...new Set(rows.flatMap(row => Object.keys(row.metrics)))]

function figures(rows) {
	const names = metricsOf(rows)
	const cell = m => (m ? [number(m.mean, 3), m.low != null && h("span.soft", ` ${number(m.low, 2)}–${number(m.high, 2)}`)] : "–")
	return table(".plain-grid.evaluation-table", [t("way"), ...names, t("seconds")], rows.map(row => [h("th", row.name), ...names.map(name => cell(row.metrics[name])), number(row.seconds, 1)]), ["", ...names.map(() => "figure"), "figure"])
}

const [WIDE, HIGH, LEFT, BELOW] = [420, 240, 34, 26]
const y = share => 10 + (1 - share) * (HIGH - BELOW - 10)
const text = (x, at, anchor, words) => svg("text", {x, y: at, "text-anchor": anchor}, words)
const line = (x1, y1, x2, y2, kind) => svg("line", {x1, y1, x2, y2, class: kind})
const series = i => `series-${i % 8}`

const frame = (title, ...marks) => h("figure", h("figcaption", title), svg("svg", {class: "plot", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", label: title},
	[0, 0.25, 0.5, 0.75, 1].map(v => [line(LEFT, y(v), WIDE, y(v), "axis"), text(LEFT - 6, y(v) + 4, "end", v)]), marks))

const whisker = (x, {low, high}, kind) => low != null && [line(x, y(low), x, y(high), kind), ...[low, high].map(v => line(x - 3, y(v), x + 3, y(v), kind))]

// Recall as lines over k, the other measures as bars; whiskers are intervals.
function plots(rows) {
	const names = metricsOf(rows)
	const recalls = names.filter(name => name.startsWith("recall@")).sort((a, b) => a.slice(7) - b.slice(7))
	const others = names.filter(name => !recalls.includes(name))
	const legend = h("ul.legend", rows.map((row, i) => h("li", svg("svg", {viewBox: "0 0 20 8"}, line(0, 4, 20, 4, series(i))), row.name)))
	return h("div.plots", recalls.length > 0 && recallPlot(rows, recalls), others.length > 0 && barPlot(rows, others), legend)
}

function recallPlot(rows, recalls) {
	const x = (k, i = (rows.length - 1) / 2) => LEFT + 24 + (k * (WIDE - LEFT - 48)) / Math.max(1, recalls.length - 1) + (i - (rows.length - 1) / 2) * 5
	return frame("recall@k", recalls.map((name, k) => text(x(k), HIGH - 8, "middle", name.slice(7))), rows.map((row, i) => {
		const points = recalls.map((name, k) => [x(k, i), row.metrics[name]]).filter(([, m]) => m)
		return svg("g", svg("polyline", {class: series(i), points: points.map(([px, m]) => `${px},${y(m.mean)}`).join(" ")}),
			points.map(([px, m]) => [whisker(px, m, series(i)), svg("circle", {cx: px, cy: y(m.mean), r: 3.2, class: series(i)})]))
	}))
}

function barPlot(rows, names) {
	const wide = (WIDE - LEFT) / names.length
	const bar = Math.min(26, (wide - 16) / rows.length)
	return frame(t("eval.others"), names.map((name, k) => [text(LEFT + wide * (k + 0.5), HIGH - 8, "middle", name), rows.map((row, i) => {
		const m = row.metrics[name]
		const x = LEFT + wide * (k + 0.5) + (i - rows.length / 2) * bar
		return m && svg("g", svg("rect", {x: x + 1, y: y(m.mean), width: `${bar - 2}px`, height: y(0) - y(m.mean), class: series(i)}), whisker(x + bar / 2, m, series(i)))
	})]))
}

// JSON lines as queries; a bad line is named.
function parse(lines) {
	const queries = lines.split("\n").flatMap((written, i) => {
		if (!written.trim()) return []
		try {
			const query = JSON.parse(written)
			if (!query.question && !query.statement && !query.query) throw new Error("question?")
			return query
		} catch (error) {
			throw new Error(t("eval.line", {n: i + 1, why: error.message}))
		}
	})
	if (!queries.length) throw new Error(t("none"))
	return queries
}

function form(draw) {
	const [name, k, state] = [h("input#eval-name", {required: true}), h("input", {value: "1, 5, 10"}), h("div")]
	const read = async ([file]) => {if (file) queries.value = await file.text()}
	const queries = h("textarea#eval-queries", {
		rows: 5, required: true, placeholder: '{"question": "…", "relevant": ["ID"], "answers": ["…"]}',
		ondrop(event) {if (event.dataTransfer.files.length) {event.preventDefault(); read(event.dataTransfer.files)}},
	})
	const ways = ["bm25", "cosine", "late", "sparse", "hybrid"].map(value => h("input", {type: "checkbox", value, checked: /bm25|hybrid/.test(value)}))
	return h("form.card", {onsubmit: doing(async () => {
		const similarities = ways.filter(box => box.checked).map(box => box.value)
		await follow(await post("tasks", {kind: "evaluate", name: name.value.trim(), queries: parse(queries.value), similarities, k: k.value.match(/\d+/g).map(Number)}), state)
		notice(t("state.done"))
		await draw(name.value.trim())
	})}, h("h2", t("eval.new")), field(t("name"), name), field(t("eval.queries"), queries),
	h("div.actions", ways.map(box => check(box, box.value))), field("k", k), h("div.actions", submit(t("eval.run"), ".primary#evaluate")), state)
}
