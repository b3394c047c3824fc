//! Numbers that are held against a column of another kind: kilos against euros, what was paid against what one piece costs.

use crate::analyse::{Amount, Mention};
use crate::candidate::Found;
use crate::grammar;
use crate::mask::Mask;
use crate::program::{Ask, Condition, Program, Test};

/// Whether one of these rules out a program, whoever found it.
pub(super) fn of_program(program: &Program, found: &Found<'_>) -> bool {
    leaves_units(program, found) || leaves_money(&program.ask, found) || misses_range(program, found)
}

/// Whether a column is held against a number that is said in another unit.
fn leaves_units(program: &Program, found: &Found<'_>) -> bool {
    let question = &found.question;
    let number = |m: &Mention| match m.what {
        Amount::Number(n) => Some((n, m.mask)),
        _ => None,
    };
    let said: Vec<(f64, Mask)> = question.mentions.iter().filter_map(number).collect();
    let is_apart = |c: &Condition| {
        let bounds = match c.test {
            Test::Less(n) | Test::AtMost(n) | Test::More(n) | Test::AtLeast(n) => [n, n],
            Test::Between(a, b) => [a, b],
            _ => return false,
        };
        let is_bound = |n: f64| {
            let scaled = found.grid.columns.get(c.column).map_or(n, |f| f.scaled(n));
            bounds.contains(&n) || bounds.contains(&scaled)
        };
        said.iter()
            .any(|(n, mask)| is_bound(*n) && grammar::is_of_other_unit(question, *mask, found.grid, c.column))
    };
    // So many euros are no number of rows.
    let counts = match &program.ask {
        Ask::Compares(ask, _) | Ask::Holds(ask, _) => matches!(**ask, Ask::Count | Ask::Distinct(_)),
        _ => false,
    };
    let is_money = said.iter().any(|(_, mask)| question.money & mask != 0);
    counts && is_money || program.rows.conditions.iter().any(is_apart)
}

/// Whether money is asked for, a column has some, and the program reckons with what is none: `how much money`, 多少钱.
fn leaves_money(ask: &Ask, found: &Found<'_>) -> bool {
    let (question, grid) = (&found.question, found.grid);
    let texts: Vec<&str> = question.words.iter().map(|w| w.text.as_str()).collect();
    let asks = texts.windows(3).any(|w| {
        matches!(w, ["how", "much", "money"] | ["wie", "viel", "geld"] | ["combien", "d", "argent"])
            || matches!(w, ["多", "少", "钱" | "元"])
    });
    let is_money = |column: usize| grid.roles().is_money(grid, column);
    let is_named = |column: usize| found.names.get(column).is_some_and(|n| n.share > 0.5);
    let columns = match ask {
        Ask::Fold(_, column) | Ask::FoldDifference(_, column, _) | Ask::Difference(column, _) => {
            vec![*column]
        }
        Ask::By(by) => by.ask.columns(),
        Ask::Cells(column) => vec![*column],
        _ => return false,
    };
    let is_number = |column: &usize| grid.columns.get(*column).is_some_and(|f| f.is_number());
    asks && (0..grid.columns.len()).any(is_money)
        && columns.iter().any(is_number)
        && !columns.iter().any(|column| is_money(*column) || is_named(*column))
}

/// Whether a column is held against a number far beyond all it has, while another column that is like it has such numbers: no single
/// price is 50, but what was paid is.
fn misses_range(program: &Program, found: &Found<'_>) -> bool {
    // By hand: what is held against a column may lie somewhat beyond all it has.
    const FAR: f64 = 3.0;
    let grid = found.grid;
    let roles = grid.roles();
    let most = |c: usize| {
        let sizes = grid.columns.get(c).into_iter().flat_map(|f| f.cells.iter().filter_map(|c| c.size));
        sizes.fold(0.0, f64::max)
    };
    let is_like =
        |c: usize, other: usize| c != other && roles.is_money(grid, c) && roles.is_money(grid, other);
    let named = |c: usize| found.names.get(c).is_some_and(|n| n.share > 0.5);
    let misses = |c: &Condition| {
        let (Test::More(n) | Test::AtLeast(n)) = c.test else { return false };
        let reaches = |other: usize| is_like(c.column, other) && most(other) >= n;
        !named(c.column) && n > FAR * most(c.column) && (0..grid.columns.len()).any(reaches)
    };
    grid.is_whole() && program.rows.conditions.iter().any(misses)
}
