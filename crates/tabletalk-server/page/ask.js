// Questions and answers.

import {h, $, put, button, icon, iconButton, field, check, select, keep, t, language, session, get, replace, remove, request, upload, events, p, Failure, failure, load, time, doing, follow, notice} from "./common.js"
import {answerNode, reported} from "./answer.js"
import {openPanel, link} from "./panel.js"
import {fileName, saveBlob} from "./take.js"

const MODES = ["hybrid", "table-rag", "read-table", "read-schema", "row-sampling", "row-column", "text"]

// The thread outlives the view: an answer may arrive while another view is open.
const thread = {id: null, stop: null, turns: h("ol.turns"), library: session.library}
const options = {judge: false, mode: keep("mode") ?? "", plain: Boolean(keep("plain"))}

export async function view(root, {id, query}) {
	const place = h("div.thread", thread.turns)
	root.append(h("div.ask", h("div#thread-head"), place, composer()))
	if (thread.library !== session.library || (id && thread.id && id !== thread.id)) begin()
	if (id && id !== thread.id) await recall(id, Number(query.get("turn")))
	else if (thread.id) history.replaceState(null, "", link("ask", thread.id))
	if (!thread.turns.childElementCount) welcome(place)
	threadHead()
	earlier()
	if (!matchMedia("(pointer: coarse)").matches) $("question").focus()
}

function begin() {
	thread.stop?.abort()
	Object.assign(thread, {id: null, stop: null, library: session.library})
	put(thread.turns)
}

async function recall(id, wanted) {
	thread.id = id
	await load(thread.turns, async () => (await get(p`conversations/${id}`)).turns.map(({question, answer}, i) => {
		const made = turn(question, null, i + 1)
		made.show({...answer, conversation: id})
		return made.node
	}))
	const linked = thread.turns.children[wanted - 1]
	linked?.classList.add("linked")
	const to = linked ?? thread.turns.lastElementChild
	to?.scrollIntoView()
}

// What can be done with a conversation as a whole.
function threadHead() {
	const place = $("thread-head")
	if (!place) return
	const {id} = thread
	put(place, id && h("div.actions.thread-actions", h("span.soft", t("report")),
		["md", "html"].map(format => button(format === "md" ? "Markdown" : "HTML", doing(() => report(id, format)), `.small#report-${format}`)),
		manage(id, () => {begin(); location.hash === "#/ask" ? onhashchange() : (location.hash = "#/ask")})))
}

// The conversation as a file, in the language of the page.
async function report(id, format) {
	const {turns} = await get(p`conversations/${id}`)
	const json = {format, turns: turns.map(({answer}) => reported(answer)), rests_on: t("rests.on"), language: language()}
	saveBlob(await (await request("POST", p`conversations/${id}/report`, {json})).blob(), `${fileName(t("report"))}.${format}`)
}

// Buttons that rename and delete a conversation.
const manage = (id, ongone) => [
	iconButton("edit", t("rename"), doing(async () => {
		const title = prompt(t("rename.to"))
		if (title == null) return
		await replace(p`conversations/${id}`, {title})
		await earlier()
	}), ".rename"),
	session.may("write") && iconButton("delete", t("delete"), doing(async () => {
		if (!confirm(t("delete.conversation"))) return
		await remove(p`conversations/${id}`)
		if (id === thread.id) ongone()
		await earlier()
	}), ".delete")]

function composer() {
	const hint = () => t(options.judge ? "judge.hint" : "ask.hint")
	const box = h("textarea#question", {
		rows: 1, placeholder: hint(), label: t("question"), value: thread.draft ?? "",
		oninput() {thread.draft = box.value; grow()},
		onkeydown(event) {if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {event.preventDefault(); submit()}},
	})
	const grow = () => {box.style.height = "auto"; box.style.height = `${Math.min(box.scrollHeight, 220)}px`}
	const submit = () => {
		const question = box.value.trim()
		if (!question || thread.stop) return
		box.value = thread.draft = ""
		grow()
		pose(question)
	}
	const kinds = [false, true].map(judge => button(t(judge ? "judge" : "nav.ask"), () => {
		options.judge = judge
		kinds.forEach((other, i) => other.setAttribute("aria-pressed", Boolean(i) === judge))
		box.placeholder = hint()
		box.focus()
	}, judge ? "#kind-verify" : "#kind-ask", {"aria-pressed": options.judge === judge}))
	return h("form.composer", {onsubmit(event) {event.preventDefault(); submit()}},
		h("div.box-line", box, h("button.send#send", {type: "submit", label: t("send"), hidden: Boolean(thread.stop)}, icon("send")),
			h("button.send.stop#stop", {label: t("stop"), hidden: !thread.stop, onclick: () => thread.stop?.abort()}, icon("stop"))),
		h("div.box-foot", h("div.segments", kinds), choices(),
			h("a.small.new#new-conversation", {href: "#/ask", label: t("ask.new"), onclick() {begin(); if (location.hash === "#/ask") onhashchange()}}, icon("new"), h("span", t("ask.new")))))
}

function choices() {
	return h("details.choices", h("summary", t("options")), h("div.sheetlet",
		field(t("mode"), select([["", t("configured")], ...MODES], options.mode, {onchange(event) {keep("mode", options.mode = event.target.value)}}, "#mode")),
		check(h("input#no-model", {type: "checkbox", checked: options.plain, onchange(event) {keep("plain", (options.plain = event.target.checked) && "1")}}), t("no.model"))))
}

// `sense` and its number come from a reading of a question that had several.
async function pose(question, tables = [], sense, choose = null) {
	if (thread.stop) return
	const stop = thread.stop = new AbortController()
	const made = turn(question, sense, thread.turns.childElementCount + 1)
	document.querySelector(".welcome")?.remove()
	thread.turns.append(made.node)
	made.node.scrollIntoView()
	running()
	const json = {question, mode: options.mode || null, conversation: thread.id ?? "new", tables, no_model: options.plain, choose}
	try {
		settle(made, await listen(made, options.judge && !sense ? "verify" : "ask", {json, signal: stop.signal}))
	} catch (error) {
		made.fail(error.name === "AbortError" ? {message: t("stopped")} : error)
	}
	if (thread.stop === stop) thread.stop = null
	running()
}

async function listen(made, path, request) {
	for await (const {event, data} of events("POST", path, request)) {
		if (event === "text") made.write(data.text)
		else if (event === "error") throw new Failure(data.error ?? data)
		else if (event === "answer") return data
	}
	throw new Error(t("stream.ended"))
}

// The first answer of a conversation names it.
function settle(made, answer) {
	made.show(answer)
	made.node.scrollIntoView()
	if (!answer.conversation || thread.id) return
	thread.id = answer.conversation
	if (!location.hash.slice(2).replace(/^ask\/?/, "")) history.replaceState(null, "", link("ask", thread.id))
	if ($("question")) {threadHead(); earlier()}
}

function running() {
	const [send, stop] = ["send", "stop"].map(id => $(id) ?? {})
	send.hidden = Boolean(thread.stop)
	stop.hidden = !thread.stop
}

function turn(question, sense, number) {
	const clock = h("span")
	const draft = h("pre.draft", {hidden: true})
	const live = h("div", {"aria-live": "polite", "aria-busy": true}, h("p.thinking", t("working"), clock), draft)
	const since = performance.now()
	const tick = setInterval(() => {clock.textContent = time(performance.now() - since)}, 200)
	const end = (...nodes) => {
		clearInterval(tick)
		put(live, nodes)
		live.setAttribute("aria-busy", false)
	}
	return {
		node: h("li.turn", h("h2.question", question, sense && h("span.sense.soft", sense)), live),
		write(text = "") {
			draft.hidden = false
			draft.append(text)
			draft.scrollTop = draft.scrollHeight
		},
		show: answer => end(answerNode(answer, question, pose, {conversation: answer.conversation, turn: number})),
		fail: error => end(failure(error), button(t("ask.again"), () => pose(question), ".small")),
	}
}

const conversations = async () => h("ul", (await get("conversations")).conversations.slice(0, 100).map(({id, question, turns}) => h("li.conversation", h("a", {
	href: link("ask", id), title: question, "aria-current": id === thread.id && "page",
}, h("span.text", question), turns > 1 && h("span", turns)), h("span.manage", manage(id, () => {begin(); location.hash = "#/ask"; onhashchange()})))))

async function earlier() {
	const place = $("earlier")
	const list = await conversations().catch(() => h("ul"))
	place.hidden = !list.children.length
	put(place, h("h2", t("earlier")), list)
}

export const openEarlier = from => load(openPanel(t("earlier"), {from}), async () => h("div.earlier", await conversations()))

// An empty thread says what is here and offers questions that fit; where nothing is here, what to begin with.
async function welcome(place) {
	const [about, tries] = [h("p.soft"), h("div.tries")]
	const node = h("div.welcome", h("p.claim", t("claim")), about, tries)
	place.prepend(node)
	const {tables, total = tables.length} = await get("tables", {limit: 40}).catch(() => ({tables: [], total: -1}))
	if (total === 0 && session.may("write")) return firstVisit(node, about, tries)
	if (total === 0) put(about, t("empty"))
	else if (total > 0) put(about, t("claim.about", {n: total}))
	put(tries, suggestions(tables).map(question => button(question, () => pose(question))))
}

// An empty library: where files go, three examples, and what a model would add.
async function firstVisit(node, about, tries) {
	const [{picker}, {examples}] = await Promise.all([import("./upload.js"), import("./examples.js")])
	put(about, t("first.about"))
	const state = h("div")
	const begin = ({file, question}) => doing(async () => {
		await follow(await upload("documents", {name: file.name}, file), state)
		notice(t("first.added", {name: file.name}))
		pose(question)
	})
	put(tries, h("section.first", h("div.dropzone", h("p", t("first.drop")), h("div.actions", picker())),
		h("h3", t("first.try")), h("div.tries", examples(language()).map(one => button(`${one.file.name}: ${one.question}`, begin(one), ".example"))), state,
		!session.server?.has_model && h("p.soft", t("first.model"), " ", h("a", {href: "#/settings"}, t("first.connect")))))
	node.classList.add("is-first")
}

// Questions that fit: nobody adds up rates, a name is not also that of a table, and letters of two scripts stand apart.
const RATE = /%|rate|growth|share|anteil|率|比/i
const parted = text => text.replace(/([\w)%])(\p{Script=Han})/gu, "$1 $2")

function suggestions(tables) {
	const taken = new Set(tables.map(({name}) => name.toLowerCase()))
	const isFit = ({kind, name}) => /integer|decimal/.test(kind) && /^[^\d/.]{3,24}$/.test(name) && !taken.has(name.toLowerCase())
	const columns = tables.map(({columns: all, rows}) => rows > 2 && all.find(isFit))
	const forms = ["try.average", "try.sum", "try.most"]
	return [...new Set(columns.filter(Boolean).map(c => c.name))].slice(0, 4).map((column, i) => parted(t(RATE.test(column) ? forms[2 * (i % 2)] : forms[i % 3], {column})))
}

export function focusQuestion() {
	const box = $("question")
	box ? box.focus() : (location.hash = "#/ask")
}
