// A grid that shows a few rows of a table of any length.

import {h, put, letters, t} from "./common.js"

const ROW = 28          // height of a row, as in app.css
const MOST = 15_000_000 // browsers refuse taller elements
const PAGE = 200        // rows of one request
const PAGES = 60        // pages kept
const SPARE = 6         // rows drawn above and below what is seen
const FEW = 48          // so many columns are drawn without asking which are seen

// How wide a text is, in letters: Chinese ones count twice.
const breadth = text => [...text].reduce((n, c) => n + (c > "\u2e7f" ? 2 : 1), 0)
const within = (n, range) => n >= range[0] && n <= range[1]
const clamp = (n, most) => Math.min(Math.max(0, n), Math.max(0, most))

// Takes columns, total, label, `fetch(offset, limit, signal)`, what is cited as `{rows, cols}`, and what is to hear of things.
export class Grid {
	constructor(options) {
		Object.assign(this, {onselect() {}, onrow() {}, onview() {}, onerror() {}, onsort: null, sort: null, widths: new Map()}, options)
		Object.assign(this, {kept: new Map(), asked: new Map(), drawn: new Map(), picked: new Set(), marks: new Map(), active: {row: 0, col: 0}})
		this.offset = 0 // from the place on the scroll bar to the place in the table
		this.last = 0
		this.head = h("div.grid-head", {role: "row"})
		this.rows = h("div.grid-rows", {role: "rowgroup"})
		this.space = h("div.grid-space", {role: "presentation"}, this.rows)
		this.node = h("div.grid", {
			role: "grid", tabindex: 0, label: this.label, "aria-rowcount": this.total + 1, "aria-colcount": this.columns.length + 1,
			onscroll: () => this.scrolled(), onkeydown: e => this.key(e), onclick: e => this.click(e),
		}, this.head, this.space)
		this.resize(this.total)
		this.measure([])
		new ResizeObserver(() => this.draw()).observe(this.node)
	}

	// So many rows there are.
	resize(total) {
		this.total = total
		this.full = total * ROW
		this.height = Math.min(this.full, MOST)
		this.space.style.height = `${this.height}px`
		this.node?.setAttribute("aria-rowcount", total + 1)
	}

	// Other rows, or in another order: everything is fetched anew.
	async renew(total) {
		for (const {stop} of this.asked.values()) stop.abort()
		this.kept.clear()
		this.asked.clear()
		this.resize(total)
		this.active = {row: 0, col: this.active.col}
		this.seen = null
		this.forget()
		await this.load(0, Math.min(40, total))
		this.place(0)
	}

	row(i) {return this.kept.get(Math.floor(i / PAGE))?.[i % PAGE]}

	// Fetches what is missing, and gives up fetching elsewhere.
	async load(from, to) {
		const [first, last] = [Math.floor(from / PAGE), Math.floor(to / PAGE)]
		for (const [n, {stop}] of this.asked) if (!within(n, [first, last])) stop.abort()
		const pages = Array.from({length: last - first + 1}, (_, i) => first + i).filter(n => !this.kept.has(n))
		await Promise.all(pages.map(n => (this.asked.get(n) ?? this.ask(n)).promise))
			.catch(error => {if (error.name !== "AbortError") this.onerror(error)})
	}

	ask(n) {
		const stop = new AbortController()
		const promise = this.fetch(n * PAGE, PAGE, stop.signal).then(({rows}) => {
			this.kept.set(n, rows)
			if (this.kept.size > PAGES) this.kept.delete(this.kept.keys().next().value)
		}).finally(() => this.asked.delete(n))
		this.asked.set(n, {stop, promise})
		return {promise}
	}

	// Widths from names and some rows; a long text does not push the others out.
	measure(sample) {
		const widths = this.columns.map(({name, stats}, i) => {
			const most = Math.max(5, ...(stats?.range ?? []).map(breadth), ...sample.map(row => breadth(row.cells[i] ?? "")))
			const own = Math.max(...name.split(" / ").map(breadth)) + (this.onsort ? 6 : 4)
			return this.widths.get(i) ?? Math.round(Math.min(Math.max(Math.min(own, 26), most) * 7.4 + 18, 330))
		})
		this.lefts = [String(this.total + 10).length * 8 + 24]
		for (const width of widths) this.lefts.push(this.lefts.at(-1) + width)
		this.node.style.setProperty("--cols", [this.lefts[0], ...widths].map(w => `${w}px`).join(" "))
		this.node.style.setProperty("--wide", `${this.lefts.at(-1)}px`)
		this.seen = null
	}

	// Fetches the rows around a position and shows them, and the cited columns.
	async start(position = 0) {
		const near = Math.max(0, position - 20)
		await this.load(near, Math.min(near + 40, this.total))
		this.measure(Array.from({length: 40}, (_, i) => this.row(near + i)).filter(Boolean))
		const cited = this.columns.map((_, i) => i).filter(i => this.cited?.cols && within(this.columns[i].col, this.cited.cols))
		this.active = {row: clamp(position, this.total - 1), col: cited[0] ?? 0}
		requestAnimationFrame(() => {
			this.go(position, true)
			if (cited.length) this.showColumn(cited.at(-1)), this.showColumn(cited[0])
		})
	}

	get visible() {return Math.max(1, this.node.clientHeight - this.head.offsetHeight)}
	get top() {return this.node.scrollTop + this.offset}

	// Brings a row into view: near the middle, or just inside.
	go(row, middle) {
		const y = row * ROW
		if (!middle && y >= this.top && y + ROW <= this.top + this.visible) return this.draw()
		this.place(y - (middle ? Math.min(this.visible / 3, 6 * ROW) : y < this.top ? 0 : this.visible - ROW))
	}

	// Puts a height at the upper edge; a table too tall for the browser is scaled down on the scroll bar.
	place(y) {
		const top = Math.round(clamp(y, this.full - this.visible))
		this.node.scrollTop = this.full > MOST ? Math.round((top / (this.full - this.visible)) * (this.height - this.visible)) : top
		this.last = this.node.scrollTop
		this.offset = this.full > MOST ? top - this.last : 0
		this.draw()
	}

	// In a scaled table a small move goes by pixels, a pull at the bar by its share of the whole.
	scrolled() {
		const at = this.node.scrollTop
		if (this.full > MOST && at !== this.last) {
			const end = this.height - this.visible
			if (Math.abs(at - this.last) > 2 * this.visible) this.offset = Math.round((at / end) * (this.full - this.visible)) - at
			const edge = at <= 0 ? 0 : at >= end && this.full - this.visible
			if (edge !== false && Math.abs(edge - this.top) < this.visible) this.offset = edge - at
			this.last = at
			clearTimeout(this.settle)
			this.settle = setTimeout(() => this.place(this.top), at > 0 && at < end ? 200 : 0)
		}
		this.frame ||= requestAnimationFrame(() => {this.frame = 0; this.draw()})
	}

	range() {
		const n = this.columns.length
		if (n <= FEW) return [0, n]
		const {scrollLeft, clientWidth} = this.node
		const from = this.lefts.findIndex(left => left > scrollLeft + this.lefts[0]) - 3
		const to = this.lefts.findIndex(left => left > scrollLeft + clientWidth)
		return [Math.max(0, from), to < 0 ? n : Math.min(n, to + 2)]
	}

	draw() {
		if (!this.node.isConnected) return
		const range = this.range()
		if (`${range}` !== this.seen) {
			this.seen = `${range}`
			put(this.head, h("div.cell.corner", {role: "columnheader", label: t("row")}), this.columns.slice(...range).map((c, i) => this.header(c, range[0] + i)))
			this.forget()
		}
		const first = Math.max(0, Math.floor(this.top / ROW) - SPARE)
		const last = Math.min(this.total - 1, Math.ceil((this.top + this.visible) / ROW) + SPARE)
		for (const [i, {node}] of this.drawn) if (!within(i, [first, last])) {node.remove(); this.drawn.delete(i)}
		this.rows.style.top = `${first * ROW - this.offset}px`
		let isMissing = false
		for (let i = first; i <= last; i++) {
			const row = this.row(i)
			isMissing ||= !row
			const before = this.drawn.get(i)
			if (before && before.row === row) continue
			const node = this.line(i, row, range)
			before ? before.node.replaceWith(node) : this.rows.insertBefore(node, this.rows.children[i - first] ?? null)
			this.drawn.set(i, {node, row})
		}
		clearTimeout(this.soon)
		if (isMissing) this.soon = setTimeout(() => this.load(first, last).then(() => this.draw()), 50)
		this.onview(Math.min(this.total, Math.floor(this.top / ROW) + 1), Math.min(this.total, Math.floor((this.top + this.visible) / ROW)))
	}

	forget() {
		this.rows.replaceChildren()
		this.drawn.clear()
	}

	isCited(column) {return this.cited && (!this.cited.cols || within(column.col, this.cited.cols))}

	// Makes a column wider or narrower.
	widen(i, width) {
		this.widths.set(i, Math.max(48, Math.min(900, Math.round(width))))
		this.measure(Array.from({length: 40}, (_, n) => this.row(n)).filter(Boolean))
		this.draw()
	}

	widthOf(i) {return this.lefts[i + 1] - this.lefts[i]}

	// The edge of a column, by which it is pulled.
	edge(i) {
		return h("span.edge", {"aria-hidden": true, ondblclick: () => {this.widths.delete(i); this.measure(Array.from({length: 40}, (_, n) => this.row(n)).filter(Boolean)); this.draw()}, onpointerdown: event => {
			event.preventDefault()
			event.stopPropagation()
			const [from, width] = [event.clientX, this.widthOf(i)]
			const move = e => this.widen(i, width + e.clientX - from)
			const end = () => {removeEventListener("pointermove", move); removeEventListener("pointerup", end)}
			addEventListener("pointermove", move)
			addEventListener("pointerup", end)
		}})
	}

	// The name of a column, a button where rows can be sorted; Shift and an arrow change its width.
	nameOf(column, i, name) {
		if (!this.onsort) return h("span.name", name)
		const way = Math.abs(this.sort) === column.col ? (this.sort > 0 ? " ▲" : " ▼") : ""
		return h("button.plain.name.sort", {label: `${column.name}: ${t("sort")}`, onclick: () => this.onsort(column.col), onkeydown: event => {
			if (!event.shiftKey || !/^Arrow(Left|Right)$/.test(event.key)) return
			event.preventDefault()
			event.stopPropagation()
			this.widen(i, this.widthOf(i) + (event.key === "ArrowRight" ? 24 : -24))
			this.head.querySelector(`[data-col="${column.col}"] .sort`)?.focus()
		}}, name, way)
	}

	header(column, i) {
		const levels = column.name.split(" / ")
		const name = levels.pop()
		const node = h("div.cell", {
			role: "columnheader", "data-col": column.col, "aria-colindex": i + 2, title: [column.name, t(`kind.${column.kind}`), column.unit].filter(Boolean).join(" · "),
			class: [`kind-${column.kind}`, column.hidden && "is-hidden", this.isCited(column) && "cited-col"],
		}, h("span.over", letters(column.col), " ", levels.join(" / "), column.unit && h("span.unit", column.unit)), this.nameOf(column, i, name), this.edge(i))
		if (Math.abs(this.sort) === column.col) node.setAttribute("aria-sort", this.sort > 0 ? "ascending" : "descending")
		node.style.gridColumn = i + 2
		return node
	}

	line(i, row, [from, to]) {
		const mark = row && (this.marks.get(row.row) ?? row.mark)
		const isLit = row && this.cited && (!this.cited.rows || within(row.row, this.cited.rows))
		return h("div.row", {role: "row", "aria-rowindex": i + 2, "data-position": i, class: [row ? `mark-${mark}` : "pending", this.picked.has(row?.row) && "picked"]},
			h("div.cell.number", {role: "rowheader", title: mark && t(`mark.${mark}`)}, row?.row ?? "…"),
			this.columns.slice(from, to).map((column, c) => this.cell(i, from + c, column, row, isLit)))
	}

	cell(i, c, column, row, isLit) {
		const node = h("div.cell", {
			role: "gridcell", id: `cell-${i}-${c}`, "data-row": row?.row, "data-col": column.col, "aria-colindex": c + 2,
			class: [`kind-${column.kind}`, isLit && this.isCited(column) && "cited", i === this.active.row && c === this.active.col && "active"],
		}, row?.cells[c])
		node.style.gridColumn = c + 2
		return node
	}

	click(event) {
		const cell = event.target.closest(".row .cell")
		if (!cell) return
		const i = Number(cell.parentNode.dataset.position)
		if (cell.classList.contains("number")) this.onrow(this.row(i), event)
		else this.activate(i, cell.getAttribute("aria-colindex") - 2)
	}

	activate(row, col) {
		this.active = {row: clamp(row, this.total - 1), col: clamp(col, this.columns.length - 1)}
		this.forget()
		this.go(this.active.row)
		this.showColumn(this.active.col)
		this.node.setAttribute("aria-activedescendant", `cell-${this.active.row}-${this.active.col}`)
		this.onselect(this.row(this.active.row), this.active.col)
	}

	showColumn(col) {
		const {scrollLeft, clientWidth} = this.node
		const [left, right] = [this.lefts[col] - this.lefts[0], this.lefts[col + 1]]
		if (left < scrollLeft) this.node.scrollLeft = left
		else if (right > scrollLeft + clientWidth) this.node.scrollLeft = Math.min(right - clientWidth + 8, left)
	}

	key(event) {
		if (event.target !== this.node) return
		const {row, col} = this.active
		const page = Math.max(1, Math.floor(this.visible / ROW) - 1)
		const to = {
			ArrowUp: [row - 1, col], ArrowDown: [row + 1, col], ArrowLeft: [row, col - 1], ArrowRight: [row, col + 1],
			PageUp: [row - page, col], PageDown: [row + page, col], Home: [0, event.ctrlKey ? 0 : col], End: [this.total - 1, event.ctrlKey ? Infinity : col],
		}[event.key]
		if (!to || event.altKey || event.metaKey) return
		event.preventDefault()
		this.activate(...to)
	}
}
