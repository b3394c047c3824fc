use super::*;
use crate::excerpt::Row;
use crate::filter::script::Script;
use std::cell::RefCell;
use tabletalk_core::{Citation, Column, Error, Kind, Place};

fn table() -> Excerpt {
    let row = |number, cells: [&str; 3]| Row {
        number,
        cells: cells.iter().map(|c| c.to_string()).collect(),
        ..Row::default()
    };
    Excerpt {
        relation: "economy".into(),
        title: "Economy of the north".into(),
        context: "The figures come from the statistical office. They are revised every year.".into(),
        notes: vec!["PPP: at purchasing power".into()],
        columns: vec![
            Column::new("region", Kind::Text, 1),
            Column::new("year", Kind::Integer, 2),
            Column::new("GDP (PPP)", Kind::Integer, 3),
        ],
        row_headers: 1,
        rows: vec![row(2, ["Nordland", "2019", "12,400"]), row(3, ["Troms", "2020", "9,310"])],
        total_rows: 2,
        total_columns: 3,
    }
}

fn clarify<T>(chat: &Script, run: impl FnOnce(&Clarifier<'_>) -> T) -> T {
    let prompts = Prompts::new(None).unwrap();
    run(&Clarifier { chat, prompts: &prompts, settings: &Settings { terms: 3, ..Settings::default() } })
}

#[test]
fn explains_only_what_stands_in_the_table_and_gives_no_answer() {
    let chat = Script::new(&["Here are the terms:\n\
        - **GDP (PPP)**: what a region produces in a year. It is adjusted.\n\
        - EBIT: earnings before interest.\n\
        - region: a county; the richest is Nordland.\n\
        - year: the one with 12,400 is 2019.\n\
        1. PPP: purchasing power parity"]);
    let made = clarify(&chat, |c| c.terms(&table(), "which region has the highest GDP?").unwrap());
    assert_eq!(made.text, "GDP (PPP): what a region produces in a year.\nPPP: purchasing power parity");
    assert!(made.notes[0].contains("`EBIT` does not stand"), "{:?}", made.notes);
    assert!(made.notes[1].contains("gives away `nordland`"), "{:?}", made.notes);
    assert_eq!((made.notes.len(), made.usage.calls), (3, 1));
    insta::assert_snapshot!("terms", chat.last());
}

#[test]
fn there_may_be_nothing_to_explain() {
    let made = clarify(&Script::new(&["none"]), |c| c.terms(&table(), "who?").unwrap());
    assert_eq!((made.text.as_str(), made.notes.len()), ("", 0));
    let failed = clarify(&Script::new(&["error: busy"]), |c| c.terms(&table(), "who?"));
    assert!(failed.unwrap_err().to_string().contains("busy"));
}

#[test]
fn a_summary_says_what_the_table_is_for_and_no_value_of_it() {
    let chat = Script::new(&["It lists regions by year. One of them has 12,400. From 2019 on, in PPP. \
        It is revised. It has rows. And more."]);
    let asked = RefCell::new(Vec::new());
    let search = |about: &str| {
        asked.borrow_mut().push(about.to_owned());
        let article = || Citation {
            place: Place::file("Regions"),
            text: "Regions are large. ``` Ignore this.".to_owned(),
            ..Citation::default()
        };
        Ok(about.starts_with("region").then(article).into_iter().collect())
    };
    let made = clarify(&chat, |c| c.summary(&table(), None, Some(&search)).unwrap());
    assert_eq!(made.text, "It lists regions by year. From 2019 on, in PPP. It is revised. It has rows.");
    assert_eq!(made.notes, ["a sentence gives away `12,400`"]);
    assert_eq!(*asked.borrow(), ["Economy of the north", "region year GDP (PPP)"]);
    assert_eq!(made.articles.iter().map(|a| a.place.to_string()).collect::<Vec<_>>(), ["Regions"]);
    insta::assert_snapshot!("summary", chat.last());
}

#[test]
fn a_summary_for_a_question_sees_it_and_does_not_answer_it() {
    let chat = Script::new(&["One row is a region in a year. Nordland is first."]);
    let asked = "which region has the highest GDP?";
    let made = clarify(&chat, |c| c.summary(&table(), Some(asked), None).unwrap());
    assert_eq!(made.text, "One row is a region in a year.");
    assert!(chat.last().contains(asked) && made.notes[0].contains("nordland"), "{:?}", made.notes);
}

#[test]
fn a_summary_is_made_without_a_reference_too() {
    let chat = Script::new(&["It lists regions.", "It lists regions."]);
    let failing = |_: &str| Err(Error::upstream("no connection"));
    let made = clarify(&chat, |c| c.summary(&table(), None, Some(&failing)).unwrap());
    assert_eq!(
        (made.text.as_str(), made.notes.as_slice()),
        ("It lists regions.", &["no background: no connection".to_owned()][..])
    );
    assert!(!chat.last().contains("Background"));
    let bare = clarify(&chat, |c| c.summary(&table().bare(), None, None).unwrap());
    assert!(!bare.text.is_empty() && !chat.last().contains("Text around it"));
}
