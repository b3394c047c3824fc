//! A run as a page: one file, without scripts, that needs nothing from elsewhere.

use super::plot::{self, Series};
use super::{Block, Cell, Mean, Paired, Row, Run, blocks, distinct, metric, variants};
use crate::svg::escape;

const STYLE: &str = include_str!("report.css");
/// As many metrics as are shown beside each other; a table below has them all.
const MOST: usize = 6;
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page.
pub fn html(run: &Run) -> String {
    let blocks = blocks(run);
    let mut body = head(run);
    if blocks.is_empty() {
        body.push_str("<p class=\"soft\">Nothing was measured.</p>");
    }
    body.push_str(&contents(&blocks));
    for (name, family) in families(&blocks) {
        body.push_str(&over_sizes(name, &family));
    }
    for (i, block) in blocks.iter().enumerate() {
        body.push_str(&section(i, block, variants(run).first().copied().unwrap_or_default()));
    }
    body.push_str(&compared(run));
    body.push_str(&provenance(run));
    let title = escape(&run.name);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
        <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
        <meta name=\"color-scheme\" content=\"light dark\">\n\
        <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}

fn head(run: &Run) -> String {
    let state = if run.complete { "" } else { "unfinished" };
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let begun = run.begun.replace('T', " ").replace('Z', " UTC");
    let chat = run.provenance.chat.as_deref().unwrap_or("no language model");
    let (seconds, variants) = (metric::duration(run.seconds), count(variants(run).len(), "variant"));
    let facts = [run.task.as_str(), &begun, &seconds, &variants, chat, state].map(escape);
    let name = if run.name.is_empty() { "A run without a name" } else { &run.name };
    format!(
        "<header>\n<p class=\"soft\">{}</p>\n<h1>{}</h1>\n<p class=\"about\">{}</p>\n{}</header>\n",
        escape(&run.recipe),
        escape(name),
        escape(&run.about),
        joined(&facts)
    )
}

/// Facts in a line, those that are there.
fn joined(facts: &[String]) -> String {
    let items = facts.iter().filter(|f| !f.is_empty()).map(|fact| format!("<li>{fact}</li>"));
    format!("<ul class=\"facts\">{}</ul>\n", items.collect::<String>())
}

/// Links to the sets, where there are several.
fn contents(blocks: &[Block<'_>]) -> String {
    if blocks.len() < 2 {
        return String::new();
    }
    let link = |(i, block): (usize, &Block<'_>)| {
        format!("<li><a href=\"#set-{i}\">{}</a></li>", escape(&block.title()))
    };
    let links: String = blocks.iter().enumerate().map(link).collect();
    format!("<nav aria-label=\"Sets\"><ul class=\"facts\">{links}</ul></nav>\n")
}

fn section(i: usize, block: &Block<'_>, first: &str) -> String {
    let queries = format!("{} queries", metric::grouped(block.queries as f64));
    let errors: usize = block.rows.iter().map(|row| row.cell.errors).sum();
    let errors =
        if errors > 0 { format!("{} errors", metric::grouped(errors as f64)) } else { String::new() };
    let figures = match block.metrics().is_empty() {
        true if block.rows.is_empty() => "<p class=\"soft\">Nothing was measured yet.</p>".to_owned(),
        true => String::new(),
        false => shown(block, first),
    };
    format!(
        "<section id=\"set-{i}\">\n<h2>{}</h2>\n{}{figures}{}</section>\n",
        escape(&block.title()),
        joined(&[queries, errors]),
        skipped(block)
    )
}

/// What is drawn of a set stands after the first table: levels have tables of their own.
fn shown(block: &Block<'_>, first: &str) -> String {
    let names = block.metrics();
    let levels = distinct(names.iter().map(|name| metric::level(name).0));
    let mut tables = levels.iter().map(|level| {
        let names: Vec<&str> = names.iter().filter(|name| metric::level(name).0 == *level).copied().collect();
        let title = match *level {
            "" => String::new(),
            level => {
                format!("<h3>{} in the right table</h3>\n", escape(&metric::title(&format!("{level}s"))))
            }
        };
        format!("{title}{}", figures(block, &names, first))
    });
    let head = tables.next().unwrap_or_default();
    format!(
        "{head}{}{}{}{}",
        note(block, first),
        plots(block),
        tables.collect::<String>(),
        all_figures(block)
    )
}

/// What the marks in a table mean.
fn note(block: &Block<'_>, first: &str) -> String {
    let is_clear = block.measured().any(|row| row.cell.against.values().any(Paired::is_clear));
    let marks = format!("; ▲ and ▼ differ from {}, p &lt; 0.05", escape(first));
    let marks = if is_clear { marks.as_str() } else { "" };
    format!("<p class=\"note\">Bars are 95 % confidence intervals{marks}.</p>\n")
}

fn figures(block: &Block<'_>, names: &[&str], first: &str) -> String {
    let Some(lead) = metric::lead(names) else { return String::new() };
    let weighed = metric::by_weight(names);
    let chosen: Vec<&str> =
        std::iter::once(lead).chain(weighed.into_iter().filter(|n| *n != lead)).take(MOST).collect();
    let mut shown: Vec<&str> = names.iter().filter(|n| chosen.contains(n)).copied().collect();
    shown.sort_by_key(|name| *name != lead);
    let has_pairs = block.measured().any(|row| row.cell.against.contains_key(lead));
    let mut heads = vec!["variant".to_owned()];
    for name in &shown {
        heads.push(metric::words(metric::level(name).1));
        if *name == lead && has_pairs {
            heads.push(format!("difference to {first}"));
        }
    }
    let most: Vec<f64> = shown.iter().map(|name| most(block, name)).collect();
    let rows: String = block.measured().map(|row| line(&row, &shown, &most, has_pairs)).collect();
    grid("figures", &heads, &rows)
}

/// Where a bar ends: shares at 1, other things at the most of them.
fn most(block: &Block<'_>, name: &str) -> f64 {
    let highest =
        block.measured().filter_map(|row| Some(row.cell.metrics.get(name)?.high)).fold(0.0, f64::max);
    if metric::is_share(name) { 1.0 } else { highest }
}

fn line(row: &Row<'_>, shown: &[&str], most: &[f64], has_pairs: bool) -> String {
    let mut cells = format!("<th scope=\"row\">{}</th>", escape(&row.cell.variant));
    for (i, (name, most)) in shown.iter().zip(most).enumerate() {
        let paired = row.cell.against.get(*name);
        cells.push_str(&match row.cell.metrics.get(*name) {
            Some(mean) if i == 0 => value(row.index, name, mean, *most, ""),
            Some(mean) => value(row.index, name, mean, *most, &mark(name, paired)),
            None => "<td></td>".to_owned(),
        });
        if i == 0 && has_pairs {
            cells.push_str(&paired.map_or("<td></td>".to_owned(), |paired| difference(name, paired)));
        }
    }
    format!("<tr>{cells}</tr>\n")
}

fn value(index: usize, name: &str, mean: &Mean, most: f64, mark: &str) -> String {
    let ends = [mean.low, mean.high].map(|end| metric::value(name, end)).join(" to ");
    let is_share = metric::is_share(name) && mean.is_finite();
    let interval = if is_share { format!("<small>{ends}</small>") } else { String::new() };
    let (class, bar) = (if metric::is_share(name) { "share" } else { "plain" }, plot::bar(index, mean, most));
    format!("<td class=\"{class}\"><b>{}</b>{mark}{bar}{interval}</td>", metric::value(name, mean.mean))
}

/// The mark of a clear difference; its place is kept where there is none.
fn mark(name: &str, paired: Option<&Paired>) -> String {
    let Some(paired) = paired.filter(|p| p.is_clear()) else { return "<i></i>".to_owned() };
    let words =
        format!("{}, p {}", minus(&metric::signed(name, paired.difference)), metric::chance(paired.p));
    format!("<i class=\"{}\" title=\"{}\">{}</i>", side(name, paired), escape(&words), arrow(paired))
}

fn difference(name: &str, paired: &Paired) -> String {
    let class = if paired.is_clear() { side(name, paired) } else { "soft" };
    let arrow = if paired.is_clear() { arrow(paired) } else { "" };
    let text = minus(&metric::signed(name, paired.difference));
    let ends = [paired.low, paired.high].map(|end| minus(&metric::signed(name, end))).join(" to ");
    let chance = escape(&metric::chance(paired.p));
    format!(
        "<td><span class=\"{class}\">{text} {arrow}</span> <span class=\"p\">p {chance}</span><small>{ends}</small></td>"
    )
}

fn arrow(paired: &Paired) -> &'static str {
    if paired.difference < 0.0 { "▼" } else { "▲" }
}

/// Whether a difference is for the better.
fn side(name: &str, paired: &Paired) -> &'static str {
    if (paired.difference > 0.0) == metric::is_share(name) { "good" } else { "bad" }
}

/// A true minus sign.
fn minus(text: &str) -> String {
    text.replace('-', "−")
}

fn grid(class: &str, heads: &[String], rows: &str) -> String {
    let heads: String = heads.iter().map(|head| format!("<th scope=\"col\">{}</th>", escape(head))).collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table class=\"{class}\"><thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
    )
}

/// The plots of a set, and what their marks mean.
fn plots(block: &Block<'_>) -> String {
    let names = block.metrics();
    let Some(lead) = metric::lead(&names) else { return String::new() };
    let levels = distinct(names.iter().map(|name| metric::level(name).0));
    let curves: Vec<String> = levels.iter().filter_map(|level| plot::recall(block, level)).collect();
    let cost = Some("prompt_tokens").filter(|_| metric::is_share(lead));
    let mut plots = Vec::from_iter(plot::confidence(block, lead));
    plots.extend(cost.and_then(|cost| plot::scatter(block, lead, cost)));
    let key = if curves.is_empty() { String::new() } else { plot::legend(&named(block)) };
    plots.extend(curves);
    format!("<div class=\"plots\">{key}{}</div>\n", plots.concat())
}

fn named<'a>(block: &Block<'a>) -> Vec<(usize, &'a str)> {
    block.measured().map(|row| (row.index, row.cell.variant.as_str())).collect()
}

/// What is known of a cell beside its metrics.
type Other = (&'static str, fn(&Cell) -> String);
const OTHERS: [Other; 3] = [
    ("errors", |cell| cell.errors.to_string()),
    ("seconds", |cell| format!("{:.1}", cell.seconds)),
    ("memory, MiB", |cell| cell.memory_mib.map(metric::grouped).unwrap_or_default()),
];

/// Every figure, for those who look for one.
fn all_figures(block: &Block<'_>) -> String {
    let mut heads = vec!["metric".to_owned()];
    heads.extend(block.measured().map(|row| row.cell.variant.clone()));
    let line =
        |name: &str, cells: String| format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(name));
    let figure = |row: Row<'_>, name: &str| {
        let mean = row.cell.metrics.get(name);
        format!("<td>{}</td>", mean.map(|m| metric::with_interval(name, m)).unwrap_or_default())
    };
    let figures = |name: &str| block.measured().map(|row| figure(row, name)).collect::<String>();
    let mut rows: String = block.metrics().iter().map(|n| line(&metric::words(n), figures(n))).collect();
    for (name, text) in OTHERS {
        rows.push_str(&line(
            name,
            block.measured().map(|row| format!("<td>{}</td>", text(row.cell))).collect(),
        ));
    }
    format!("<details><summary>All figures</summary>\n{}</details>\n", grid("all", &heads, &rows))
}

fn skipped(block: &Block<'_>) -> String {
    let item = |(name, why): (&str, &str)| format!("<li><b>{}</b> {}</li>", escape(name), escape(why));
    let items: String = block.skipped().map(item).collect();
    if items.is_empty() {
        items
    } else {
        format!("<p class=\"soft\">Skipped</p>\n<ul class=\"skipped\">{items}</ul>\n")
    }
}

/// Sets that were grown to several sizes, by their name.
fn families<'b, 'a>(blocks: &'b [Block<'a>]) -> Vec<(&'a str, Vec<&'b Block<'a>>)> {
    let sized = || blocks.iter().filter(|block| block.size.is_some());
    let names = distinct(sized().map(|block| family(block)));
    let of = |name: &str| sized().filter(|block| family(block) == name).collect::<Vec<_>>();
    names.into_iter().map(|name| (name, of(name))).filter(|(_, all)| all.len() > 1).collect()
}

/// The name of a set without its size, should the name hold it.
fn family<'a>(block: &Block<'a>) -> &'a str {
    let size = block.size.map(|size| size.to_string()).unwrap_or_default();
    let rest = block
        .name
        .strip_suffix(size.as_str())
        .map(|name| name.trim_end_matches(['-', '@', '_', ' ', '.', '/']));
    rest.filter(|name| !name.is_empty()).unwrap_or(block.name)
}

/// How figures change as tables grow.
fn over_sizes(name: &str, family: &[&Block<'_>]) -> String {
    let names = metric::ordered(family.iter().flat_map(|block| block.metrics()));
    let Some(lead) = metric::lead(&names) else { return String::new() };
    let drawn = |metric: &str| {
        let title = format!("{} over the size of tables", metric::title(metric));
        plot::lines(&title, (metric, "rows a table"), &grown(family, metric))
    };
    let costs = ["prompt_tokens", "ms"].into_iter().filter(|cost| names.contains(cost) && *cost != lead);
    let plots: Vec<String> = std::iter::once(lead).chain(costs).filter_map(drawn).collect();
    if plots.is_empty() {
        return String::new();
    }
    let key = distinct(family.iter().flat_map(|block| named(block)));
    let key = plot::legend(&key);
    format!(
        "<section>\n<h2>{}, as tables grow</h2>\n<div class=\"plots\">{key}{}</div>\n</section>\n",
        escape(name),
        plots.concat()
    )
}

fn grown<'a>(family: &[&Block<'a>], name: &str) -> Vec<Series<'a>> {
    let keys = distinct(family.iter().flat_map(|block| named(block)));
    let points = |index: usize| {
        let point = |block: &&Block<'a>| {
            let row = block.measured().find(|row| row.index == index)?;
            Some((block.size? as f64, *row.cell.metrics.get(name).filter(|m| m.is_finite())?))
        };
        let mut points: Vec<_> = family.iter().filter_map(point).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let series = keys.into_iter().map(|(index, name)| Series { index, name, points: points(index) });
    series.filter(|series| !series.points.is_empty()).collect()
}

/// What the variants are.
fn compared(run: &Run) -> String {
    let item = |variant: &super::Variant| {
        let config = match &variant.config {
            serde_json::Value::Null => String::new(),
            serde_json::Value::Object(map) if map.is_empty() => String::new(),
            config => format!("<code>{}</code>", escape(&config.to_string())),
        };
        format!("<dt>{}</dt><dd>{} {config}</dd>\n", escape(&variant.name), escape(&variant.about))
    };
    let items: String = run.variants.iter().map(item).collect();
    if items.is_empty() {
        items
    } else {
        format!("<section>\n<h2>Variants</h2>\n<dl>\n{items}</dl>\n</section>\n")
    }
}

/// What is needed to make the run again.
fn provenance(run: &Run) -> String {
    let from = &run.provenance;
    let machine = &from.machine;
    let sample = from.sample.map_or("all queries".to_owned(), |n| {
        format!("{} queries a set, seed {}", metric::grouped(n as f64), from.seed)
    });
    let built = format!("{} {}", from.version, from.commit.as_deref().unwrap_or_default());
    let parts = [
        machine.processor.clone(),
        count(machine.cores as f64, "cores"),
        count(machine.memory_gib, "GiB"),
        machine.system.clone(),
    ];
    let machine: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let facts = [
        ("program", built),
        ("hash of the program", from.program.clone()),
        ("sample", sample),
        ("language model", from.chat.clone().unwrap_or_else(|| "none".to_owned())),
        ("machine", machine.join(", ")),
    ];
    let line = |(name, text): &(&str, String)| format!("<dt>{name}</dt><dd>{}</dd>\n", escape(text.trim()));
    let lines: String = facts.iter().filter(|(_, text)| !text.trim().is_empty()).map(line).collect();
    let sets: String = run.sets.iter().map(hashes).collect();
    format!("<section class=\"provenance\">\n<h2>Provenance</h2>\n<dl>\n{lines}{sets}</dl>\n</section>\n")
}

fn count(number: f64, what: &str) -> String {
    if number > 0.0 { format!("{} {what}", metric::plain(number)) } else { String::new() }
}

fn hashes(set: &super::SetOf) -> String {
    let size =
        set.size.map(|size| format!(", {} rows a table", metric::grouped(size as f64))).unwrap_or_default();
    let hash = |what: &str, hash: &str| match hash {
        "" => String::new(),
        hash => format!("{what} <code>{}</code> ", escape(hash)),
    };
    let hashes = format!("{}{}", hash("corpus", &set.corpus_hash), hash("queries", &set.queries_hash));
    match hashes.is_empty() {
        true => hashes,
        false => format!("<dt>{}{size}</dt><dd>{hashes}</dd>\n", escape(&set.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SetOf, samples};
    use super::*;

    /// Whether every tag is closed in its turn, and no text has a bare angle bracket.
    fn is_well_formed(page: &str) -> bool {
        let body = page.split_once("</style>").map_or("", |(_, body)| body);
        let mut open: Vec<&str> = vec!["html", "head"];
        for part in body.split('<').skip(1) {
            let Some((tag, text)) = part.split_once('>') else { return false };
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
            match (tag.starts_with('/'), tag.ends_with('/')) {
                (true, _) if open.pop() != Some(name) => return false,
                (false, false) => open.push(name),
                _ => (),
            }
            if text.contains('>') || tag.matches('"').count() % 2 == 1 {
                return false;
            }
        }
        open.is_empty()
    }

    fn retrieval() -> Run {
        let mut run = samples::pair("a", "b");
        run.task = "retrieval".into();
        for cell in &mut run.cells {
            cell.metrics.clear();
            for (level, k) in ["", "row.", "cell."].iter().flat_map(|l| [1, 5, 10, 100].map(|k| (*l, k))) {
                cell.metrics.insert(format!("{level}recall@{k}"), Mean { mean: 0.5, low: 0.4, high: 0.6 });
            }
        }
        run
    }

    #[test]
    fn a_page_has_figures_plots_and_provenance() {
        let page = html(&samples::pair("plain", "rerank"));
        for part in [
            "<h2>wtq</h2>",
            "Accuracy against prompt tokens",
            "95 % confidence",
            "difference to plain",
            "Provenance",
            "+0.100 ▲",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert!(is_well_formed(&page));
        assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("url("));
    }

    #[test]
    fn names_are_escaped_everywhere() {
        let evil = "<script>alert(\"1\")</script>&'";
        let mut run = samples::grown();
        for cell in &mut run.cells {
            cell.variant = if cell.variant == "a" { evil.into() } else { cell.variant.clone() };
            let mean = Mean { mean: 0.5, low: 0.4, high: 0.6 };
            cell.metrics.insert(evil.into(), mean);
            cell.metrics.insert(format!("{evil}.recall@1"), mean);
            cell.metrics.insert(format!("{evil}.recall@5"), mean);
            cell.set = evil.into();
        }
        run.cells[1].skipped = Some(evil.into());
        run.variants[0].name = evil.into();
        run.variants[0].about = evil.into();
        run.variants[0].config = serde_json::json!({evil: evil});
        (run.name, run.recipe, run.about, run.task, run.begun) =
            (evil.into(), evil.into(), evil.into(), evil.into(), evil.into());
        run.provenance.chat = Some(evil.into());
        run.provenance.machine.processor = evil.into();
        run.sets = vec![SetOf {
            name: evil.into(),
            corpus_hash: evil.into(),
            size: Some(100),
            ..Default::default()
        }];
        let page = html(&run);
        assert!(!page.contains("<script") && !page.contains("alert(\""), "{page}");
        assert!(is_well_formed(&page));
    }

    #[test]
    fn recall_is_drawn_for_each_level() {
        let page = html(&retrieval());
        for part in [
            "Recall over K",
            "Recall of rows over K",
            "Recall of cells over K",
            "Rows in the right table",
            "class=\"legend\"",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert!(!page.contains("against prompt tokens") && is_well_formed(&page));
    }

    #[test]
    fn sizes_are_drawn_as_lines() {
        let page = html(&samples::grown());
        for part in [
            "wtq, as tables grow",
            "Accuracy over the size of tables",
            "Prompt tokens over the size of tables",
            "10,000",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert!(is_well_formed(&page));
    }

    #[test]
    fn a_size_in_the_name_of_a_set_does_not_part_a_family() {
        let mut run = samples::grown();
        for cell in &mut run.cells {
            cell.set = format!("wtq-{}", cell.size.unwrap());
        }
        run.sets.clear();
        assert!(html(&run).contains("<h2>wtq, as tables grow</h2>"));
    }

    #[test]
    fn little_is_shown_where_there_is_little() {
        let mut one = samples::pair("a", "b");
        one.cells.truncate(1);
        one.variants.truncate(1);
        let mut broken = samples::pair("a", "b");
        for mean in broken.cells.iter_mut().flat_map(|c| c.metrics.values_mut()) {
            *mean = Mean { mean: f64::NAN, low: f64::NAN, high: f64::NAN };
        }
        for run in [Run::default(), samples::skipped(), one, broken] {
            let page = html(&run);
            assert!(is_well_formed(&page) && !page.contains("NaN") && !page.contains("inf"), "{page}");
        }
        assert!(html(&Run::default()).contains("Nothing was measured."));
        assert!(html(&samples::skipped()).contains("<b>a</b> needs a language model"));
    }
}
