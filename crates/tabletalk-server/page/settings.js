// Models, keys, backup, and how the page looks.

import {h, put, say, button, submit, field, select, keep, namesIn, t, language, speak, session, get, post, replace, remove, save, p, head, load, doing, facts, notice, copyButton, time} from "./common.js"

// The view; what only an administrator may do is not shown to others.
export function view(root) {
	const card = run => {const place = h("section.card"); load(place, () => run(place)); return place}
	const isAdmin = session.may("admin")
	root.append(head(t("nav.settings")), h("div.page", look(), keyCard(), card(models), isAdmin && card(keys), isAdmin && backup()))
}

const choose = (name, pairs, now, run) => h("div.pair", h("span.soft", t(name)), h("div.segments", {role: "radiogroup", label: t(name)},
	pairs.map(([value, text]) => button(text, () => run(value), "", {role: "radio", "aria-checked": value === now, "data-value": value}))))

function look() {
	const theme = name => {
		keep("theme", name === "auto" ? "" : name)
		document.documentElement.dataset.theme = name
		card.replaceWith(look())
	}
	const card = h("section.card", h("h2", t("look")), choose("language", [["en", "English"], ["zh", "中文"], ["de", "Deutsch"]], language(), speak),
		choose("theme", ["auto", "light", "dark"].map(n => [n, t(`theme.${n}`)]), keep("theme") ?? "auto", theme))
	return card
}

function keyCard() {
	const key = h("input", {type: "password", autocomplete: "off", placeholder: session.key ? "••••••" : "tt_…", label: t("key")})
	const use = value => {session.key = value; location.reload()}
	return h("section.card", h("h2", t("key")), h("form.actions", {onsubmit: doing(() => use(key.value.trim()))}, key, submit(t("key.use"), ""),
		session.key && button(t("forget"), () => use("")), session.server?.role && h("span.badge", t(`role.${session.server.role}`))), h("p.soft", t("key.about")))
}

async function models(place) {
	const {chat, embed, rerank, editable} = await get("settings")
	const isAdmin = session.may("admin")
	const line = (what, text) => {
		const told = h("span", {role: "status"})
		return h("div.pair", h("span.soft", t(`set.${what}`)), h("span", text, " ", isAdmin && (what !== "chat" || chat) && button(t("test"), doing(() => test({what}, told)), ".small", {"data-test": what}), " ", told))
	}
	return [h("h2", t("models")), line("chat", chat ? facts(chat.model, chat.provider, chat.url) : t("no.chat")),
		chat && isAdmin && h("p.soft", leaves(chat)), isAdmin && editable && finder(() => load(place, () => models(place))),
		isAdmin && editable && chatForm(chat, () => load(place, () => models(place))),
		line("embed", facts(embed.map(e => `${e.model} (${e.key})`))), line("rerank", facts(rerank))]
}

async function test(json, told) {
	put(told, "…")
	const {ok, ms, message} = await post("settings/test", json).catch(error => ({ms: 0, message: error.message}))
	put(told, `${ok ? "✓" : "✗"} ${say(message)} · ${time(ms)}`)
	told.className = ok ? "good" : "bad"
}

// What of the library leaves this machine with a model at this address.
const isNear = url => /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(url ?? "")
const leaves = ({provider, url}) => (isNear(url) || (provider === "ollama" && !url) ? t("leaves.nothing") : t("leaves.to", {url: url ?? provider}))

// Models that are there already: found, tried, used.
function finder(again) {
	const place = h("div.offers")
	const store = async chat => {await replace("settings/chat", chat); notice(t("saved")); again()}
	const offer = one => h("section.offer", h("h3", one.name, " ", h("span.badge", t(one.is_local ? "here" : "elsewhere"))), one.error && h("p.warnings", say(one.error)),
		one.models.length > 0 && h("ul", one.models.slice(0, 40).map(model => {
			const chat = {provider: one.provider, model, url: one.url, api_key_env: one.api_key_env}
			const told = h("span", {role: "status"})
			return h("li.pair", h("span.name", model), button(t("test"), doing(() => test({what: "chat", chat}, told)), ".small"), button(t("use"), doing(() => store(chat)), ".small.primary", {"data-use": model}), told)
		})), h("p.soft", leaves(one)))
	const look = () => load(place, async () => {
		const {found} = await get("settings/models")
		return found.length ? found.map(offer) : h("p.soft", t("find.none"))
	})
	return h("div", h("div.actions", button(t("find"), doing(look), "#find-models"), h("span.soft", t("find.about"))), place)
}

function chatForm(chat, again) {
	const provider = select([...new Set(["ollama", "openai", "anthropic", "gemini", chat?.provider ?? "ollama"])], chat?.provider ?? "ollama", {}, "#provider")
	const names = {model: "model", url: "url", api_key_env: "key.env"}
	const inputs = Object.keys(names).map(name => h("input", {name, required: name === "model", value: chat?.[name] ?? ""}))
	const key = h("input", {name: "api_key", type: "password", autocomplete: "off", placeholder: chat?.has_key ? t("key.kept") : ""})
	const said = () => ({...chat, provider: provider.value, ...Object.fromEntries(inputs.map(input => [input.name, input.value.trim() || null])), ...(key.value.trim() && {api_key: key.value.trim(), api_key_env: null})})
	const store = async value => {await replace("settings/chat", value); notice(t("saved")); again()}
	const told = h("span", {role: "status"})
	const [model, url, variable] = inputs
	return h("details", h("summary", t("edit")), h("form", {onsubmit: doing(() => store(said()))}, field(t("provider"), provider), field(t("model"), model), field(t("url"), url), field(t("provider.key"), key), h("p.soft", t("provider.key.about")), field(t("key.env"), variable),
		h("div.actions", submit(t("save"), ".primary#save-chat"), button(t("test"), doing(() => test({what: "chat", chat: said()}, told))),
			chat && button(t("remove"), doing(() => store(null)), ".quiet"), told)))
}

async function keys(place, fresh) {
	const reply = await get("keys")
	const [name, only] = ["name", "libraries"].map(text => h("input", {required: text === "name", placeholder: t(text), label: t(text)}))
	const role = select(["read", "write", "admin"].map(r => [r, t(`role.${r}`)]), "read", {label: t("role")})
	const again = made => load(place, () => keys(place, made))
	const add = async () => again(await post("keys", {name: name.value.trim(), role: role.value, libraries: namesIn(only.value)}))
	const drop = async key => {if (confirm(t("delete.sure", {name: key.name}))) again(void await remove(p`keys/${key.name}`))}
	return [h("h2", t("keys")), fresh && h("p.passage.cited", t("key.once"), h("code#new-key", fresh.key), copyButton(fresh.key)),
		(reply.keys ?? reply).map(key => h("div.pair", h("b", key.name), h("span", facts(t(`role.${key.role}`), key.libraries)), button(t("remove"), doing(() => drop(key)), ".small.quiet"))),
		h("form.actions", {onsubmit: doing(add)}, name, role, only, submit(t("add"), ""))]
}

const backup = () => h("section.card", h("h2", t("backup")), h("div.actions", button(t("download"), doing(() => save("backup", `${session.library ?? "library"}.tar.zst`)), "#backup")))
