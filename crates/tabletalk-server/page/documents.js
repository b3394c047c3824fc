// The documents of the library.

import {h, put, button, calm, t, number, session, get, remove, p, head, failure, doing, size} from "./common.js"
import {picker, uploads} from "./upload.js"
import {link} from "./panel.js"

// A list that grows at its end; a filter begins it anew.
export function listing(what, columns, row) {
	const [rows, count, more] = [h("tbody"), h("span.soft"), h("div.next")]
	const filter = h("input.filter", {type: "search", placeholder: t("filter"), label: t("filter"), oninput: calm(250, () => again())})
	let turn = 0
	async function again(after) {
		const mine = ++turn
		try {
			const {[what]: entries, next, total} = await get(what, {limit: 50, after, containing: filter.value.trim()})
			if (mine !== turn) return
			if (!after) put(rows)
			rows.append(...entries.map(entry => row(entry, () => again())))
			put(count, t("shown", {shown: rows.children.length, total}))
			put(more, next ? button(t("more"), () => again(next)) : !rows.children.length && h("p.soft", t("none")))
		} catch (error) {
			put(more, failure(error))
		}
	}
	const heads = columns.map(name => h(`th.col-${name}`, {scope: "col"}, t(name)))
	const table = h("div", h(`table.list#${what}-list`, h("thead", h("tr", heads, h("td"))), rows), more)
	return {count, filter, table, again}
}

export function view(root) {
	const mayAdd = session.may("write")
	const {count, filter, table, again} = listing("documents", ["name", "type", "tables", "rows", "size"], row)
	root.append(head(t("nav.documents"), count, h("div.actions", h("a#all-tables", {href: "#/tables"}, t("tables.all")), mayAdd && picker())),
		h("div.page", uploads(() => again()), filter, table, mayAdd && h("p.soft", t("drop.hint"))))
	return again()
}

function row(doc, again) {
	const {report = {}, fields = {}} = doc
	const rejected = report.rows_rejected?.length
	return h("tr", {"data-id": doc.id, "data-name": doc.name},
		h("td.col-name", h("a.name", {href: link("document", doc.id)}, doc.name), h("span.soft.title", doc.title)),
		h("td.col-type", fields.file_type), h("td.col-tables", number(doc.tables)),
		h("td.col-rows", number(report.rows_indexed), rejected > 0 && h("span.warnings", {title: t("n.rejected", {n: rejected})}, ` −${number(rejected)}`)),
		h("td.col-size", size(fields.file_size)),
		h("td.col-actions", session.may("write") && button(t("forget"), doing(async () => {if (await forget(doc)) again()}), ".small.quiet")))
}

export async function forget(doc) {
	if (!confirm(t("forget.sure", {name: doc.name}))) return false
	await remove(p`documents/${doc.id}`)
	return true
}
