use super::*;
use std::collections::HashSet;

fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    Analyzer::default().tokens(text, &mut out);
    out.into_iter().map(|t| t.text).collect()
}

fn value(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    Analyzer::default().value_tokens(text, &mut out);
    out.into_iter().map(|t| t.text).collect()
}

fn query(text: &str) -> Vec<String> {
    Analyzer::default().query(text).into_iter().map(|t| t.text).collect()
}

/// Whether what the query says about the value as a whole is a term of the cell.
fn matches(asked: &str, cell: &str) -> bool {
    let cell: HashSet<String> = value(cell).into_iter().collect();
    Analyzer::default().query(asked).iter().any(|t| t.weight == 1.0 && cell.contains(&t.text))
}

#[test]
fn cuts_english_into_stems() {
    assert_eq!(words("The Companies' running costs"), ["the", "compani", "run", "cost"]);
    assert_eq!(words("unit_price, Q1/A4 2nd"), ["unit", "price", "q1", "a4", "2nd"]);
}

#[test]
fn drops_apostrophes_and_possessives() {
    assert_eq!(
        words("Piotr's O'Brien don’t 'quoted' players'"),
        ["piotr", "obrien", "dont", "quot", "player"]
    );
}

#[test]
fn folds_diacritics_and_full_width() {
    assert_eq!(words("Café ＱＡ１ São Tomé"), ["cafe", "qa1", "sao", "tome"]);
    assert_eq!(words("China² Москва"), ["china", "москва"]);
}

#[test]
fn cuts_chinese_with_the_shorter_words_inside() {
    assert_eq!(words("有限公司"), ["有限", "公司", "有限公司"]);
    assert_eq!(words("營業收入"), words("营业收入"));
}

#[test]
fn cuts_mixed_text_by_run() {
    assert_eq!(words("2023年Q1营收"), ["2023", "年", "q1", "营收"]);
    assert_eq!(words("iPhone手机 5G"), ["iphon", "手机", "5g"]);
}

#[test]
fn cuts_kana_and_hangul_into_pairs() {
    assert_eq!(words("カタカナ"), ["カタ", "タカ", "カナ"]);
    assert_eq!(words("서울시 한"), ["서울", "울시", "한"]);
}

#[test]
fn follows_the_language_of_the_config() {
    let cut = |language, text: &str| {
        let mut out = Vec::new();
        Analyzer::new(language, &Texts::default()).unwrap().tokens(text, &mut out);
        out.into_iter().map(|t| t.text).collect::<Vec<_>>()
    };
    assert_eq!(cut(Language::Chinese, "companies"), ["companies"]);
    assert_eq!(cut(Language::English, "有限公司"), ["有限", "限公", "公司"]);
}

#[test]
fn writes_numbers_plainly() {
    assert_eq!(words("1,200 1,200,000.50 3.0 007"), ["1200", "1200000.5", "3", "007"]);
    assert_eq!(words("1.2.3 12,34 2004,200"), ["1", "2", "3", "12", "34", "2004", "200"]);
    assert_eq!(words("10km 1.2k"), ["10km", "1.2k"]);
}

#[test]
fn gives_a_plain_value_few_terms() {
    assert_eq!(value("2004"), ["2004"]);
    assert_eq!(value(" 12.5 "), ["12.5"]);
    assert_eq!(value("1,200"), ["1200"]);
    assert_eq!(value("-5"), ["5", "-5"]);
    assert_eq!(value("35%"), ["35", "0.35"]);
    assert_eq!(value("2023-09-01"), ["2023", "2023-09-01", "2023-09", "--09-01"]);
    assert_eq!(value("red"), ["red"]);
}

#[test]
fn finds_numbers_in_any_form() {
    let forms = ["1,200", "1200", "1.2k", "$1,200.00", "１２００"];
    for (asked, cell) in forms.iter().flat_map(|a| forms.map(|b| (*a, b))) {
        assert!(matches(asked, cell), "{asked} should find {cell}");
    }
    assert!(matches("12万", "120000") && matches("120,000", "12万"));
    assert!(!matches("1,200", "200") && !matches("1.2", "2"));
}

#[test]
fn finds_dates_in_any_form() {
    let forms = ["Sept 1 2023", "2023-09-01", "2023年9月1日", "September 1, 2023"];
    for (asked, cell) in forms.iter().flat_map(|a| forms.map(|b| (*a, b))) {
        assert!(matches(asked, cell), "{asked} should find {cell}");
    }
    assert!(matches("who won in September 2023", "2023-09-01") && matches("on Sept 1", "2023-09-01"));
    assert!(matches("at 2023-09-01 08:30", "2023-09-01T08:30:00"));
    assert!(!matches("2023-09-02", "2023-09-01"));
}

#[test]
fn counts_the_words_of_a_date_less() {
    let terms = Analyzer::default().query("Sept 1 2023");
    assert!(terms.iter().all(|t| (t.weight == 1.0) == (t.origin == Origin::Value)), "{terms:?}");
    assert_eq!(terms.iter().filter(|t| t.origin == Origin::Part).count(), 3);
}

#[test]
fn drops_stop_words_from_queries_but_not_all_of_them() {
    assert_eq!(query("which of the wines is best"), ["wine", "best"]);
    assert_eq!(query("请问营收是多少"), ["营收"]);
    assert_eq!(query("the who"), ["the", "who"]);
    assert_eq!(words("the who"), ["the", "who"]);
}

#[test]
fn adds_synonyms_with_a_lower_weight() {
    let texts =
        Texts { synonyms: "GDP, gross domestic product, 国内生产总值\n".into(), ..Texts::default() };
    let analyzer = Analyzer::new(Language::Auto, &texts).unwrap();
    let terms = analyzer.query("GDP of France");
    let find = |text: &str| terms.iter().find(|t| t.text == text).unwrap();
    assert_eq!((find("gdp").weight, find("gdp").origin), (1.0, Origin::Word));
    assert_eq!((find("domest").weight, find("domest").origin), (0.2, Origin::Synonym));
    assert_eq!((find("domest").start, find("domest").end), (0, 3));
    assert!(terms.iter().any(|t| t.text == "国内"));
    assert!(analyzer.query("法国的国内生产总值").iter().any(|t| t.text == "gdp"));
}

#[test]
fn names_a_file_that_is_not_there() {
    let config =
        AnalyzerConfig { user_dictionary: Some("no/such/words.txt".into()), ..AnalyzerConfig::default() };
    let error = Analyzer::load(&config).unwrap_err();
    assert!(error.message().contains("words.txt"), "{error}");
}

#[test]
fn cuts_a_term_that_is_too_long() {
    let long = "x1".repeat(500);
    assert_eq!(words(&long).iter().map(String::len).collect::<Vec<_>>(), [128]);
}

fn check(text: &str) {
    let analyzer = Analyzer::default();
    let mut scratch = analyzer.scratch();
    let mut last = 0;
    let see = |term: &str, range: Range<usize>| {
        assert!(
            !term.is_empty() && text.get(range.clone()).is_some_and(|t| !t.is_empty()),
            "{term:?} {range:?}"
        );
        range.start
    };
    analyzer.for_each(text, &mut scratch, |term, range| {
        let start = see(term, range);
        assert!(start >= last || !text.is_ascii());
        last = start;
    });
    analyzer.for_each_in_text(text, &mut scratch, |term, range| {
        see(term, range);
    });
    analyzer.for_each_in_value(text, &mut scratch, |term, range| {
        see(term, range);
    });
    for token in analyzer.query(text) {
        see(&token.text, token.start..token.end);
    }
}

proptest::proptest! {
    #[test]
    fn ranges_are_inside_any_text(text in "\\PC{0,60}") {
        check(&text);
    }

    #[test]
    fn ranges_are_inside_texts_that_look_like_values(text in "[-0-9.,'’%$kKmM年月日万亿千元有限公司カナ한é \\u{301}\\u{ad}ß/()a-zT:]{0,24}") {
        check(&text);
    }
}
