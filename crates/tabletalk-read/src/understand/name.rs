//! Names of columns: levels joined, white space tidied, empty and double ones made readable and unique.

use super::patch::{Class, Patch};
use std::collections::HashMap;
use tabletalk_core::place::column_letters;

/// The joined names of the columns of a patch, from header rows `top..bottom`; empty where there are none.
pub(super) fn joined(patch: &Patch<'_>, top: usize, bottom: usize) -> Vec<String> {
    (0..patch.cols).map(|col| levels(patch, top, bottom, col).join(" / ")).collect()
}

fn levels(patch: &Patch<'_>, top: usize, bottom: usize, col: usize) -> Vec<String> {
    let mut levels: Vec<String> = Vec::new();
    for row in top..bottom {
        let cell = patch.at(row, col);
        let text = match cell.class {
            Class::Empty => spanning(patch, row, bottom, col),
            _ => cell.text,
        };
        let text = without_marks(&tidy(text)).to_owned();
        if !text.is_empty() && levels.last() != Some(&text) {
            levels.push(text);
        }
    }
    levels
}

/// The name that reaches over a gap in an upper header row though the cells were never merged: the next
/// text to the left, where that has a lower level of its own and so does this column.
fn spanning<'a>(patch: &Patch<'a>, row: usize, bottom: usize, col: usize) -> &'a str {
    let below = |c: usize| {
        (row + 1..bottom).any(|r| {
            let p = patch.at(r, c);
            p.class != Class::Empty && p.root.0 as usize > row
        })
    };
    if row + 1 >= bottom || !below(col) {
        return "";
    }
    let left = (0..col).rev().find(|&c| patch.at(row, c).class != Class::Empty);
    match left {
        Some(c) if below(c) && (c..col).all(below) => patch.at(row, c).text,
        _ => "",
    }
}

/// A name without the footnote marks at its end: `H2¹`, `Price*`. Powers of units are none: `m²`.
fn without_marks(name: &str) -> &str {
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let bare =
        name.trim_end_matches(|c: char| c == '*' || c == '†' || c == '‡' || RAISED.contains(c)).trim_end();
    let marks = name.get(bare.len()..).unwrap_or_default();
    let last = bare.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let is_power =
        matches!(marks, "²" | "³") && ["m", "km", "cm", "mm", "dm", "ft", "in", "s"].contains(&last);
    if bare.is_empty() || is_power { name } else { bare }
}

/// White space and line breaks as single blanks. A line break between two Chinese characters is dropped.
pub(crate) fn tidy(text: &str) -> String {
    if !text.contains(|c: char| c.is_whitespace()) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let wide = |c: Option<char>| c.is_some_and(|c| c as u32 > 0x2E80);
        let joined = wide(out.chars().last()) && wide(word.chars().next());
        if !out.is_empty() && !joined {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// What a column is called for which the source has no name: `column C`.
pub(crate) fn nameless(col: u32) -> String {
    format!("column {}", column_letters(col))
}

/// Makes every name readable and unique: `column C`, `Price (2)`.
pub(crate) fn unique(names: &mut [String], cols: &[u32]) {
    for (name, &col) in names.iter_mut().zip(cols) {
        if name.is_empty() {
            *name = nameless(col);
        }
    }
    let mut seen: HashMap<String, u32> = HashMap::with_capacity(names.len());
    for name in names.iter() {
        *seen.entry(name.to_lowercase()).or_default() += 1;
    }
    if seen.len() == names.len() {
        return;
    }
    let mut given: HashMap<String, u32> = HashMap::new();
    for name in names.iter_mut() {
        let key = name.to_lowercase();
        let nth = given.entry(key.clone()).or_default();
        *nth += 1;
        if *nth == 1 {
            continue;
        }
        let mut n = *nth;
        // `Price (2)` may itself be a name in the table.
        while seen.contains_key(&format!("{key} ({n})")) {
            n += 1;
        }
        *name = format!("{name} ({n})");
        seen.insert(format!("{key} ({n})"), 1);
        given.insert(key, n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unique_of(names: &[&str]) -> Vec<String> {
        let mut names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
        let cols: Vec<u32> = (1..=names.len() as u32).collect();
        unique(&mut names, &cols);
        names
    }

    #[test]
    fn names_are_readable_and_unique() {
        assert_eq!(unique_of(&["Price", "price", ""]), ["Price", "price (2)", "column C"]);
        assert_eq!(unique_of(&["a", "a (2)", "a", "a"]), ["a", "a (2)", "a (3)", "a (4)"]);
    }

    #[test]
    fn footnote_marks_are_no_part_of_a_name_but_powers_are() {
        for (written, name) in [
            ("H2¹", "H2"),
            ("Price*", "Price"),
            ("Area (m²)", "Area (m²)"),
            ("area m²", "area m²"),
            ("Sold ¹²", "Sold"),
            ("Output †", "Output"),
            ("*", "*"),
            ("利润²", "利润"),
        ] {
            assert_eq!(without_marks(written), name);
        }
    }

    #[test]
    fn joins_levels_with_and_without_merged_cells() {
        let rows = [vec!["Item", "2023", "", "2024", ""], vec!["", "Q1", "Q2", "Q1", "Q2"]];
        let patch = Patch::of_rows(&rows);
        assert_eq!(joined(&patch, 0, 2), ["Item", "2023 / Q1", "2023 / Q2", "2024 / Q1", "2024 / Q2"]);
    }

    #[test]
    fn tidies_white_space() {
        assert_eq!(tidy("Net\n income "), "Net income");
        assert_eq!(tidy("项  目"), "项目");
    }
}
