// The panel beside the page: the place where a thing stands.

import {h, $, put, button, icon, iconButton, select, calm, letters, t, get, request, save, p, blob, load, doing, notice} from "./common.js"
import {fileName, saveResult, copy, pasted} from "./take.js"
import {Grid} from "./grid.js"
import {blocks} from "./document.js"

const panel = $("panel")
let opener = null

// The table an id belongs to: `274caefd5b3bbe87/t1` of `274caefd5b3bbe87/t1/r12`.
const tableOf = id => /^(.+?\/t\d+)(\/|$)/.exec(id)?.[1]
export const documentOf = id => (id.startsWith("~") ? null : id.split("/")[0])
export const link = (view, id, query = "") => `#/${view}/${encodeURIComponent(id)}${query}`

export function openPanel(title, {about, href, tabs = [], body, from} = {}) {
	if (panel.hidden) opener = from ?? document.activeElement
	const heading = h("h2#panel-title", {tabindex: -1}, title)
	const place = h("div.panel-body", body)
	put(panel, h("header", h("div.titles", heading, about && h("p.place.soft", about)),
		href && h("a.icon", {href, title: t("open"), label: t("open")}, icon("open")), iconButton("close", t("close"), closePanel, "#panel-close")),
	tabs.length > 1 && h("div.tabs", {role: "tablist"}, tabs), place)
	panel.hidden = false
	document.body.classList.add("has-panel")
	heading.focus({preventScroll: true})
	return place
}

export function closePanel() {
	if (panel.hidden) return false
	panel.hidden = true
	put(panel)
	document.body.classList.remove("has-panel")
	document.querySelectorAll(".cite[aria-pressed=true]").forEach(c => c.setAttribute("aria-pressed", false))
	opener?.focus({preventScroll: true})
	return true
}

// Opens the place of a citation, a hit or a node: `{ id, place, text, document }`.
export function openPlace({id, place = {}, text, document: owner}, from) {
	const [table, doc] = [tableOf(id), documentOf(id)]
	const ways = {}
	if (table) ways.table = () => drawTable(table, place)
	if (place.page && doc) ways.page = () => page(doc, place.page, place.bbox)
	if (!table || place.lines) ways.text = () => drawText(id, doc, place, text)
	const tabs = Object.keys(ways).map(way => button(t(`way.${way}`), () => show(way), "", {role: "tab", "data-tab": way}))
	const span = name => (place[name] ? `&${name}=${place[name].join("-")}` : "")
	const href = table ? link("table", table, `?${span("rows")}${span("cols")}`) : doc && link("document", doc)
	const body = openPanel(owner?.name ?? owner ?? place.file ?? id, {about: place.text, href, tabs, from})
	function show(way) {
		for (const tab of tabs) tab.setAttribute("aria-selected", tab.dataset.tab === way)
		return load(body, ways[way])
	}
	return show(Object.keys(ways)[0])
}

async function drawTable(id, place) {
	const table = await get(p`tables/${id}`)
	const {grid, tools, bar, begin} = await gridOf(table, place)
	return {nodes: [h("p.caption.soft", table.title || table.name), tools, grid.node, bar], after: begin}
}

const TAKEN = 10_000 // so many rows of what a grid shows are copied or saved
const COMPARISONS = ["has", "equal", "other", "least", "most", "empty", "filled"]

// Rows of a table: all as they stand, or sorted, filtered and searched by the server.
export async function gridOf(table, {rows, cols}, more) {
	const [at, text, seen] = [h("span.at"), h("output.celltext"), h("span.soft")]
	const path = p`tables/${table.id}/rows`
	const wanted = {sort: null, find: "", filters: []}
	const isPlain = () => wanted.sort == null && !wanted.find && !wanted.filters.length
	const ask = async (offset, limit, signal) => (await request("POST", path, {json: {offset, limit, wanted}, signal})).json()
	let found = table.rows
	const grid = new Grid({
		columns: table.columns, total: table.rows, label: table.title || table.name, cited: rows || cols ? {rows, cols} : null,
		fetch: (offset, limit, signal) => (isPlain() ? get(path, {offset, limit}, signal) : ask(offset, limit, signal)),
		onselect(row, c) {
			at.textContent = row ? letters(table.columns[c].col) + row.row : ""
			text.textContent = row?.cells[c] ?? ""
		},
		onview(from, to) {seen.textContent = t(found > grid.total ? "seen.first" : "seen", {from: Math.min(from, grid.total), to, total: grid.total, found})},
		onerror(error) {text.textContent = error.message},
		onsort(col) {
			wanted.sort = wanted.sort === col ? -col : wanted.sort === -col ? null : col
			again()
		},
		...more,
	})
	let turn = 0
	async function again() {
		const mine = ++turn
		grid.sort = wanted.sort
		try {
			const {total, found: all} = isPlain() ? {total: table.rows, found: table.rows} : await ask(0, 1)
			if (mine !== turn) return
			found = all
			text.textContent = ""
			await grid.renew(total)
		} catch (error) {
			text.textContent = error.message
		}
	}
	const position = rows ? (await get(`${path}/at`, {row: rows[0]})).offset : 0
	// What the grid shows, from its first row on: all of it, or as much as a spreadsheet is comfortable with.
	const gather = async () => {
		const rows = []
		const most = Math.min(grid.total, TAKEN)
		while (rows.length < most) {
			const more = (await grid.fetch(rows.length, 1000)).rows
			if (!more.length) break
			rows.push(...more.map(row => row.cells))
		}
		if (rows.length < found) notice(t("taken.first", {n: rows.length}))
		return {columns: table.columns.map(c => c.name), rows}
	}
	return {grid, tools: gridTools(table, wanted, again, {isPlain, gather}), bar: h("div.cellbar", at, text, seen), begin: () => grid.start(position)}
}

// Search, filters, and the rows as they are shown, copied or as a file.
function gridTools(table, wanted, again, {isPlain, gather}) {
	const soon = calm(300, again)
	const find = h("input.grid-find", {type: "search", placeholder: t("find.rows"), label: t("find.rows"), oninput() {wanted.find = find.value.trim(); soon()}})
	const filters = h("div.grid-filters")
	function filter() {
		const said = {col: table.columns[0]?.col, is: "has", value: ""}
		const value = h("input.short", {label: t("value"), placeholder: t("value"), oninput() {said.value = value.value.trim(); change()}})
		const change = () => {
			value.hidden = /empty|filled/.test(said.is)
			wanted.filters = [...filters.children].map(node => node.said).filter(f => f.value || /empty|filled/.test(f.is))
			soon()
		}
		const column = select(table.columns.map(c => [c.col, c.name]), said.col, {label: t("column"), onchange() {said.col = Number(column.value); change()}})
		const is = select(COMPARISONS.map(name => [name, t(`is.${name}`)]), "has", {label: t("comparison"), onchange() {said.is = is.value; change()}})
		const node = h("div.grid-filter", column, is, value, iconButton("close", t("remove"), () => {node.remove(); change()}))
		node.said = said
		filters.append(node)
		column.focus()
	}
	const kept = async format => (isPlain() ? save(p`tables/${table.id}/export`, `${fileName(table.name)}.${format}`, {format}) : saveResult(await gather(), format, table.name))
	const file = format => button(format.toUpperCase(), doing(() => kept(format)), `.small.take-${format}`, {title: t("save.as", {format: format.toUpperCase()})})
	return h("div.grid-tools", find, button(t("filter"), filter, ".small.add-filter"), h("span.grow"), iconButton("copy", t("copy"), doing(async () => copy(pasted(await gather()))), ".take-copy"), file("csv"), file("xlsx"), filters)
}

// The picture of a page, with a box in points from its upper left corner.
export async function page(doc, n, bbox, frames = false) {
	const image = h("img", {src: await blob(p`documents/${doc}/pages/${n}`, {frames}), alt: t("page", {n})})
	await image.decode()
	URL.revokeObjectURL(image.src)
	const box = bbox && h("div.box")
	if (box) {
		const [left, top, right, bottom] = bbox
		const share = (value, pixels) => `${(200 * value) / pixels}%` // two pixels a point
		const {naturalWidth: wide, naturalHeight: high} = image
		Object.assign(box.style, {left: share(left, wide), top: share(top, high), width: share(right - left, wide), height: share(bottom - top, high)})
	}
	return {nodes: h("div.sheet", image, box), after: () => box?.scrollIntoView({block: "center"})}
}

async function drawText(id, doc, place, text) {
	if (!doc) return h("p.passage.cited", text ?? (await get(p`nodes/${id}`)).text)
	const list = blocks(await get(p`documents/${doc}`, {rows: 20, page: place.page}), {place, text})
	return {nodes: list, after: () => list.querySelector(".cited")?.scrollIntoView({block: "center"})}
}
