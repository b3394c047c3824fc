// What the server is busy with.

import {h, put, t, get, over, head, failure, facts, moment, progress, time} from "./common.js"
import {report} from "./upload.js"
import {detail} from "./answer.js"

// The view; it looks again while it is open.
export function view(root) {
	const place = h("div")
	root.append(head(t("nav.tasks")), h("div.page", place))
	const rows = new Map()
	let timer = 0
	async function look() {
		clearTimeout(timer)
		const tasks = await get("tasks").then(reply => reply.tasks, error => void put(place, failure(error)))
		if (!tasks || !root.isConnected) return
		put(place, tasks.length ? h("ol.uploads#tasks", tasks.map(task => row(task, rows))) : h("p.soft", t("none")))
		timer = setTimeout(look, tasks.every(over) ? 5000 : 1000)
	}
	look()
	return () => clearTimeout(timer)
}

// The row of an ended task is kept: what was opened stays open.
function row(task, rows) {
	const before = rows.get(task.id)
	if (before?.dataset.state === task.state && over(task)) return before
	const shown = progress()
	shown.update(task)
	const node = h("li.upload", {"data-task": task.id, "data-state": task.state},
		h("div.upload-head", h("span.name", t(`task.${task.kind}`, {}, task.kind)), task.about?.length > 0 && h("span.about", task.about.slice(0, 3).join(", "), task.about.length > 3 && ` … ${t("n.more", {n: task.about.length - 3})}`), h("span.badge", {class: `is-${task.state}`}, t(`state.${task.state}`)),
			facts(moment(task.created), task.ended && task.started && time(task.ended - task.started))),
		!over(task) && shown, task.error && failure(task.error), task.result && h("details", h("summary", t("result")), task.result.documents ? report(task.result) : detail(task.result)))
	rows.set(task.id, node)
	return node
}
