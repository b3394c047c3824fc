//! The results as one page that needs nothing else.

use super::growth::{FIGURES, kept};
use super::plot::{Bar, bars, growth, number, points};
use crate::svg::escape;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use tabletalk::Result;

const STYLE: &str = "
:root { color-scheme: light dark; --text: #1d2733; --quiet: #66717e; --grid: #dfe4ea; --back: #fff;
  --ours: #2673c8; --slow: #d9822b; --wanted: #0a8f4e; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e9ef; --quiet: #98a4b1; --grid: #333c47; --back: #14181d;
  --ours: #5ba3ee; --slow: #e7a35a; --wanted: #46c285; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); max-width: 1000px;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
p { margin: .4rem 0 } .quiet { color: var(--quiet); fill: var(--quiet) }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--text) }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(330px, 1fr)); gap: 1rem }
.grid { stroke: var(--grid) } .peer { stroke: var(--text); stroke-width: 1.5 }
.faster { fill: var(--ours) } .slower { fill: var(--slow) } .wanted { stroke: var(--wanted); stroke-width: 3 }
.title, .value { font-weight: 600 } .line { fill: none; stroke: var(--ours); stroke-width: 2 }
.mark { fill: var(--ours) } .even { fill: none; stroke: var(--quiet); stroke-dasharray: 4 3 }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--grid); vertical-align: top }
th.n, td.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
code { font-size: 13px; overflow-wrap: anywhere } details pre { white-space: pre-wrap; font-size: 12px }
.failed { color: var(--slow) } td b { white-space: nowrap }
";

/// Makes the page of a folder of results anew, from what is kept there.
pub fn write(out: &Path) -> Result<()> {
    let read =
        |name: &str| -> Option<Value> { serde_json::from_slice(&std::fs::read(out.join(name)).ok()?).ok() };
    let page = page(&read("bench.json").unwrap_or_default(), kept(out).as_ref());
    Ok(std::fs::write(out.join("bench.html"), page)?)
}

/// The page of all results, and of growth where it was measured.
fn page(bench: &Value, growth: Option<&Value>) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>tabletalk-lab bench</title><style>{STYLE}</style></head><body>\n<h1>tabletalk-lab bench</h1>\n"
    );
    html.push_str(&machine(bench));
    let results: Vec<&Value> = bench["results"].as_array().into_iter().flatten().collect();
    if !results.is_empty() {
        html.push_str(&ratios(&results));
        html.push_str(&table(&results));
        html.push_str(&not_measured(&results));
    }
    if let Some(growth) = growth {
        html.push_str(&growths(growth));
    }
    html.push_str("</body></html>\n");
    html
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// What was measured and where, in a line.
fn machine(bench: &Value) -> String {
    let about = &bench["provenance"];
    if about.is_null() {
        return String::new();
    }
    let commit: String = text(about, "commit").chars().take(12).collect();
    let mut parts = vec![format!("version {}", text(about, "version")), text(about, "processor").to_owned()];
    parts.extend((!commit.is_empty()).then(|| format!("commit {commit}")));
    parts.extend(about["cores"].as_u64().map(|cores| format!("{cores} cores")));
    parts.extend(about["memory_gib"].as_f64().map(|gib| format!("{gib} GiB")));
    parts.push(text(about, "system").to_owned());
    parts.extend(about["load"].as_f64().map(|load| format!("load {load} at the start")));
    parts.push(text(about, "date").replace('T', " ").chars().take(16).collect());
    parts.extend((bench["quick"] == true).then(|| "small sizes (--quick)".to_owned()));
    parts.extend(
        (about["optimised"] == false)
            .then(|| "built without optimisation: the figures say little".to_owned()),
    );
    parts.retain(|part| !part.is_empty());
    format!("<p class=\"quiet\">{}</p>\n", escape(&parts.join(" · ")))
}

/// The bars of everything that has a peer.
fn ratios(results: &[&Value]) -> String {
    let bar = |result: &&'_ Value| -> Option<(String, String, f64, Option<f64>)> {
        let ratio = result["ratio"].as_f64().filter(|ratio| *ratio > 0.0)?;
        let wanted = result["wanted"].as_f64().filter(|wanted| *wanted > 0.0);
        Some((text(result, "workload").into(), text(&result["peer"], "name").into(), ratio, wanted))
    };
    let all: Vec<_> = results.iter().filter_map(bar).collect();
    if all.is_empty() {
        return String::new();
    }
    let drawn: Vec<Bar<'_>> = all
        .iter()
        .map(|(name, peer, ratio, wanted)| Bar { name, peer, ratio: *ratio, wanted: *wanted })
        .collect();
    format!(
        "<h2>Beside the peers</h2>\n<p class=\"quiet\">Ours over the peer's in the same run, on an axis of powers of ten: \
         to the right of the line ours is faster. What a ratio means stands in the table.</p>\n{}\n",
        bars(&drawn)
    )
}

/// A row for each workload that was measured.
fn table(results: &[&Value]) -> String {
    let mut html = "<h2>Figures</h2>\n<div class=\"wide\"><table><thead><tr><th>workload</th><th>what</th>\
                    <th class=\"n\">ours</th><th class=\"n\">peer</th><th>beside</th><th class=\"n\">ratio</th>\
                    <th class=\"n\">wanted</th></tr></thead><tbody>\n"
        .to_owned();
    for result in results.iter().filter(|result| text(result, "state") == "measured") {
        let figure = |value: &Value| value.as_f64().map_or("–".to_owned(), number);
        let peer = &result["peer"];
        let beside = if peer.is_null() { text(result, "why") } else { text(peer, "name") };
        let _ = writeln!(
            html,
            "<tr><td><b>{}</b></td><td>{}{}</td><td class=\"n\">{} {}</td><td class=\"n\">{}</td><td>{}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            escape(text(result, "workload")),
            escape(text(result, "what")),
            command(result),
            figure(&result["ours"]),
            escape(text(result, "unit")),
            figure(&peer["value"]),
            meaning(result, beside),
            figure(&result["ratio"]),
            figure(&result["wanted"]),
        );
    }
    html.push_str("</tbody></table></div>\n");
    html
}

/// The peer's name and what the ratio to it means, or why there is none.
fn meaning(result: &Value, beside: &str) -> String {
    let means = text(result, "ratio_means");
    if means.is_empty() || result["ratio"].is_null() {
        return format!("<span class=\"quiet\">{}</span>", escape(beside));
    }
    format!("{}<br><span class=\"quiet\">{}</span>", escape(beside), escape(means))
}

/// How it was run, to be opened.
fn command(result: &Value) -> String {
    let seconds =
        result["seconds"].as_f64().map_or(String::new(), |seconds| format!(", {} s", number(seconds)));
    format!(
        "<details><summary class=\"quiet\">how{seconds}</summary><pre>{}</pre></details>",
        escape(text(result, "command"))
    )
}

/// What was skipped or failed, and why.
fn not_measured(results: &[&Value]) -> String {
    let rest: Vec<&&Value> = results.iter().filter(|result| text(result, "state") != "measured").collect();
    if rest.is_empty() {
        return String::new();
    }
    let mut html = "<h2>Not measured</h2>\n<ul>\n".to_owned();
    for result in rest {
        let state = text(result, "state");
        let _ = writeln!(
            html,
            "<li><b>{}</b> <span class=\"{state}\">{state}</span>: {}</li>",
            escape(text(result, "workload")),
            escape(text(result, "why"))
        );
    }
    html.push_str("</ul>\n");
    html
}

/// The plots of growth: one for each figure, by rows and by tables.
fn growths(value: &Value) -> String {
    let mut html = String::new();
    for (what, title) in
        [("rows", "Growth with the rows of one file"), ("tables", "Growth with the number of tables")]
    {
        let part = &value[what];
        if part["points"].as_array().is_none_or(Vec::is_empty) {
            continue;
        }
        let _ = write!(
            html,
            "<h2>{title}</h2>\n<p class=\"quiet\">Both axes are powers of ten; the dashed line grows as the {what} do. \
             n^1 keeps step with them, a larger exponent grows faster.</p>\n<div class=\"plots\">"
        );
        for (name, about, unit) in FIGURES {
            let of = &part["exponents"][name];
            let figure =
                |value: &Value| value.as_f64().map_or("–".to_owned(), |value| format!("{value:.2}"));
            let note = format!("n^{}, last step n^{}", figure(&of["fit"]), figure(&of["last"]));
            html.push_str(&growth(about, unit, &points(&part["points"], name), &note));
        }
        html.push_str("</div>\n");
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_page_says_what_is_missing() {
        let measured = json!({"workload": "sql", "state": "measured", "ours": 5.0, "peer": {"name": "<b>", "value": 10.0},
            "ratio": 2.0, "ratio_means": "times as fast"});
        let skipped = json!({"workload": "pdf", "state": "skipped", "why": "no files"});
        let points = json!([{"n": 10, "seconds": 1.0}, {"n": 100, "seconds": 9.0}]);
        let growth = json!({"rows": {"points": points, "exponents": {}}});
        let html = page(&json!({"results": [measured, skipped]}), Some(&growth));
        assert!(html.contains("&lt;b&gt;") && !html.contains("<b>\""));
        assert!(html.contains("skipped</span>: no files"));
        assert!(html.contains(r#"class="growth""#) && html.contains(r#"class="faster""#));
        assert!(!html.contains("<script"));
    }
}
