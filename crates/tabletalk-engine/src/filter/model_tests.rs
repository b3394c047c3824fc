use super::*;
use crate::excerpt::{Pick, tests::cities};
use crate::filter::script::Script;
use std::cell::RefCell;

const CITY: &str = "SELECT \"city\" FROM \"cities\" WHERE \"people\" < 30";
const ALL: &str = "SELECT * FROM cities";

/// Filters a table of five rows with these samples and what the program is said to give.
fn filter(chat: &Script, ran: Result<Ran>) -> (Filtered, Vec<String>) {
    let stored = cities(5, None);
    let table = Excerpt::of(&stored, None, &Pick::Head(3)).unwrap();
    let programs = RefCell::new(Vec::new());
    let by_model = ByModel {
        chat,
        prompts: &Prompts::new(None).unwrap(),
        run: &|program| {
            programs.borrow_mut().push(program.to_owned());
            ran.clone()
        },
        rows: &|numbers| Excerpt::of(&stored, None, &Pick::Numbers(numbers.to_vec())),
        sampling: &Sampling::default(),
    };
    let filtered = by_model.filter(&table, "which city is small?");
    (filtered, programs.into_inner())
}

fn ran(columns: &[&str], rows: &[u64]) -> Result<Ran> {
    Ok(Ran { columns: columns.iter().map(|c| c.to_string()).collect(), rows: rows.to_vec() })
}

#[test]
fn keeps_what_the_most_frequent_program_keeps() {
    let other = format!("Sure:\n```sql\n{};\n```", CITY.to_lowercase());
    let chat = Script::new(&[ALL, CITY, "no idea", &other, CITY]);
    let (filtered, programs) = filter(&chat, ran(&["People"], &[6, 9]));
    assert_eq!(programs, [CITY]);
    assert_eq!((filtered.votes, filtered.rows, filtered.unfiltered), (3, 2, None));
    assert_eq!(filtered.samples.len(), 5);
    assert_eq!(filtered.usage.calls, 5);
    // The column that names the row stays, and rows that the model was not shown are found.
    let kept = &filtered.table;
    assert_eq!(kept.columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["city", "people"]);
    assert_eq!(kept.rows.iter().map(|r| r.number).collect::<Vec<_>>(), [6, 9]);
}

#[test]
fn asks_no_more_when_the_vote_is_decided() {
    let chat = Script::new(&[CITY, CITY, CITY, ALL, ALL]);
    let (filtered, _) = filter(&chat, ran(&["city"], &[6]));
    assert_eq!((filtered.votes, chat.asked()), (3, 3));
    assert_eq!(filtered.table.columns.len(), 1);
    let seeds: Vec<Option<u64>> = chat.seen.lock().unwrap().iter().map(|s| s.1.seed).collect();
    assert!(seeds.contains(&Some(1)) && seeds.contains(&Some(2)) && seeds.contains(&Some(3)));
    assert!(chat.seen.lock().unwrap().iter().all(|s| s.1.temperature > 0.0));
}

#[test]
fn the_first_program_runs_when_all_differ() {
    let chat = Script::new(&["select 1", "select 2", "error: busy", "select 3", "select 4"]);
    let (filtered, programs) = filter(&chat, ran(&["city"], &[6]));
    assert_eq!((programs.as_slice(), filtered.votes), (&["select 1".to_owned()][..], 1));
    assert!(filtered.samples[2].contains("busy"));
}

#[test]
fn the_table_stays_as_it_is_when_the_filter_does_not_work() {
    let cases: [(&[&str], Result<Ran>, &str); 5] = [
        (&[CITY; 5], Err(Error::input("no column `citty`")), "citty"),
        (&[CITY; 5], ran(&["city"], &[]), "no row"),
        (&[CITY; 5], ran(&["city"], &[1, 2]), "no row of this table"),
        (&[CITY; 5], ran(&["count(*)"], &[6]), "no column"),
        (&["hm"; 5], ran(&["city"], &[6]), "holds no program"),
    ];
    for (samples, ran, reason) in cases {
        let (filtered, _) = filter(&Script::new(samples), ran);
        let why = filtered.unfiltered.unwrap();
        assert!(why.contains(reason), "{why}");
        assert_eq!(filtered.table.rows.len(), 3);
    }
    let (filtered, programs) = filter(&Script::new(&["error: gone"; 5]), ran(&["city"], &[6]));
    assert!(programs.is_empty() && filtered.unfiltered.is_some());
}

#[test]
fn a_context_that_is_too_small_is_told() {
    let chat = Script { context: 40, ..Script::new(&[CITY]) };
    let (filtered, _) = filter(&chat, ran(&["city"], &[6]));
    assert!(filtered.unfiltered.unwrap().contains("do not fit"));
    assert_eq!(chat.asked(), 0);
}

#[test]
fn the_prompt_shows_names_and_rows_as_data() {
    let chat = Script::new(&[CITY; 5]);
    filter(&chat, ran(&["city"], &[6]));
    insta::assert_snapshot!("filter", chat.last());
}
