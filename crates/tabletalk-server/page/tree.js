// The tree of summaries.

import {h, put, button, check, select, t, session, get, post, p, head, load, doing, facts, follow, notice} from "./common.js"
import {openPlace} from "./panel.js"

export async function view(root) {
	const [place, state] = [h("div.trees"), h("div")]
	const scope = select(["library", "document"].map(s => [s, t(`scope.${s}`)]), "library", {label: t("nav.tree")})
	const [rebuild, plain] = [h("input", {type: "checkbox"}), h("input", {type: "checkbox"})]
	const [how, settings] = form()
	const build = doing(async () => {
		const {groups} = await get("groups")
		if (!groups.some(g => g.name === "medium" && g.nodes > 0)) return put(place, h("p.passage", t("tree.no.text")))
		await follow(await post("tasks", {kind: "raptor", scope: scope.value, rebuild: rebuild.checked, no_model: plain.checked, settings: settings()}), state)
		await load(place, trees)
	})
	root.append(head(t("nav.tree"), session.may("write") && h("div.actions", scope, check(rebuild, t("rebuild")), check(plain, t("no.model")), button(t("build"), build, ".primary#build-tree"))),
		h("div.page", session.may("write") && how, state, place))
	await load(place, trees)
}

// How a tree is built, where it differs from the configuration; what is left empty does not.
function form() {
	const number = (name, most, step = 1) => h("input", {type: "number", id: `tree-${name}`, min: step < 1 ? 0 : 1, max: most, step})
	const fields = {
		max_token: number("max_token", 2048), cluster_token: number("cluster_token", 100000), max_layers: number("max_layers", 64),
		small: select([["", "–"], "cluster", "gather"], "", {id: "tree-small"}),
	}
	const cluster = {
		method: select([["", "–"], "gmm", "twostep", "ahc", "sequential"], "", {id: "tree-method"}),
		max_cluster: number("max_cluster", 1024), threshold: number("threshold", 1, 0.05), random_seed: number("random_seed", 2 ** 31),
	}
	const said = all => Object.fromEntries(Object.entries(all).filter(([, f]) => f.value).map(([name, f]) => [name, f.type === "number" ? Number(f.value) : f.value]))
	const rows = Object.entries({...fields, ...cluster}).map(([name, field]) => h("label.line", h("span", t(`tree.${name}`)), field))
	return [h("details#tree-settings", h("summary", t("tree.settings")), h("p.soft", t("tree.settings.about")), rows), () => {
		const inner = said(cluster)
		return {...said(fields), ...(Object.keys(inner).length ? {cluster: inner} : {})}
	}]
}

async function trees() {
	const {trees: list} = await get("raptor").catch(error => {if (error.status === 404) return {trees: []}; throw error})
	return list.length ? list.map(treeNode) : h("p.soft", t("tree.none"))
}

function treeNode(tree) {
	const nodes = new Map(tree.nodes.map(node => [node.id, node]))
	const list = h("ul.tree", {role: "tree", label: tree.name, onkeydown: key}, tree.roots.map(id => item(id, nodes, 1)))
	if (list.firstChild) open(list.firstChild, list.firstChild.tabIndex = 0)
	return h("section", h("h2", tree.name), facts(t("n.leaves", {n: tree.leaves}), t("n.layers", {n: tree.layers}), tree.embed), list)
}

// A summary with what it sums up, or a leaf that is fetched when it is opened.
function item(id, nodes, level) {
	const node = nodes.get(id)
	const text = h("p.text", node?.text ?? id)
	const line = h("li", {role: "treeitem", "aria-level": level, "aria-expanded": false, tabindex: -1, "data-id": id}, h("div.node", {
		onclick() {focus(line); open(line, line.ariaExpanded === "true")},
	}, node && facts(h("span.chip", t("layer", {n: node.layer})), t(node.by === "extract" ? "by.extract" : "by.model"), t("n.leaves", {n: node.leaves})), text))
	line.unfold = async () => {
		if (node) return line.append(h("ul", {role: "group"}, node.children.map(child => item(child, nodes, level + 1))))
		const leaf = await get(p`nodes/${id}`)
		put(text, leaf.text)
		text.after(button(leaf.place?.text ?? t("open"), event => {event.stopPropagation(); openPlace(leaf, event.currentTarget)}, ".small"))
	}
	return line
}

async function open(line, isOpen) {
	line.ariaExpanded = String(!isOpen)
	const {unfold} = line
	line.unfold = null
	await unfold?.().catch(error => {line.unfold = unfold; notice(error.message, true)})
}

function focus(line) {
	line.closest("[role=tree]").querySelectorAll("[tabindex='0']").forEach(n => {n.tabIndex = -1})
	line.tabIndex = 0
	line.focus()
}

function key(event) {
	const now = event.target
	if (now.role !== "treeitem") return
	const seen = [...event.currentTarget.querySelectorAll("[role=treeitem]")].filter(n => !n.parentElement.closest("[aria-expanded=false]"))
	const at = seen.indexOf(now)
	const isOpen = now.ariaExpanded === "true"
	const turn = () => void open(now, isOpen)
	const to = {
		ArrowDown: () => seen[at + 1], ArrowUp: () => seen[at - 1], Home: () => seen[0], End: () => seen.at(-1), Enter: turn, " ": turn,
		ArrowRight: () => (isOpen ? now.querySelector("[role=treeitem]") : turn()),
		ArrowLeft: () => (isOpen ? turn() : now.parentElement.closest("[role=treeitem]")),
	}[event.key]
	if (!to) return
	event.preventDefault()
	const next = to()
	if (next) focus(next)
}
