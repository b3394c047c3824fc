//! What rules an answer out, however likely it looks: a number of the question that it leaves out, ids in place of names, groups
//! of one row each.

mod amount;
mod claim;
mod code;
mod count;
mod part;
mod thing;
mod time;
mod unit;

use crate::analyse::Question;
use crate::candidate::{Candidate, Found};
use crate::mask::{Mask, span};
use crate::program::{Ask, Program, Rows};
use crate::read::Link;
use crate::word::{self, Word};
pub(crate) use code::asks_ids;

/// Whether a program that was found by what was learned cannot be what is meant.
pub(crate) fn of_candidate(candidate: &Candidate, found: &Found<'_>) -> bool {
    of_program(&candidate.program, found)
        || time::leaves_amounts(&candidate.program, covered(candidate, found), &found.question)
        || code::takes_ids(candidate, found)
        || amount::folds_codes(candidate, found)
        || part::leaves_rank(&candidate.program, &found.question)
        || part::leaves_alternatives(candidate, found)
        || part::leaves_groups(&candidate.program, &found.question, covered(candidate, found))
}

/// Whether a program that the grammar read cannot be what is meant: `by class` is asked, and no class is known.
pub(crate) fn of_exact(program: &Program, links: &[Link], found: &Found<'_>) -> bool {
    let question = &found.question;
    let leaves_groups = || part::leaves_groups(program, question, linked(links, question));
    of_program(program, found) || !found.is_claim && !part::is_per_row(program, question) && leaves_groups()
}

/// Whether a program cannot be what is meant that passes over words of the question.
pub(crate) fn of_loose(program: &Program, links: &[Link], found: &Found<'_>) -> bool {
    let linked = linked(links, &found.question);
    of_exact(program, links, found) || time::leaves_amounts(program, linked, &found.question)
}

/// Whether a program cannot be what is meant, whoever found it.
pub(crate) fn of_program(program: &Program, found: &Found<'_>) -> bool {
    amount::of_program(program, found)
        || count::of_program(program, found)
        || claim::of_program(program, found)
        || code::of_program(program, found)
        || part::of_program(program, found)
        || thing::of_program(program, found)
        || time::of_program(program, found)
        || unit::of_program(program, found)
}

/// Whether it says how much two are apart.
fn is_apart(ask: &Ask) -> bool {
    matches!(
        ask,
        Ask::Difference(..)
            | Ask::FoldDifference(..)
            | Ask::CountDifference(_)
            | Ask::ColumnDifference(..)
            | Ask::Times(..)
            | Ask::RowGrowth(..)
    )
}

/// The words of the question that a program rests on.
fn covered(candidate: &Candidate, found: &Found<'_>) -> Mask {
    let scope = found.scopes.get(candidate.scope).map_or(0, |s| s.mask);
    let others = others(&candidate.program.ask).into_iter().flat_map(|rows| &rows.conditions);
    let linked = others.flat_map(|c| found.links.iter().filter(move |l| l.condition == *c));
    let linked = linked.fold(scope | candidate.target, |all, l| all | l.mask);
    let named = candidate.program.columns().into_iter().filter_map(|c| found.names.get(c));
    named.fold(linked, |all, n| all | n.mask)
}

/// The rows that something is compared with.
fn others(ask: &Ask) -> Option<&Rows> {
    match ask {
        Ask::Exceeds(_, _, other) | Ask::FoldExceeds(.., other) | Ask::Outnumbers(_, other) => Some(other),
        Ask::Difference(_, other) | Ask::FoldDifference(_, _, other) | Ask::CountDifference(other) => {
            Some(other)
        }
        Ask::RowGrowth(_, other) | Ask::Times(_, other) => Some(other),
        Ask::Compares(ask, _) | Ask::Holds(ask, _) | Ask::Denies(ask) => others(ask),
        _ => None,
    }
}

/// The words of a question that these links stand on.
fn linked(links: &[crate::read::Link], question: &Question) -> Mask {
    let said = |w: &Word| links.iter().flat_map(|l| word::words(&l.words)).any(|l| l.text == w.text);
    let words = question.words.iter().enumerate().filter(|(_, w)| said(w));
    words.fold(0, |all, (i, _)| all | span(i, i + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate;
    use crate::grid::Grid;
    use crate::program::{Condition, Fold, Test, Value};
    use tabletalk_core::{Place, Rows as TableRows};

    fn orders() -> Grid {
        let rows = [
            ["City", "Product", "Member since", "Quantity", "Unit price", "Note"],
            ["Oslo", "Kettle", "2015", "2", "30", "F24-010"],
            ["Lyon", "Lamp", "2018", "1", "12.5", "F24-011"],
            ["Oslo", "Kettle", "2021", "4", "30", "F24-012"],
        ];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let table = tabletalk_read::understand::table(&rows[0], &rows[1..], &Place::file("t"));
        let TableRows::Memory(batches) = &table.rows else { panic!("rows in memory") };
        Grid::new(&table.columns, batches, true)
    }

    /// Whether a program over the orders, of all rows or of those with kettles, is ruled out for a question.
    fn is_flawed(question: &str, kettles: bool, ask: Ask) -> bool {
        let grid = orders();
        let kettle =
            Condition { column: 1, test: Test::Is(vec![Value { text: "Kettle".into(), plain: None }]) };
        let conditions = if kettles { vec![kettle] } else { Vec::new() };
        let program = Program { rows: Rows { conditions, ..Rows::default() }, ask };
        of_exact(&program, &[], &candidate::find(question, &grid, None))
    }

    #[test]
    fn years_are_not_added_up() {
        assert!(is_flawed("how much is it in total?", false, Ask::Fold(Fold::Sum, 2)));
        assert!(!is_flawed("how much is it in total?", false, Ask::Fold(Fold::Sum, 3)));
    }

    #[test]
    fn groups_that_are_asked_for_are_made() {
        assert!(is_flawed("average quantity by class", false, Ask::Fold(Fold::Average, 3)));
        assert!(!is_flawed("average quantity", false, Ask::Fold(Fold::Average, 3)));
    }

    #[test]
    fn prices_of_single_pieces_are_not_added_up() {
        assert!(is_flawed("how much did kettles bring in?", true, Ask::Fold(Fold::Sum, 4)));
        assert!(!is_flawed("the sum of the unit price", true, Ask::Fold(Fold::Sum, 4)));
        assert!(!is_flawed("how much did kettles bring in?", true, Ask::Fold(Fold::Average, 4)));
    }

    #[test]
    fn less_is_not_more_and_nothing_is_compared_with_itself() {
        let lamps = Condition { column: 1, test: Test::Is(vec![Value { text: "Lamp".into(), plain: None }]) };
        let other = |conditions| Rows { conditions, ..Rows::default() };
        let exceeds = |up| Ask::FoldExceeds(Fold::Sum, 3, up, other(vec![lamps.clone()]));
        assert!(is_flawed("kettles sold less quantity than lamps", true, exceeds(true)));
        assert!(!is_flawed("kettles sold less quantity than lamps", true, exceeds(false)));
        assert!(!is_flawed("kettles did not sell less quantity than lamps", true, exceeds(true)));
        assert!(is_flawed(
            "all sold more than all",
            false,
            Ask::FoldExceeds(Fold::Sum, 3, true, Rows::default())
        ));
    }

    #[test]
    fn who_is_no_difference() {
        let all = || Ask::CountDifference(Rows::default());
        assert!(is_flawed("who ordered more, Oslo or Lyon?", true, all()));
        assert!(!is_flawed("how many more kettles than all?", true, all()));
    }

    #[test]
    fn an_average_is_no_sum() {
        assert!(is_flawed("the average quantity", false, Ask::Fold(Fold::Sum, 3)));
    }

    #[test]
    fn an_amount_is_no_text() {
        assert!(is_flawed("how much was the largest order?", false, Ask::Cells(5)));
        assert!(!is_flawed("which note has the largest order?", false, Ask::Cells(5)));
    }

    #[test]
    fn what_is_named_is_given() {
        assert!(is_flawed("which city ordered the most?", false, Ask::Cells(1)));
        assert!(!is_flawed("which city ordered the most?", false, Ask::Cells(0)));
    }

    #[test]
    fn pieces_are_not_rows_nor_money_and_times_are_not_pieces() {
        assert!(is_flawed("how many kettles were sold?", true, Ask::Count));
        assert!(!is_flawed("how many kettles were sold?", true, Ask::Fold(Fold::Sum, 3)));
        assert!(is_flawed("how many kettles were sold?", true, Ask::Fold(Fold::Sum, 4)));
        assert!(is_flawed("how often were kettles ordered?", true, Ask::Fold(Fold::Sum, 3)));
        assert!(!is_flawed("how often were kettles ordered?", true, Ask::Count));
    }
}
