//! All workloads in one run: what there is, and how they come out.

use super::shared::Bench;
use super::workload::{ALL, Measured, Workload};
use super::{child, machine, page, peer};
use crate::args::BenchRun;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};
use tabletalk::cli::command::Context;
use tabletalk::{Error, Result};

/// What can be measured, with what, and whether the peer is there.
pub fn list(context: &Context<'_>, python: Option<&Path>) -> Result<u8> {
    let python = peer::python(python);
    let all: Vec<Value> = ALL.iter().map(|workload| described(workload, &python)).collect();
    if context.output.is_json() {
        context.output.value(&json!({ "workloads": all }));
        return Ok(0);
    }
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
    table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    table.set_header(["name", "what is measured", "peer", "installed", "data"]);
    for one in &all {
        let text = |key: &str| one[key].as_str().unwrap_or("–").to_owned();
        let installed = one["installed"].as_bool().map_or("–", |yes| if yes { "yes" } else { "no" });
        table.add_row([text("name"), text("what"), text("peer"), installed.to_owned(), text("data")]);
    }
    context.output.text(&format!("{table}\n"));
    Ok(0)
}

fn described(workload: &Workload, python: &Path) -> Value {
    let peer = (!workload.peer.is_empty()).then_some(workload.peer);
    let lacks = if workload.modules.is_empty() { Vec::new() } else { peer::lacks(python, workload.modules) };
    let files = workload.data.join(", ");
    let data = match (workload.data.is_empty(), workload.needs_data) {
        (true, _) => "made".to_owned(),
        (false, true) => files,
        (false, false) => format!("{files}; made without them"),
    };
    json!({
        "name": workload.name, "what": workload.what, "unit": workload.unit, "peer": peer,
        "installed": peer.map(|_| lacks.is_empty()), "lacks": lacks, "data": data, "tools": workload.tools,
        "example": workload.example.map(|(_, name)| name), "ratio_means": workload.means, "wanted": workload.wanted,
    })
}

/// Runs the named workloads, or all; results are written after each.
pub fn run(context: &Context<'_>, args: &BenchRun) -> Result<u8> {
    let chosen = chosen(&args.names)?;
    child::stop_on_interrupt();
    std::fs::create_dir_all(&args.out).map_err(|e| Error::from(e).at(args.out.display()))?;
    let work = tempfile::tempdir()?;
    let mut bench = bench(args, work.path())?;
    let provenance = machine::provenance();
    let (mut results, mut failures) = (Vec::new(), 0);
    for (i, workload) in chosen.iter().enumerate() {
        context.output.note(&format!("{} of {}: {}", i + 1, chosen.len(), workload.name));
        let result = one(&mut bench, workload, Duration::from_secs(args.timeout_s));
        context.output.note(&format!("    {}", remark(&result)));
        failures += usize::from(result["state"] == "failed");
        results.push(result);
        let all = json!({"provenance": provenance, "quick": args.quick, "results": results});
        std::fs::write(args.out.join("bench.json"), serde_json::to_vec_pretty(&all)?)?;
        if child::stopped() {
            break;
        }
    }
    page::write(&args.out)?;
    if context.output.is_json() {
        context.output.value(&json!({"provenance": provenance, "quick": args.quick, "results": results}));
    } else {
        context.output.text(&table(&results));
        context.output.note(&format!("written to {}", args.out.join("bench.html").display()));
    }
    Ok(u8::from(failures > 0))
}

/// The workloads of these names, in the order of the list.
fn chosen(names: &[String]) -> Result<Vec<&'static Workload>> {
    if let Some(unknown) = names.iter().find(|name| ALL.iter().all(|one| one.name != name.as_str())) {
        let known: Vec<&str> = ALL.iter().map(|one| one.name).collect();
        let hint = format!("there are {}", known.join(", "));
        return Err(Error::input(format!("there is no workload {unknown}")).hint(hint));
    }
    let wanted = |one: &&Workload| names.is_empty() || names.iter().any(|name| name == one.name);
    Ok(ALL.iter().filter(wanted).collect())
}

fn bench(args: &BenchRun, work: &Path) -> Result<Bench> {
    let root = peer::root();
    let beside = root.as_ref().and_then(|root| root.parent()).map(|dir| dir.join("shared/data"));
    Ok(Bench {
        program: std::env::current_exe()?,
        python: peer::python(args.python.as_deref()),
        data: args.data.clone().or(beside.filter(|dir| dir.is_dir())),
        work: work.to_owned(),
        out: std::path::absolute(&args.out)?,
        quick: args.quick,
        rows: args.rows,
        until: Instant::now(),
        commands: RefCell::default(),
        root,
    })
}

/// One workload from beginning to end; what keeps it from being measured is part of the result.
fn one(bench: &mut Bench, workload: &Workload, limit: Duration) -> Value {
    let begun = Instant::now();
    bench.until = begun + limit;
    bench.commands.borrow_mut().clear();
    let outcome = match bench.lacks(workload) {
        Some(why) => Err(("skipped", why)),
        None => (workload.measure)(bench).map_err(|error| ("failed", error.to_string())),
    };
    let mut result = normalised(workload, outcome);
    result["seconds"] = begun.elapsed().as_secs_f64().into();
    result["command"] = bench.commands.borrow().join("\n").into();
    result
}

/// A result in the form that all workloads share.
fn normalised(workload: &Workload, outcome: Result<Measured, (&'static str, String)>) -> Value {
    let mut result = json!({
        "workload": workload.name, "what": workload.what, "unit": workload.unit, "state": "measured", "ours": null,
        "peer": null, "ratio": null, "ratio_means": null, "wanted": workload.wanted, "why": null, "detail": null,
    });
    match outcome {
        Ok(measured) => {
            let ratio = measured.ratio.or_else(|| ratio(workload, &measured));
            let name = measured.peer_name.unwrap_or(workload.peer);
            result["ours"] = measured.ours.into();
            result["peer"] = measured.peer.map(|value| json!({"name": name, "value": value})).into();
            result["ratio"] = ratio.into();
            result["ratio_means"] = ratio.map(|_| workload.means).into();
            result["why"] = measured.why.into();
            result["detail"] = measured.detail;
        }
        Err((state, why)) => {
            result["state"] = state.into();
            result["why"] = why.into();
        }
    }
    result
}

/// How many times as good as the peer's ours is.
fn ratio(workload: &Workload, measured: &Measured) -> Option<f64> {
    let (ours, peer) = measured.ours.zip(measured.peer)?;
    let ratio = if workload.more { ours / peer } else { peer / ours };
    ratio.is_finite().then_some(ratio)
}

/// What came out, in a line.
fn remark(result: &Value) -> String {
    let seconds = result["seconds"].as_f64().unwrap_or(0.0);
    let why = result["why"].as_str().unwrap_or_default();
    let state = result["state"].as_str().unwrap_or_default();
    if state != "measured" {
        return format!("{state} after {seconds:.1} s: {why}");
    }
    let figure = |value: &Value| value.as_f64().map_or("–".to_owned(), super::plot::number);
    let beside = match result["ratio"].as_f64() {
        Some(ratio) => {
            format!(", {} {}", super::plot::number(ratio), result["ratio_means"].as_str().unwrap_or_default())
        }
        None if why.is_empty() => String::new(),
        None => format!(", nothing to compare with: {why}"),
    };
    format!(
        "{seconds:.1} s: {} {}{beside}",
        figure(&result["ours"]),
        result["unit"].as_str().unwrap_or_default()
    )
}

/// All results as a table for the terminal.
fn table(results: &[Value]) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
    table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    table.set_header(["workload", "ours", "peer", "", "ratio", ""]);
    for result in results {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let figure = |value: &Value| value.as_f64().map_or("–".to_owned(), super::plot::number);
        let ours = match result["ours"].as_f64() {
            Some(_) => format!("{} {}", figure(&result["ours"]), text(&result["unit"])),
            None => text(&result["state"]),
        };
        let last = if result["why"].is_null() { &result["ratio_means"] } else { &result["why"] };
        table.add_row([
            text(&result["workload"]),
            ours,
            figure(&result["peer"]["value"]),
            text(&result["peer"]["name"]),
            figure(&result["ratio"]),
            text(last),
        ]);
    }
    format!("{table}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(name: &str) -> &'static Workload {
        chosen(&[name.to_owned()]).unwrap()[0]
    }

    #[test]
    fn more_is_better_in_every_ratio() {
        let measured = |ours, peer| Measured { ours: Some(ours), peer: Some(peer), ..Measured::default() };
        let searches = normalised(workload("search"), Ok(measured(100.0, 50.0)));
        assert_eq!(searches["ratio"], 2.0);
        let statements = normalised(workload("sql"), Ok(measured(100.0, 50.0)));
        assert_eq!(statements["ratio"], 0.5);
        assert_eq!(statements["peer"]["name"], "DuckDB");
    }

    #[test]
    fn without_a_peer_there_is_no_ratio() {
        let alone = Measured { ours: Some(7.0), why: Some("no Python".into()), ..Measured::default() };
        let result = normalised(workload("add-csv"), Ok(alone));
        assert!(result["ratio"].is_null() && result["ratio_means"].is_null() && result["peer"].is_null());
        assert_eq!(result["why"], "no Python");
        assert!(remark(&result).contains("nothing to compare with"));
    }

    #[test]
    fn names_are_different_and_unknown_ones_refused() {
        let names: std::collections::HashSet<&str> = ALL.iter().map(|one| one.name).collect();
        assert_eq!(names.len(), ALL.len());
        assert!(chosen(&["nothing".to_owned()]).unwrap_err().to_string().contains("add-tables"));
    }
}
