//! All figures of a run as CSV.

use super::{Cell, Mean, Paired, Run, blocks};
use tabletalk_core::{Error, Result};

const HEADER: [&str; 12] = [
    "set",
    "variant",
    "size",
    "queries",
    "metric",
    "mean",
    "low",
    "high",
    "difference",
    "diff_low",
    "diff_high",
    "p",
];

/// One line for each metric of each variant on each set.
pub fn csv(run: &Run) -> Result<String> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADER).map_err(failed)?;
    for block in blocks(run) {
        for (row, name) in
            block.measured().flat_map(|row| block.metrics().into_iter().map(move |name| (row, name)))
        {
            if let Some(mean) = row.cell.metrics.get(name) {
                writer.write_record(line(row.cell, name, mean)).map_err(failed)?;
            }
        }
    }
    let bytes = writer.into_inner().map_err(failed)?;
    String::from_utf8(bytes).map_err(failed)
}

fn line(cell: &Cell, name: &str, mean: &Mean) -> [String; 12] {
    let paired = cell.against.get(name);
    let of = |part: fn(&Paired) -> f64| paired.map(|p| number(part(p))).unwrap_or_default();
    [
        cell.set.clone(),
        cell.variant.clone(),
        cell.size.map(|size| size.to_string()).unwrap_or_default(),
        cell.queries.to_string(),
        name.to_owned(),
        number(mean.mean),
        number(mean.low),
        number(mean.high),
        of(|p| p.difference),
        of(|p| p.low),
        of(|p| p.high),
        of(|p| p.p),
    ]
}

fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

fn failed(e: impl std::fmt::Display) -> Error {
    Error::bug(format!("the figures cannot be written as CSV: {e}"))
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn one_line_a_metric() {
        let text = csv(&samples::pair("a", "b, \"quoted\"")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + 2 * 3);
        assert_eq!(lines[1], "wtq,a,,200,accuracy,0.5,0.45,0.55,,,,");
        assert!(lines[4].starts_with("wtq,\"b, \"\"quoted\"\"\",,200,accuracy,0.6,"), "{}", lines[4]);
        assert!(lines[4].ends_with("0.1,0.05,0.15,0.004"), "{}", lines[4]);
    }

    #[test]
    fn without_figures_there_is_only_the_header() {
        for run in [Run::default(), samples::skipped()] {
            assert_eq!(csv(&run).unwrap().trim_end(), HEADER.join(","));
        }
    }

    #[test]
    fn sizes_are_written() {
        assert!(csv(&samples::grown()).unwrap().contains("\nwtq,a,10000,200,accuracy,"));
    }
}
