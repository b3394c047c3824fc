//! Questions as people type them, over tables as people write them: each rule of the grammar with a table that needs it.

use super::grid;
use crate::*;
use tabletalk_core::Result;

/// The values of the likeliest reading, if it is sure enough to be given.
fn asked(relation: &str, grid: &Grid, question: &str) -> Vec<String> {
    let subject = Subject { relation, title: "", grid };
    let best = read(question, &subject, None).into_iter().next().filter(|r| r.probability >= SURE);
    best.map_or(Vec::new(), |r| denote::normals(&r.answer.values))
}

fn check(relation: &str, grid: &Grid, cases: &[(&str, &[&str])]) {
    let differs = |(question, expected): &&(&str, &[&str])| {
        asked(relation, grid, question) != denote::normals(expected)
    };
    let told = |(question, _): &(&str, &[&str])| format!("{question}: {:?}", asked(relation, grid, question));
    let wrong: Vec<String> = cases.iter().filter(differs).map(told).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn singers() -> Grid {
    grid(&[
        &["Name", "Voice", "Joined", "Paid? (Y/N)", "Reh. attended", "Fee (£)"],
        &["Ida Holm", "Alto", "2019-03-01", "Y", "31", "60"],
        &["Per Lind", "Bass", "2021-09-12", "N", "28", "60"],
        &["Uma Dahl", "Alto", "2022-01-20", "N", "12", "30"],
        &["Max Berg", "Bass", "2018-05-05", "Y", "35", "60"],
        &["Eva Moen", "Alto", "2023-02-14", "Y", "22", "30"],
        &["Jon Vik", "Tenor", "2020-10-01", "Y", "30", "60"],
    ])
}

#[test]
fn values_after_which_are_rows_and_short_headers_are_words() {
    check(
        "choir",
        &singers(),
        &[
            ("which basses havent paid yet?", &["Per Lind"]),
            ("which altos joined since 2022?", &["Uma Dahl", "Eva Moen"]),
            ("average rehearsals attended by voice", &["Alto: 21.666667", "Bass: 31.5", "Tenor: 30"]),
            ("altos who paid", &["Ida Holm", "Eva Moen"]),
        ],
    );
}

fn eggs() -> Grid {
    grid(&[
        &["House", "Jan", "Feb", "Mar", "Apr", "Total"],
        &["Top barn", "792", "805", "879", "1014", "3490"],
        &["Old dairy", "2076", "1520", "1583", "2483", "7662"],
        &["Long shed", "1790", "2176", "1897", "2420", "8283"],
    ])
}

#[test]
fn verbs_of_tables_of_months_say_what_was_counted() {
    check(
        "eggs",
        &eggs(),
        &[
            ("how many eggs did the Long shed lay in April?", &["2420"]),
            ("how many more eggs did Old dairy lay than Top barn over the whole year?", &["4172"]),
            (
                "eggs per house for February to March",
                &["Long shed: 4073", "Old dairy: 3103", "Top barn: 1684"],
            ),
        ],
    );
}

#[test]
fn numbers_before_columns_are_sizes_and_after_nouns_are_limits() {
    let flats = grid(&[
        &["Flat", "Beds", "Rent"],
        &["A1", "2", "850"],
        &["A2", "1", "695"],
        &["B1", "3", "1200"],
        &["B2", "2", "810"],
    ]);
    check(
        "flats",
        &flats,
        &[
            ("average rent of the two-bed flats", &["830"]),
            ("how many flats have 2 beds or more?", &["3"]),
            ("how many flats have 4 beds?", &[]),
        ],
    );
}

#[test]
fn rows_are_counted_where_a_bound_is_on_their_number() {
    let mut rows: Vec<Vec<String>> =
        vec![["Ref", "Reported", "Ward", "Fixed on", "Cost"].map(String::from).to_vec()];
    for i in 0..12 {
        let ward = ["Abbey", "Abbey", "Castle"][i % 3];
        let fixed = if i % 4 == 0 { String::new() } else { format!("2024-03-{:02}", i + 10) };
        rows.push(vec![
            format!("7001{i:02}"),
            format!("2024-02-{:02}", i + 1),
            ward.into(),
            fixed,
            format!("{}", 40 + i * 9),
        ]);
    }
    let rows: Vec<Vec<&str>> = rows.iter().map(|r| r.iter().map(String::as_str).collect()).collect();
    let potholes = grid(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
    check(
        "potholes",
        &potholes,
        &[
            ("wards with more than 5 reports", &["Abbey"]),
            ("how many potholes reported in 2024 have not been fixed?", &["3"]),
            ("what is the total of Ref?", &[]),
        ],
    );
}

#[test]
fn chinese_times_stand_before_what_bounds_them_and_units_are_no_numbers() {
    let projects = grid(&[
        &["课题名称", "来源", "立项年", "总经费", "状态"],
        &["城市热岛", "企业委托", "2024", "69", "在研"],
        &["水稻抗逆", "国家基金", "2022", "50", "结题"],
        &["老年步态", "国家基金", "2024", "125", "在研"],
        &["方言语音", "省科技厅", "2023", "40", "在研"],
    ]);
    check(
        "课题",
        &projects,
        &[
            ("2024年以来立项的课题有哪些", &["城市热岛", "老年步态"]),
            ("每个来源的总经费(万元)", &["企业委托: 69", "国家基金: 175", "省科技厅: 40"]),
        ],
    );
}

#[test]
fn allowed_is_no_month_and_one_of_several_words_is_no_article() -> Result<()> {
    let plans = grid(&[
        &["Company", "Users", "Issued"],
        &["Yellow", "15", "2024-05-02"],
        &["Green", "20", "2024-06-03"],
        &["Red", "30", "2024-05-09"],
    ]);
    check("plans", &plans, &[("how many users may Yellow have", &["15"])]);
    let subject = Subject { relation: "plans", title: "", grid: &plans };
    let said = |text: &str| judge(text, &subject).filter(|v| v.probability >= 0.8).and_then(|v| v.supported);
    assert_eq!(said("Yellow has 15 users."), Some(true));
    assert_eq!(said("Red was issued before Green."), Some(true));
    assert_eq!(said("Green was issued before Red."), Some(false));
    Ok(())
}

#[test]
fn what_is_not_all_of_the_rows_is_not_answered_for_all_of_them() {
    let season = grid(&[
        &["Date", "Opponent", "Home/Away", "Goals for", "Goals against", "Spectators"],
        &["2023-09-09", "Ashford", "H", "3", "1", "142"],
        &["2023-09-16", "Millbrook", "A", "0", "0", "88"],
        &["2023-09-30", "Portway", "H", "2", "4", "120"],
        &["2023-10-07", "Dunmore", "A", "1", "0", "210"],
    ]);
    let silent: &[(&str, &[&str])] = &[
        ("Which opponents did we lose to at home?", &[]),
        ("Average number of spectators at home games", &[]),
    ];
    check("season", &season, silent);
    let tasks = grid(&[
        &["Task", "Owner", "Priority", "Done"],
        &["Logo", "Ines", "High", "yes"],
        &["Texts", "Ines", "High", "no"],
        &["Photos", "Paul", "Low", "no"],
    ]);
    let subject = Subject { relation: "tasks", title: "", grid: &tasks };
    let said = |text: &str| judge(text, &subject).filter(|v| v.probability >= 0.8).and_then(|v| v.supported);
    assert_ne!(said("All tasks owned by Ines are high priority."), Some(false));
}

#[test]
fn days_share_a_month_and_measures_need_not_be_in_a_name() {
    let hours = grid(&[
        &["Date", "Who", "Hours"],
        &["2024-06-07", "Nadia", "4"],
        &["2024-06-11", "Beth", "1.5"],
        &["2024-06-14", "Nadia", "3"],
        &["2024-06-18", "Beth", "8"],
    ]);
    check("hours", &hours, &[("How many hours were logged between 10 and 14 June 2024?", &["4.5"])]);
    let repairs = grid(&[
        &["Auftrag", "Kunde", "Stunden", "Material (€)", "Rechnung (€)"],
        &["311", "Lotte Brandt", "1,5", "24,90", "99,00"],
        &["312", "Jan Petersen", "0,5", "81,50", "120,00"],
        &["313", "Oskar Lenz", "2", "7,00", "95,00"],
    ]);
    check("repairs", &repairs, &[("Welcher Auftrag hatte die höchsten Materialkosten?", &["312"])]);
    let fuel = grid(&[
        &["Date", "Litres", "€/litre", "Paid (€)", "Station"],
        &["2023-11-06", "29.43", "1.684", "49.56", "Circle K"],
        &["2024-01-15", "25.53", "1.755", "44.81", "Maxol"],
        &["2024-02-20", "31.10", "1.701", "52.90", "Maxol"],
    ]);
    check("fuel", &fuel, &[("How much did I spend on fuel in 2024?", &["97.71"])]);
}

#[test]
fn what_something_cost_is_not_what_it_is_sold_for() {
    let stock = grid(&[
        &["SKU", "Article", "In stock", "Unit cost ($)"],
        &["EL-410", "Smoke alarm", "5", "16"],
        &["EL-411", "Torch", "12", "9.5"],
        &["HW-100", "Hammer", "7", "21.3"],
    ]);
    check(
        "stock",
        &stock,
        &[
            ("What is the unit cost of the smoke alarm?", &["16"]),
            ("What is the selling price of the smoke alarm?", &[]),
            ("What is the total value of the stock at unit cost?", &[]),
        ],
    );
}

#[test]
fn days_of_sales_are_no_weekdays_and_a_year_that_is_the_only_one_need_not_be_said() {
    let takings = grid(&[
        &["Date", "Day", "Takings (£)", "Weather"],
        &["2024-05-01", "Wednesday", "412.5", "Sun"],
        &["2024-05-03", "Friday", "720", "Rain"],
        &["2024-05-08", "Wednesday", "705", "Sun"],
        &["2024-05-10", "Friday", "801.25", "Sun"],
    ]);
    let cases: &[(&str, &[&str])] = &[("What were the total takings between 3 and 9 May?", &["1425"])];
    check("takings", &takings, cases);
    assert_ne!(asked("takings", &takings, "On how many days did we take more than £700?"), ["2"]);
    let books = grid(&[
        &["Month", "Title", "Our rating"],
        &["2024-01-10", "Foster", "4.7"],
        &["2024-02-07", "Galatea", ""],
        &["2024-03-13", "Piranesi", "4.1"],
    ]);
    check("books", &books, &[("Which books have no rating yet?", &["Galatea"])]);
}

fn runners() -> Grid {
    grid(&[
        &["Bib", "Runner", "Club", "Time"],
        &["11", "Ida Holm", "Fjord", "42:10"],
        &["12", "Per Lind", "Fjord", "58:04"],
        &["13", "Uma Dahl", "Skog", "1:02:33"],
        &["14", "Max Berg", "Skog", "39:48"],
    ])
}

#[test]
fn times_with_colons_are_reckoned_in_sql_and_written_as_they_stand() {
    let grid = runners();
    let subject = Subject { relation: "race", title: "", grid: &grid };
    let sql = |ask: Ask| Program { rows: Rows::default(), ask }.sql(&subject);
    let average = sql(Ask::Fold(Fold::Average, 3));
    assert!(average.contains(r#"avg(CASE WHEN split_part("Time", ':', 3) = ''"#), "{average}");
    assert!(
        average.contains("lpad(") && average.contains("< 3600 THEN"),
        "under an hour in two parts: {average}"
    );
    let plain = sql(Ask::Fold(Fold::Average, 0));
    assert!(!plain.contains("split_part"), "{plain}");
}

fn buses() -> Grid {
    grid(&[
        &["Line", "Destination", "Departure", "Platform"],
        &["A1", "Harbour", "06:45", "2"],
        &["A2", "Airport", "09:30", "1"],
        &["B4", "Harbour", "14:05", "3"],
        &["B7", "Market", "18:20", "2"],
    ])
}

#[test]
fn times_with_colons_are_compared_and_reckoned() {
    check(
        "race",
        &runners(),
        &[
            ("who was the fastest?", &["Max Berg"]),
            ("who was the slowest runner?", &["Uma Dahl"]),
            ("what was the average time of Skog?", &["51:11"]),
            ("what was the best time?", &["39:48"]),
        ],
    );
    check(
        "buses",
        &buses(),
        &[
            ("how many buses are there after 9:00?", &["3"]),
            ("which destination has the earliest departure?", &["Harbour"]),
            ("which lines have a departure before 7 am?", &["A1"]),
        ],
    );
}

fn deliveries() -> Grid {
    grid(&[
        &["Auftrag", "Kunde", "Annahmetag", "Lieferdatum", "Preis (€)"],
        &["17", "Kern", "2023-11-04", "2024-03-02", "120"],
        &["18", "Vogt", "2024-01-15", "2024-03-20", "80"],
        &["19", "Kern", "2024-03-01", "2024-04-11", "210"],
        &["20", "Lang", "2024-03-09", "2024-05-02", "95"],
    ])
}

#[test]
fn verbs_tell_which_of_two_days_is_meant() {
    check(
        "aufträge",
        &deliveries(),
        &[
            ("Wie viele Aufträge wurden im März 2024 angenommen?", &["2"]),
            ("Wie viele Aufträge wurden im März 2024 geliefert?", &["2"]),
            ("Wie viele Aufträge wurden 2024 oder später angenommen?", &["3"]),
        ],
    );
}

fn takings() -> Grid {
    grid(&[
        &["Shop", "Month", "Visitors", "Revenue"],
        &["North", "March", "40", "900"],
        &["North", "April", "75", "700"],
        &["South", "March", "60", "650"],
        &["South", "April", "50", "800"],
    ])
}

#[test]
fn what_is_said_beside_two_things_holds_for_both() {
    check("takings", &takings(), &[("how much more revenue did North have than South in March?", &["250"])]);
    let grid = takings();
    let subject = Subject { relation: "takings", title: "", grid: &grid };
    let supported =
        |text: &str| judge(text, &subject).filter(|v| v.probability >= 0.8).and_then(|v| v.supported);
    assert_eq!(supported("North had more revenue than South in March"), Some(true));
    assert_eq!(supported("North had more revenue than South in April"), Some(false));
    assert_eq!(supported("The average revenue of North was higher than that of South"), Some(true));
}

fn tickets() -> Grid {
    grid(&[
        &["Ticket", "Agent", "Priority", "Status", "Hours"],
        &["T-1", "Ann", "high", "open", "3"],
        &["T-2", "Ann", "high", "open", "5"],
        &["T-3", "Bob", "low", "closed", "1"],
        &["T-4", "Bob", "high", "closed", "8"],
        &["T-5", "Cid", "low", "closed", "2"],
        &["T-6", "Cid", "low", "open", "4"],
    ])
}

#[test]
fn statements_speak_of_all_of_most_or_of_none() {
    let grid = tickets();
    let subject = Subject { relation: "tickets", title: "Tickets", grid: &grid };
    let supported =
        |text: &str| judge(text, &subject).filter(|v| v.probability >= 0.8).and_then(|v| v.supported);
    let cases = [
        ("All open tickets are high priority", Some(false)),
        ("All tickets of Ann are open", Some(true)),
        ("Not all tickets are open", Some(true)),
        ("Every ticket is closed", Some(false)),
        ("No ticket took more than 8 hours", Some(true)),
        ("None of the low priority tickets is from Ann", Some(true)),
        ("Most tickets are closed", Some(false)),
        ("Most open tickets are high priority", Some(true)),
        ("Half of the closed tickets are from Bob", Some(false)),
        ("All tickets took less than 9 hours", Some(true)),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(text, holds)| supported(text) != *holds)
        .map(|(text, _)| format!("{text}: {:?}", judge(text, &subject)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_said_in_a_unit_is_not_held_against_another() {
    check(
        "tickets",
        &tickets(),
        &[
            ("how many tickets took more than 4 hours?", &["2"]),
            ("how many tickets are over $4?", &[]),
            ("how many tickets weigh more than 4 kg?", &[]),
        ],
    );
}

fn stall() -> Grid {
    grid(&[
        &["Date", "Item", "Takings (€)"],
        &["2024-05-01", "Honey", "60"],
        &["2024-05-01", "Bread", "50"],
        &["2024-05-08", "Honey", "90"],
        &["2024-05-08", "Bread", "10"],
    ])
}

#[test]
fn the_most_of_a_day_is_all_of_it() {
    check(
        "stall",
        &stall(),
        &[
            ("on which day did we take the most?", &["2024-05-01"]),
            ("on which day were the average takings lowest?", &["2024-05-08"]),
            ("when were the largest takings?", &["2024-05-08"]),
        ],
    );
}

fn loans() -> Grid {
    grid(&[
        &["Tool", "Borrower", "Due", "Returned", "Fine"],
        &["Drill", "Ann", "2024-03-04", "2024-03-02", "0"],
        &["Saw", "Bob", "2024-03-05", "2024-03-09", "2"],
        &["Ladder", "Ann", "2024-03-07", "2024-03-08", "1"],
        &["Sander", "Cid", "2024-03-11", "2024-03-11", "0"],
    ])
}

#[test]
fn what_came_after_the_day_it_was_due_is_late() {
    check(
        "loans",
        &loans(),
        &[
            ("how many tools were returned late?", &["2"]),
            ("how many tools were returned later than due?", &["2"]),
            ("which tools did Ann return late?", &["Ladder"]),
        ],
    );
}

fn fuel() -> Grid {
    grid(&[
        &["Date", "Station", "Gallons", "Price per gallon ($)", "Total paid ($)"],
        &["2024-01-03", "Shell", "11.2", "3.50", "39.20"],
        &["2024-01-19", "Costco", "14.8", "3.25", "48.10"],
        &["2024-02-02", "Shell", "15.1", "3.60", "54.36"],
        &["2024-02-20", "Exxon", "9.9", "3.70", "36.63"],
    ])
}

#[test]
fn numbers_far_beyond_a_column_are_not_held_against_it() {
    let grid = fuel();
    check(
        "fuel",
        &grid,
        &[
            ("where did I get the cheapest price per gallon?", &["Costco"]),
            ("total paid from January 19 to February 2?", &["102.46"]),
        ],
    );
    let subject = Subject { relation: "fuel", title: "", grid: &grid };
    let given = |text: &str| judge(text, &subject).filter(|v| v.probability >= 0.8).and_then(|v| v.supported);
    assert_ne!(given("No purchase ever cost more than $50."), Some(true));
    assert_ne!(given("Together they came to $178."), Some(false));
}

fn donors() -> Grid {
    grid(&[
        &["Spender", "Blutgruppe", "Ort", "Menge (ml)"],
        &["Ines Wolter", "0+", "Celle", "500"],
        &["Karl Kern", "0-", "Celle", "480"],
        &["Ines Wolter", "0+", "Celle", "500"],
        &["Lena Huber", "A+", "Uelzen", "500"],
    ])
}

#[test]
fn signs_tell_values_apart_and_what_is_given_is_nobody() {
    check(
        "blutspenden",
        &donors(),
        &[
            ("Wie viele Spenden gab es in Celle?", &["3"]),
            ("Wie viele Spenden haben die Blutgruppe 0+?", &["2"]),
        ],
    );
}
