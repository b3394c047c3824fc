// One table: its rows, what was understood of it, and a word against that.

import {h, put, button, submit, field, select, letters, table as tableNode, t, session, get, post, replace, remove, p, load, doing, notice, facts, follow} from "./common.js"
import {gridOf, openPanel, closePanel, openPlace, documentOf, link} from "./panel.js"

const KINDS = ["integer", "decimal", "boolean", "date", "datetime", "text"]
const STYLES = ["1,234.56", "1.234,56", "1 234,56", "1'234.56", "1234.56", "1234,56"]
const MARKS = ["data", "subtotal", "total", "section", "derived"]

// `1-500` as `[1, 500]`.
const span = text => (/^\d+(-\d+)?$/.test(text) ? [text.split("-")[0], text.split("-").at(-1)].map(Number) : undefined)

export async function view(root, {id, query}) {
	const table = await get(p`tables/${id}`)
	document.title = `${table.title || table.name} · tabletalk`
	const edit = {rows: new Map(), onchange() {}}
	const {grid, tools, bar, begin} = await gridOf(table, {rows: span(query.get("rows")), cols: span(query.get("cols"))}, {onrow: (row, event) => pick(grid, edit, row, event)})
	const notes = (table.notes ?? []).map(note => note.text ?? note)
	root.append(top(table, grid, edit), ...(notes.length || table.context ? [h("details.notes", {open: notes.length > 0}, h("summary", t("notes")), notes.map(note => h("p", note)), h("p.soft", table.context))] : []), tools, grid.node, bar)
	begin()
}

function top(table, grid, edit) {
	const doc = table.document_id ?? documentOf(table.id)
	const to = h("input.short#go-row", {type: "number", min: 0, placeholder: t("go.row"), label: t("go.row")})
	const go = async () => {
		const {offset} = await get(p`tables/${table.id}/rows/at`, {row: to.value})
		grid.activate(offset, grid.active.col)
		grid.go(offset, true)
	}
	return h("header.view-head", h("div", h("h1", table.title || table.name), facts(h("a", {href: link("document", doc)}, table.document), h("span.place", table.place?.text),
		t("n.rows", {n: table.rows}), t("n.columns", {n: table.columns.length}), table.title && table.name)),
	h("div.actions", table.correction && h("span.badge.is-done#corrected", t("corrected")), h("form", {onsubmit: doing(go)}, to),
		table.place?.page && button(t("way.page"), e => openPlace({id: doc, place: table.place, document: table.document}, e.currentTarget), ".small"),
		button(t("understanding"), e => understanding(table, grid, edit, e.currentTarget), ".small#understanding")))
}

// Rows are picked by their number, with Shift from the last one on.
function pick(grid, edit, row, {shiftKey}) {
	if (!row) return
	const from = shiftKey ? edit.last ?? row.row : row.row
	const isOn = !grid.picked.has(row.row)
	for (let n = Math.min(from, row.row); n <= Math.max(from, row.row); n++) grid.picked[isOn ? "add" : "delete"](n)
	edit.last = row.row
	redraw(grid)
	edit.onchange()
}

function redraw(grid) {
	grid.forget()
	grid.draw()
}

function understanding(table, grid, edit, from) {
	const path = p`tables/${table.id}/correction`
	const title = h("input", {name: "title", value: table.title ?? ""})
	const header = h("input", {name: "header_rows", type: "number", min: 0, max: 50, value: table.header_rows ?? 0})
	const headerRow = h("input", {name: "header_row", type: "number", min: 1, value: table.correction?.header_row ?? ""})
	const style = select([["", t("style.found")], ...STYLES], table.correction?.style ?? "", {name: "style"})
	const columns = table.columns.map(column => columnFields(column, table.correction?.columns?.find(c => c.col === column.col)))
	const [changed, picked, state] = [h("p.soft"), h("p.soft"), h("div")]
	const mark = select(MARKS.map(m => [m, t(`mark.${m}`)]), "subtotal", {label: t("marks")})
	edit.onchange = () => {
		put(picked, grid.picked.size ? t("n.picked", {n: grid.picked.size, rows: [...grid.picked].sort((a, b) => a - b).slice(0, 12).join(", ")}) : t("pick.rows"))
		put(changed, [...edit.rows].map(([row, name]) => `${row}: ${t(`mark.${name}`)}`).join(" · "))
	}
	// The first row that is picked says where the header begins; those picked together are all of it.
	const point = button(t("header.here"), () => {
		const all = [...grid.picked].sort((a, b) => a - b)
		if (!all.length) return notice(t("pick.rows"), true)
		;[headerRow.value, header.value] = [all[0], all.at(-1) - all[0] + 1]
		grid.picked.clear()
		redraw(grid)
		edit.onchange()
		look()
	}, ".small#header-here")
	const lastRow = h("input", {name: "last_row", type: "number", min: 1, value: table.correction?.last_row ?? ""})
	const pointLast = button(t("last.here"), () => {
		if (!grid.picked.size) return notice(t("pick.rows"), true)
		lastRow.value = Math.max(...grid.picked)
		grid.picked.clear()
		redraw(grid)
		edit.onchange()
		look()
	}, ".small#last-here")
	const shown = h("div.preview")
	const look = () => load(shown, async () => sheet(await post(path, said())))
	const said = () => correction(table, title, [header, headerRow, lastRow], columns, edit.rows, style.value)
	const apply = button(t("apply"), () => {
		for (const row of grid.picked) edit.rows.set(row, mark.value), grid.marks.set(row, mark.value)
		grid.picked.clear()
		redraw(grid)
		edit.onchange()
	}, ".small")
	const send = async reply => {
		await follow(await reply, state) // the document is read again
		notice(t("corrected.done"))
		closePanel()
		onhashchange()
	}
	edit.onchange()
	openPanel(t("understanding"), {about: table.place?.text, from, body: h("form.understanding", {onsubmit: doing(() => send(replace(path, said())))},
		h("fieldset", {disabled: !session.may("write")},
			table.correction && button(t("undo"), doing(() => send(remove(path))), ".small#undo"),
			h("p.soft", t("point.about")), h("div.actions", point, pointLast), picked,
			field(t("title"), title), h("div.actions", field(t("header.row"), headerRow), field(t("header.rows"), header), field(t("last.row"), lastRow), field(t("style"), style)),
			tableNode(".columns", ["", t("name"), t("kind"), t("unit"), t("style.short")], columns.map(c => c.cells)),
			field(t("marks"), h("div.actions", mark, apply)), changed,
			h("div.actions", button(t("preview"), doing(look), "#preview-correction"), submit(t("save"), ".primary#save-correction")), state, shown))})
}

// The first rows as they would be understood.
const sheet = ({columns, rows}) => tableNode(".plain-grid.preview-grid", ["", ...columns.map(c => c.name)], rows.map(row => h("tr", {class: `mark-${row.mark}`}, h("th.number", row.row),
	row.cells.map((cell, i) => h("td", {class: `kind-${columns[i]?.kind}`}, cell)))), ["number", ...columns.map(c => `kind-${c.kind}`)])

function columnFields(column, before) {
	const label = name => ({label: `${letters(column.col)}: ${t(name)}`})
	const name = h("input", {value: column.name, ...label("name")})
	const kind = select(KINDS.map(k => [k, t(`kind.${k}`)]), column.kind, label("kind"))
	const unit = h("input.unit", {value: column.unit ?? "", ...label("unit")})
	const style = select([["", t("style.found")], ...STYLES], before?.style ?? "", label("style"))
	style.hidden = !/integer|decimal/.test(column.kind)
	kind.addEventListener("change", () => {style.hidden = !/integer|decimal/.test(kind.value)})
	return {column, name, kind, unit, style, cells: [letters(column.col), name, kind, unit, style]}
}

// Only what is said otherwise, over what was said before.
function correction(table, title, [header, headerRow, lastRow], columns, marked, style) {
	const before = table.correction ?? {}
	const cols = new Map((before.columns ?? []).map(c => [c.col, c]))
	for (const {column, name, kind, unit, style: written} of columns) {
		const said = {}
		if (name.value.trim() && name.value !== column.name) said.name = name.value.trim()
		if (kind.value !== column.kind) said.kind = kind.value
		if (unit.value.trim() !== (column.unit ?? "")) said.unit = unit.value.trim()
		if (written.value && !written.hidden) said.style = written.value
		if (Object.keys(said).length) cols.set(column.col, {col: column.col, name: null, kind: null, unit: null, ...cols.get(column.col), ...said})
	}
	const rows = new Map([...(before.rows ?? []).map(r => [r.row, r.mark]), ...marked])
	return {
		header_rows: Number(header.value) !== table.header_rows ? Number(header.value) : before.header_rows ?? null,
		header_row: Number(headerRow.value) || null,
		last_row: Number(lastRow.value) || null,
		...(style && {style}),
		title: title.value.trim() !== (table.title ?? "") ? title.value.trim() : before.title ?? null,
		columns: [...cols.values()], rows: [...rows].map(([row, mark]) => ({row, mark})),
	}
}
