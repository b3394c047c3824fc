//! Another thing than the one that is asked for: somebody, an amount, what a column is called by.

use super::is_apart;
use crate::analyse::Question;
use crate::candidate::Found;
use crate::grid::{Field, Grid, Measure};
use crate::mask::first;
use crate::program::{Ask, Condition, Fold, Pick, Program, Test};
use crate::word::Word;

/// Whether one of these rules out a program, whoever found it.
pub(super) fn of_program(program: &Program, found: &Found<'_>) -> bool {
    let (question, grid) = (&found.question, found.grid);
    gives_nothing(program, grid)
        || gives_no_amount(program, question, grid)
        || gives_another(program, found)
        || differs_for_whom(&program.ask, question)
        || names_nobody(program, question, grid)
        || names_others(program, question, grid)
        || names_sized(program, question, grid)
        || names_things(program, found)
        || gives_size(program, found)
        || gives_thing(program, question, grid)
        || takes_either(program, question)
        || takes_cost(program, question, grid)
        || gives_no_time(program, question, grid)
        || gives_author(program, question, grid)
}

/// Whether it is asked who did something, and the answer is who wrote it: a book is borrowed by others than its author.
fn gives_author(program: &Program, question: &Question, grid: &Grid) -> bool {
    const WROTE: [&str; 20] = [
        "author",
        "authors",
        "wrote",
        "written",
        "write",
        "writes",
        "writer",
        "by",
        "autor",
        "autorin",
        "geschrieben",
        "schrieb",
        "verfasser",
        "von",
        "auteur",
        "ecrit",
        "de",
        "作",
        "写",
        "著",
    ];
    const AUTHORS: [&str; 8] =
        ["author", "authors", "autor", "autorin", "verfasser", "auteur", "writer", "作"];
    let gives = |column: usize| {
        grid.columns.get(column).is_some_and(|f| f.words.iter().any(|w| AUTHORS.contains(&w.text.as_str())))
    };
    let says = question.words.iter().any(|w| WROTE.contains(&w.text.as_str()));
    let who = question
        .words
        .iter()
        .any(|w| matches!(w.text.as_str(), "who" | "whom" | "wer" | "wem" | "qui" | "谁"));
    who && !says && matches!(program.ask, Ask::Cells(column) if gives(column))
}

/// Whether it is asked who, and the answer is how much two are apart.
fn differs_for_whom(ask: &Ask, question: &Question) -> bool {
    let who = question.words.first().is_some_and(|w| matches!(w.text.as_str(), "who" | "wer" | "qui" | "谁"));
    who && is_apart(ask)
}

fn asks_who(question: &Question) -> bool {
    question.words.first().is_some_and(|w| matches!(w.text.as_str(), "who" | "wer" | "qui" | "谁"))
}

/// Whether it is asked who, and the answer is of codes or numbers.
fn names_nobody(program: &Program, question: &Question, grid: &Grid) -> bool {
    let is_nobody = |column: usize| {
        let field = grid.columns.get(column);
        field.is_some_and(|f| f.is_number() || f.measure == Measure::Day) || grid.roles().is_id(grid, column)
    };
    let of = |ask: &Ask| matches!(*ask, Ask::Cells(column) | Ask::Group { column, .. } if is_nobody(column));
    // Rows that have names are given by these.
    let has_name = grid.roles().key(grid).is_some_and(|key| !is_nobody(key));
    asks_who(question) && of(&program.ask) && !has_name
}

/// Whether it is asked who, a column says who, and the answer is of another that says what.
fn names_others(program: &Program, question: &Question, grid: &Grid) -> bool {
    let roles = grid.roles();
    let Some(person) = roles.person(grid) else { return false };
    let best = |by: &crate::program::By| by.limit == Some(1) || by.bare;
    let column = match &program.ask {
        Ask::Group { column, .. } => *column,
        Ask::By(by) if best(by) => match by.keys.as_slice() {
            [key] => key.column,
            _ => return false,
        },
        _ => return false,
    };
    asks_who(question) && column != person && !roles.is_who(grid, column)
}

/// Whether it is asked who, and the answer is of things: the title of a ticket, the name of a project.
fn names_things(program: &Program, found: &Found<'_>) -> bool {
    let Ask::Cells(column) = program.ask else { return false };
    let grid = found.grid;
    if grid.columns.len() < 3 {
        // The cells of a form are of all kinds.
        return false;
    }
    let is_person = |text: &str| {
        let mut words = text.split([' ', '-']).filter(|w| !w.is_empty());
        let is_name = |w: &str| {
            let upper = w.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_ascii());
            upper && !w.chars().any(|c| c.is_ascii_digit())
        };
        text.is_empty() || words.all(is_name)
    };
    let are_people = grid.columns.get(column).is_some_and(|f| {
        let people = f.cells.iter().filter(|c| is_person(&c.text)).count();
        people * 10 >= f.cells.len() * 6
    });
    asks_who(&found.question) && !grid.roles().is_who(grid, column) && !are_people
}

/// Whether it is asked how old or how long the first of some is, and the answer says which it is.
fn names_sized(program: &Program, question: &Question, grid: &Grid) -> bool {
    const COUNTS: [&str; 6] = ["many", "much", "often", "come", "do", "did"];
    let asks = question.text(Some(0)) == "how" && !COUNTS.contains(&question.text(Some(1)));
    let names = |c: usize| grid.columns.get(c).is_some_and(|f| !f.is_measured());
    let Some(Pick::Extreme { count: 1, column, .. }) = program.rows.pick else { return false };
    asks && matches!(program.ask, Ask::Cells(c) if c != column && names(c))
}

/// Whether the question asks which of what a column is called by, and the program gives another: the region that sold the most is
/// no month.
fn gives_another(program: &Program, found: &Found<'_>) -> bool {
    const WHICH: [&str; 12] = [
        "which", "what", "welche", "welcher", "welches", "welchen", "welchem", "quel", "quelle", "quels",
        "quelles", "哪",
    ];
    let question = &found.question;
    let Some(at) = question.words.iter().position(|w| WHICH.contains(&w.text.as_str())) else { return false };
    let starts = |n: &crate::link::Named| n.share >= 0.99 && first(n.mask) == Some(at + 1);
    let wanted: Vec<usize> =
        found.names.iter().enumerate().filter(|(_, n)| starts(n)).map(|(column, _)| column).collect();
    let named = found.grid.view().into_iter().flat_map(|v| v.names_of(&wanted));
    let wanted: Vec<usize> = named.chain(wanted.iter().copied()).collect();
    let given = given(program);
    let is_shown = !matches!(program.ask, Ask::Exists | Ask::Every | Ask::Holds(..) | Ask::Compares(..));
    is_shown && !wanted.is_empty() && !given.iter().any(|c| wanted.contains(c))
}

/// The columns whose cells a program gives.
pub(super) fn given(program: &Program) -> Vec<usize> {
    match &program.ask {
        Ask::Cells(column) | Ask::Group { column, .. } => vec![*column],
        Ask::By(by) => by.keys.iter().map(|k| k.column).chain(by.ask.columns()).collect(),
        Ask::Fold(_, column) | Ask::Difference(column, _) => vec![*column],
        Ask::Table(columns) => columns.clone(),
        _ => Vec::new(),
    }
}

/// Whether it is asked who, which or where, and the answer is how large: `biggest claim - whose?`.
fn gives_size(program: &Program, found: &Found<'_>) -> bool {
    const ASKS: [&str; 22] = [
        "who", "whose", "whom", "which", "where", "when", "wer", "wessen", "wem", "welche", "welcher",
        "welches", "welchem", "welchen", "wo", "wann", "qui", "quel", "quelle", "quand", "谁", "哪",
    ];
    const SIZES: [&str; 8] = ["much", "many", "viel", "viele", "hoch", "combien", "多", "几"];
    let question = &found.question;
    let says = |list: &[&str]| question.words.iter().any(|w| list.contains(&w.text.as_str()));
    let Ask::Fold(Fold::Most | Fold::Least, column) = program.ask else { return false };
    let is_number = found.grid.columns.get(column).is_some_and(Field::is_number);
    // `what do we spend most on`
    let ends_on = question.words.last().is_some_and(|w| matches!(w.text.as_str(), "on" | "it" | "for"));
    let asks_what = question.text(Some(0)) == "what" && ends_on;
    is_number && !says(&SIZES) && (says(&ASKS) || asks_what || ends_on)
}

/// Whether it is asked how large, and the answer is which: `the max weight in one box`.
fn gives_thing(program: &Program, question: &Question, grid: &Grid) -> bool {
    const SIZE: [&str; 8] = ["max", "maximum", "min", "minimum", "maximal", "minimal", "record", "maximale"];
    let Some(Pick::Extreme { column, count: 1, .. }) = program.rows.pick else { return false };
    let is_size = question.words.iter().take(4).any(|w| SIZE.contains(&w.text.as_str()));
    let is_thing = |c: usize| c != column && grid.columns.get(c).is_some_and(|f| !f.is_measured());
    is_size && matches!(program.ask, Ask::Cells(c) if is_thing(c))
}

/// Whether the price is asked for at which something is sold, and a column says what it cost, or the other way round.
fn takes_cost(program: &Program, question: &Question, grid: &Grid) -> bool {
    const SOLD: [&str; 7] = ["selling", "resale", "retail", "verkaufspreis", "verkaufspreise", "vk", "售"];
    const BOUGHT: [&str; 8] =
        ["cost", "purchase", "buying", "wholesale", "einkaufspreis", "einkauf", "ek", "进"];
    let has = |words: &[Word], list: &[&str]| words.iter().any(|w| list.contains(&w.text.as_str()));
    let columns = program.columns();
    let used =
        |list: &[&str]| columns.iter().filter_map(|c| grid.columns.get(*c)).any(|f| has(&f.words, list));
    let (sold, bought) = (has(&question.words, &SOLD), has(&question.words, &BOUGHT));
    sold && !bought && used(&BOUGHT) && !used(&SOLD) || bought && !sold && used(&SOLD) && !used(&BOUGHT)
}

/// Whether it is asked when, and the answer is a number that is no time.
fn gives_no_time(program: &Program, question: &Question, grid: &Grid) -> bool {
    let asks = matches!(question.text(Some(0)), "when" | "wann" | "quand");
    let is_time = |f: &Field| f.measure == Measure::Day || f.is_year() || !f.is_number();
    asks && matches!(&program.ask, Ask::Cells(column) if grid.columns.get(*column).is_some_and(|f| !is_time(f)))
}

/// Whether the question asks how many or how much, and the answer is no number.
fn gives_no_amount(program: &Program, question: &Question, grid: &Grid) -> bool {
    let texts: Vec<&str> = question.words.iter().map(|w| w.text.as_str()).collect();
    let is_amount = |w: &[&str]| {
        matches!(
            w,
            ["how", "many" | "much", ..]
                | ["wie", "viel" | "viele" | "vielen", ..]
                | ["combien" | "wieviel" | "几", ..]
                | ["多", "少", "钱" | "元" | "个" | "人" | "次" | "天" | "块", ..]
        ) && !matches!(w.get(2), Some(&"uhr" | &"time"))
    };
    let is_number = |column: usize| {
        grid.columns
            .get(column)
            .is_some_and(|f| f.is_number() || f.is_lead_number() || f.measure == Measure::Day)
    };
    let gives_amount = |column: usize| {
        let rows = crate::execute::select(&program.rows, grid);
        rows.iter().filter_map(|row| grid.at(column, *row)).any(|c| crate::grid::is_amount(&c.text))
    };
    let is_text = match &program.ask {
        Ask::Cells(column) => !is_number(*column) && !gives_amount(*column),
        Ask::Group { .. } | Ask::BestColumn { .. } => true,
        _ => false,
    };
    is_text && (0..texts.len()).any(|i| texts.get(i..).is_some_and(is_amount))
}

/// Whether it gives a word where the column has numbers, which says that there is none: a mark `absent`.
fn gives_nothing(program: &Program, grid: &Grid) -> bool {
    if let Ask::Table(columns) = &program.ask
        && grid.is_whole()
        && !program.rows.computed
    {
        let rows = crate::execute::select(&program.rows, grid);
        let is_empty =
            |c: &usize| rows.iter().all(|row| grid.at(*c, *row).is_none_or(|cell| cell.text.is_empty()));
        return !rows.is_empty() && columns.iter().any(is_empty);
    }
    let Ask::Cells(column) = program.ask else { return false };
    let Some(field) = grid.columns.get(column).filter(|_| grid.is_whole() && !program.rows.computed) else {
        return false;
    };
    let sizes = field.cells.iter().filter(|c| c.size.is_some()).count();
    let is_number = field.is_number() || field.measure != Measure::None && sizes * 4 >= field.filled * 3;
    let rows = crate::execute::select(&program.rows, grid);
    let lacks =
        |row: &u32| field.cells.get(*row as usize).is_some_and(|c| c.size.is_none() && !c.text.is_empty());
    is_number && !rows.is_empty() && rows.iter().all(lacks)
}

/// Whether yes or no is said where one of several is asked for: `was it passed, failed or put off?`
fn takes_either(program: &Program, question: &Question) -> bool {
    const OR: [&str; 4] = ["or", "oder", "ou", "还"];
    let is_choice = |c: &Condition| matches!(&c.test, Test::Is(values) if !values.is_empty());
    let says = question.words.iter().any(|w| OR.contains(&w.text.as_str()));
    let is_bound = |c: &Condition| !matches!(c.test, Test::Is(_));
    let conditions = &program.rows.conditions;
    says && matches!(program.ask, Ask::Exists)
        && conditions.iter().filter(|c| is_choice(c)).count() > 1
        && !conditions.iter().any(is_bound)
}
