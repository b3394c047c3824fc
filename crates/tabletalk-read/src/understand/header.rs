//! Which rows of a patch name the columns, and which columns name the rows.

use super::patch::{Class, Patch};
use super::{form, word};

/// A header has no more rows than this.
const MAX_HEADER_ROWS: usize = 8;
/// Titles and remarks above a header take no more rows than this.
const MAX_SKIP: usize = 12;
/// No more columns than this name a row.
const MAX_ROW_HEADERS: usize = 4;

/// The rows of a table that are not data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Head {
    /// Rows of title and remarks before the header.
    pub skip: usize,
    /// Rows of the header.
    pub header_rows: usize,
}

/// Finds title rows and header rows.
pub(super) fn head(patch: &Patch<'_>) -> Head {
    let skip = preamble(patch);
    Head { skip, header_rows: depth(patch, skip) }
}

/// Where the title ends and the header begins, when it is known how many rows are title and header together.
pub(super) fn given(patch: &Patch<'_>, rows: usize) -> Head {
    let skip = preamble(patch).min(rows.saturating_sub(1));
    Head { skip, header_rows: rows - skip }
}

/// How many rows, from `top` on, name the columns.
pub(super) fn depth(patch: &Patch<'_>, top: usize) -> usize {
    if !names_columns(patch, top) {
        return 0;
    }
    let depth = grow(patch, top);
    if depth == 1 && spans_apart(patch, top) {
        return 0;
    }
    // Two or three levels are a header; more are a form whose merged cells only look like one.
    let body = if depth > 3 { top } else { top + depth };
    let levels = (2..=3).contains(&depth);
    if !levels && form::is_form(patch, top, body) {
        return 0;
    }
    depth
}

/// How many rows at the top come before the header: a title, a unit, a date, lines of facts.
fn preamble(patch: &Patch<'_>) -> usize {
    let mut skip = 0;
    let before =
        |row| patch.is_lone(row) && !is_spanner(patch, row) || is_remarks(patch, row) || is_date(patch, row);
    while skip < MAX_SKIP && skip + 1 < patch.rows && before(skip) {
        skip += 1;
    }
    let end = patch.rows.saturating_sub(1).min(MAX_SKIP + 1);
    let header = (skip + 1..end).find(|&row| stands_below_facts(patch, skip, row));
    header.unwrap_or(skip)
}

/// Whether the only cell of the first row is a day or a year: the date of a report.
fn is_date(patch: &Patch<'_>, row: usize) -> bool {
    let mut cells = patch.seen(row);
    let only = cells.next().filter(|_| cells.next().is_none());
    let is_dated = only.is_some_and(|(col, p)| col == 0 && matches!(p.class, Class::Date | Class::Year));
    is_dated && patch.cols > 2 && patch.seen(row + 1).count() > 1
}

/// Whether `row` is the header of a table below lines such as `Account: | 1234`, which begin at `top`.
fn stands_below_facts(patch: &Patch<'_>, top: usize, row: usize) -> bool {
    let width = |r: usize| patch.seen(r).count();
    let is_fact = |r: usize| {
        let mut cells = patch.own(r);
        width(r) <= 2
            && cells.next().is_some_and(|(c, p)| c == 0 && p.class == Class::Text)
            && cells.all(|(c, _)| c == 1)
    };
    let is_labelled = |r: usize| {
        let text = patch.at(r, 0).text;
        text.contains([':', '：']) || word::is_note(text) || patch.is_lone(r)
    };
    let facts = || top..row;
    let below = (row + 1..patch.rows.min(row + 6)).map(width).max().unwrap_or(0);
    let widest = facts().map(width).max().unwrap_or(0);
    let labelled = facts().all(is_labelled);
    let apart = patch.is_after_gap(row);
    // Words in one or two cells over a header of many are a title, whatever they say.
    let is_said = |r: usize| patch.own(r).all(|(_, p)| p.class == Class::Text);
    let narrow = widest * 2 < width(row) && facts().all(is_said);
    facts().all(is_fact)
        && (labelled || narrow || apart && !is_table(patch, top, row))
        && (width(row) > widest || apart && labelled)
        && width(row) > 1
        && width(row) * 10 >= below * 6
        && patch.at(row, 0).class != Class::Empty
        && names_columns(patch, row)
}

/// Whether rows are a table of their own: a name over two or more values that are alike.
fn is_table(patch: &Patch<'_>, top: usize, end: usize) -> bool {
    let is_named = |c: usize| {
        let class = patch.at(top + 1, c).class;
        let alike = (top + 1..end).all(|r| patch.at(r, c).class == class);
        patch.at(top, c).class == Class::Text && class.is_value() && alike
    };
    end > top + 2 && !patch.is_after_gap(top + 1) && (1..patch.cols).any(is_named)
}

/// Whether a row holds remarks alone, such as `单位：万元` at the left and `制表日期：…` at the right.
fn is_remarks(patch: &Patch<'_>, row: usize) -> bool {
    let is_remark = |text: &str| text.contains([':', '：']) && word::is_note(text);
    patch.own(row).count() > 0 && patch.own(row).all(|(_, p)| is_remark(p.text))
}

/// Whether the only text of a row is the upper level of a header: it reaches over some columns, not all,
/// and the row below names them.
fn is_spanner(patch: &Patch<'_>, row: usize) -> bool {
    let Some((col, cell)) = patch.seen(row).next() else {
        return false;
    };
    let span = patch.span(row, col);
    if col == 0 || span < 2 || word::is_unit_line(cell.text) {
        return false;
    }
    let texts = |c: usize| matches!(patch.at(row + 1, c).class, Class::Text | Class::Year);
    (col..col + span).filter(|&c| texts(c)).count() * 2 > span
}

/// Whether a row reads as names of columns rather than as data.
fn names_columns(patch: &Patch<'_>, row: usize) -> bool {
    if row + 1 >= patch.rows || patch.cols == 0 {
        return false;
    }
    let (mut names, mut against) = (0, 0);
    let small = patch.seen(row).filter(|(_, p)| p.class == Class::Small).count();
    for (col, cell) in patch.seen(row) {
        match cell.class {
            Class::Text => names += 1,
            Class::Small if small == 1 => against += 1,
            class if class.is_soft() && !has_values_like(patch, row + 1, col, class) => names += 1,
            class if class.is_value() => against += 1,
            _ => {}
        }
    }
    if against > 0 && counts_up(patch, row) {
        // In a matrix of numbers every row may go up by one.
        return names > 0 || !counts_up(patch, row + 1);
    }
    // Values over values are data, unless names over values say otherwise.
    let is_named = |(c, p): &(usize, &super::patch::Peek<'_>)| {
        p.class == Class::Text && is_value_column(patch, row + 1, *c)
    };
    names > 0 && against * 4 <= names && (against == 0 || patch.seen(row).any(|cell| is_named(&cell)))
}

/// Whether most cells of a column below `from` are of the same class.
fn has_values_like(patch: &Patch<'_>, from: usize, col: usize, class: Class) -> bool {
    let below = (from..patch.rows).map(|r| patch.at(r, col).class).filter(|c| *c != Class::Empty);
    let (same, all) = below.fold((0, 0), |(s, n), c| (s + usize::from(c == class), n + 1));
    same * 2 > all
}

/// Whether the numbers of a row go up or down by one step: `1 2 3 4`, `2019 2021 2023`.
fn counts_up(patch: &Patch<'_>, row: usize) -> bool {
    let soft = patch.seen(row).filter(|(_, p)| matches!(p.class, Class::Year | Class::Small));
    let numbers: Vec<i64> = soft.filter_map(|(_, p)| p.text.parse().ok()).collect();
    let hard = patch.seen(row).any(|(_, p)| p.class == Class::Number);
    let years = patch.seen(row).all(|(_, p)| p.class != Class::Small);
    let [first, second, ..] = numbers[..] else { return false };
    let step = second - first;
    // Years may leave some out; other numbers that do are measured.
    let is_step = step.abs() == 1 || years && step != 0 && step.abs() <= 10 && numbers.len() > 2;
    !hard && is_step && numbers.windows(2).all(|w| matches!(w, [a, b] if b - a == step))
}

/// How many rows the header that begins at `top` has.
fn grow(patch: &Patch<'_>, top: usize) -> usize {
    let mut next = top + 1;
    while next + 1 < patch.rows && next - top < MAX_HEADER_ROWS && is_lower_level(patch, top, next) {
        next += 1;
    }
    next - top
}

/// Whether `row` is one more level of the header that begins at `top`.
fn is_lower_level(patch: &Patch<'_>, top: usize, row: usize) -> bool {
    let is_name = |c: usize, class: Class| {
        class == Class::Text || class.is_soft() && !has_values_like(patch, row + 1, c, class)
    };
    let names = patch.own(row).filter(|(c, p)| is_name(*c, p.class)).count();
    let values = patch.own(row).filter(|(c, p)| p.class.is_value() && !is_name(*c, p.class)).count();
    let group = patch.own(row).any(|(c, _)| c == 0 && reach_down(patch, row, c) > 2);
    if names == 0 || group || values * 3 > names && !counts_up(patch, row) {
        return false;
    }
    let from_above =
        |p: &super::patch::Peek<'_>| p.class != Class::Empty && (top..row).contains(&(p.root.0 as usize));
    let reaches = patch.row(row).iter().any(from_above);
    reaches || names_parts(patch, row) || fills_gaps(patch, row) || is_unit_row(patch, row)
}

/// Whether most cells of a row reach over columns that hold different things below it. Names of columns would
/// have a level of names below them; these are the long values of a form.
fn spans_apart(patch: &Patch<'_>, row: usize) -> bool {
    let below = patch.rows - row - 1;
    let is_apart = |col: usize| {
        let span = patch.span(row, col);
        let apart = |r: usize| {
            let cells = || (col..col + span).map(|c| patch.at(r, c));
            let filled = cells().filter(|p| p.class != Class::Empty).count();
            filled > 1 && cells().any(|p| p.root != patch.at(r, col).root)
        };
        span > 1 && (row + 1..patch.rows).filter(|&r| apart(r)).count() * 2 > below
    };
    let cells = || patch.seen(row).filter(|(col, _)| *col > 0);
    cells().filter(|(col, _)| is_apart(*col)).count() * 2 > cells().count()
}

/// How many rows the cell at `col` of `row` reaches over.
fn reach_down(patch: &Patch<'_>, row: usize, col: usize) -> usize {
    let root = (row as u32, col as u32);
    (row..patch.rows).take_while(|&r| patch.at(r, col).root == root).count()
}

/// Whether cells of the row stand below a merged cell of the row above, and name its parts.
fn names_parts(patch: &Patch<'_>, row: usize) -> bool {
    patch.seen(row - 1).any(|(col, _)| {
        let span = patch.span(row - 1, col);
        let parts: Vec<_> = (col..col + span).map(|c| patch.at(row, c)).collect();
        let named = parts.iter().filter(|p| p.class == Class::Text || p.class == Class::Year).count();
        let distinct = parts.windows(2).any(|w| matches!(w, [a, b] if a.root != b.root));
        span > 1 && span < patch.cols && distinct && named * 2 > span
    })
}

/// Whether the row has names where the row above, without merged cells, has gaps, over columns of values.
fn fills_gaps(patch: &Patch<'_>, row: usize) -> bool {
    let gaps: Vec<usize> = (1..patch.cols).filter(|&c| patch.at(row - 1, c).class == Class::Empty).collect();
    let named = gaps.iter().filter(|&&c| patch.at(row, c).class == Class::Text);
    let over_values = named.filter(|&&c| is_value_column(patch, row + 1, c)).count();
    let values_in_row = patch.own(row).any(|(_, p)| p.class.is_value());
    !values_in_row && over_values > 0 && over_values * 2 >= gaps.len()
}

/// Whether a column holds values, and no texts, from a row on.
pub(super) fn is_value_column(patch: &Patch<'_>, from: usize, col: usize) -> bool {
    let classes = (from..patch.rows).map(|r| patch.at(r, col).class);
    let (values, texts) = classes.fold((0, 0), |(v, t), class| match class {
        Class::Text => (v, t + 1),
        class => (v + usize::from(class.is_value()), t),
    });
    values > texts * 2
}

/// Whether a row below the names holds the units of the columns: units alone, each over values. `S` and `M` over
/// other texts are sizes, and a row with a name of its own is a record.
fn is_unit_row(patch: &Patch<'_>, row: usize) -> bool {
    let inner =
        |text: &'_ str| -> String { text.trim_matches(['(', ')', '（', '）', '[', ']']).to_owned() };
    let is_unit = |c: usize, text: &str| word::is_unit(&inner(text)) && is_value_column(patch, row + 1, c);
    let units = patch.own(row).filter(|(c, _)| *c > 0).count();
    let first = patch.at(row, 0);
    let is_bracketed = |text: &str| text.starts_with(['(', '（', '[']);
    let no_name = first.class == Class::Empty || is_bracketed(first.text) || word::is_unit_word(first.text);
    let all = patch.own(row).filter(|(c, _)| *c > 0).all(|(c, p)| is_unit(c, p.text));
    units > 0 && all && (no_name || units > 1 || patch.own(row).any(|(c, p)| c > 0 && is_bracketed(p.text)))
}

/// How many columns at the left name the rows, in the rows from `body` on.
pub(super) fn row_headers(patch: &Patch<'_>, body: usize) -> usize {
    if patch.cols < 2 || body >= patch.rows || !names_rows(patch, body, 0) {
        return 0;
    }
    let mut count = 1;
    while let Some(next) = next_column(patch, body, count - 1) {
        if next >= MAX_ROW_HEADERS.min(patch.cols - 1)
            || !groups(patch, body, count - 1, next)
            || !names_rows(patch, body, next)
        {
            break;
        }
        count = next + 1;
    }
    count
}

/// The next column that is not merged with this one in every row.
fn next_column(patch: &Patch<'_>, body: usize, col: usize) -> Option<usize> {
    let apart = |c: usize| (body..patch.rows).any(|r| patch.at(r, c).root != patch.at(r, col).root);
    (col + 1..patch.cols).find(|&c| apart(c))
}

/// Whether a column could name rows: texts, days, years, running numbers; no measured values.
fn names_rows(patch: &Patch<'_>, body: usize, col: usize) -> bool {
    let classes: Vec<Class> = (body..patch.rows).map(|r| patch.at(r, col).class).collect();
    let measured = classes.iter().filter(|c| **c == Class::Number).count();
    let filled = classes.iter().filter(|c| **c != Class::Empty).count();
    filled > 0 && (measured * 2 <= filled || (col == 0 && is_code_column(patch, body)))
}

/// Whether the first column holds codes: whole numbers of one length, no two the same.
fn is_code_column(patch: &Patch<'_>, body: usize) -> bool {
    let mut codes: Vec<&str> =
        (body..patch.rows).map(|r| patch.at(r, 0).text).filter(|t| !t.is_empty()).collect();
    let digits = codes.iter().all(|t| t.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
    let all = codes.len();
    codes.sort_unstable();
    codes.dedup();
    digits && all > 1 && codes.len() == all
}

/// Whether the cells of a column reach over several rows each, and the next column tells those rows apart.
fn groups(patch: &Patch<'_>, body: usize, col: usize, next: usize) -> bool {
    let rows = body..patch.rows;
    let top = |r: usize, c: usize| patch.at(r, c).root.0;
    let filled = |r: &usize| patch.at(*r, col).class != Class::Empty;
    let covered = rows.clone().filter(filled).filter(|&r| top(r, col) != r as u32).count();
    let wide = rows.clone().filter(filled).filter(|&r| patch.span(r, col) > 1).count();
    (covered + wide) * 3 >= rows.len() && rows.clone().any(|r| top(r, next) > top(r, col))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, Rect};

    fn head_of(rows: &[Vec<&str>]) -> Head {
        head(&Patch::of_rows(rows))
    }

    #[test]
    fn two_remarks_beside_each_other_are_no_header() {
        let rows = [
            vec!["单位：万元", "", "制表日期：2023年10月8日"],
            vec!["城市", "门店", "销售额"],
            vec!["上海", "张江店", "44.5"],
            vec!["北京", "三里屯店", "139.95"],
        ];
        assert_eq!(head_of(&rows), Head { skip: 1, header_rows: 1 });
    }

    #[test]
    fn finds_the_header_below_a_title_and_a_unit() {
        let rows =
            [vec!["Sales 2023", ""], vec!["", "(in thousands)"], vec!["Item", "Price"], vec!["a", "1.5"]];
        assert_eq!(head_of(&rows), Head { skip: 2, header_rows: 1 });
    }

    #[test]
    fn finds_no_header_in_numbers() {
        assert_eq!(head_of(&[vec!["1.5", "2.5"], vec!["3.5", "4.5"]]), Head { skip: 0, header_rows: 0 });
        let matrix = [vec!["1", "2", "3"], vec!["4", "5", "6"], vec!["7", "8", "9"]];
        assert_eq!(head_of(&matrix), Head { skip: 0, header_rows: 0 });
    }

    #[test]
    fn takes_years_and_counted_quarters_for_names() {
        assert_eq!(head_of(&[vec!["", "2021", "2022"], vec!["a", "1.5", "7"]]).header_rows, 1);
        assert_eq!(head_of(&[vec!["Q", "1", "2", "3"], vec!["a", "4", "5", "6"]]).header_rows, 1);
    }

    #[test]
    fn one_missing_value_costs_no_header() {
        for missing in ["N/A", "-", "n.a.", "—", "", "absent"] {
            let rows = [
                ["name", "score"],
                ["Ann", "90"],
                ["Bob", "85"],
                ["Cid", missing],
                ["Dan", "70"],
                ["Eve", "60"],
            ];
            let rows: Vec<Vec<&str>> = rows.iter().map(|r| r.to_vec()).collect();
            assert_eq!(head_of(&rows), Head { skip: 0, header_rows: 1 }, "{missing}");
            let first = [rows[0].clone(), rows[3].clone(), rows[1].clone(), rows[2].clone(), rows[4].clone()];
            assert_eq!(head_of(&first), Head { skip: 0, header_rows: 1 }, "{missing} first");
        }
    }

    #[test]
    fn letters_are_no_units() {
        let rows = [["name", "size"], ["Ann", "S"], ["Bob", "M"], ["Cid", "L"], ["Dan", "XL"]];
        let rows: Vec<Vec<&str>> = rows.iter().map(|r| r.to_vec()).collect();
        assert_eq!(head_of(&rows), Head { skip: 0, header_rows: 1 });
        let rows = [
            vec!["name", "sex", "age"],
            vec!["Ann", "F", "31"],
            vec!["Bob", "M", "45"],
            vec!["Cid", "M", "22"],
        ];
        assert_eq!(head_of(&rows), Head { skip: 0, header_rows: 1 });
        let units = [
            vec!["Item", "Price", "Weight"],
            vec!["", "EUR", "kg"],
            vec!["a", "1.5", "2"],
            vec!["b", "2.5", "3"],
        ];
        assert_eq!(head_of(&units), Head { skip: 0, header_rows: 2 });
    }

    #[test]
    fn a_table_of_texts_is_named_by_its_first_row() {
        let rows = [
            vec!["name", "team", "city"],
            vec!["Ann", "Red", "Oslo"],
            vec!["Bob", "Blue", "Rome"],
            vec!["Cid", "Red", "Bonn"],
            vec!["Dan", "", "Oslo"],
        ];
        assert_eq!(head_of(&rows), Head { skip: 0, header_rows: 1 });
        let pairs = [
            vec!["key", "value"],
            vec!["a", "1"],
            vec!["b", "two"],
            vec!["c", "3.5"],
            vec!["d", "2024-01-01"],
        ];
        assert_eq!(head_of(&pairs), Head { skip: 0, header_rows: 1 });
        let codes = [
            vec!["code", "ok"],
            vec!["A-1", "yes"],
            vec!["A-2", "no"],
            vec!["B-7", "yes"],
            vec!["B-9", "no"],
        ];
        assert_eq!(head_of(&codes), Head { skip: 0, header_rows: 1 });
    }

    #[test]
    fn years_name_columns_though_values_look_like_years() {
        let rows = [
            vec!["City", "2019", "2021", "2023"],
            vec!["a", "1950", "2050", "2010"],
            vec!["b", "1980", "1990", "1985"],
        ];
        assert_eq!(head_of(&rows).header_rows, 1);
        let data = [vec!["Ann", "Oslo", "Norway", "Red", "5"], vec!["Bob", "Rome", "Italy", "Blue", "7"]];
        assert_eq!(head_of(&data).header_rows, 0);
    }

    #[test]
    fn lines_of_account_data_come_before_the_header() {
        let rows = [
            vec!["Account:", "DE12 3456"],
            vec!["Owner:", "Ann Example"],
            vec!["Period:", "2024-01"],
            vec!["Date", "Text", "Amount"],
            vec!["2024-01-02", "Rent", "-800.00"],
            vec!["2024-01-03", "Pay", "2000.00"],
        ];
        let head_at = |numbers: &[u64]| head(&Patch::of_numbered(&rows, numbers));
        assert_eq!(head_at(&[1, 2, 3, 5, 6, 7]), Head { skip: 3, header_rows: 1 });
        assert_eq!(head_at(&[1, 2, 3, 4, 5, 6]), Head { skip: 3, header_rows: 1 });
        let mut plain = rows.clone();
        for (row, label) in plain.iter_mut().zip(["Account", "Owner", "Period"]) {
            row[0] = label;
        }
        assert_eq!(head(&Patch::of_numbered(&plain, &[1, 2, 3, 5, 6, 7])), Head { skip: 3, header_rows: 1 });
    }

    #[test]
    fn a_narrow_title_comes_before_a_wide_header() {
        let rows = [
            vec!["Costs of 7 Garden Street", "Year 2023"],
            vec!["all amounts in EUR"],
            vec!["Kind", "January", "February", "March", "April", "Sum"],
            vec!["Heating", "212.40", "198.75", "160.30", "98.60", "670.05"],
            vec!["Water", "31.00", "29.80", "30.50", "32.20", "123.50"],
        ];
        assert_eq!(head_of(&rows), Head { skip: 2, header_rows: 1 });
    }

    #[test]
    fn finds_both_levels_of_a_merged_header() {
        let mut grid = Grid::of_texts(&[
            vec!["Item", "2023", "", "2024", ""],
            vec!["", "Q1", "Q2", "Q1", "Q2"],
            vec!["a", "1", "2", "3", "4"],
        ]);
        grid.finish(vec![Rect::new(1, 1, 2, 1), Rect::new(1, 2, 1, 3), Rect::new(1, 4, 1, 5)]);
        let patch = Patch::of_grid(&grid, Rect::new(1, 1, 3, 5));
        assert_eq!(head(&patch).header_rows, 2);
        assert_eq!(row_headers(&patch, 2), 1);
    }

    #[test]
    fn finds_both_levels_without_merged_cells() {
        let rows = [
            vec!["Item", "2023", "", "2024", ""],
            vec!["", "Q1", "Q2", "Q1", "Q2"],
            vec!["a", "1.5", "2", "3", "4"],
        ];
        assert_eq!(head_of(&rows).header_rows, 2);
    }
}
