// One document: its pieces in order, and the pages of a PDF.

import {h, put, button, check, table as tableNode, t, session, get, p, save, head, load, doing, facts, rejections, size} from "./common.js"
import {openPanel, page, link} from "./panel.js"
import {forget} from "./documents.js"

const STEP = 400 // pieces drawn at once

export async function view(root, {id, query}) {
	const doc = await get(p`documents/${id}`, {rows: 20})
	document.title = `${doc.name} · tabletalk`
	const {fields = {}, report = {}} = doc
	const isPaged = /pdf/i.test(fields.file_type ?? "") && fields.pages
	root.append(
		head(doc.name, h("div.actions",
			button(t("download"), doing(() => save(p`documents/${id}/file`, doc.name)), ".small#download"),
			button("Markdown", doing(() => save(p`documents/${id}/text`, `${doc.name}.md`)), ".small"),
			session.may("write") && button(t("forget"), doing(async () => {if (await forget(doc)) location.hash = "#/documents"}), ".small.quiet"))),
		h("div.page", h("div", facts(fields.file_type, size(fields.file_size), fields.pages && t("n.pages", {n: fields.pages}), t("n.tables", {n: doc.tables.length}),
			t("n.rows", {n: report.rows_indexed ?? 0}), fields.author, fields.last_modified_date), rejections(report)),
		isPaged && pages(doc), blocks(doc, null, isPaged && (n => h("p.page-mark", button(t("page", {n}), () => showPage(doc, n), ".plain"))))))
	if (query.has("page")) showPage(doc, Number(query.get("page")))
}

function pages(doc) {
	const count = doc.fields.pages
	const few = Array.from({length: Math.min(count, 100)}, (_, i) => button(i + 1, () => showPage(doc, i + 1), ".small", {"data-page": i + 1, label: t("page", {n: i + 1})}))
	return h("p.actions", h("span.soft", t("pages")), few)
}

function showPage(doc, n) {
	const place = h("div")
	const frames = h("input#frames", {type: "checkbox", onchange: () => draw()})
	const step = (to, text) => button(text, () => showPage(doc, to), ".small", {disabled: to < 1 || to > doc.fields.pages, label: t("page", {n: to})})
	openPanel(t("page", {n}), {about: doc.name, body: [h("div.actions.tools", step(n - 1, "‹"), step(n + 1, "›"), check(frames, t("frames"))), place]})
	const draw = () => load(place, () => page(doc.id, n, null, frames.checked))
	return draw()
}

const meet = (a, b) => a[0] <= b[1] && b[0] <= a[1]

// Whether a piece is cited: by lines, by page and box, or by its words.
function isCited({place: own, text}, cited) {
	const place = cited?.place
	if (!cited) return false
	if (place?.lines && own?.lines) return meet(own.lines, place.lines)
	if (place?.page && own?.page) return own.page === place.page && (!place.bbox || !own.bbox || [0, 1].every(i => meet([own.bbox[i], own.bbox[i + 2]], [place.bbox[i], place.bbox[i + 2]])))
	return Boolean(text) && Boolean(cited.text?.includes(text))
}

// A table, as far as its rows came along.
function preview(table, cited) {
	const href = link("table", table.id)
	const kinds = ["number", ...table.columns.map(c => `kind-${c.kind}`)]
	const rows = (table.cells ?? []).map(row => h("tr", {class: `mark-${row.mark}`}, h("th.number", row.row), row.cells.map((cell, i) => h("td", {
		"data-row": row.row, "data-col": table.columns[i]?.col, class: kinds[i + 1],
	}, cell.text))))
	const rest = table.rows - rows.length
	return h("figure.block", {class: isCited({place: table.place, text: table.title}, cited) && "cited"},
		h("figcaption", h("a", {href}, table.title || table.name), h("span.soft", t("n.rows", {n: table.rows}))),
		tableNode(".plain-grid", ["", ...table.columns.map(c => c.name)], rows, kinds), rest > 0 && h("a", {href}, t("n.more", {n: rest})))
}

function piece(block, tables, cited) {
	if (block.kind === "table") return tables[block.number - 1] && preview(tables[block.number - 1], cited)
	const tag = block.kind === "heading" ? `h${Math.min(6, (block.level ?? 1) + 1)}` : "p"
	const lines = block.place?.lines
	const node = h(`${tag}.block`, {class: [`block-${block.kind}`, isCited(block, cited) && "cited"], "data-lines": lines && [...new Set(lines)].join("–")}, block.text)
	if (block.kind === "item") node.style.marginLeft = `${block.depth ?? 1}rem`
	return node
}

// All pieces, in parts where there are many; `onpage` makes the head of a page.
export function blocks({blocks: all, tables}, cited, onpage) {
	const list = h("div.blocks", {class: all.some(b => b.place?.lines) && "numbered"})
	const more = button(t("more"), () => step())
	let [next, on] = [0, 0]
	function step() {
		more.remove()
		for (const block of all.slice(next, next += STEP)) {
			const at = block.place?.page ?? tables[block.number - 1]?.place?.page ?? on
			if (onpage && at !== on) list.append(onpage(on = at))
			list.append(piece(block, tables, cited) ?? "")
		}
		if (next < all.length) list.append(more)
	}
	step()
	while (cited && next < all.length && !list.querySelector(".cited")) step()
	if (!all.length) put(list, tables.map(table => preview(table)))
	return list
}
