//! Figures for the terminal.

use super::{Block, Paired, Row, Run, blocks, distinct, metric, variants};
use tabletalk_eval::compare::{Column, drawn, safe, short};

/// As wide as a report may be; what does not fit is named below it.
const WIDE: usize = 110;
/// So many metrics beside the first matter more than intervals.
const WEIGHTY: usize = 3;
/// A block for each set, with a line for each variant.
pub fn table(run: &Run) -> String {
    let mut text = String::new();
    for block in blocks(run) {
        let queries = metric::grouped(block.queries as f64);
        text.push_str(&format!("{} ({queries} queries)\n", safe(&block.title())));
        text.push_str(&figures(&block));
        for reason in distinct(block.skipped().map(|(_, reason)| reason)) {
            let names = block.skipped().filter(|(_, why)| *why == reason).map(|(name, _)| safe(name));
            let names = names.collect::<Vec<_>>().join(", ");
            text.push_str(&format!("skipped: {names}: {}\n", safe(reason)));
        }
        text.push('\n');
    }
    if text.is_empty() {
        return "nothing was measured\n".to_owned();
    }
    text.push_str(&note(run));
    text
}

/// What the mark means, where it was made.
fn note(run: &Run) -> String {
    let compared = run.cells.iter().flat_map(|c| &c.against);
    let is_clear = compared.filter(|(name, _)| metric::is_share(name)).any(|(_, paired)| paired.is_clear());
    match variants(run).first() {
        Some(first) if is_clear => format!("* differs from {}, p < 0.05\n", safe(first)),
        _ => String::new(),
    }
}

fn figures(block: &Block<'_>) -> String {
    let names = block.metrics();
    let Some(lead) = metric::lead(&names) else { return String::new() };
    let rows: Vec<Row<'_>> = block.measured().collect();
    let mut first = vec![variant_column(&rows), measured(&rows, lead, Form::Lead)];
    first.extend(differences(&rows, lead));
    let errors = errors(&rows);
    let room = WIDE.saturating_sub(first.iter().chain(&errors).map(|column| wide(column)).sum());
    let others: Vec<&str> = metric::by_weight(&names).into_iter().filter(|name| *name != lead).collect();
    let mut chosen = fitting(&rows, &others, room);
    chosen.sort_by_key(|(name, _)| names.iter().position(|n| n == name));
    let left: Vec<&str> =
        names.iter().copied().filter(|n| *n != lead && !chosen.iter().any(|(c, _)| c == n)).collect();
    let columns: Vec<Column> =
        first.into_iter().chain(chosen.into_iter().map(|(_, c)| c)).chain(errors).collect();
    format!("{}{}", drawn(&columns), also(&left))
}

/// The columns that there is room for. Intervals are left out where they would crowd out what matters.
fn fitting<'a>(rows: &[Row<'_>], names: &[&'a str], room: usize) -> Vec<(&'a str, Column)> {
    let needed = names.iter().take(WEIGHTY).map(|name| wide(&measured(rows, name, Form::Full)));
    let form = if needed.sum::<usize>() <= room { Form::Full } else { Form::Short };
    let mut used = 0;
    let mut chosen = Vec::new();
    for name in names {
        let column = measured(rows, name, form);
        if used + wide(&column) <= room {
            used += wide(&column);
            chosen.push((*name, column));
        }
    }
    chosen
}

/// What was measured too, but not shown.
fn also(left: &[&str]) -> String {
    let named: Vec<String> = left.iter().take(6).map(|name| metric::words(&safe(name))).collect();
    match left.len() {
        0 => String::new(),
        n if n > 6 => format!("also measured: {} and {} more\n", named.join(", "), n - 6),
        _ => format!("also measured: {}\n", named.join(", ")),
    }
}

fn variant_column(rows: &[Row<'_>]) -> Column {
    let names = rows.iter().map(|row| short(&safe(&row.cell.variant)));
    std::iter::once("variant".to_owned()).chain(names).collect()
}

/// How the values of a metric are written.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// With the interval; a column of differences follows and has the mark.
    Lead,
    /// With the interval and the mark.
    Full,
    /// With the mark alone.
    Short,
}

fn measured(rows: &[Row<'_>], name: &str, form: Form) -> Column {
    let text = |row: &Row<'_>| {
        let Some(mean) = row.cell.metrics.get(name) else { return String::new() };
        let text = match form {
            Form::Short => metric::value(name, mean.mean),
            Form::Lead | Form::Full => metric::with_interval(name, mean),
        };
        let paired = row.cell.against.get(name).filter(|_| metric::is_share(name));
        if form == Form::Lead { text } else { format!("{text}{}", mark(paired, rows, name)) }
    };
    std::iter::once(metric::words(&safe(name))).chain(rows.iter().map(text)).collect()
}

/// The mark of a clear difference; a space keeps the others of its column in line.
fn mark(paired: Option<&Paired>, rows: &[Row<'_>], name: &str) -> &'static str {
    let is_any = rows.iter().any(|row| row.cell.against.get(name).is_some_and(Paired::is_clear));
    match paired {
        Some(paired) if paired.is_clear() => "*",
        _ if is_any && metric::is_share(name) => " ",
        _ => "",
    }
}

fn differences(rows: &[Row<'_>], name: &str) -> Option<Column> {
    let text = |paired: &Paired| {
        format!("{}{}", metric::signed(name, paired.difference), mark(Some(paired), rows, name))
    };
    let paired = |row: &Row<'_>| row.cell.against.get(name).map(text);
    let cells: Vec<Option<String>> = rows.iter().map(paired).collect();
    let head = std::iter::once("difference".to_owned());
    let is_any = cells.iter().any(Option::is_some);
    is_any.then(|| head.chain(cells.into_iter().map(Option::unwrap_or_default)).collect())
}

fn errors(rows: &[Row<'_>]) -> Option<Column> {
    let is_any = rows.iter().any(|row| row.cell.errors > 0);
    let head = std::iter::once("errors".to_owned());
    is_any.then(|| head.chain(rows.iter().map(|row| row.cell.errors.to_string())).collect())
}

/// How wide a column is, with the space around it.
fn wide(column: &[String]) -> usize {
    column.iter().map(|text| text.chars().count()).max().unwrap_or_default() + 3
}

#[cfg(test)]
mod tests {
    use super::super::Mean;
    use super::super::samples;
    use super::*;

    #[test]
    fn a_line_for_each_variant() {
        let text = table(&samples::pair("plain", "with rerank"));
        assert!(text.starts_with("wtq (200 queries)\n"), "{text}");
        for part in
            ["0.500 (0.450 to 0.550)", "+0.100*", "prompt tokens", "4,000", "* differs from plain, p < 0.05"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let mut run = samples::pair("a", "b");
        for cell in &mut run.cells {
            for name in ["precision", "exact_match", "f1", "macro_f1", "citation"] {
                cell.metrics.insert(name.into(), Mean { mean: 0.5, low: 0.4, high: 0.6 });
            }
        }
        let text = table(&run);
        assert!(text.lines().all(|line| line.chars().count() <= WIDE), "{text}");
        assert!(text.contains("also measured: "), "{text}");
        assert!(text.find("accuracy").unwrap() < text.find("coverage").unwrap());
    }

    #[test]
    fn skipped_variants_are_named_with_the_reason() {
        assert!(table(&samples::skipped()).contains("skipped: a, b: needs a language model\n"));
    }

    #[test]
    fn an_empty_run_says_so() {
        assert_eq!(table(&Run::default()), "nothing was measured\n");
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        let text = table(&samples::pair("a\u{1b}[31mred", &"long ".repeat(20)));
        assert!(!text.contains('\u{1b}') && text.contains('…'), "{text}");
    }
}
