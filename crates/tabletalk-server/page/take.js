// Taking things along: charts, files, links.

import {h, put, button, iconButton, t, language, request, doing, notice} from "./common.js"

// Saves bytes under a name.
export function saveBlob(blob, name) {
	const link = document.createElement("a")
	link.href = URL.createObjectURL(blob)
	link.download = name
	link.click()
	setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

// A name that any system takes for a file.
export const fileName = text => (text ?? "").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "tabletalk"

const only = ({columns, rows}) => ({columns, rows})

export async function saveResult(result, format, name) {
	const response = await request("POST", "export", {json: {result: only(result), format, name}})
	saveBlob(await response.blob(), `${fileName(name)}.${format}`)
}

// Rows as a spreadsheet takes them from the clipboard.
export const pasted = ({columns, rows}) => [columns, ...rows].map(row => row.join("\t")).join("\n")

export const copy = async text => {await navigator.clipboard.writeText(text); notice(t("copied"))}

// What can be taken of a result; `text` is copied where there is no table.
export function takeButtons(result, name, text) {
	const isTable = result && result.rows.length * result.columns.length > 1
	return [iconButton("copy", t("copy"), doing(() => copy(isTable ? pasted(result) : text)), ".take-copy"),
		result?.rows.length > 0 && ["csv", "xlsx"].map(format => button(format.toUpperCase(), doing(() => saveResult(result, format, name)), `.small.take-${format}`, {title: t("save.as", {format: format.toUpperCase()})}))]
}

const ask = async (result, shape, title, width) => (await request("POST", "chart", {json: {result: only(result), shape, title, width, language: language()}})).text()

// A picture as a part of the page: its colours are the page's, in either theme.
function inline(text) {
	const node = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true)
	node.querySelector("style")?.remove()
	node.querySelector(".chart-back")?.remove()
	return node
}

async function png(text) {
	const image = new Image()
	image.src = URL.createObjectURL(new Blob([text], {type: "image/svg+xml"}))
	await image.decode()
	const canvas = Object.assign(document.createElement("canvas"), {width: 2 * image.width, height: 2 * image.height})
	canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height)
	URL.revokeObjectURL(image.src)
	return new Promise(good => canvas.toBlob(good, "image/png"))
}

// A chart of a result in one of the shapes that fit it, which can be changed and taken along.
export function chartNode(result, shapes, title) {
	let [shape] = shapes
	const place = h("div.chart-place")
	const kinds = shapes.length > 1 ? shapes.map(name => button(t(`chart.${name}`), () => {shape = name; draw()}, "", {"data-shape": name})) : []
	const files = {svg: async text => new Blob([text], {type: "image/svg+xml"}), png}
	const saves = Object.entries(files).map(([format, make]) => button(format.toUpperCase(), doing(async () => saveBlob(await make(await ask(result, shape, title)), `${fileName(title)}.${format}`)), `.small.take-${format}`, {title: t("save.as", {format: format.toUpperCase()})}))
	const node = h("figure.chart-figure", place, h("figcaption.actions", kinds.length > 0 && h("div.segments", {role: "group", label: t("chart")}, kinds), saves))
	async function draw() {
		kinds.forEach(kind => kind.setAttribute("aria-pressed", kind.dataset.shape === shape))
		const text = await ask(result, shape, "", place.clientWidth || undefined).catch(() => null)
		if (!text) return node.remove()
		put(place, inline(text))
		place.style.minHeight = ""
	}
	// The room it will take, so that what stands below does not move.
	place.style.minHeight = `${shape === "line" ? 280 : Math.min(30, result.rows.length) * 24 + 44}px`
	// It is drawn as wide as its place, once that is known, so that letters have their size.
	let width = 0
	new ResizeObserver(() => {
		if (Math.abs(place.clientWidth - width) > 24) {width = place.clientWidth; draw()}
	}).observe(place)
	return node
}
