//! Tells forms from tables: `Name | Ann | Born | 1990`, labels beside their values and no header.

use super::patch::{Class, Patch};
use super::word;
use std::collections::HashMap;

/// A label has no more characters than this.
const MAX_LABEL: usize = 30;

/// Whether the rows from `top` on are a form. Those before `body` would be the header if they are not.
pub(super) fn is_form(patch: &Patch<'_>, top: usize, body: usize) -> bool {
    let rows = top..patch.rows;
    if rows.len() < 2 || patch.cols < 2 || !labels(patch, top, 0) || names_pairs(patch, top) {
        return false;
    }
    rows.len() > 3 && alternates(patch, top) || ends_in_colons(patch, top) || is_irregular(patch, body)
}

/// Whether every row is a label that ends in a colon, and its value.
fn ends_in_colons(patch: &Patch<'_>, top: usize) -> bool {
    let is_label = |r: usize| patch.at(r, 0).text.ends_with([':', '：']) && patch.seen(r).count() == 2;
    (top..patch.rows).all(is_label)
}

/// Whether a row is the header of two columns of labels and values: `key | value`.
fn names_pairs(patch: &Patch<'_>, row: usize) -> bool {
    const LABELS: &[&str] = &[
        "key",
        "field",
        "attribute",
        "property",
        "parameter",
        "setting",
        "variable",
        "item",
        "metric",
        "measure",
        "schlüssel",
        "feld",
        "merkmal",
        "clé",
        "champ",
        "项目",
        "属性",
        "字段",
        "指标",
        "参数",
    ];
    const VALUES: &[&str] =
        &["value", "values", "content", "wert", "inhalt", "valeur", "valor", "值", "数值", "内容"];
    let is_any =
        |col: usize, words: &[&str]| words.contains(&patch.at(row, col).text.to_lowercase().as_str());
    is_any(0, LABELS) && is_any(1, VALUES)
}

/// Whether a column holds short texts, hardly any twice.
fn labels(patch: &Patch<'_>, top: usize, col: usize) -> bool {
    let mut texts: Vec<&str> = Vec::new();
    for r in top..patch.rows {
        let p = patch.at(r, col);
        match p.class {
            Class::Empty => {}
            Class::Text if p.text.chars().count() <= MAX_LABEL => {
                if p.root == (r as u32, col as u32) {
                    texts.push(p.text);
                }
            }
            _ => return false,
        }
    }
    let all = texts.len();
    texts.sort_unstable();
    texts.dedup();
    all > 1 && texts.len() * 10 >= all * 9
}

/// Whether every other column holds labels, and those between hold values of many kinds.
fn alternates(patch: &Patch<'_>, top: usize) -> bool {
    if !patch.cols.is_multiple_of(2) || !(2..patch.cols).step_by(2).all(|c| labels(patch, top, c)) {
        return false;
    }
    let mut mixed = (1..patch.cols).step_by(2).map(|c| is_mixed(patch, top, c));
    mixed.any(|m| m) || names_fields(patch, top)
}

/// Whether the labels are names of fields, in the first row too, and the texts beside them are not.
fn names_fields(patch: &Patch<'_>, top: usize) -> bool {
    let share = |first: usize| {
        let cells =
            (top..patch.rows).flat_map(|r| (first..patch.cols).step_by(2).map(move |c| patch.at(r, c)));
        let texts = cells.filter(|p| p.class == Class::Text);
        texts.fold((0, 0), |(f, n), p| (f + usize::from(word::is_field(p.text)), n + 1))
    };
    let ((labels, all_labels), (values, all_values)) = (share(0), share(1));
    let row = |first: usize| (first..patch.cols).step_by(2).map(|c| word::is_field(patch.at(top, c).text));
    row(0).next() == Some(true)
        && !row(1).any(|f| f)
        && labels >= 2
        && labels * 3 >= all_labels
        && values * 10 <= all_values
}

/// Whether a column holds both texts and values, and not just a text above values, or a remark among numbers.
fn is_mixed(patch: &Patch<'_>, top: usize, col: usize) -> bool {
    let classes = || (top + 1..patch.rows).map(|r| patch.at(r, col).class);
    let texts = classes().filter(|c| *c == Class::Text).count();
    let days = classes().filter(|c| *c == Class::Date).count();
    let numbers = classes().filter(|c| c.is_value()).count() - days;
    let values = days + numbers;
    let is_varied = texts > 1 || days > 0 && numbers > 0;
    texts > 0 && values > 0 && is_varied && values * 5 >= texts && texts * 3 >= values
}

/// Whether the cells of a third of the rows are merged sideways in ways of their own.
fn is_irregular(patch: &Patch<'_>, top: usize) -> bool {
    let starts = |r: usize| -> Vec<usize> { patch.seen(r).map(|(c, _)| c).collect() };
    let merged = |r: usize| patch.seen(r).any(|(c, _)| patch.span(r, c) > 1);
    let mut shapes: HashMap<Vec<usize>, usize> = HashMap::new();
    let wide = |r: usize| (0..patch.cols).all(|c| patch.at(r, c).class != Class::Empty);
    let rows: Vec<usize> = (top..patch.rows).filter(|&r| wide(r)).collect();
    for &r in rows.iter().filter(|&&r| merged(r)) {
        *shapes.entry(starts(r)).or_default() += 1;
    }
    let own_way: usize = shapes.values().sum();
    let usual = rows.len() - own_way;
    let pairs = rows.iter().filter(|&&r| starts(r).len() == 2 && merged(r)).count();
    rows.len() > 1
        && rows.len() * 2 > patch.rows - top
        && (shapes.len() > 1 || pairs > 0 && usual > 0)
        && own_way * 3 >= rows.len()
}
