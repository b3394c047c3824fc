// Files on their way into the library, and the report of each.

import {h, $, put, button, iconButton, t, number, session, upload, failure, follow, rejections, size} from "./common.js"
import {link} from "./panel.js"

// The list outlives the view.
const list = h("ol.uploads#uploads")
let line = Promise.resolve()
let onadded = () => {}

export function uploads(run) {
	onadded = run
	return list
}

// Sends files one after another; the server reads them meanwhile.
export function add(files) {
	for (const file of files) {
		const send = row(file)
		line = line.then(send)
	}
}

function row(file) {
	const stop = new AbortController()
	const name = file.path || file.name
	const state = h("div.soft", t("waiting"))
	const node = h("li.upload", {"data-name": name, "data-state": "waiting"},
		h("div.upload-head", h("span.name", name), h("span.soft", size(file.size)), iconButton("close", t("remove"), () => {stop.abort(); node.remove()})), state)
	list.prepend(node)
	const at = (now, ...children) => {node.dataset.state = now; put(state, children)}
	const fail = error => at("failed", failure(error))
	async function read(reply) {
		node.dataset.state = "reading"
		at("done", report(await follow(reply, state, stop.signal)))
		onadded()
	}
	return async () => {
		if (stop.signal.aborted) return
		const most = session.server?.limits?.upload_bytes ?? Infinity
		if (file.size > most) return fail({message: t("too.large", {most: size(most)})})
		const [bar, share] = [h("progress", {max: 1, value: 0, label: t("sending")}), h("span")]
		at("sending", h("div.progress", bar, t("sending"), share))
		await upload("documents", {name}, file, done => {bar.value = done; share.textContent = `${Math.round(done * 100)} %`}, stop.signal)
			.then(reply => {read(reply).catch(fail)}, fail)
	}
}

// What came of files: rows in = rows indexed + rows rejected.
export const report = ({documents = [], embedding_error: error}) => h("div.report", documents.map(doc => h("div.report-row", {"data-name": doc.name, "data-status": doc.status},
	h("p.report-line", h("span.badge", {class: `is-${doc.status}`}, t(`state.${doc.status}`, {}, doc.status)),
		doc.id ? h("a", {href: link("document", doc.id)}, doc.name) : doc.name,
		!doc.error && h("span.soft", t("n.tables", {n: doc.tables ?? 0}), " · ", t("rows.in", {read: number(doc.rows_in), indexed: number(doc.rows_indexed)}))),
	doc.error && failure(doc.error.message ? doc.error : {message: doc.error}), rejections(doc))), error && h("p.warnings", error.message ?? error))

export function picker() {
	const input = h("input.file#upload", {type: "file", multiple: true, label: t("upload"), tabindex: -1, onchange() {add([...input.files]); input.value = ""}})
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
