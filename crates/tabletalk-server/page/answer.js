// An answer: what it says, rests on, and how it came about.

import {h, put, table, meter, button, iconButton, t, number, percent, get, post, p, copyButton, facts, time, doing, notice, failure} from "./common.js"
import {openPlace, link} from "./panel.js"
import {takeButtons, chartNode, copy} from "./take.js"
import {say, sayAnswer, inWords} from "./say.js"

const SHORT = 48 // an answer of so few letters is written large
const LIST = 10  // so much of a list is shown
const RUN = 3    // more citations of one column than this are a range

// The whole answer; `again(question, tables, sense)` asks anew, `at` is its place: `{conversation, turn}`.
export function answerNode(answer, question, again, at = {}) {
	const {outcome, verdict, values = [], program, basis} = answer
	const said = answer.answer ?? ""
	const isTable = program?.result.rows.length > 1 && program.result.columns.length > 1
	// Rows said one after the other are better looked at.
	const isRows = isTable && program.words && said.startsWith(program.result.rows[0].join(": "))
	const text = isRows ? inWords(program.words) : sayAnswer(answer)
	const isPlain = verdict || answer.sentences || isTable || values.join(", ") === text || (values.length === 1 && text.includes(values[0]))
	const result = h("div.result-place", program && resultNode(program, program.chart, inWords(program.words)))
	const other = h("div")
	return h("div.answer", {"data-outcome": outcome, class: `is-${outcome}`},
		answer.notice && h("p.warnings.notice", say(answer.notice)),
		verdict && h("p.verdict", {class: `is-${verdict}`}, t(`verdict.${verdict}`)),
		h("p.answer-text", {class: text.includes("\n") ? "drawn" : outcome === "answered" && !isTable && text.length <= SHORT && "large"}, words(text, answer.citations)),
		result,
		!isPlain && h("ul.values", values.slice(0, 100).map(value => h("li", value))),
		facts(outcome === "answered" && [h("span.confidence", meter(answer.confidence), t("sure", {share: percent(answer.confidence)})), t(`basis.${basis}`)],
			program?.words && !isRows && inWords(program.words), program && t("rows.read", {read: program.rows_read, total: program.rows_total}),
			answer.usage?.calls > 0 && t("usage", {n: answer.usage.calls, tokens: answer.usage.prompt_tokens + answer.usage.completion_tokens})),
		answer.remembered && h("p.soft", t("remembered")),
		outcome === "answered" && actions(answer, question, again, at, other), other,
		readings(answer.readings ?? [], outcome, question, again), nearest(answer.nearest), citations(answer.citations, basis === "passages"), program && programNode(answer, result), trace(answer.trace))
}

// What a report says of an answer, in the language of the page.
export const reported = answer => ({
	answer: [answer.verdict && t(`verdict.${answer.verdict}`), sayAnswer(answer)].filter(Boolean).join(": "),
	basis: [answer.outcome === "answered" && t("sure", {share: percent(answer.confidence)}), inWords(answer.program?.words), answer.program && t("rows.read", {read: answer.program.rows_read, total: answer.program.rows_total})].filter(Boolean).join(" · "),
})

// What can be done with an answer: taken along, linked to, called right or wrong, read otherwise.
function actions(answer, question, again, {conversation, turn}, other) {
	const {program} = answer
	const judge = (good, name) => {
		const node = iconButton(name, t(`judge.${name}`), doing(async () => {
			const isOn = node.getAttribute("aria-pressed") !== "true"
			await post("feedback", {conversation, turn, good: isOn ? good : null})
			thumbs.forEach(thumb => thumb.setAttribute("aria-pressed", thumb === node && isOn))
			if (isOn) notice(t(good ? "judged.good" : "judged.bad"))
			if (isOn && !good && program) offer()
		}), `.judge-${name}`)
		node.setAttribute("aria-pressed", false)
		return node
	}
	const thumbs = conversation && turn ? [judge(true, "up"), judge(false, "down")] : []
	const address = () => `${location.origin}${location.pathname}${link("ask", conversation, `?turn=${turn}`)}`
	async function offer() {
		const {answer: said, readings: list = []} = await post("ask", {question, choose: 0})
		const others = list.map((r, i) => ({...r, number: i + 1})).filter(r => r.words !== program?.words || r.sql !== program?.sql)
		put(other, h("section", h("h3", t("read.other")), others.length ? readingList(others, question, again) : h("p.soft", say(said))))
	}
	return h("div.actions.answer-actions", takeButtons(program?.result, question, answer.answer),
		conversation && iconButton("link", t("copy.link"), doing(() => copy(address())), ".take-link"), thumbs,
		program?.words && button(t("read.other"), doing(offer), ".small.quiet.read-other"))
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

// Citations one after the other that stand in the same columns of the same table.
function runs(list) {
	const kind = c => (c.place?.cols ? `${c.id.split("/r")[0]} ${c.place.cols}` : null)
	const all = []
	list.forEach((c, i) => {
		const last = all.at(-1)
		if (last && kind(c) && kind(last[0].c) === kind(c)) last.push({c, n: i + 1})
		else all.push([{c, n: i + 1}])
	})
	return all
}

const cell = place => place?.text?.split("!").at(-1)

function citations(list = [], isNear) {
	const line = ({c, n}) => h("li", cite(c, n, "", [h("span.chip", n), h("span.place", c.place?.text ?? c.document), h("span.snippet", c.text)]))
	const short = run => {
		const texts = [...new Set(run.map(({c}) => c.text))]
		return h("li", h("details.run", h("summary", h("span.chip", `${run[0].n}–${run.at(-1).n}`), h("span.place", `${run[0].c.place.text} … ${cell(run.at(-1).c.place)}`),
			h("span.snippet", texts.length === 1 ? `${texts[0]} × ${run.length}` : texts.join("; "))), h("ol", run.map(line))))
	}
	return list.length > 0 && h("section.citations", h("h3", t(isNear ? "nearest" : "rests.on")), h("ol", {class: isNear && "long"},
		runs(list).flatMap(run => (run.length > RUN ? short(run) : run.map(line)))))
}

// The ways to read a question; choosing one asks again in that sense, and is remembered.
function readings(list, outcome, question, again) {
	return outcome !== "answered" && list.length > 0 && h("section", outcome === "unknown" && h("h3", t("did.you.mean")), readingList(list, question, again))
}

const readingList = (list, question, again) => h("ol.readings", list.map((r, i) => h("li", h("button.reading", {
	onclick: () => again(question, [], `${inWords(r.words)} · ${r.table}`, r.number ?? i + 1),
}, h("span.words", inWords(r.words)), h("span.place", r.table), h("span.gives", r.answer)))))

// Where there is no answer: the tables it may have been about.
function nearest(list = []) {
	return list.length > 0 && h("section.nearest", h("h3", t("nearest.tables")), h("ul", list.map(({id, table: name, columns, rows}) => h("li",
		h("a", {href: link("table", id)}, name), " ", h("span.soft", `${columns.join(", ")} · ${t("n.rows", {n: rows})}`)))))
}

const SQL = /^(select|from|where|group|by|order|having|limit|as|and|or|not|in|is|null|join|on|case|when|then|else|end|with|distinct|desc|like|between|union|over|cast)$/i

// The statement; it can be changed, and what that gives takes the place of the result.
function programNode(answer, place) {
	const {sql, rows_used: used, rows_total: total} = answer.program
	const shown = h("div.code", sqlNode(sql), copyButton(sql))
	const change = button(t("edit.sql"), doing(async () => {
		change.hidden = true
		put(shown, await editor(answer, place))
		shown.querySelector("textarea").focus()
	}), ".small#edit-sql")
	return h("div.program", h("details", h("summary", t("program")), shown, h("div.actions", change, h("span.soft", t("rows.used", {used, total})))))
}

async function editor(answer, place) {
	const box = h("textarea.sql-box", {rows: Math.min(12, answer.program.sql.split("\n").length + 3), value: answer.program.sql, spellcheck: false, label: t("statement"),
		onkeydown(event) {if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {event.preventDefault(); go.click()}}})
	const told = h("div", {role: "status"})
	const go = button(t("run"), doing(async () => {
		put(told, h("p.busy", t("working")))
		try {
			const ran = await post("sql", {statement: box.value})
			const result = {columns: ran.columns.map(c => c.name), rows: ran.rows.map(row => row.map(cell => (cell == null ? "" : String(cell)))), truncated: ran.truncated}
			const name = t("edited")
			put(place, h("p.edited.soft", name), resultNode({result, rows_given: result.rows.length}, ["bar", "line"], "", true), h("div.actions", takeButtons(result, name, result.rows[0]?.join(" "))))
			put(told, h("p.soft", t("rows.read", {read: ran.rows_read, total: ran.rows_total})))
			place.scrollIntoView({block: "nearest"})
		} catch (error) {
			put(told, failure(error))
		}
	}), ".primary.small#run-sql")
	const insert = name => {
		box.setRangeText(`"${name.replaceAll('"', '""')}"`, box.selectionStart, box.selectionEnd, "end")
		box.focus()
	}
	const id = answer.citations?.map(c => /^(.+?\/t\d+)(\/|$)/.exec(c.id)?.[1]).find(Boolean)
	const {columns = []} = id ? await get(p`tables/${id}`).catch(() => ({})) : {}
	return [box, columns.length > 0 && h("div.names", h("span.soft", t("columns")), columns.slice(0, 60).map(c => button(c.name, () => insert(c.name), ".small", {title: t(`kind.${c.kind}`)}))), h("div.actions", go, h("span.soft", "Ctrl Enter")), told]
}

const sqlNode = sql => h("pre.sql", sql.split(/("[^"]*"|'[^']*'|\b\w+\b)/).map((part) => (SQL.test(part) ? h("b", part) : part[0] === "'" ? h("i", part) : part)))

// What a program gave, with a chart beside it; one value alone is the answer already.
function resultNode({result, cut, rows_given: given}, shapes = [], title = "", isAll = false) {
	const {columns, rows, truncated, total = []} = result
	const kinds = columns.map((_, i) => {
		const cells = rows.map(row => row[i] ?? "")
		return cells.every(cell => /^[-−]?[\d.,\s]*%?$/.test(cell)) ? "figure" : cells.every(cell => !cell || /^\d{4}-\d\d/.test(cell)) && "when"
	})
	const all = total.length ? [...rows, total.map(cell => h("b", say(cell)))] : rows
	const isShown = rows.length * columns.length > 1 || isAll
	return [isShown && h("div.beside", table(".plain-grid.result", columns, all, kinds), shapes.length > 0 && rows.length > 1 && columns.length > 1 && chartNode(result, shapes, title)),
		cut ? h("p.warnings", t("cut", {n: given})) : truncated && h("p.soft", t("truncated"))]
}

function trace(steps = []) {
	const whole = steps.reduce((sum, {ms}) => sum + ms, 0) || 1
	return steps.length > 0 && h("details.trace", h("summary", t("trace", {n: steps.length, time: time(whole)})), h("ol", steps.map(({step, ms, ...about}) => {
		const line = [h("span", t(`step.${step}`, {}, step)), meter(ms / whole, ".timebar"), h("span.ms", time(ms))]
		const names = Object.keys(about)
		return h("li", names.length ? h("details", h("summary.line", line), h("dl", names.map(name => [h("dt", t(`about.${name}`, {}, name)), h("dd", detail(about[name], name))]))) : h("div.line", line))
	})))
}

const TOLD = /^(problem|part|reason|why|error|message)$/ // details that are messages
const isObject = value => value && typeof value === "object"
const isFlat = value => isObject(value) && !Array.isArray(value) && !Object.values(value).some(isObject)
const cut = (_, value) => (Array.isArray(value) && value.length > LIST ? [...value.slice(0, LIST), `… ${value.length}`] : value)

// Any detail of a step; long lists are shortened.
export function detail(value, name = "") {
	if (Array.isArray(value)) return value.length && value.every(isFlat) ? detailTable(value) : detailList(value)
	if (name === "sql") return sqlNode(value)
	if (name === "words") return inWords(value)
	if (isObject(value)) return h("code", JSON.stringify(value, cut).slice(0, 2000))
	if (typeof value !== "number") return TOLD.test(name) ? say(value) : String(value ?? "–")
	return /share|probab|score|confidence/.test(name) && value >= 0 && value <= 1 ? [meter(value), ` ${percent(value, 1)}`] : number(value, 3)
}

function detailList(list) {
	const part = list.slice(0, LIST).map(v => (isObject(v) ? JSON.stringify(v, cut) : v)).join(", ")
	return list.length > LIST ? t("list.short", {n: list.length, part, last: isObject(list.at(-1)) ? "" : list.at(-1)}) : part || "–"
}

function detailTable(list) {
	const names = [...new Set(list.flatMap(Object.keys))]
	return [table(".details", names.map(name => t(`about.${name}`, {}, name)), list.slice(0, LIST).map(row => names.map(name => detail(row[name], name)))), list.length > LIST && t("n.more", {n: list.length - LIST})]
}
