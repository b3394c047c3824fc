use super::ask::{Ask, Test, draw};
use super::join::{By, Links};
use super::random::Random;
use super::text::{folded, holds};
use super::view::View;
use super::*;

fn sheet(id: &str, title: &str, columns: &[(&str, Kind)], rows: &[&[&str]]) -> Sheet {
    let col = |(name, kind): &(&str, Kind)| Col { name: (*name).to_owned(), kind: *kind, unit: None };
    let row = |row: &&[&str]| row.iter().map(|text| (*text).to_owned()).collect();
    Sheet {
        id: id.to_owned(),
        name: format!("{id}.csv"),
        title: title.to_owned(),
        columns: columns.iter().map(col).collect(),
        rows: rows.iter().map(row).collect(),
    }
}

fn shops() -> Sheet {
    sheet(
        "shops",
        "Shops of 2021",
        &[
            ("Shop", Kind::Text),
            ("City", Kind::Text),
            ("Sales", Kind::Decimal),
            ("Staff Count", Kind::Integer),
        ],
        &[
            &["Alpha", "Oslo", "1,200.10", "4"],
            &["Beta", "Oslo", "0.20", "9"],
            &["Gamma", "Bergen", "", "7"],
            &["Delta", "Bergen", "50", "2"],
            &["Epsilon", "Tromsø", "-3.05", "5"],
        ],
    )
}

fn cities() -> Sheet {
    sheet(
        "cities",
        "Norwegian cities",
        &[("City", Kind::Text), ("Mayor", Kind::Text), ("Population", Kind::Integer)],
        &[
            &["Oslo", "Ann Lie", "700,000"],
            &["Bergen", "Per Moe", "290,000"],
            &["Tromsø", "Kari Nes", "77,000"],
            &["Bodø", "Ola Vik", "53,000"],
        ],
    )
}

fn options(each: usize, seed: u64, kinds: &[Form]) -> Options {
    Options { each, seed, kinds: kinds.to_vec() }
}

fn all_of(sheets: &[Sheet], form: Form) -> Vec<Made> {
    (0..20).flat_map(|seed| generate(sheets, &options(20, seed, &[form]))).collect()
}

#[test]
fn forms_have_names_that_are_read_back() {
    for form in Form::ALL {
        assert_eq!(form.name().parse(), Ok(form));
        assert_eq!(serde_json::to_value(form).unwrap(), form.name());
    }
    assert!("lookup".parse::<Form>().unwrap_err().contains("look-up"));
}

#[test]
fn sums_are_exact() {
    let made = all_of(&[shops()], Form::Sum);
    let answer = |part: &str| {
        let found: Vec<&Made> = made.iter().filter(|m| m.question.contains(part)).collect();
        let answers: HashSet<&String> = found.iter().flat_map(|m| &m.answers).collect();
        assert_eq!(answers.len(), 1, "{part}: {found:?}");
        answers.into_iter().next().unwrap().clone()
    };
    let sales = |m: &&Made| m.columns == ["Sales"];
    assert!(made.iter().filter(sales).all(|m| m.answers == ["1247.25"]) && made.iter().any(|m| sales(&m)));
    let made_for = |place: &str, column: &str| {
        let mut found = made.iter().filter(|m| m.question.contains(place) && m.columns[0] == column);
        found.next().map(|m| m.answers[0].clone())
    };
    assert_eq!(made_for("Oslo", "Sales").as_deref(), Some("1200.3"));
    assert_eq!(made_for("Bergen", "Sales"), None, "one value is no sum");
    assert_eq!(made_for("Bergen", "Staff Count").as_deref(), Some("9"));
    assert_eq!(answer("staff count of all shops"), "27");
}

#[test]
fn counts_are_right() {
    let made = all_of(&[shops()], Form::Count);
    assert!(made.iter().any(|m| m.question.contains("Oslo") && m.answers == ["2"]), "{made:?}");
    assert!(!made.iter().any(|m| m.question.contains("Tromsø")), "a single row is not counted");
    let bound = |m: &&Made| m.columns == ["Staff Count"] && m.question.contains('7');
    let bounds: HashSet<&String> = made.iter().filter(bound).flat_map(|m| &m.answers).collect();
    let right = ["1", "3"].map(str::to_owned);
    assert!(!bounds.is_empty() && bounds.iter().all(|n| right.contains(n)), "{bounds:?}");
}

#[test]
fn questions_are_written_as_plain_queries() {
    let made = generate(&[shops()], &options(5, 1, &[Form::LookUp]));
    let line = serde_json::to_value(&made[0]).unwrap();
    let keys: Vec<&String> = line.as_object().unwrap().keys().collect();
    let wanted =
        ["id", "form", "question", "relevant", "answers", "cells", "columns", "language", "paraphrase_of"];
    assert_eq!(keys, wanted);
    assert_eq!(
        (&line["id"], &line["form"], &line["language"]),
        (&"g1-1".into(), &"look-up".into(), &"en".into())
    );
    assert_eq!(line["cells"][0].as_array().unwrap().len(), 2);
    assert!(line["paraphrase_of"].is_null());
    let back: Made = serde_json::from_value(line).unwrap();
    assert_eq!(back.question, made[0].question);
}

#[test]
fn questions_are_spread_over_the_forms_and_the_same_for_the_same_seed() {
    let sheets = [shops(), cities()];
    let made = generate(&sheets, &options(6, 3, &[]));
    assert_eq!(made, generate(&sheets, &options(6, 3, &[])));
    assert_ne!(made, generate(&sheets, &options(6, 4, &[])));
    let forms: HashSet<Form> = made.iter().map(|m| m.form).collect();
    assert_eq!(forms.len(), 6, "{made:#?}");
    let ids: HashSet<&String> = made.iter().map(|m| &m.id).collect();
    assert_eq!(ids.len(), made.len());
}

#[test]
fn joins_span_two_tables() {
    let made = all_of(&[shops(), cities()], Form::Join);
    assert!(made.iter().all(|m| m.relevant == ["cities", "shops"] && m.columns[0] == "City"), "{made:#?}");
    let mayor = |m: &&Made| m.question.contains("Alpha") && m.columns[1] == "Mayor";
    assert!(made.iter().filter(mayor).all(|m| m.answers == ["Ann Lie"]) && made.iter().any(|m| mayor(&m)));
    let wordings: HashSet<&String> = made.iter().filter(mayor).map(|m| &m.question).collect();
    assert!(wordings.len() >= 3);
}

#[test]
fn chinese_tables_are_asked_about_in_chinese() {
    let columns = [
        ("项目名称", Kind::Text),
        ("区域", Kind::Text),
        ("成交均价", Kind::Decimal),
        ("成交套数", Kind::Integer),
    ];
    let rows: &[&[&str]] = &[
        &["天坛府", "东城区", "121668.63", "96"],
        &["紫金府", "东城区", "90000", "12"],
        &["望京里", "朝阳区", "80000.5", "8"],
    ];
    let made = all_of(&[sheet("a", "北京成交表", &columns, rows)], Form::Sum);
    assert!(
        made.iter().all(|m| m.language == Language::Zh && m.columns[0] == "成交套数"),
        "averages are not added"
    );
    assert!(made.iter().any(|m| m.question.contains("东城区") && m.answers == ["108"]));
    assert!(made.iter().all(|m| m.question.contains("项目") && !m.question.contains("项目名称")));
    let best = all_of(&[sheet("a", "北京成交表", &columns, rows)], Form::Superlative);
    assert!(best.iter().any(|m| m.question.contains("成交均价最高") && m.answers == ["天坛府"]), "{best:?}");
    assert!(best.iter().any(|m| m.question.contains("成交套数最多")));
    let two = [sheet("a", "一月", &columns, rows), sheet("b", "二月", &columns, rows)];
    let named = generate(&two, &options(8, 1, &[]));
    assert!(named.iter().all(|m| m.question.contains(if m.relevant[0] == "a" {
        "《一月》"
    } else {
        "《二月》"
    })));
}

#[test]
fn tables_with_the_same_columns_are_named_and_left_out_where_they_cannot_be() {
    let mut other = shops();
    (other.id, other.name) = ("other".into(), "other.csv".into());
    let made = generate(&[shops(), other.clone()], &options(8, 1, &[]));
    assert!(!made.is_empty() && made.iter().all(|m| m.question.contains(&format!("{}.csv", m.relevant[0]))));
    other.title = "Shops of 2022".into();
    let made = generate(&[shops(), other.clone()], &options(8, 1, &[]));
    assert!(made.iter().all(|m| m.question.contains(if m.relevant[0] == "other" { "2022" } else { "2021" })));
    (other.title, other.name) = (shops().title, shops().name);
    assert_eq!(generate(&[shops(), other], &options(8, 1, &[])), []);
    let alone = all_of(&[shops()], Form::Superlative);
    assert!(alone.iter().all(|m| !m.question.contains("Shops of 2021")), "one table need not be named");
}

#[test]
fn tables_with_nothing_to_ask_give_nothing() {
    let columns = [("Shop", Kind::Text), ("Sales", Kind::Integer)];
    let empty = [
        Sheet::default(),
        sheet("a", "t", &columns, &[]),
        sheet("b", "t", &[], &[&["x"]]),
        sheet("c", "t", &columns, &[&[], &["", ""]]),
        sheet("d", "t", &[("", Kind::Text), ("?", Kind::Integer)], &[&["a", "1"], &["b", "2"]]),
    ];
    for one in &empty {
        assert_eq!(generate(std::slice::from_ref(one), &options(9, 1, &[])), []);
    }
    assert_eq!(generate(&empty, &options(9, 1, &[])), []);
    assert_eq!(generate(&[], &options(9, 1, &[])), []);
    assert_eq!(generate(&[shops()], &options(0, 1, &[])), []);
}

#[test]
fn hostile_values_are_neither_asked_about_nor_answers() {
    let long = "x".repeat(10_000);
    let columns = [
        ("Thing", Kind::Text),
        ("Size", Kind::Decimal),
        ("Share", Kind::Decimal),
        ("Seen", Kind::Date),
        ("Note", Kind::Text),
    ];
    let rows: &[&[&str]] = &[
        &["say \"hi\"", "1,200", "12 %", "2021-01-05", "a|b"],
        &["a | b", "-7.5", "5 %", "2020-03-01", &long],
        &["line\nbreak", "NaN", "0.5 %", "2019-12-31", "two\r\nlines"],
        &[&long, "3", "99 %", "2021-01-06", "`rm`"],
        &["{{question}}", "4", "1 %", "2018-01-01", "n/a"],
        &["Plain Thing", "2", "7 %", "2017-05-05", "fine"],
        &["Other Thing", "1", "8 %", "2016-05-05", "fine"],
        &["Total", "1", "8 %", "2015-05-05", "fine"],
    ];
    let table = sheet("a", "Things <b>|`", &columns, rows);
    for form in Form::ALL {
        for made in all_of(&[table.clone(), cities()], form) {
            let said = format!("{} {}", made.question, made.answers.concat());
            assert!(said.chars().count() < 400 && !said.contains(['\n', '\r', '`', '{']), "{made:?}");
            assert!(!made.question.contains(['|', '<']), "{made:?}");
        }
    }
    let clean = sheet("a", "Things", &columns, &[rows[0], rows[1], rows[3], rows[5], rows[6]]);
    let sums = all_of(std::slice::from_ref(&clean), Form::Sum);
    assert!(sums.iter().any(|m| m.columns == ["Size"] && m.answers == ["1198.5"]), "{sums:?}");
    assert!(sums.iter().all(|m| m.columns[0] == "Size"), "shares and dates are not added");
    let pairs = all_of(&[clean], Form::Comparison);
    assert!(pairs.iter().all(|m| m.question.contains("Plain Thing") && m.question.contains("Other Thing")));
    let first = |column: &str, word: &str| {
        let mut found = pairs.iter().filter(|m| m.columns[1] == column && m.question.contains(word));
        found.next().map(|m| m.answers[0].clone())
    };
    assert_eq!(first("Share", "lower").as_deref(), Some("Plain Thing"));
    assert_eq!(first("Seen", "earlier").as_deref(), Some("Other Thing"));
}

#[test]
fn codes_and_years_are_not_added_up() {
    let columns =
        [("Film", Kind::Text), ("Year", Kind::Integer), ("ID", Kind::Integer), ("No.", Kind::Integer)];
    let rows: &[&[&str]] = &[
        &["Alpha Film", "1999", "17", "1"],
        &["Beta Film", "1999", "23", "2"],
        &["Gamma Film", "2001", "5", "3"],
    ];
    let table = [sheet("a", "Films", &columns, rows)];
    assert_eq!(all_of(&table, Form::Sum), []);
    let best = all_of(&table, Form::Superlative);
    assert!(
        !best.is_empty()
            && best.iter().all(|m| m.answers == ["Gamma Film"] && m.question.contains("latest year"))
    );
    assert!(all_of(&table, Form::Count).iter().any(|m| m.question.contains("1999") && m.answers == ["2"]));
}

#[test]
fn units_that_a_column_does_not_show_are_said() {
    let mut table = shops();
    table.columns[2].unit = Some("USD".into());
    let made = all_of(&[table], Form::Sum);
    let sales = |m: &&Made| m.columns[0] == "Sales";
    assert!(made.iter().filter(sales).all(|m| m.question.contains("(in USD)")));
    assert!(made.iter().filter(|m| !sales(m)).all(|m| !m.question.contains("USD")));
}

/// A small table with many ties, gaps and values that are parts of others.
fn muddle(random: &mut Random, id: usize) -> Sheet {
    let names = [
        "Ada",
        "Ada Byron",
        "Bob",
        "bob",
        "Cy",
        "Dee",
        "Eve",
        "Flo",
        "",
        "Gus",
        "Hal",
        "Ida",
        "Jo Total",
        "Kim",
    ];
    let towns = ["Rome", "Rome", "Bari", "Old Rome", "", "-", "Pisa"];
    let sizes = ["1", "2", "2.0", "3", "1,000", "-4", "", "0.5"];
    let days = ["2020-01-01", "2020-01-02", "1 Jan 2020", "", "2021-05-05"];
    let rows = 1 + random.below(9);
    let columns =
        [("Person", Kind::Text), ("Town", Kind::Text), ("Size", Kind::Decimal), ("Day", Kind::Date)];
    let cells: Vec<[&str; 4]> = (0..rows)
        .map(|_| {
            let mut one = |all: &[&'static str]| all[random.below(all.len())];
            [one(&names), one(&towns), one(&sizes), one(&days)]
        })
        .collect();
    let rows: Vec<&[&str]> = cells.iter().map(|row| &row[..]).collect();
    sheet(&id.to_string(), "Muddle", &columns, &rows)
}

/// A number or a day, read in another way than by what is tested.
fn plain_value(text: &str) -> Option<f64> {
    let day = tabletalk_core::value::date(text).map(f64::from);
    day.or_else(|| text.replace(',', "").parse().ok())
}

#[test]
fn every_question_has_exactly_one_answer() {
    let mut random = Random::new(5, "muddle");
    let mut asked = HashMap::new();
    for id in 0..3000 {
        let table = muddle(&mut random, id);
        let view = View::of(&table);
        for form in [Form::LookUp, Form::Count, Form::Sum, Form::Comparison, Form::Superlative] {
            if let Some((ask, right)) = draw(&view, form, &mut random) {
                *asked.entry(form).or_insert(0) += 1;
                let answers = brute(&table, &ask);
                assert_eq!(answers.len(), 1, "{ask:?} {right:?} {:?}", table.rows);
                let same =
                    answers[0] == right.answer || plain_value(&answers[0]) == plain_value(&right.answer);
                assert!(same, "{ask:?} {right:?} {answers:?} {:?}", table.rows);
            }
        }
    }
    assert!(asked.len() == 5 && asked.values().all(|n| *n > 100), "{asked:?}");
}

/// All answers that a question could be given by someone who looks at every row.
fn brute(table: &Sheet, ask: &Ask) -> Vec<String> {
    let cell = |row: usize, col: usize| table.rows[row][col].as_str();
    let number = |row: usize, col: usize| plain_value(cell(row, col));
    let all = || 0..table.rows.len();
    // A name may be meant by anyone who writes part of it, in any case.
    let meant = |row: usize, col: usize| -> Vec<usize> {
        let wanted = folded(cell(row, col));
        all().filter(|other| holds(&folded(cell(*other, col)), &wanted)).collect()
    };
    let passes = |test: Option<Test>| -> Vec<usize> {
        match test {
            None => all().collect(),
            Some(Test::Is { row, col }) => meant(row, col),
            Some(Test::Above { row, col }) => all().filter(|r| number(*r, col) > number(row, col)).collect(),
            Some(Test::Below { row, col }) => {
                all().filter(|r| number(*r, col).is_some() && number(*r, col) < number(row, col)).collect()
            }
        }
    };
    match *ask {
        Ask::Cell { key, row, col } => meant(row, key).iter().map(|r| cell(*r, col).to_owned()).collect(),
        Ask::Count { test } => vec![passes(Some(test)).len().to_string()],
        Ask::Sum { col, test } => {
            let sum: f64 = passes(test).iter().filter_map(|row| number(*row, col)).sum();
            vec![sum.to_string()]
        }
        Ask::Compare { key, rows: [a, b], col, high } => {
            let (a, b) = (meant(a, key), meant(b, key));
            let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b)));
            let more = |a, b| (number(a, col) > number(b, col)) == high;
            pairs
                .filter(|(a, b)| number(*a, col) != number(*b, col))
                .map(|(a, b)| cell(if more(a, b) { a } else { b }, key).to_owned())
                .collect()
        }
        Ask::Gap { rows: [a, b], col, key } => {
            assert_eq!((meant(a, key), meant(b, key)), (vec![a], vec![b]));
            vec![(number(a, col).unwrap() - number(b, col).unwrap()).to_string()]
        }
        Ask::Best { key, col, high, test } => {
            let rows: Vec<usize> =
                passes(test).into_iter().filter(|row| number(*row, col).is_some()).collect();
            let beaten = |row: usize, other: &usize| match high {
                true => number(*other, col) > number(row, col),
                false => number(*other, col) < number(row, col),
            };
            let best = rows.iter().filter(|row| !rows.iter().any(|other| beaten(**row, other)));
            best.map(|row| cell(*row, key).to_owned()).collect()
        }
    }
}

#[test]
fn every_join_leads_to_exactly_one_row() {
    let mut random = Random::new(6, "joins");
    let towns = ["Rome", "Bari", "Pisa", "Old Rome", "Turin"];
    let mut drawn = 0;
    for id in 0..500 {
        let width = 2 + random.below(4);
        let from = muddle(&mut random, id);
        let rows: Vec<[String; 2]> = towns
            .iter()
            .take(width)
            .map(|t| [(*t).to_owned(), format!("Mayor {}", random.below(9))])
            .collect();
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
        let to = sheet("towns", "Towns", &[("Town", Kind::Text), ("Mayor", Kind::Text)], &rows);
        let sheets = [from, to];
        let views: Vec<View<'_>> = sheets.iter().map(View::of).collect();
        let Some(join) = Links::of(&views).draw(&views, 0, &mut random) else { continue };
        drawn += 1;
        let (row, col) = join.by.cell();
        let meant: Vec<&Vec<String>> = match join.by {
            By::Best { high, .. } => {
                let value = |r: &Vec<String>| plain_value(&r[col]);
                let filled = || sheets[0].rows.iter().filter(|r| value(r).is_some());
                let beaten = |r: &&Vec<String>| {
                    filled().any(|o| if high { value(o) > value(r) } else { value(o) < value(r) })
                };
                filled().filter(|r| !beaten(r)).collect()
            }
            _ => sheets[0]
                .rows
                .iter()
                .filter(|r| holds(&folded(&r[col]), &folded(&sheets[0].rows[row][col])))
                .collect(),
        };
        assert_eq!(meant.len(), 1, "{:?}", sheets[0].rows);
        let found: Vec<&Vec<String>> =
            sheets[1].rows.iter().filter(|r| r[0] == meant[0][join.foreign]).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0][join.wanted], join.to.text(join.row, join.wanted));
    }
    assert!(drawn > 20, "{drawn}");
}

#[test]
fn no_question_gives_its_answer_away() {
    for form in [Form::LookUp, Form::Count, Form::Sum, Form::Superlative, Form::Join] {
        for made in all_of(&[shops(), cities()], form) {
            assert!(!holds(&folded(&made.question), &folded(&made.answers[0])), "{made:?}");
        }
    }
}

#[test]
fn every_form_has_several_wordings() {
    for form in Form::ALL {
        let made = all_of(&[shops(), cities()], form);
        let starts: HashSet<String> =
            made.iter().map(|m| m.question.split(' ').take(4).collect::<Vec<_>>().join(" ")).collect();
        assert!(starts.len() >= 3, "{form:?} {starts:?}");
    }
}

fn look_up() -> Made {
    Made {
        id: "g1-4".into(),
        form: Form::LookUp,
        question: "What are the sales of Alpha in Shops of 2021?".into(),
        relevant: vec!["shops".into()],
        answers: vec!["1,200.10".into()],
        cells: vec![(0, 0), (0, 2)],
        columns: vec!["Shop".into(), "Sales".into()],
        language: Language::En,
        paraphrase_of: None,
        literals: vec!["Alpha".into(), "Shops of 2021".into()],
    }
}

#[test]
fn a_paraphrase_that_keeps_all_is_taken() {
    let one = accept(&look_up(), " \"How much did Alpha sell, going by Shops of 2021?\"\n").unwrap();
    assert_eq!(one.question, "How much did Alpha sell, going by Shops of 2021?");
    assert_eq!((one.id.as_str(), one.paraphrase_of.as_deref()), ("g1-4-p", Some("g1-4")));
    assert_eq!((one.answers, one.cells), (look_up().answers, look_up().cells));
}

#[test]
fn a_paraphrase_that_loses_or_tells_something_is_not_taken() {
    let long = format!("{} Alpha Shops of 2021", "very ".repeat(40));
    for reply in [
        "",
        "what are the sales of Alpha in Shops of 2021",
        "How much did Beta sell in Shops of 2021?",
        "How much did Alphabet sell in Shops of 2021?",
        "How much did Alpha sell in Shops of 20211?",
        "How much did Alpha sell?",
        "Alpha sold 1,200.10 in Shops of 2021, right?",
        "Did Alpha sell 1200.10 in Shops of 2021?",
        "Here it is:\nHow much did Alpha sell in Shops of 2021?",
        "Alpha Shops of 2021 的销售额到底一共是多少呢请告诉我一下谢谢",
        &long,
    ] {
        assert_eq!(accept(&look_up(), reply), None, "{reply}");
    }
}

#[test]
fn quoted_values_and_numbers_stay_even_where_they_are_not_listed() {
    let question = "How many shops have \"small town\" as their city and over 1,200 sales?";
    let read =
        Made { literals: Vec::new(), question: question.into(), answers: vec!["3".into()], ..look_up() };
    assert!(accept(&read, "Count the shops in \"small town\" with more than 1200 sales.").is_some());
    assert!(accept(&read, "Count the shops in a little town with more than 1200 sales.").is_none());
    assert!(accept(&read, "Count the shops in \"small town\" with more than 120 sales.").is_none());
    assert!(accept(&read, "Are there 3 shops in \"small town\" with more than 1200 sales?").is_none());
}

#[test]
fn a_comparison_may_name_its_answer() {
    let question = "Which has the higher sales, Alpha or Beta?";
    let pair = Made {
        form: Form::Comparison,
        question: question.into(),
        answers: vec!["Alpha".into()],
        literals: vec!["Alpha".into(), "Beta".into()],
        ..look_up()
    };
    assert!(accept(&pair, "Who sold more, Beta or Alpha?").is_some());
}

#[test]
fn prompts_hold_the_question_on_one_line() {
    let english = paraphrase_prompt("What is\nthe size?", Language::En);
    assert!(english.ends_with("\n\nQuestion: What is the size?"));
    let chinese = paraphrase_prompt("面积是多少？", Language::Zh);
    assert!(chinese.ends_with("问题：面积是多少？") && !chinese.contains("Question"));
    let zh = Made {
        language: Language::Zh,
        question: "天坛府的成交套数是多少？".into(),
        answers: vec!["96".into()],
        literals: vec!["天坛府".into()],
        ..look_up()
    };
    assert!(accept(&zh, "天坛府一共成交了多少套？").is_some());
    assert!(accept(&zh, "天坛府成交了96套吗？").is_none());
    assert!(accept(&zh, "How many units of Tiantan?").is_none());
}
