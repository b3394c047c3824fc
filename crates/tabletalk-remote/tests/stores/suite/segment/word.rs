//! Words that are more than one term, and words that must be there.

use super::super::brute;
use super::entry::ODD_TERMS;
use super::{Bench, GROUP, Question, any, asks, corpus, entry, like, owners, prefix, vocabulary, word};
use tabletalk_core::seam::store::{Entry, Field, Term};

/// An entry for each of some terms.
fn one_each(terms: &[&str]) -> Vec<Entry> {
    terms
        .iter()
        .zip(1..)
        .map(|(term, i)| entry(i, i, &[(Field::Text, term), (Field::Title, "same")]))
        .collect()
}

pub(super) fn prefixes(bench: &Bench<'_>) {
    let words = vocabulary(80);
    let mut entries = corpus(120, &words, 80);
    entries.push(entry(999, 1, &[(Field::Text, "销售 销售额 销售量 销"), (Field::Whole, "ba ba ba")]));
    let store = bench.filled(&entries);
    for beginning in ["baba", "bakeba", "ke", "销", "销售", "销售额", "nowhere", &words[3]] {
        bench.check(&*store, &entries, &Question::of(vec![prefix(beginning)]));
    }
    let both = vec![prefix("bake"), word(&words[20])];
    bench.check(&*store, &entries, &Question::of(both));
    let either = Term { any: vec![words[30].clone()], ..prefix("bali") };
    bench.check(&*store, &entries, &Question::of(vec![either]));
    let in_titles = Term { fields: vec![Field::Title], ..prefix("bake") };
    bench.check(&*store, &entries, &Question::of(vec![in_titles]));
    let in_whole = Term { fields: vec![Field::Whole], ..prefix(&format!("{} b", words[0])) };
    bench.check(&*store, &entries, &Question::of(vec![in_whole]));
}

pub(super) fn odd_prefixes(bench: &Bench<'_>) {
    let entries = one_each(&ODD_TERMS);
    let store = bench.filled(&entries);
    for term in ODD_TERMS {
        let first: String = term.chars().take(1).collect();
        bench.check(&*store, &entries, &Question::of(vec![prefix(&first)]));
        bench.check(&*store, &entries, &Question::of(vec![prefix(term)]));
    }
    for beginning in ["a.", "a.b*", ".", ".*", "c+", "%2", "A"] {
        bench.check(&*store, &entries, &Question::of(vec![prefix(beginning)]));
    }
}

pub(super) fn many_terms_with_a_prefix(bench: &Bench<'_>) {
    let terms: Vec<String> = (0..300).map(|i| format!("many{i:03}")).chain(["other".into()]).collect();
    let entries = one_each(&terms.iter().map(String::as_str).collect::<Vec<_>>());
    let store = bench.filled(&entries);
    // Which of them count is the store's choice, but only so many.
    let word = Term { any: vec!["many250".into()], ..prefix("many") };
    let found = store.search(GROUP, &Question::of(vec![word]).ask()).unwrap();
    assert!((2..=65).contains(&found.len()), "{} entries are found", found.len());
    let found = owners(&found);
    assert!(found.contains(&(251, 0)), "the word itself is not found");
    assert!(found.iter().all(|(owner, _)| *owner <= 300));
}

pub(super) fn slips(bench: &Bench<'_>) {
    let terms = [
        "revenue",
        "revenu",
        "revenues",
        "reveneu",
        "rvenue",
        "xevenue",
        "revemues",
        "avenue",
        "evenue",
        "revneues",
        "rev",
        "population",
        "populatoin",
        "poplation",
        "populations",
        "copulatons",
        "population2024",
        "REVENUE",
        "rev*",
        "re.enue",
    ];
    let entries = one_each(&terms);
    let store = bench.filled(&entries);
    for (term, most) in
        [("revenue", 1), ("revenue", 2), ("population", 1), ("population", 2), ("revenua", 1), ("nothing", 2)]
    {
        bench.check(&*store, &entries, &Question::of(vec![like(term, most)]));
        let more = vec![like(term, most), word("revenues"), word("same")];
        bench.check(&*store, &entries, &Question::of(more));
    }
    let found = store.search(GROUP, &Question::of(vec![like("reveneu", 1)]).ask()).unwrap();
    let names: Vec<&str> = owners(&found).iter().map(|(owner, _)| terms[*owner as usize - 1]).collect();
    assert!(names.contains(&"revenue"), "two letters that changed places are one slip: {names:?}");
    let also = Term { any: vec!["rev".into()], prefix: Some("populations".into()), ..like("avenue", 1) };
    bench.check(&*store, &entries, &Question::of(vec![also]));
    let elsewhere = Term { fields: vec![Field::Title], ..like("revenue", 1) };
    bench.check(&*store, &entries, &Question::of(vec![elsewhere]));
}

pub(super) fn slips_in_chinese(bench: &Bench<'_>) {
    let entries = one_each(&[
        "销售额度",
        "销售额",
        "销售领",
        "售销额",
        "销售收入",
        "人口",
        "größe",
        "grösse",
        "groesse",
    ]);
    let store = bench.filled(&entries);
    for (term, most) in [("销售额", 1), ("销售额", 2), ("人口数", 1), ("größe", 1), ("größe", 2)]
    {
        bench.check(&*store, &entries, &Question::of(vec![like(term, most)]));
    }
}

pub(super) fn required_words(bench: &Bench<'_>) {
    let words = vocabulary(60);
    let mut entries = corpus(150, &words, 81);
    entries.push(entry(999, 1, &[(Field::Text, &words[0]), (Field::Whole, &words[9])]));
    let store = bench.filled(&entries);
    let cases: [&[&str]; 4] = [&[&words[9]], &[&words[9], &words[2]], &["nowhere"], &[&words[0]]];
    for required in cases {
        let required: Vec<Term> = required.iter().map(|w| word(w)).collect();
        bench.check(&*store, &entries, &Question { required: required.clone(), ..asks(&[&words[0]]) });
        bench.check(&*store, &entries, &Question { required, k: 3, ..asks(&[&words[0], &words[9]]) });
    }
    let either = vec![any(&[&words[9], &words[30]], &Field::WORDS)];
    bench.check(&*store, &entries, &Question { required: either, ..asks(&[&words[0]]) });
}

pub(super) fn required_prefixes(bench: &Bench<'_>) {
    let words = vocabulary(60);
    let entries = corpus(150, &words, 82);
    let store = bench.filled(&entries);
    bench.check(&*store, &entries, &Question { required: vec![prefix("bake")], ..asks(&[&words[0]]) });
    bench.check(&*store, &entries, &Question { required: vec![like("bakebb", 1)], ..asks(&[&words[0]]) });
}

pub(super) fn no_words(bench: &Bench<'_>) {
    let entries = one_each(&["one", "two"]);
    let store = bench.filled(&entries);
    assert!(store.search(GROUP, &asks(&[]).ask()).unwrap().is_empty());
    let nothing = Question::of(vec![any(&[], &Field::WORDS)]);
    assert!(store.search(GROUP, &nothing.ask()).unwrap().is_empty());
    assert!(store.search(GROUP, &Question { k: 0, ..asks(&["one"]) }.ask()).unwrap().is_empty());
}

pub(super) fn frequencies(bench: &Bench<'_>) {
    let words = vocabulary(60);
    let entries = corpus(150, &words, 83);
    let store = bench.filled(&entries);
    let whole = format!("{} {}", words[0], words[1]);
    let mut terms: Vec<Term> = words.iter().map(|w| word(w)).collect();
    terms.push(word("nowhere"));
    terms.push(any(&[&whole], &[Field::Whole]));
    terms.push(any(&[&words[0]], &[Field::Title]));
    terms.push(any(&[&words[0]], &[Field::Title, Field::Values]));
    let want: Vec<u64> = terms.iter().map(|t| brute::frequency(&entries, t, &t.fields)).collect();
    assert_eq!(store.frequencies(GROUP, &terms).unwrap(), want);
}

pub(super) fn frequencies_of_expanded_words(bench: &Bench<'_>) {
    let words = vocabulary(60);
    let entries = corpus(150, &words, 84);
    let store = bench.filled(&entries);
    let terms = [
        any(&[&words[0], &words[1]], &Field::WORDS),
        prefix("bake"),
        like("babake", 1),
        prefix("销"),
        any(&[&words[5], &words[5]], &Field::WORDS),
        Term { any: vec![words[40].clone()], ..prefix("bali") },
    ];
    let want: Vec<u64> = terms.iter().map(|t| brute::frequency(&entries, t, &t.fields)).collect();
    assert_eq!(store.frequencies(GROUP, &terms).unwrap(), want);
}

pub(super) fn frequencies_end_at_all_entries(bench: &Bench<'_>) {
    let entries: Vec<Entry> = (1..=10).map(|i| entry(i, i, &[(Field::Text, "one two three")])).collect();
    let store = bench.filled(&entries);
    let terms = [any(&["one", "two", "three"], &Field::WORDS), prefix("t"), word("one")];
    assert_eq!(store.frequencies(GROUP, &terms).unwrap(), [10, 10, 10]);
    bench.check(&*store, &entries, &Question::of(terms.to_vec()));
}
