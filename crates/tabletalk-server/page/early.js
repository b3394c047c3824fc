// Runs before the first paint, so that neither colours nor language flash.
{
	const kept = name => {try {return localStorage.getItem(`tabletalk.${name}`)} catch {return null}}
	const root = document.documentElement
	root.dataset.theme = kept("theme") ?? "auto"
	root.lang = kept("language") ?? /^(zh|de)/i.exec(navigator.language)?.[1].toLowerCase() ?? "en"
}
