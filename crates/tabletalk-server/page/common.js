// What every view uses.

import {h, $, put, button, iconButton, letters} from "./dom.js"
import {t, number, language} from "./words.js"
import {over, remove, watch, p, Failure} from "./api.js"
import {say, faulted} from "./say.js"

export * from "./dom.js"
export * from "./words.js"
export * from "./api.js"
export {say} from "./say.js"

export const failure = error => h("div.failure", {role: "alert", title: error.request}, h("p", faulted(error)), error.hint && h("p.hint", say(error.hint)))

// Fills a place with what `run` gives; only the last call for a place counts.
export async function load(place, run) {
	const turn = place.turn = (place.turn ?? 0) + 1
	put(place, h("p.busy", {role: "status"}, t("loading")))
	const made = await Promise.resolve().then(run).catch(error => failure(error))
	if (place.turn !== turn) return
	put(place, made.nodes ?? made)
	made.after?.()
}

export function notice(text, isBad) {
	const node = h("p", {class: isBad && "bad"}, text)
	$("notices").append(node)
	setTimeout(() => node.remove(), 5000)
}

// Runs what a button or form asks for: it waits meanwhile, and errors are told.
export const doing = run => async event => {
	event.preventDefault()
	const node = event.currentTarget.querySelector?.("[type=submit]") ?? event.currentTarget
	node.disabled = true
	try {
		await run(event)
	} catch (error) {
		if (error.name !== "AbortError") notice([error.message, error.hint].filter(Boolean).join(" · "), true)
	}
	node.disabled = false
}

export const head = (title, ...more) => h("header.view-head", h("h1", title), more)

export const facts = (...list) => h("p.facts", list.flat().filter(Boolean).map(fact => h("span", fact)))

export const time = ms => (ms < 1 ? "<1 ms" : ms < 1000 ? `${number(ms)} ms` : ms < 60_000 ? `${number(ms / 1000, 1)} s` : `${number(ms / 60_000, 1)} min`)

export function size(bytes) {
	const step = Math.min(3, Math.floor(Math.log10(Math.max(1, bytes ?? 0)) / 3))
	return bytes == null ? "" : `${number(bytes / 1000 ** step, step ? 1 : 0)} ${["B", "kB", "MB", "GB"][step]}`
}

export const moment = ms => new Date(ms).toLocaleString(language(), {dateStyle: "medium", timeStyle: "short"})

export const copyButton = text => iconButton("copy", t("copy"), doing(async () => {await navigator.clipboard.writeText(text); notice(t("copied"))}), ".copy")

// The progress of a task; `update(task)` keeps it up to date.
export function progress() {
	const words = h("span")
	const bar = h("progress", {max: 1, label: t("progress")})
	let id
	const stop = button(t("cancel"), doing(() => remove(p`tasks/${id}`)), ".small")
	const node = h("div.progress", bar, words, stop)
	node.update = task => {
		const {phase, done, total, message} = task.progress ?? {};
		({id} = task)
		if (total > 1) bar.value = Math.min(1, done / total)
		else bar.removeAttribute("value")
		const share = total > 1 && `${number(done)} / ${number(total)}`
		words.textContent = task.state === "running" ? [t(`phase.${phase}`, {}, phase), say(message) || share].filter(Boolean).join(" · ") || t("state.running") : t(`state.${task.state}`)
		stop.hidden = over(task)
	}
	return node
}

// Shows a task in a place until it is done, and gives its result.
export async function follow({task}, place, signal) {
	const shown = progress()
	put(place, shown)
	const last = await watch(task, shown.update, signal)
	put(place)
	if (last.state !== "done") throw new Failure(last.error ?? {message: t(`state.${last.state}`)})
	return last.result
}

// A place in words, where the server did not write them.
const standing = place => place.text ?? (place.file ? [place.file, place.sheet, place.rows && `${letters(place.cols?.[0])}${place.rows[0]}`].filter(Boolean).join("!") + (place.lines ? `:${place.lines[0]}` : "") : place)

// Rows that were not taken, and what is odd.
export const rejections = ({rows_rejected: rejected = [], warnings = []}) => [
	rejected.length > 0 && h("details.rejected", {open: rejected.length <= 5}, h("summary", t("n.rejected", {n: rejected.length})),
		h("ul", rejected.slice(0, 200).map(({place, reason}) => h("li", h("span.place", standing(place)), " ", say(reason))))),
	warnings.length > 0 && h("ul.warnings", warnings.map(warning => h("li", say(warning.message ?? warning))))]
