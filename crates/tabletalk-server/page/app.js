// The frame: routes, the library switch, the key, shortcuts.

import {h, $, put, button, submit, field, keep, t, apply, session, get, failure} from "./common.js"
import {closePanel} from "./panel.js"
import {listenForDrops} from "./upload.js"
import {ready} from "./say.js"
import {openEarlier, focusQuestion} from "./ask.js"

const VIEWS = ["ask", "documents", "document", "table", "tables", "search", "tree", "evaluations", "tasks", "settings"]
let turn = 0
let leave

// `#/table/ID?rows=1-5` as its parts; an id may hold slashes.
function route() {
	const [, view, id = "", query] = /^#?\/?([^/?]*)\/?([^?]*)\??(.*)$/.exec(location.hash)
	return {view: VIEWS.includes(view) ? view : "ask", id: decodeURIComponent(id), query: new URLSearchParams(query)}
}

async function show() {
	const mine = ++turn
	const to = route()
	leave?.()
	leave = null
	closePanel()
	menu(false)
	const parent = /^(tables?|document)/.test(to.view) ? "documents" : to.view
	for (const link of document.querySelectorAll("#nav > ul a")) link.ariaCurrent = link.hash === `#/${parent}` ? "page" : null
	$("earlier").hidden = true
	$("history").hidden = to.view !== "ask"
	document.title = `${t(`nav.${to.view}`)} · tabletalk`
	const root = h("div.view", {class: `view-${to.view}`})
	put($("main"), root)
	try {
		const {view} = await import(`./${to.view}.js`)
		const after = await view(root, to)
		if (mine === turn) leave = after
		else after?.()
	} catch (error) {
		put(root, h("div.page", failure(error)))
	}
}

async function greet() {
	session.server = await get("server").catch(() => null) // each view says what failed
	if (!session.server) return
	const {version, needs_key: isLocked, libraries = []} = session.server
	put($("version"), version)
	if (!libraries.some(l => l.name === session.library)) session.library = null
	$("library-label").hidden = libraries.length < 2
	put($("library"), libraries.map(l => h("option", {value: l.name}, l.name)))
	$("library").value = session.library ?? libraries.find(l => l.default)?.name
	if (isLocked && !session.key) askKey()
}

$("library").onchange = ({target}) => {
	session.library = session.server.libraries.find(l => l.default)?.name === target.value ? null : target.value
	keep("library", session.library ?? "")
	const {view, id} = route()
	if (id) location.hash = view === "ask" ? "#/ask" : "#/documents"
	else show()
}

function askKey() {
	const dialog = $("key-dialog")
	if (dialog.open) return
	const input = h("input#key", {type: "password", autocomplete: "current-password", required: true, placeholder: "tt_…"})
	put(dialog, h("form", {async onsubmit(event) {
		event.preventDefault()
		session.key = input.value.trim()
		dialog.close()
		await greet()
		show()
	}}, h("h2", t("key.title")), h("p.soft", t("key.about")), field(t("key"), input), h("div.actions", submit(t("key.use")), button(t("cancel"), () => dialog.close()))))
	dialog.showModal()
}
session.onlocked = askKey

const KEYS = {"/": "question", "?": "help", Esc: "close", Enter: "send", "Shift Enter": "line", "↑ ↓ ← →": "move", "PageUp PageDown": "page", "Home End": "ends"}

function help() {
	const dialog = $("help-dialog")
	put(dialog, h("h2", t("shortcuts")), h("dl", Object.entries(KEYS).map(([key, name]) => [h("dt", key.split(" ").map(k => h("kbd", k))), h("dd", t(`keys.${name}`))])),
		h("div.actions", button(t("close"), () => dialog.close(), ".primary")))
	dialog.showModal()
}

function menu(is) {
	$("nav").classList.toggle("open", is)
	$("more").ariaExpanded = String(is)
}

addEventListener("keydown", event => {
	if (document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return
	if (event.key === "Escape") {
		const choices = document.querySelector(".choices[open]")
		if (choices) choices.open = false
		else if (!closePanel()) menu(false)
	}
	const run = {"/": focusQuestion, "?": help}[event.key]
	if (!run || event.target.closest?.("input, textarea, select")) return
	event.preventDefault()
	run()
})
onhashchange = show
$("help-button").onclick = help
$("more").onclick = () => menu(!$("nav").classList.contains("open"))
$("history").onclick = event => openEarlier(event.currentTarget)
$("skip").onclick = event => {event.preventDefault(); $("main").focus()}

apply()
listenForDrops()
await Promise.race([Promise.all([greet(), ready]), new Promise(go => setTimeout(go, 1000))])
show()
