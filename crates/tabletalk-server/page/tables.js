// The tables of the library.

import {h, t, number, head} from "./common.js"
import {listing} from "./documents.js"
import {link} from "./panel.js"

export function view(root) {
	const {count, filter, table, again} = listing("tables", ["name", "columns", "rows"], row)
	root.append(head(t("tables.all"), count, h("div.actions", h("a", {href: "#/documents"}, t("nav.documents")))), h("div.page", filter, table))
	return again()
}

function row(entry) {
	const names = entry.columns.map(column => column.name).join(", ")
	return h("tr", {"data-id": entry.id, "data-name": entry.name},
		h("td.col-name", h("a.name", {href: link("table", entry.id)}, entry.name), h("span.soft.title", entry.title)),
		h("td.col-columns.soft", {title: names}, names.length > 120 ? `${names.slice(0, 120)}…` : names), h("td.col-rows", number(entry.rows)), h("td"))
}
