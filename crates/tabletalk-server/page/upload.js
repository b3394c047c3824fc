// Files on their way into the library, and the report of each.

import {h, $, put, say, button, iconButton, t, number, session, upload, failure, follow, rejections, size} from "./common.js"
import {link} from "./panel.js"

// The list outlives the view.
const list = h("ol.uploads#uploads")
let line = Promise.resolve()
let onadded = () => {}

export function uploads(run) {
	onadded = run
	return list
}

// Sends files one after another; the server reads them meanwhile. Several at once are one card.
export function add(files) {
	const rows = h("ol.rows")
	const together = files.length > 1 && card(files, rows)
	if (together) list.prepend(together.node)
	for (const file of files) {
		const {node, send} = row(file, together?.count)
		together ? rows.append(node) : list.prepend(node)
		line = line.then(send)
	}
}

// One card for several files: how many are done, and each of them below.
function card(files, rows) {
	const [bar, words] = [h("progress", {max: files.length, value: 0, label: t("progress")}), h("span.soft")]
	const node = h("li.upload.many", {"data-state": "sending"}, h("div.upload-head", h("span.name", t("n.files", {n: files.length})), h("span.soft", size(files.reduce((sum, f) => sum + f.size, 0))), bar, words,
		iconButton("close", t("remove"), () => node.remove())), h("details", {open: files.length <= 4}, h("summary", t("each.file")), rows))
	const seen = {done: 0, failed: 0}
	const count = state => {
		seen[state] += 1
		bar.value = seen.done + seen.failed
		put(words, t("n.done", {n: seen.done, total: files.length}), seen.failed > 0 && ` · ${t("n.failed", {n: seen.failed})}`)
		if (bar.value >= files.length) {node.dataset.state = "done"; bar.hidden = true}
	}
	put(words, t("n.done", {n: 0, total: files.length}))
	return {node, count}
}

function row(file, count = () => {}) {
	const stop = new AbortController()
	const name = file.path || file.name
	const state = h("div.soft", t("waiting"))
	const node = h("li.upload", {"data-name": name, "data-state": "waiting"},
		h("div.upload-head", h("span.name", name), h("span.soft", size(file.size)), iconButton("close", t("remove"), () => {stop.abort(); node.remove()})), state)
	const at = (now, ...children) => {node.dataset.state = now; put(state, children)}
	const fail = error => {at("failed", failure(error)); count("failed")}
	async function read(reply) {
		node.dataset.state = "reading"
		at("done", report(await follow(reply, state, stop.signal)))
		count("done")
		onadded()
	}
	const send = async () => {
		if (stop.signal.aborted) return
		const most = session.server?.limits?.upload_bytes ?? Infinity
		if (file.size > most) return fail({message: t("too.large", {most: size(most)})})
		const [bar, share] = [h("progress", {max: 1, value: 0, label: t("sending")}), h("span")]
		at("sending", h("div.progress", bar, t("sending"), share))
		await upload("documents", {name}, file, done => {bar.value = done; share.textContent = `${Math.round(done * 100)} %`}, stop.signal)
			.then(reply => {read(reply).catch(fail)}, fail)
	}
	return {node, send}
}

// What came of files: rows in = rows indexed + rows rejected.
export const report = ({documents = [], embedding_error: error}) => h("div.report", documents.map(doc => h("div.report-row", {"data-name": doc.name, "data-status": doc.status},
	h("p.report-line", h("span.badge", {class: `is-${doc.status}`}, t(`state.${doc.status}`, {}, doc.status)),
		doc.id ? h("a", {href: link("document", doc.id)}, doc.name) : doc.name,
		!doc.error && h("span.soft", t("n.tables", {n: doc.tables ?? 0}), " · ", t("rows.in", {read: number(doc.rows_in), indexed: number(doc.rows_indexed)}))),
	doc.error && failure(doc.error.message ? doc.error : {message: doc.error}), rejections(doc))), error && h("p.warnings", say(error.message ?? error)))

export function picker() {
	const input = h("input.file#upload", {type: "file", multiple: true, label: t("upload"), tabindex: -1, onchange() {add([...input.files]); input.value = ""; if (!location.hash.startsWith("#/documents")) location.hash = "#/documents"}})
	return [button(t("upload"), () => input.click(), ".primary#upload-button"), input]
}

// The files below an entry of a drop.
async function walk(entry) {
	if (entry.isFile) return [Object.assign(await new Promise((good, bad) => entry.file(good, bad)), {path: entry.fullPath.slice(1)})]
	const reader = entry.createReader()
	const found = []
	for (let part = [entry]; part.length; found.push(...part)) part = await new Promise((good, bad) => reader.readEntries(good, bad))
	return (await Promise.all(found.map(walk))).flat()
}

export function listenForDrops() {
	const veil = $("drop")
	let depth = 0
	const on = (name, run) => addEventListener(name, event => {
		if (!event.dataTransfer?.types.includes("Files") || !session.may("write") || event.defaultPrevented) return
		event.preventDefault()
		run(event)
		veil.hidden = depth <= 0
	})
	on("dragenter", () => {depth += 1})
	on("dragleave", () => {depth -= 1})
	on("dragover", () => {})
	addEventListener("drop", () => {depth = 0; veil.hidden = true}, true)
	on("drop", async ({dataTransfer}) => {
		const entries = [...dataTransfer.items].map(item => item.webkitGetAsEntry?.()).filter(Boolean)
		const files = [...dataTransfer.files]
		if (!location.hash.startsWith("#/documents")) location.hash = "#/documents"
		add(entries.length ? (await Promise.all(entries.map(walk))).flat() : files)
	})
}
