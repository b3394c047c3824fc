// What the server says in English, in the language of the page. `messages` has a line for each message in three languages;
// what was filled into the English words is filled into the others.

import {language, t} from "./words.js"
import {inWords as translated} from "./reading.js"

const tongue = language()
const fixed = new Map()
let open = [] // those with something filled in, the ones that say most themselves first

// Settles when messages can be said.
export const ready = tongue === "en" ? Promise.resolve() : fetch(`./assets/messages.${tongue}.txt`).then(reply => reply.text()).then(learn, () => {})

function learn(text) {
	for (const line of text.trim().split("\n")) {
		const [english, said] = line.split(" | ")
		if (/\{\w+\}/.test(english)) open.push(template(english, said))
		else fixed.set(english, said)
	}
	open = open.sort((a, b) => b.weight - a.weight)
}

// `{why}` and `{what}` may be messages themselves, `{words}` are a reading; all else is a name or a number and stays as it is.
const filled = (name, text) => (/^wh(y|at)\d?$/.test(name) ? say(text) : name === "words" ? whole(text) ?? inWords(text) : text)

const NUMBERS = /^(ready|count|total)$/

function template(english, said) {
	const parts = english.split(/\{(\w+)\}/)
	const pattern = parts.map((part, i) => (i % 2 ? (NUMBERS.test(part) ? "(\\d+)" : "(.*?)") : part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))).join("")
	const weight = parts.reduce((sum, part, i) => sum + (i % 2 ? 0 : part.length), 0)
	return {pattern: new RegExp(`^${pattern}$`, "s"), names: parts.filter((_, i) => i % 2), said, weight}
}

function whole(text) {
	const known = fixed.get(text)
	if (known) return known
	for (const {pattern, names, said} of open) {
		const found = pattern.exec(text)
		if (!found) continue
		const given = Object.fromEntries(names.map((name, i) => [name, filled(name, found[i + 1])]))
		return said.replace(/\{(\w+)\}/g, (_, name) => given[name])
	}
	return null
}

// A name and what is said of it: `sales.csv is empty`.
function named(text) {
	for (let at = text.indexOf(" "); at > 0; at = text.indexOf(" ", at + 1)) {
		const said = fixed.get(text.slice(at + 1))
		if (said) return `${text.slice(0, at)} ${said}`
	}
	return null
}

// `name: message` and `message; cure`, of which the parts are messages.
function parted(text) {
	for (const [mark, written] of [["; ", "；"], [": ", "："]]) {
		for (let at = text.indexOf(mark); at > 0; at = text.indexOf(mark, at + 1)) {
			const rest = whole(text.slice(at + mark.length))
			const before = text.slice(0, at)
			if (rest) return (whole(before) ?? named(before) ?? parted(before) ?? before) + (tongue === "zh" ? written : mark) + rest
		}
	}
	return named(text)
}

// A message of the server; as it is where it is none.
export function say(text = "") {
	const bare = text.trim()
	const said = fixed.size && bare && (whole(bare) ?? parted(bare))
	return said ? (tongue === "zh" ? said : text.replace(bare, () => said)) : text
}

// An answer: of what is computed only what is said beside it, as a value stays as it is written.
const BESIDE = /^Computed as .+\.$|… \(.+ (in all|there are more)\)$/s
export const sayAnswer = ({outcome, answer = ""}) => (outcome !== "answered" || BESIDE.test(answer) ? say(answer) : answer)

// What is said of an error; a mistake of the program is told in its own words, as it would be reported.
export const faulted = ({kind, message}) => (kind === "bug" ? t("bug", {message}) : say(message))

// How a question was read.
export const inWords = (text = "") => translated(text, tongue)
