// What the server says in English, in the language of the page: readings of questions, and its commonest messages.

import {language} from "./words.js"

const FOLDS = {
	zh: {sum: "总和", average: "平均值", smallest: "最小值", largest: "最大值", range: "极差"},
	de: {sum: "die Summe", average: "der Durchschnitt", smallest: "der kleinste Wert", largest: "der größte Wert", range: "die Spanne"},
}

const PERIODS = {zh: {year: "年", quarter: "季度", month: "月", week: "周", day: "日", weekday: "星期"}, de: {year: "Jahr", quarter: "Quartal", month: "Monat", week: "Woche", day: "Tag", weekday: "Wochentag"}}

// What is asked of rows: pattern, Chinese, German.
const ASKS = [
	[/^the number of rows$/, () => "行数", () => "die Zahl der Zeilen"],
	[/^the number of different values of (.+)$/, ([, c]) => `${c} 的不同值个数`, ([, c]) => `die Zahl verschiedener Werte von ${c}`],
	[/^the (sum|average|smallest|largest|range) of (.+)$/, ([, f, c]) => `${c} 的${FOLDS.zh[f]}`, ([, f, c]) => `${FOLDS.de[f]} von ${c}`],
	[/^the (.+) with the (most|fewest) rows$/, ([, c, m]) => `行数最${m === "most" ? "多" : "少"}的 ${c}`, ([, c, m]) => `${c} mit den ${m === "most" ? "meisten" : "wenigsten"} Zeilen`],
	[/^the (.+) with the (largest|smallest) sum of (.+)$/, ([, c, m, s]) => `${s} 总和最${m === "largest" ? "大" : "小"}的 ${c}`, ([, c, m, s]) => `${c} mit der ${m === "largest" ? "größten" : "kleinsten"} Summe von ${s}`],
	[/^the percentage of rows$/, () => "行数所占百分比", () => "der Anteil der Zeilen"],
	[/^the percentage of (.+)$/, ([, c]) => `${c} 所占百分比`, ([, c]) => `der Anteil von ${c}`],
	[/^the difference between (.+) and (.+)$/, ([, a, b]) => `${a} 与 ${b} 的差`, ([, a, b]) => `der Unterschied zwischen ${a} und ${b}`],
	[/^whether there is a row$/, () => "是否有这样的行", () => "ob es eine Zeile gibt"],
	[/^(.+) of all rows$/, ([, c]) => `所有行的 ${c}`, ([, c]) => `${c} aller Zeilen`],
]

// Parts of conditions, the longer ones first.
const PARTS = {
	zh: [[/ is between (\S+) and (\S+)/g, " 在 $1 到 $2 之间"], [/ is not empty/g, " 不为空"], [/ is empty/g, " 为空"], [/ is less than /g, " 小于 "], [/ is at most /g, " 不超过 "], [/ is more than /g, " 大于 "], [/ is at least /g, " 不小于 "],
		[/ is in month (\d+)/g, " 在 $1 月"], [/ is in quarter (\d+)/g, " 在第 $1 季度"], [/ is in (\d+)/g, " 在 $1 年"], [/ has “/g, " 含“"], [/ is not /g, " 不是 "], [/ is /g, " 为 "], [/ and /g, " 且 "], [/ or others/g, " 等"], [/ or /g, " 或 "]],
	de: [[/ is between (\S+) and (\S+)/g, " zwischen $1 und $2"], [/ is not empty/g, " nicht leer"], [/ is empty/g, " leer"], [/ is less than /g, " kleiner als "], [/ is at most /g, " höchstens "], [/ is more than /g, " größer als "], [/ is at least /g, " mindestens "],
		[/ is in month (\d+)/g, " im Monat $1"], [/ is in quarter (\d+)/g, " im Quartal $1"], [/ is in (\d+)/g, " im Jahr $1"], [/ has “/g, " enthält „"], [/ is not /g, " ungleich "], [/ is /g, " gleich "], [/ and /g, " und "], [/ or others/g, " oder anderes"], [/ or /g, " oder "]],
}

const TAILS = [
	[/, the (\d+) (largest|smallest)$/, ([, n, m]) => `，最${m === "largest" ? "大" : "小"}的 ${n} 个`, ([, n, m]) => `, die ${n} ${m === "largest" ? "größten" : "kleinsten"}`],
	[/, (largest|smallest) first$/, ([, m]) => `，从${m === "largest" ? "大到小" : "小到大"}`, ([, m]) => `, ${m === "largest" ? "größte" : "kleinste"} zuerst`],
	[/, with the (?:(\d+) )?(largest|smallest) (.+)$/, ([, n, m, c]) => `，${c} 最${m === "largest" ? "大" : "小"}的${n ? ` ${n} 行` : "一行"}`, ([, n, m, c]) => `, mit ${n ? `den ${n}` : "dem"} ${m === "largest" ? "größten" : "kleinsten"} ${c}`],
	[/, (first|last) in the table$/, ([, e]) => `，表中${e === "first" ? "第一" : "最后一"}行`, ([, e]) => `, ${e === "first" ? "erste" : "letzte"} Zeile der Tabelle`],
]

const MESSAGES = [
	[/^this can be read in two ways; which do you mean\?$/, () => "这个问题有两种理解，您指的是哪一种？", () => "Das lässt sich auf zwei Arten lesen; welche ist gemeint?"],
	[/^this can be read in (\d+) ways; which do you mean\?$/, ([, n]) => `这个问题有 ${n} 种理解，您指的是哪一种？`, ([, n]) => `Das lässt sich auf ${n} Arten lesen; welche ist gemeint?`],
	[/^how it can be read$/, () => "可以这样理解", () => "So lässt es sich lesen"],
	[/^no other reading fits.*$/, () => "没有别的理解合适；请换个说法，或写明表格和列", () => "Keine andere Lesart passt; anders sagen, oder Tabelle und Spalte nennen"],
	[/^nothing here seems to be about this$/, () => "这里似乎没有与此有关的内容", () => "Hier scheint nichts davon zu handeln"],
	[/^the question could not be read with enough certainty$/, () => "未能足够有把握地理解这个问题", () => "Die Frage ließ sich nicht sicher genug lesen"],
	[/^not in these tables: (.+)$/, ([, w]) => `这些表格里没有：${w}`, ([, w]) => `nicht in diesen Tabellen: ${w}`],
	[/^nothing was found that the question could be about$/, () => "没有找到与问题有关的内容", () => "Es wurde nichts gefunden, wovon die Frage handeln könnte"],
	[/^no answer could be computed: (.+)$/, ([, w]) => `未能算出答案：${w}`, ([, w]) => `Es ließ sich keine Antwort berechnen: ${w}`],
	[/^left out of what the model said, because nothing that was found bears it out: (.+)$/s, ([, w]) => `模型所说的以下内容没有依据，已略去：${w}`, ([, w]) => `Von dem, was das Modell sagte, weggelassen, weil nichts Gefundenes es stützt: ${w}`],
	[/^the language model did not answer, so the built-in parser did: (.+)$/, ([, w]) => `语言模型没有回答，由内置解析器回答：${w}`, ([, w]) => `Das Sprachmodell hat nicht geantwortet, der eingebaute Leser schon: ${w}`],
	[/^there is no (document|table|conversation|node|task) `(.+)`$/, ([, k, n]) => `没有${{document: "文档", table: "表格", conversation: "对话", node: "节点", task: "任务"}[k]} ${n}`, ([, k, n]) => `${{document: "Das Dokument", table: "Die Tabelle", conversation: "Das Gespräch", node: "Der Knoten", task: "Die Aufgabe"}[k]} ${n} gibt es nicht`],
]

const by = (list, text, tongue) => {
	for (const [pattern, zh, de] of list) {
		const found = pattern.exec(text)
		if (found) return [found, (tongue === "zh" ? zh : de)(found)]
	}
	return null
}

// A message of the server; as it is where it has no other words.
export function say(text = "") {
	const tongue = language()
	return tongue === "en" ? text : by(MESSAGES, text, tongue)?.[1] ?? text
}

function keyed(key, tongue) {
	const period = /^(year|quarter|month|week|day|weekday) of (.+)$/.exec(key)
	if (!period) return key
	const name = PERIODS[tongue][period[1]]
	return tongue === "zh" ? `${period[2]} 的${name}` : `${name} von ${period[2]}`
}

// How a question was read.
export function inWords(text = "") {
	const tongue = language()
	if (tongue === "en" || !text) return text
	let [rest, tail] = [text, ""]
	const ending = by(TAILS, rest, tongue)
	if (ending) [rest, tail] = [rest.slice(0, ending[0].index), ending[1]]
	const at = rest.indexOf(" where ")
	let [head, where] = at < 0 ? [rest, ""] : [rest.slice(0, at), rest.slice(at + 6)]
	for (const [pattern, words] of PARTS[tongue]) where = where.replace(pattern, words)
	const group = head.lastIndexOf(" by ")
	const keys = group > 0 ? head.slice(group + 4).split(" and ").map(key => keyed(key, tongue)) : []
	if (group > 0) head = head.slice(0, group)
	const asked = by(ASKS, head, tongue)?.[1] ?? head
	if (tongue === "zh") return `${keys.length ? `按 ${keys.join("、")}分组的 ` : ""}${where ? `${where.trim()} 时的 ` : ""}${asked}${tail}`
	return `${asked}${keys.length ? ` je ${keys.join(" und ")}` : ""}${where ? `, wo${where}` : ""}${tail}`
}
