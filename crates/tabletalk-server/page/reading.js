// How a question was read, which the engine says in English, in the other languages of the page. Every form of
// `tabletalk-question/src/words.rs` has a line here.

const big = (size, large, small) => (size === "largest" || size === "most" || size === "more" ? large : small)

const FOLDS = {
	zh: {sum: "总和", average: "平均值", smallest: "最小值", largest: "最大值", range: "极差"},
	de: {sum: "die Summe", average: "der Durchschnitt", smallest: "der kleinste Wert", largest: "der größte Wert", range: "die Spanne"},
}

const PERIODS = {zh: {year: "年", quarter: "季度", month: "月", week: "周", day: "日", weekday: "星期"}, de: {year: "Jahr", quarter: "Quartal", month: "Monat", week: "Woche", day: "Tag", weekday: "Wochentag"}}

const FOLD = "(sum|average|smallest|largest|range)"

// Conditions, the longer ones first.
const PARTS = {
	zh: [[/\bis between (\S+) and (\S+)/g, "在 $1 到 $2 之间"], [/\bis not empty/g, "不为空"], [/\bis empty/g, "为空"], [/\bis less than /g, "小于 "], [/\bis at most /g, "不超过 "], [/\bis more than /g, "大于 "], [/\bis at least /g, "不小于 "],
		[/\bis in month (\d+)/g, "在 $1 月"], [/\bis in quarter (\d+)/g, "在第 $1 季度"], [/\bis in (\d+)/g, "在 $1 年"], [/\bhas “/g, "含“"], [/\bis not /g, "不是 "], [/\bis /g, "为 "], [/ and /g, " 且 "], [/ or others/g, " 等"], [/ or /g, " 或 "]],
	de: [[/\bis between (\S+) and (\S+)/g, "zwischen $1 und $2"], [/\bis not empty/g, "nicht leer"], [/\bis empty/g, "leer"], [/\bis less than /g, "kleiner als "], [/\bis at most /g, "höchstens "], [/\bis more than /g, "größer als "], [/\bis at least /g, "mindestens "],
		[/\bis in month (\d+)/g, "im Monat $1"], [/\bis in quarter (\d+)/g, "im Quartal $1"], [/\bis in (\d+)/g, "im Jahr $1"], [/\bhas “([^”]*)”/g, "enthält „$1“"], [/\bis not /g, "ungleich "], [/\bis /g, "gleich "], [/ and /g, " und "], [/ or others/g, " oder anderes"], [/ or /g, " oder "]],
}

const conditions = (text, tongue) => PARTS[tongue].reduce((said, [pattern, words]) => said.replace(pattern, words), text)

// Which row of those that are left: pattern, Chinese, German.
const PICKS = [
	[/^with the number (\d+) by (largest|smallest) (.+)$/, ([, n, m, c]) => `${c} 第 ${n} ${big(m, "大", "小")}的一行`, ([, n, m, c]) => `Nummer ${n} nach ${big(m, "größtem", "kleinstem")} ${c}`],
	[/^with the (\d+) (?:number \d+ by )?(largest|smallest) (.+)$/, ([, n, m, c]) => `${minus(c, " 减 ")} 最${big(m, "大", "小")}的 ${n} 行`, ([, n, m, c]) => `mit den ${n} ${big(m, "größten", "kleinsten")} ${minus(c, " minus ")}`],
	[/^with the (largest|smallest) (.+)$/, ([, m, c]) => `${minus(c, " 减 ")} 最${big(m, "大", "小")}的一行`, ([, m, c]) => `mit dem ${big(m, "größten", "kleinsten")} ${minus(c, " minus ")}`],
	[/^number (\d+) from the (first|last) in the table$/, ([, n, e]) => `表中${e === "first" ? "第" : "倒数第"} ${n} 行`, ([, n, e]) => `${e === "first" ? "" : "von hinten "}Zeile ${n} der Tabelle`],
	[/^(first|last) (\d+) in the table$/, ([, e, n]) => `表中${e === "first" ? "前" : "后"} ${n} 行`, ([, e, n]) => `die ${e === "first" ? "ersten" : "letzten"} ${n} Zeilen der Tabelle`],
	[/^(first|last) in the table$/, ([, e]) => `表中${e === "first" ? "第一" : "最后一"}行`, ([, e]) => `${e === "first" ? "erste" : "letzte"} Zeile der Tabelle`],
]
const PICK = /, (with the (?:\d+ |number \d+ by )*(?:largest|smallest) .+|number \d+ from the (?:first|last) in the table|(?:first|last)(?: \d+)? in the table)$/
const minus = (column, word) => column.replace(" less ", word)
const by = (list, text, tongue) => {
	for (const [pattern, zh, de] of list) {
		const found = pattern.exec(text)
		if (found) return (tongue === "zh" ? zh : de)(found)
	}
	return null
}

// Where what is said of rows begins.
const ROWS = / in the row “| in the row (?:after|before) the one| among the rows of the earlier answer| where |, with the (?:\d+ |number \d+ by )*(?:largest|smallest) |, number \d+ from the |, (?:first|last)(?: \d+)? in the table/

const parted = text => {
	const at = text.search(ROWS)
	return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at)]
}

// Rows as parts: the one beside which they stand, the row with a label, conditions, which of them.
function parts(text, tongue) {
	const [, step, rest] = /^(?: in the row (after|before) the one)?(.*)$/.exec(text)
	const pick = PICK.exec(rest)
	const [, label, , where] = /^(?: in the row “(.*?)”)?( among the rows of the earlier answer)?(?: where (.*))?$/.exec(pick ? rest.slice(0, pick.index) : rest) ?? []
	return {step, label, isEarlier: rest.startsWith(" among"), where: where && conditions(where, tongue), pick: pick && by(PICKS, pick[1], tongue)}
}

const zh = {
	// Before and after what is asked of rows.
	rows(text) {
		const {step, label, isEarlier, where, pick} = parts(text, "zh")
		const before = [isEarlier && "上一个答案的行中", label && `“${label}”行中`, where && `${where} 时`].filter(Boolean).join("、")
		return [before && `${before}的 `, `${pick ? `，${pick}` : ""}${step ? `，其${step === "after" ? "后" : "前"}一行` : ""}`]
	},
	row(text) {
		const {step, label, where, pick} = parts(text, "zh")
		const said = [label && `“${label}”行`, where && `${where} 的行`, pick].filter(Boolean).join("，")
		return `${said || "所有行"}${step ? `的${step === "after" ? "后" : "前"}一行` : ""}`
	},
}

const de = {
	rows(text) {
		const {step, label, isEarlier, where, pick} = parts(text, "de")
		const said = [isEarlier && "in den Zeilen der früheren Antwort", label && `in der Zeile „${label}“`, where && `wo ${where}`, pick, step && `die Zeile ${step === "after" ? "danach" : "davor"}`]
		return ["", said.filter(Boolean).map(part => `, ${part}`).join("")]
	},
	row: text => de.rows(text)[1].replace(/^, /, "") || "alle Zeilen",
}

// A clause within a German sentence ends with a comma.
const closed = text => (text.includes(", wo ") ? `${text},` : text)

const TONGUES = {zh, de}
const FORMS = [
	[/^of what there is(.*?), (the percentage of .*)$/, ([, of, rest]) => `在 ${zh.row(of)}之中，${inWords(rest, "zh")}`, ([, of, rest]) => `von dem, ${de.row(of)}: ${inWords(rest, "de")}`],
	[/^not (.+)$/, ([, rest]) => `不成立：${inWords(rest, "zh")}`, ([, rest]) => `nicht: ${inWords(rest, "de")}`],
	[/^whether there are (more|fewer) rows(.*) than rows(.*)$/, ([, m, a, b]) => `${zh.row(a)}是否比 ${zh.row(b)}${big(m, "多", "少")}`, ([, m, a, b]) => `ob es ${big(m, "mehr", "weniger")} Zeilen gibt, ${de.row(a)}, als Zeilen, ${de.row(b)}`],
	[/^whether there is a row(.*)$/, ([, a]) => `是否有 ${a ? zh.row(a) : "这样的行"}`, ([, a]) => `ob es eine Zeile gibt${de.rows(a)[1]}`],
	[/^whether all rows are(.*)$/, ([, a]) => `是否所有行都满足：${parts(a, "zh").where ?? ""}`, ([, a]) => `ob für alle Zeilen gilt: ${parts(a, "de").where ?? ""}`],
	[/^whether the sum of (.+) is (more|less) than( where .+| in the row .+|, .+)$/, ([, a, m, b]) => `${asked("the sum of ", a, "zh")}是否${big(m, "大", "小")}于 ${zh.row(b)}的总和`, ([, a, m, b]) => `ob ${closed(asked("the sum of ", a, "de"))} ${big(m, "größer", "kleiner")} ist als die Summe, ${de.row(b)}`],
	[/^whether (.+) is (more|less) than( where .+| in the row .+|, .+)$/, ([, a, m, b]) => `${asked("", a, "zh")}是否${big(m, "大", "小")}于 ${zh.row(b)}的`, ([, a, m, b]) => `ob ${closed(asked("", a, "de"))} ${big(m, "größer", "kleiner")} ist als das, ${de.row(b)}`],
	[/^whether (.+) (is (?:less than|at most|more than|at least|between) [^“”]+)$/, ([, a, test]) => `${inWords(a, "zh")}是否${conditions(test, "zh")}`, ([, a, test]) => `ob ${closed(inWords(a, "de"))} ${conditions(test, "de")} ist`],
	[/^whether (.+) is (.+?)$/, ([, a, value]) => `${inWords(a, "zh")}是否为 ${value}`, ([, a, value]) => `ob ${closed(inWords(a, "de"))} ${value} ist`],
	[/^the difference in (.+) between the row(.*) and the row(.*)$/, ([, c, a, b]) => `${zh.row(a)}与 ${zh.row(b)}的 ${c} 之差`, ([, c, a, b]) => `der Unterschied in ${c} zwischen der Zeile, ${de.row(a)}, und der Zeile, ${de.row(b)}`],
	[/^how many more or fewer rows(.*) than rows(.*)$/, ([, a, b]) => `${zh.row(a)}比 ${zh.row(b)}多或少几行`, ([, a, b]) => `wie viele Zeilen mehr oder weniger, ${de.row(a)}, als Zeilen, ${de.row(b)}`],
	[/^how many times (.+?)((?: where | in the row |, ).*)? is that of the row(.*)$/, ([, c, a = "", b]) => `${zh.row(a)}的 ${c} 是 ${zh.row(b)}的几倍`, ([, c, a = "", b]) => `das Wievielfache: ${c}${de.rows(a)[1]}, von dem der Zeile, ${de.row(b)}`],
	[/^the growth of (.+) in percent to the row(.*) from the row(.*)$/, ([, c, a, b]) => `${c} 从 ${zh.row(b)}到 ${zh.row(a)}的增长百分比`, ([, c, a, b]) => `das Wachstum von ${c} in Prozent von der Zeile, ${de.row(b)}, zu der Zeile, ${de.row(a)}`],
	[/^the place by (.+), the (largest|smallest) first,(.*)$/, ([, c, m, a]) => `${zh.row(a)}按 ${c} ${big(m, "从大到小", "从小到大")}的名次`, ([, c, m, a]) => `der Platz nach ${c}, ${big(m, "größte", "kleinste")} zuerst, ${de.row(a)}`],
	[new RegExp(`^the difference between the ${FOLD} of (.+?)((?: where | in the row |, ).*)? and that(.*)$`), ([, f, c, a = "", b]) => `${zh.row(a)}与 ${zh.row(b)}的 ${c} 的${FOLDS.zh[f]}之差`, ([, f, c, a = "", b]) => `der Unterschied zwischen: ${FOLDS.de[f]} von ${c}, ${de.row(a)}, und dasselbe, ${de.row(b)}`],
]

// What is asked of rows that are said beside it: pattern, Chinese, German.
const ASKS = [
	[/^the number of rows$/, () => "行数", () => "die Zahl der Zeilen"],
	[/^the number of different values of (.+)$/, ([, c]) => `${c} 的不同值个数`, ([, c]) => `die Zahl verschiedener Werte von ${c}`],
	[new RegExp(`^the ${FOLD} of each of (.+) to (.+)$`), ([, f, a, b]) => `${a} 到 ${b} 各列的${FOLDS.zh[f]}`, ([, f, a, b]) => `${FOLDS.de[f]} jeder Spalte von ${a} bis ${b}`],
	[new RegExp(`^the ${FOLD} of (.+) less (.+)$`), ([, f, a, b]) => `${a} 减 ${b} 的${FOLDS.zh[f]}`, ([, f, a, b]) => `${FOLDS.de[f]} von ${a} minus ${b}`],
	[new RegExp(`^the ${FOLD} of (.+) to (.+)$`), ([, f, a, b]) => `${a} 到 ${b} 的${FOLDS.zh[f]}`, ([, f, a, b]) => `${FOLDS.de[f]} von ${a} bis ${b}`],
	[new RegExp(`^the ${FOLD} of (.+)$`), ([, f, c]) => `${c} 的${FOLDS.zh[f]}`, ([, f, c]) => `${FOLDS.de[f]} von ${c}`],
	[/^the (.+) with the (most|fewest) rows$/, ([, c, m]) => `行数最${big(m, "多", "少")}的 ${c}`, ([, c, m]) => `${c} mit den ${big(m, "meisten", "wenigsten")} Zeilen`],
	[/^the (.+) with the (largest|smallest) sum of (.+)$/, ([, c, m, s]) => `${s} 总和最${big(m, "大", "小")}的 ${c}`, ([, c, m, s]) => `${c} mit der ${big(m, "größten", "kleinsten")} Summe von ${s}`],
	[/^which of (.+) to (.+) has the (largest|smallest) sum$/, ([, a, b, m]) => `${a} 到 ${b} 中总和最${big(m, "大", "小")}的一列`, ([, a, b, m]) => `welche Spalte von ${a} bis ${b} die ${big(m, "größte", "kleinste")} Summe hat`],
	[/^the growth in percent from (.+) to (.+)$/, ([, a, b]) => `从 ${a} 到 ${b} 的增长百分比`, ([, a, b]) => `das Wachstum in Prozent von ${a} zu ${b}`],
	[/^the percentage of rows$/, () => "行数所占百分比", () => "der Anteil der Zeilen"],
	[/^the percentage of (.+)$/, ([, c]) => `${c} 所占百分比`, ([, c]) => `der Anteil von ${c}`],
	[/^the difference between (.+) and (.+)$/, ([, a, b]) => `${a} 与 ${b} 的差`, ([, a, b]) => `der Unterschied zwischen ${a} und ${b}`],
	[/^(.+) in percent of (.+)$/, ([, a, b]) => `${a} 占 ${b} 的百分比`, ([, a, b]) => `${a} in Prozent von ${b}`],
	[/^(.+) for each of (.+)$/, ([, a, b]) => `每 ${b} 的 ${a}`, ([, a, b]) => `${a} je ${b}`],
	[/^(.+) of all rows$/, ([, c]) => `所有行的 ${c}`, ([, c]) => `${c} aller Zeilen`],
	[/^(.+) less (.+)$/, ([, a, b]) => `${a} 减 ${b}`, ([, a, b]) => `${a} minus ${b}`],
]

// Groups, and which of them: `{rest, having, order}`.
function grouped(text, tongue) {
	const order = /, the (\d+) (largest|smallest)$|, (largest|smallest) first$/.exec(text)
	let rest = order ? text.slice(0, order.index) : text
	const having = /, where that (is .+)$/.exec(rest)
	if (having) rest = rest.slice(0, having.index)
	const [, n, m, first] = order ?? []
	const said = !order ? "" : tongue === "zh" ? (n ? `，最${big(m, "大", "小")}的 ${n} 个` : `，${big(first, "从大到小", "从小到大")}`)
		: n ? `, die ${n} ${big(m, "größten", "kleinsten")}` : `, ${big(first, "größte", "kleinste")} zuerst`
	const where = having && conditions(having[1], tongue)
	return [rest, `${where ? (tongue === "zh" ? `，其值${where}` : `, wo das ${where}`) : ""}${said}`]
}

function keyed(key, tongue) {
	const period = /^(year|quarter|month|week|day|weekday) of (.+)$/.exec(key)
	if (!period) return key
	const name = PERIODS[tongue][period[1]]
	return tongue === "zh" ? `${period[2]} 的${name}` : `${name} von ${period[2]}`
}

// What is asked, before what is said of rows: with the groups, if any.
function asked(before, text, tongue) {
	const [rest, ending] = grouped(text, tongue)
	const [head, where] = parted(before + rest)
	const at = head.lastIndexOf(" by ")
	const keys = at > 0 ? head.slice(at + 4).split(" and ").map(key => keyed(key, tongue)) : []
	const bare = at > 0 ? head.slice(0, at) : head
	const said = by(ASKS, bare, tongue) ?? bare
	const [front, after] = TONGUES[tongue].rows(where)
	return tongue === "zh" ? `${keys.length ? `按 ${keys.join("、")} 分组的 ` : ""}${front}${said}${after}${ending}` : `${said}${keys.length ? ` je ${keys.join(" und ")}` : ""}${after}${ending}`
}

// A reading in another language of the page.
export const inWords = (text, tongue) => (tongue === "en" || !text ? text : by(FORMS, text, tongue) ?? asked("", text, tongue))
