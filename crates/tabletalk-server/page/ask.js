// Questions and answers.

import {h, $, put, button, icon, field, check, select, keep, t, session, get, events, p, Failure, failure, load, time} from "./common.js"
import {answerNode} from "./answer.js"
import {openPanel, link} from "./panel.js"

const MODES = ["hybrid", "table-rag", "read-table", "read-schema", "row-sampling", "row-column", "text"]

// The thread outlives the view: an answer may arrive while another view is open.
const thread = {id: null, stop: null, turns: h("ol.turns"), library: session.library}
const options = {judge: false, mode: keep("mode") ?? "", plain: Boolean(keep("plain"))}

export async function view(root, {id}) {
	const place = h("div.thread", thread.turns)
	root.append(h("div.ask", place, composer()))
	if (thread.library !== session.library || (id && thread.id && id !== thread.id)) begin()
	if (id && id !== thread.id) await recall(id)
	else if (thread.id) history.replaceState(null, "", link("ask", thread.id))
	if (!thread.turns.childElementCount) welcome(place)
	earlier()
	if (!matchMedia("(pointer: coarse)").matches) $("question").focus()
}

function begin() {
	thread.stop?.abort()
	Object.assign(thread, {id: null, stop: null, library: session.library})
	put(thread.turns)
}

async function recall(id) {
	thread.id = id
	await load(thread.turns, async () => (await get(p`conversations/${id}`)).turns.map(({question, answer}) => {
		const made = turn(question)
		made.show(answer)
		return made.node
	}))
	thread.turns.lastElementChild?.scrollIntoView()
}

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
	const made = turn(question, sense)
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
	if ($("question")) earlier()
}

function running() {
	const [send, stop] = ["send", "stop"].map(id => $(id) ?? {})
	send.hidden = Boolean(thread.stop)
	stop.hidden = !thread.stop
}

function turn(question, sense) {
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
		show: answer => end(answerNode(answer, question, pose)),
		fail: error => end(failure(error), button(t("ask.again"), () => pose(question), ".small")),
	}
}

const conversations = async () => h("ul", (await get("conversations")).conversations.slice(0, 100).map(({id, question, turns}) => h("li", h("a", {
	href: link("ask", id), title: question, "aria-current": id === thread.id && "page",
}, h("span.text", question), turns > 1 && h("span", turns)))))

async function earlier() {
	const place = $("earlier")
	const list = await conversations().catch(() => h("ul"))
	place.hidden = !list.children.length
	put(place, h("h2", t("earlier")), list)
}

export const openEarlier = from => load(openPanel(t("earlier"), {from}), async () => h("div.earlier", await conversations()))

// An empty thread says what is here and offers questions that fit.
async function welcome(place) {
	const [about, tries] = [h("p.soft"), h("div.tries")]
	place.prepend(h("div.welcome", h("p.claim", t("claim")), about, tries))
	const {tables, total = tables.length} = await get("tables", {limit: 40}).catch(() => ({tables: [], total: -1}))
	if (total === 0) put(about, t("empty"), " ", h("a", {href: "#/documents"}, t("upload")))
	else if (total > 0) put(about, t("claim.about", {n: total}))
	put(tries, suggestions(tables).map(question => button(question, () => pose(question))))
}

function suggestions(tables) {
	const columns = tables.map(({columns: all, rows}) => rows > 2 && all.find(({kind, name}) => /integer|decimal/.test(kind) && /^[^\d/.]{3,24}$/.test(name)))
	return [...new Set(columns.filter(Boolean).map(c => c.name))].slice(0, 4)
		.map((column, i) => t(["try.average", "try.sum", "try.most"][i % 3], {column}, "", /[\u4e00-\u9fff]/.test(column) ? "zh" : "en"))
}

export function focusQuestion() {
	const box = $("question")
	box ? box.focus() : (location.hash = "#/ask")
}
