// What the server says in English, in the language of the page.

import {language} from "./words.js"
import {inWords as translated} from "./reading.js"

const MESSAGES = [
	[/^this can be read in two ways; which do you mean\?$/, () => "这个问题有两种理解，您指的是哪一种？", () => "Das lässt sich auf zwei Arten lesen; welche ist gemeint?"],
	[/^this can be read in (\d+) ways; which do you mean\?$/, ([, n]) => `这个问题有 ${n} 种理解，您指的是哪一种？`, ([, n]) => `Das lässt sich auf ${n} Arten lesen; welche ist gemeint?`],
	[/^how it can be read$/, () => "可以这样理解", () => "So lässt es sich lesen"],
	[/^no other reading fits.*$/, () => "没有别的理解合适；请换个说法，或写明表格和列", () => "Keine andere Lesart passt; anders sagen, oder Tabelle und Spalte nennen"],
	[/^nothing here seems to be about this$/, () => "这里似乎没有与此有关的内容", () => "Hier scheint nichts davon zu handeln"],
	[/^the question could not be read with enough certainty$/, () => "未能足够有把握地理解这个问题", () => "Die Frage ließ sich nicht sicher genug lesen"],
	[/^not in these tables: (.+)$/, ([, w]) => `这些表格里没有：${w}`, ([, w]) => `nicht in diesen Tabellen: ${w}`],
	[/^the statement could not be read with enough certainty$/, () => "未能足够有把握地理解这个陈述", () => "Die Aussage ließ sich nicht sicher genug lesen"],
	[/^(?:nothing|no table) was found that the statement could be about$/, () => "没有找到与这个陈述有关的内容", () => "Es wurde nichts gefunden, wovon die Aussage handeln könnte"],
	[/^the statement could not be checked over the rows.*$/, () => "未能用表中的行核对这个陈述", () => "Die Aussage ließ sich an den Zeilen nicht prüfen"],
	[/^what was found does not decide it$/, () => "找到的内容不足以判断", () => "Was gefunden wurde, entscheidet es nicht"],
	[/^the model came to no verdict$/, () => "模型没有得出结论", () => "Das Modell kam zu keinem Urteil"],
	[/^nothing that was found supports what the model said: (.+)$/, ([, w]) => `找到的内容不支持模型的说法：${w}`, ([, w]) => `Nichts Gefundenes stützt, was das Modell sagte: ${w}`],
	[/^the reading that was chosen gives nothing$/, () => "所选的理解没有结果", () => "Die gewählte Lesart ergibt nichts"],
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

// How a question was read.
export const inWords = (text = "") => translated(text, language())
