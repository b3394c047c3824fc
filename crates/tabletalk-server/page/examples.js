// Small files to try the page with where there are none yet.

const days = (from, n) => Array.from({length: n}, (_, i) => new Date(Date.UTC(2024, 0, from + i * 9)).toISOString().slice(0, 10))
const lines = rows => rows.map(row => row.join(",")).join("\n") + "\n"

// Numbers that look real and are the same for everybody.
const noise = n => ((n * 7919 + 104729) % 997) / 997

function sales([head, cities, things]) {
	const rows = cities.flatMap((city, c) => things.flatMap((thing, p) => [1, 2, 3, 4].map(q => {
		const units = Math.round(20 + 60 * noise(c * 31 + p * 7 + q) + 6 * q)
		return [city, thing, `2024-0${q}`, units, units * (90 + 60 * p)]
	})))
	return lines([head, ...rows])
}

function staff([head, names, roles, sites]) {
	return lines([head, ...names.map((name, i) => [name, roles[i % roles.length], sites[i % sites.length], 38_000 + 500 * Math.round(60 * noise(i + 3))])])
}

function costs([head, kinds]) {
	return lines([head, ...days(3, 40).map((day, i) => [day, kinds[i % kinds.length], Math.round(4000 * noise(i) + 300) / 100])])
}

const SETS = {
	en: [
		["bike-sales.csv", sales([["city", "product", "month", "units", "revenue"], ["Oslo", "Bergen", "Turku"], ["city bike", "e-bike", "helmet"]]), "total revenue by city"],
		["staff.csv", staff([["name", "role", "site", "salary"], ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gia", "Hugo", "Iris", "Jon"], ["engineer", "designer", "analyst"], ["Oslo", "Turku"]]), "average salary by role"],
		["expenses.csv", costs([["date", "category", "amount"], ["food", "travel", "rent", "books"]]), "total amount by month"],
	],
	zh: [
		["门店销售.csv", sales([["城市", "产品", "月份", "数量", "销售额"], ["上海", "苏州", "杭州"], ["自行车", "电动车", "头盔"]]), "每个城市的销售额总和"],
		["员工.csv", staff([["姓名", "岗位", "地点", "工资"], ["张伟", "王芳", "李娜", "刘洋", "陈静", "杨帆", "赵磊", "黄丽", "周杰", "吴敏"], ["工程师", "设计师", "分析师"], ["上海", "苏州"]]), "每个岗位的平均工资"],
		["支出.csv", costs([["日期", "类别", "金额"], ["餐饮", "交通", "房租", "图书"]]), "每月的金额总和"],
	],
	de: [
		["umsatz.csv", sales([["Stadt", "Produkt", "Monat", "Stück", "Umsatz"], ["Kiel", "Bonn", "Jena"], ["Stadtrad", "E-Rad", "Helm"]]), "Summe von Umsatz je Stadt"],
		["personal.csv", staff([["Name", "Rolle", "Ort", "Gehalt"], ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gisa", "Hugo", "Iris", "Jan"], ["Technik", "Gestaltung", "Analyse"], ["Kiel", "Bonn"]]), "Durchschnitt von Gehalt je Rolle"],
		["ausgaben.csv", costs([["Datum", "Art", "Betrag"], ["Essen", "Reisen", "Miete", "Bücher"]]), "Summe von Betrag je Art"],
	],
}

// Each as a file and a question about it.
export const examples = language => (SETS[language] ?? SETS.en).map(([name, text, question]) => ({file: new File([text], name, {type: "text/csv"}), question}))
