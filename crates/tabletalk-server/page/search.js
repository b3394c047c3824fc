// One query, several ways to search, side by side.

import {h, put, say, button, submit, doing, iconButton, field, select, keep, meter, t, number, get, post, head, load, facts, time} from "./common.js"
import {openPlace} from "./panel.js"

const SNIPPET = 320
const CHOICES = {similarity: ["bm25", "cosine", "late", "sparse", "hybrid"], strategy: ["text", "table"], group: [], rerank: ["late", "cross"]}

export async function view(root, route) {
	let ways = JSON.parse(keep("ways")) ?? [{}, {similarity: "bm25"}]
	const query = h("input#query", {type: "search", value: route.query.get("q") ?? "", placeholder: t("search.hint"), label: t("nav.search")})
	const place = h("div.ways")
	const add = button(t("search.add"), () => {ways.push({}); draw()}, ".small")
	const run = i => query.value.trim() && (lab.open || i === 0) && load(place.children[i].lastChild, () => search(query.value.trim(), lab.open ? ways[i] : {}))
	// Without the laboratory the first way alone is seen, as it is configured.
	const runAll = () => {keep("ways", JSON.stringify(ways)); ways.forEach((_, i) => run(i))}
	function draw() {
		put(place, ways.map((way, i) => h("section.way", h("div.way-head",
			Object.entries(CHOICES).map(([name, values]) => field(t(`search.${name}`), select([["", t("configured")], ...values], way[name], {
				onchange(event) {way[name] = event.target.value; keep("ways", JSON.stringify(ways)); run(i)},
			}))), ways.length > 2 && iconButton("close", t("remove"), () => {ways = ways.filter(w => w !== way); draw()})),
		h("div.hits"))))
		add.disabled = ways.length >= 4
		runAll()
	}
	const lab = h("details.lab", {open: Boolean(keep("lab")), ontoggle() {
		keep("lab", lab.open ? "1" : "")
		root.classList.toggle("plain-search", !lab.open)
		runAll()
	}}, h("summary", t("search.lab")), h("p.soft", t("search.lab.about")), add)
	root.classList.toggle("plain-search", !lab.open)
	root.append(head(t("nav.search")), h("div.page", h("form.query-line", {onsubmit: doing(runAll)},
		query, submit(t("nav.search"))), lab, place))
	query.focus()
	const [groups, settings] = await Promise.allSettled([get("groups"), get("settings")])
	CHOICES.group = (groups.value?.groups ?? []).filter(g => g.nodes).map(g => g.name)
	CHOICES.rerank = settings.value?.rerank ?? CHOICES.rerank
	CHOICES.strategy = settings.value?.strategies ?? CHOICES.strategy
	draw()
}

async function search(query, {similarity, strategy, group, rerank}) {
	// A strategy has a group, similarities and a number of hits of its own.
	const how = strategy ? {strategy} : {topk: 8, similarity: similarity || null, group: group || null}
	const {hits, layers = [], ms} = await post("search", {query, rerank: rerank ? [rerank] : [], ...how})
	const most = Math.max(...layers.map(l => l.ms), 0.001)
	return [h("details", h("summary", t("search.layers", {time: time(ms)})), layers.map(l => h("div.line", h("span", l.name), meter(l.ms / most, ".timebar"),
		h("span.ms", l.ran ? `${number(l.hits)} · ${time(l.ms)}` : l.error ? say(l.error) : "–")))),
	hits.length ? h("ol", hits.map(hit => h("li", hitNode(hit, query)))) : h("p.soft", t("none"))]
}

// The words of a query, and pairs of signs for Chinese.
function wordsOf(query) {
	return (query.toLowerCase().match(/\p{Script=Han}+|[\p{L}\p{N}]+/gu) ?? []).flatMap(word => {
		if (!/\p{Script=Han}/u.test(word)) return word.length > 4 ? word.replace(/(es|s|ing|ed)$/, "") : word.length > 1 ? word : []
		return word.length < 3 ? word : [...word].slice(1).map((sign, i) => word[i] + sign)
	})
}

// The part of a text around the first match, with the matches marked.
function snippet(text, words) {
	const pattern = new RegExp(`((?<![a-z])(?:${words.join("|") || "$^"})[a-z]{0,3}(?![a-z]))`, "giu")
	const at = text.search(pattern)
	const from = at > SNIPPET / 2 ? at - 60 : 0
	const part = `${from ? "… " : ""}${text.slice(from, from + SNIPPET)}${text.length > from + SNIPPET ? " …" : ""}`
	return part.split(pattern).map((piece, i) => (i % 2 ? h("mark", piece) : piece))
}

// A hit; the same one lights up in the other columns.
function hitNode(hit, query) {
	const light = is => () => document.querySelectorAll(".hit").forEach(n => n.classList.toggle("same", is && n.dataset.id === hit.id))
	return h("button.hit", {
		"data-id": hit.id, onclick: event => openPlace(hit, event.currentTarget), onmouseenter: light(true), onmouseleave: light(false),
	}, h("span.hit-head", h("span.chip", hit.rank), h("span.place", hit.place?.text ?? hit.document?.name), h("b", number(hit.score, 3))),
	h("span.snippet", snippet(hit.text ?? "", wordsOf(`${query} ${hit.keyword ?? ""}`))),
	facts(hit.group, hit.layer, Object.entries(hit.scores ?? {}).map(([name, score]) => `${name} ${number(score, 2)}`)))
}
