// An answer: what it says, rests on, and how it came about.

import {h, table, meter, t, number, percent, copyButton, facts, time} from "./common.js"
import {openPlace, link} from "./panel.js"

const SHORT = 48 // an answer of so few letters is written large
const LIST = 10  // so much of a list is shown

// The whole answer; `again(question, tables, sense)` asks anew.
export function answerNode(answer, question, again) {
	const {outcome, verdict, values = [], program, basis} = answer
	const said = answer.answer ?? ""
	const isTable = program?.result.rows.length > 1 && program.result.columns.length > 1
	// Rows said one after the other are better looked at.
	const text = isTable && program.words && said.startsWith(program.result.rows[0].join(": ")) ? program.words : said
	const isPlain = verdict || isTable || values.join(", ") === text
	return h("div.answer", {"data-outcome": outcome, class: `is-${outcome}`},
		verdict && h("p.verdict", {class: `is-${verdict}`}, t(`verdict.${verdict}`)),
		h("p.answer-text", {class: text.includes("\n") ? "drawn" : outcome === "answered" && !isTable && text.length <= SHORT && "large"}, words(text, answer.citations)),
		program && resultNode(program),
		!isPlain && h("ul.values", values.slice(0, 100).map(value => h("li", value))),
		facts(outcome === "answered" && [h("span.confidence", meter(answer.confidence), t("sure", {share: percent(answer.confidence)})), t(`basis.${basis}`)],
			program?.words !== text && program?.words, program && t("rows.read", {read: program.rows_read, total: program.rows_total}),
			answer.usage?.calls > 0 && t("usage", {n: answer.usage.calls, tokens: answer.usage.prompt_tokens + answer.usage.completion_tokens})),
		answer.remembered && h("p.soft", t("remembered")),
		readings(answer.readings ?? [], outcome, question, again), nearest(answer.nearest), citations(answer.citations, basis === "passages"), program && programNode(program), trace(answer.trace))
}

// The text, in which marks such as [2] become buttons.
function words(text, citations) {
	return text.split(/\[(\d+)\]/).map((part, i) => {
		if (i % 2 === 0) return part
		return citations[part - 1] ? cite(citations[part - 1], part, ".chip", [part]) : `[${part}]`
	})
}

const cite = (citation, n, kind, children) => h(`button.cite${kind}`, {
	"data-cite": n, "aria-pressed": false, label: t("citation", {n, place: citation.place?.text}),
	onclick({currentTarget}) {
		document.querySelectorAll(".cite").forEach(other => other.setAttribute("aria-pressed", other === currentTarget))
		openPlace(citation, currentTarget)
	},
}, children)

function citations(list = [], isNear) {
	return list.length > 0 && h("section.citations", h("h3", t(isNear ? "nearest" : "rests.on")), h("ol", {class: isNear && "long"}, list.map((c, i) => h("li",
		cite(c, i + 1, "", [h("span.chip", i + 1), h("span.place", c.place?.text ?? c.document), h("span.snippet", c.text)])))))
}

// The ways to read a question; choosing one asks again in that sense, and is remembered.
function readings(list, outcome, question, again) {
	return outcome !== "answered" && list.length > 0 && h("section", outcome === "unknown" && h("h3", t("did.you.mean")), h("ol.readings", list.map((r, i) => h("li", h("button.reading", {
		onclick: () => again(question, [], `${r.words} · ${r.table}`, i + 1),
	}, h("span.words", r.words), h("span.place", r.table), h("span.gives", r.answer))))))
}

// Where there is no answer: the tables it may have been about.
function nearest(list = []) {
	return list.length > 0 && h("section.nearest", h("h3", t("nearest.tables")), h("ul", list.map(({id, table: name, columns, rows}) => h("li",
		h("a", {href: link("table", id)}, name), " ", h("span.soft", `${columns.join(", ")} · ${t("n.rows", {n: rows})}`)))))
}

const SQL = /^(select|from|where|group|by|order|having|limit|as|and|or|not|in|is|null|join|on|case|when|then|else|end|with|distinct|desc|like|between|union|over|cast)$/i

const programNode = ({sql, rows_used: used, rows_total: total}) => h("div.program",
	h("details", h("summary", t("program")), h("div.code", sqlNode(sql), copyButton(sql)), h("p.soft", t("rows.used", {used, total}))))

const sqlNode = sql => h("pre.sql", sql.split(/("[^"]*"|'[^']*'|\b\w+\b)/).map((part) => (SQL.test(part) ? h("b", part) : part[0] === "'" ? h("i", part) : part)))

// What a program gave; one value alone is the answer already.
function resultNode({result: {columns, rows, truncated, total = []}, cut, rows_given: given}) {
	const isFigure = columns.map((_, i) => rows.every(row => /^[-−]?[\d.,\s]*%?$/.test(row[i] ?? "")) && "figure")
	const all = total.length ? [...rows, total.map(cell => h("b", cell))] : rows
	return [rows.length * columns.length > 1 && table(".plain-grid.result", columns, all, isFigure),
		cut ? h("p.warnings", t("cut", {n: given})) : truncated && h("p.soft", t("truncated"))]
}

function trace(steps = []) {
	const whole = steps.reduce((sum, {ms}) => sum + ms, 0) || 1
	return steps.length > 0 && h("details.trace", h("summary", t("trace", {n: steps.length, time: time(whole)})), h("ol", steps.map(({step, ms, ...about}) => {
		const line = [h("span", t(`step.${step}`, {}, step)), meter(ms / whole, ".timebar"), h("span.ms", time(ms))]
		const names = Object.keys(about)
		return h("li", names.length ? h("details", h("summary.line", line), h("dl", names.map(name => [h("dt", name), h("dd", detail(about[name], name))]))) : h("div.line", line))
	})))
}

const isObject = value => value && typeof value === "object"
const isFlat = value => isObject(value) && !Array.isArray(value) && !Object.values(value).some(isObject)
const cut = (_, value) => (Array.isArray(value) && value.length > LIST ? [...value.slice(0, LIST), `… ${value.length}`] : value)

// Any detail of a step; long lists are shortened.
export function detail(value, name = "") {
	if (Array.isArray(value)) return value.length && value.every(isFlat) ? detailTable(value) : detailList(value)
	if (name === "sql") return sqlNode(value)
	if (isObject(value)) return h("code", JSON.stringify(value, cut).slice(0, 2000))
	if (typeof value !== "number") return String(value ?? "–")
	return /share|probab|score|confidence/.test(name) && value >= 0 && value <= 1 ? [meter(value), ` ${percent(value, 1)}`] : number(value, 3)
}

function detailList(list) {
	const part = list.slice(0, LIST).map(v => (isObject(v) ? JSON.stringify(v, cut) : v)).join(", ")
	return list.length > LIST ? t("list.short", {n: list.length, part, last: isObject(list.at(-1)) ? "" : list.at(-1)}) : part || "–"
}

function detailTable(list) {
	const names = [...new Set(list.flatMap(Object.keys))]
	return [table(".details", names, list.slice(0, LIST).map(row => names.map(name => detail(row[name], name)))), list.length > LIST && t("n.more", {n: list.length - LIST})]
}
