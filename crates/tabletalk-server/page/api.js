// Talking to the server.

import {t} from "./words.js"
import {keep} from "./dom.js"
import {say, faulted} from "./say.js"

const BASE = new URL("api/v1/", document.baseURI).href
const KEY = "tabletalk.key"
const ROLES = ["read", "write", "admin"]

// What is known of the server, and what was chosen here.
export const session = {
	server: null,
	library: keep("library"),
	get key() {return sessionStorage.getItem(KEY) ?? ""},
	set key(value) {value ? sessionStorage.setItem(KEY, value) : sessionStorage.removeItem(KEY)},
	onlocked() {},
	may(role) {return ROLES.indexOf(this.server?.role ?? "admin") >= ROLES.indexOf(role)},
}

// A request that failed, with the cure where the server names one.
export class Failure extends Error {
	constructor(error, status = 0, request = "") {
		super(error?.message ? faulted(error) : t("failed", {status}))
		Object.assign(this, {status, request, hint: error?.hint && say(error.hint)})
	}
}

const unreachable = () => new Failure({message: t("unreachable")})

// A path whose parts are escaped: p`tables/${id}/rows`.
export const p = (parts, ...values) => parts.reduce((path, part, i) => path + encodeURIComponent(values[i - 1]) + part)

export function address(path, query) {
	const url = new URL(path, BASE)
	for (const [name, value] of Object.entries({library: session.library, ...query})) {
		if (value != null && value !== "") url.searchParams.set(name, value)
	}
	return url.href
}

const headers = () => (session.key ? {authorization: `Bearer ${session.key}`} : {})

export async function request(method, path, {query, json, accept, signal} = {}) {
	const head = headers()
	if (accept) head.accept = accept
	if (json !== undefined) head["content-type"] = "application/json"
	const body = json === undefined ? undefined : JSON.stringify(json)
	const response = await fetch(address(path, query), {method, signal, headers: head, body, cache: "no-store"})
		.catch(error => {throw error.name === "AbortError" ? error : unreachable()})
	if (!response.ok) throw refused(response.status, await response.text(), response.headers.get("x-request-id"))
	return response
}

function refused(status, text, id) {
	if (status === 401) session.onlocked()
	let error
	try {({error} = JSON.parse(text))} catch {/* not one of ours */}
	return new Failure(error, status, id)
}

async function reply(method, path, options) {
	const text = await (await request(method, path, options)).text()
	return text ? JSON.parse(text) : null
}

export const get = (path, query, signal) => reply("GET", path, {query, signal})
export const post = (path, json) => reply("POST", path, {json})
export const replace = (path, json) => reply("PUT", path, {json})
export const remove = path => reply("DELETE", path)

// The events of a stream; a server that answers at once gives one `answer`.
export async function* events(method, path, options) {
	const response = await request(method, path, {accept: "text/event-stream", ...options})
	if (!/event-stream/.test(response.headers.get("content-type"))) return yield {event: "answer", data: await response.json()}
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
	let rest = ""
	try {
		for (;;) {
			const {done, value = "\n\n"} = await reader.read()
			const blocks = (rest + value).split(/\r?\n\r?\n/)
			rest = blocks.pop()
			for (const block of blocks) {
				const event = /^event: ?(.*)$/m.exec(block)?.[1].trim() ?? "message"
				const data = [...block.matchAll(/^data: ?(.*)$/gm)].map(line => line[1]).join("\n")
				if (data) yield {event, data: JSON.parse(data)}
			}
			if (done) return
		}
	} finally {
		reader.cancel().catch(() => {})
	}
}

export function upload(path, query, file, onprogress, signal) {
	return new Promise((good, bad) => {
		const xhr = new XMLHttpRequest()
		xhr.open("POST", address(path, query))
		for (const [name, value] of Object.entries(headers())) xhr.setRequestHeader(name, value)
		xhr.upload.onprogress = e => e.lengthComputable && onprogress?.(e.loaded / e.total)
		xhr.onload = () => (xhr.status < 300 ? good(JSON.parse(xhr.responseText)) : bad(refused(xhr.status, xhr.responseText)))
		xhr.onerror = () => bad(unreachable())
		xhr.onabort = () => bad(new DOMException("", "AbortError"))
		signal?.addEventListener("abort", () => xhr.abort())
		xhr.send(file)
	})
}

// A file behind the key, as an address that an img or a link can use.
export const blob = async (path, query) => URL.createObjectURL(await (await request("GET", path, {query})).blob())

// Saves a file: by link where no key is needed, else through memory.
export async function save(path, name, query) {
	const link = document.createElement("a")
	link.download = name
	link.href = session.key ? await blob(path, query) : address(path, query)
	link.click()
	setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

export const over = task => ["done", "failed", "cancelled"].includes(task.state)

// Browsers give one host six connections: three streams leave some free.
let free = 3
const waiting = []

// Follows a task to its end; `onchange` sees it at each change.
export async function watch(task, onchange, signal) {
	onchange(task)
	if (free <= 0) await new Promise(go => waiting.push(go))
	free -= 1
	try {
		for await (const {data} of events("GET", p`tasks/${task.id}/events`, {signal})) onchange(task = data.task ?? data)
	} catch (error) {
		if (error.name === "AbortError") throw error
	} finally {
		free += 1
		waiting.shift()?.()
	}
	while (!over(task)) { // the stream broke
		await new Promise(go => setTimeout(go, 1500));
		({task} = await get(p`tasks/${task.id}`, {}, signal))
		onchange(task)
	}
	return task
}
