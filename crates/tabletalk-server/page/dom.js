// Making elements. What comes from the server only ever becomes a text node.

const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "open", "multiple"])

// An element: `h("button.small#go", { onclick }, "Text", [more])`.
export function h(name, props, ...children) {
	const [, tag, classes, id] = /^(\w+)([^#]*)#?(.*)$/.exec(name)
	const node = document.createElement(tag)
	if (classes) node.className = classes.replaceAll(".", " ").trim()
	if (id) node.id = id
	if (tag === "button") node.type = "button"
	return fill(node, props, children)
}

export function svg(tag, props, ...children) {
	return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children)
}

function fill(node, props, children) {
	if (props && Object.getPrototypeOf(props) === Object.prototype) set(node, props)
	else children.unshift(props)
	node.append(...clean(children).map(c => (c instanceof Node ? c : String(c))))
	return node
}

const clean = children => children.flat(Infinity).filter(c => c != null && c !== false && c !== "")

export const put = (node, ...children) => node.replaceChildren(...clean(children))

function set(node, props) {
	for (const [name, value] of Object.entries(props)) {
		if (name.startsWith("on")) node.addEventListener(name.slice(2), value)
		else if (PROPERTIES.has(name)) node[name] = value
		else if (name === "class") node.classList.add(...clean([value]).flatMap(c => c.split(" ")))
		else if (name === "width") node.style.width = value
		else if (value != null && value !== false) node.setAttribute(name === "label" ? "aria-label" : name, value)
	}
}

export const $ = id => document.getElementById(id)

export const icon = name => svg("svg", {"aria-hidden": true, viewBox: "0 0 20 20"}, svg("use", {href: `#i-${name}`}))

// A button with words; `kind` is its classes and id.
export const button = (text, onclick, kind = "", props = {}) => h(`button${kind}`, {onclick, ...props}, text)

export const iconButton = (name, label, onclick, kind = "") => h(`button.icon${kind}`, {title: label, label, onclick}, icon(name))

export const field = (label, control) => h("label.field", h("span.soft", label), control)

export const submit = (text, kind = ".primary") => h(`button${kind}`, {type: "submit"}, text)

export const check = (box, text) => h("label.check", box, h("span", text))

// A select from values or `[value, text]` pairs.
export function select(pairs, value, props = {}, kind = "") {
	const node = h(`select${kind}`, props, pairs.map(pair => h("option", {value: [pair].flat()[0]}, [pair].flat().at(-1))))
	node.value = value ?? ""
	if (node.selectedIndex < 0) node.selectedIndex = 0
	return node
}

// A table; the class of a column is that of its cells.
export function table(kind, heads, rows, classes = []) {
	const cells = (tag, list) => list.map((c, i) => (c?.tagName === "TD" || c?.tagName === "TH" ? c : h(tag, {class: classes[i]}, c)))
	return h("div.scroll", {tabindex: 0}, h(`table${kind}`, h("thead", h("tr", cells("th", heads))),
		h("tbody", rows.map(row => (row instanceof Node ? row : h("tr", cells("td", row)))))))
}

export const meter = (share, kind = ".meter") => h(`span${kind}`, {"aria-hidden": true}, h("span", {width: `${Math.max(0.5, 100 * share)}%`}))

export function calm(ms, run) {
	let timer = 0
	return () => {clearTimeout(timer); timer = setTimeout(run, ms)}
}

// The letters of a column counted from 1: 1 is A, 27 is AA.
export const letters = col => (col > 0 ? letters(Math.floor((col - 1) / 26)) + String.fromCharCode(65 + ((col - 1) % 26)) : "")

export const namesIn = text => text.split(/[,，\s]+/).filter(Boolean)

// Keeps small things between visits, where the browser allows it.
export function keep(name, value) {
	try {
		if (value === undefined) return localStorage.getItem(`tabletalk.${name}`)
		value ? localStorage.setItem(`tabletalk.${name}`, value) : localStorage.removeItem(`tabletalk.${name}`)
	} catch {/* private windows may refuse */}
	return null
}
