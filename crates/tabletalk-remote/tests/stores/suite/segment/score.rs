//! Scores: equal to BM25F where the store says so, and in the right order in clear cases everywhere.

use super::super::random::Random;
use super::super::{among, is, with};
use super::{Bench, GROUP, Question, any, asks, corpus, entry, owners, vocabulary, weighing, word};
use tabletalk_core::seam::SegmentStore;
use tabletalk_core::seam::store::{Entry, Field, Term, Weighing};

/// The owners of hits, in order.
fn order(store: &dyn SegmentStore, question: &Question) -> Vec<i64> {
    let found = store.search(GROUP, &question.ask()).unwrap();
    owners(&found).into_iter().map(|(owner, _)| owner).collect()
}

/// Entries that make words less rare, and fields of a usual length.
fn filler(n: i64, terms: &[(Field, &str)]) -> Vec<Entry> {
    (0..n).map(|i| entry(500 + i, 500 + i, terms)).collect()
}

pub(super) fn scores_of_words(bench: &Bench<'_>) {
    let words = vocabulary(120);
    let entries = corpus(200, &words, 60);
    let store = bench.filled(&entries);
    for word in words.iter().step_by(5) {
        bench.check(&*store, &entries, &asks(&[word]));
    }
}

pub(super) fn scores_of_many_words(bench: &Bench<'_>) {
    let words = vocabulary(120);
    let entries = corpus(200, &words, 61);
    let store = bench.filled(&entries);
    let mut random = Random::new(61);
    for n in [2, 3, 5, 8, 40] {
        let mut picked: Vec<&str> = (0..n).map(|_| words[random.below(120)].as_str()).collect();
        picked.sort_unstable();
        picked.dedup();
        picked.push("nowhere");
        bench.check(&*store, &entries, &asks(&picked));
    }
}

pub(super) fn the_same_word_twice(bench: &Bench<'_>) {
    let words = vocabulary(60);
    let entries = corpus(100, &words, 71);
    let store = bench.filled(&entries);
    bench.check(&*store, &entries, &asks(&[&words[3], &words[3], &words[8]]));
}

pub(super) fn weights_of_words(bench: &Bench<'_>) {
    let mut entries = vec![
        entry(1, 11, &[(Field::Text, "one some other words")]),
        entry(2, 12, &[(Field::Text, "two some other words")]),
    ];
    entries.extend(filler(10, &[(Field::Text, "some other words here")]));
    let store = bench.filled(&entries);
    let weighted = |one: f32, two: f32| {
        let mut question = asks(&["one", "two"]);
        (question.terms[0].weight, question.terms[1].weight) = (one, two);
        question
    };
    assert_eq!(order(&*store, &weighted(3.0, 1.0)), [11, 12]);
    assert_eq!(order(&*store, &weighted(1.0, 3.0)), [12, 11]);
    for (one, two) in [(3.0, 1.0), (0.25, 2.5), (0.01, 0.5)] {
        bench.check(&*store, &entries, &weighted(one, two));
    }
}

pub(super) fn weights_of_fields(bench: &Bench<'_>) {
    let mut entries = vec![
        entry(1, 11, &[(Field::Text, "word besides"), (Field::Title, "this that")]),
        entry(2, 12, &[(Field::Text, "this besides"), (Field::Title, "word that")]),
    ];
    entries.extend(filler(10, &[(Field::Text, "much more"), (Field::Title, "no less")]));
    let store = bench.filled(&entries);
    assert_eq!(order(&*store, &asks(&["word"])), [12, 11], "a title counts twice as much");
    bench.check(&*store, &entries, &asks(&["word"]));
}

pub(super) fn fields_without_weight(bench: &Bench<'_>) {
    let entries = [
        entry(1, 11, &[(Field::Text, "word"), (Field::Title, "this")]),
        entry(2, 12, &[(Field::Text, "this"), (Field::Title, "word")]),
        entry(3, 13, &[(Field::Values, "word word"), (Field::Name, "word")]),
    ];
    let store = bench.filled(&entries);
    for fields in [[0.0, 1.5, 1.0, 0.8, 1.2], [2.0, 0.0, 0.0, 0.0, 0.0], [0.0; 5], [2.0, 0.0, 1.0, 0.0, 0.0]]
    {
        let question = Question { weighing: Weighing { fields, ..weighing() }, ..asks(&["word"]) };
        let mut found = order(&*store, &question);
        found.sort_unstable();
        let has = |at: usize| fields[at] > 0.0;
        let want = [(11, has(2)), (12, has(0)), (13, has(3) || has(1))];
        assert_eq!(found, want.iter().filter(|w| w.1).map(|w| w.0).collect::<Vec<i64>>(), "{fields:?}");
    }
}

pub(super) fn fields_of_words(bench: &Bench<'_>) {
    let words = vocabulary(60);
    let entries = corpus(120, &words, 62);
    let store = bench.filled(&entries);
    let fields: [&[Field]; 5] = [
        &[Field::Title],
        &[Field::Values],
        &[Field::Name, Field::Text],
        &[Field::Whole],
        &[Field::Title, Field::Name, Field::Text, Field::Values, Field::Whole],
    ];
    for fields in fields {
        let whole = format!("{} {}", words[0], words[1]);
        let terms = vec![any(&[&words[2]], fields), any(&[&whole], fields)];
        bench.check(&*store, &entries, &Question::of(terms));
    }
    let terms = vec![any(&[&words[2]], &[Field::Title]), any(&[&words[3]], &[Field::Values, Field::Name])];
    bench.check(&*store, &entries, &Question::of(terms));
}

pub(super) fn rare_words_count_more(bench: &Bench<'_>) {
    let mut entries =
        vec![entry(1, 11, &[(Field::Text, "often here")]), entry(2, 12, &[(Field::Text, "seldom here")])];
    entries.extend(filler(20, &[(Field::Text, "often there")]));
    entries.extend((0..20).map(|i| entry(600 + i, 600 + i, &[(Field::Text, "else there")])));
    let store = bench.filled(&entries);
    let found = order(&*store, &asks(&["often", "seldom"]));
    assert_eq!((found[0], found.len()), (12, 22));
    bench.check(&*store, &entries, &asks(&["often", "seldom"]));
}

pub(super) fn more_occurrences_count_more(bench: &Bench<'_>) {
    let mut entries = vec![
        entry(1, 11, &[(Field::Text, "word a b c d e")]),
        entry(2, 12, &[(Field::Text, "word word word a b c")]),
        entry(3, 13, &[(Field::Text, "word word a b c d")]),
    ];
    entries.extend(filler(10, &[(Field::Text, "a b c d e f")]));
    let store = bench.filled(&entries);
    assert_eq!(order(&*store, &asks(&["word"])), [12, 13, 11]);
    bench.check(&*store, &entries, &asks(&["word"]));
}

pub(super) fn long_fields_count_less(bench: &Bench<'_>) {
    let long = format!("word {}", "more ".repeat(30));
    let longest = format!("word {}", "more ".repeat(600));
    let mut entries = vec![
        entry(1, 11, &[(Field::Text, &longest)]),
        entry(2, 12, &[(Field::Text, &long)]),
        entry(3, 13, &[(Field::Text, "word more")]),
    ];
    entries.extend(filler(10, &[(Field::Text, "a b c d e f")]));
    let store = bench.filled(&entries);
    assert_eq!(order(&*store, &asks(&["word"])), [13, 12, 11]);
    // Engines that keep lengths in a byte are a little off in long fields.
    let tolerance = bench.scores.fresh.map(|t| t.max(0.06));
    super::compare(&*store, GROUP, &entries, &asks(&["word"]), tolerance);
}

pub(super) fn fields_add_up_before_they_saturate(bench: &Bench<'_>) {
    // A word in four fields is one match, and two words are more.
    let mut entries = vec![
        entry(
            1,
            11,
            &[
                (Field::Title, "one x"),
                (Field::Name, "one x"),
                (Field::Text, "one x"),
                (Field::Values, "one x"),
            ],
        ),
        entry(
            2,
            12,
            &[(Field::Title, "one two"), (Field::Name, "y x"), (Field::Text, "y x"), (Field::Values, "y x")],
        ),
    ];
    entries.extend(filler(
        20,
        &[(Field::Title, "a b"), (Field::Name, "a b"), (Field::Text, "a b"), (Field::Values, "a b")],
    ));
    let store = bench.filled(&entries);
    bench.check(&*store, &entries, &asks(&["one", "two"]));
    if bench.scores.fresh.is_some() {
        assert_eq!(order(&*store, &asks(&["one", "two"])), [12, 11]);
    }
}

pub(super) fn coverage(bench: &Bench<'_>) {
    let mut entries = vec![
        entry(1, 11, &[(Field::Text, "one one one one")]),
        entry(2, 12, &[(Field::Text, "one two x y")]),
        entry(3, 13, &[(Field::Text, "one two three y")]),
    ];
    entries.extend(filler(10, &[(Field::Text, "a b c d")]));
    let store = bench.filled(&entries);
    let question = |coverage: f32| Question {
        weighing: Weighing { coverage, ..weighing() },
        ..asks(&["one", "two", "three"])
    };
    assert_eq!(order(&*store, &question(2.0)), [13, 12, 11]);
    for coverage in [0.0, 0.5, 0.8, 2.0] {
        bench.check(&*store, &entries, &question(coverage));
        bench.check(&*store, &entries, &Question { k: 1, ..question(coverage) });
    }
    let words = vocabulary(60);
    let mut entries = corpus(150, &words, 63);
    entries.iter_mut().for_each(|e| e.owner += 5000);
    let other = bench.open();
    other.prepare(&[("other".into(), weighing())]).unwrap();
    other.put_entries("other", &entries).unwrap();
    other.settle().unwrap();
    let weighing = Weighing { coverage: 0.8, ..weighing() };
    let question = Question { weighing, ..asks(&[&words[0], &words[7], &words[20], "nowhere"]) };
    super::compare(&*other, "other", &entries, &question, bench.scores.fresh);
}

pub(super) fn once(bench: &Bench<'_>) {
    let mut entries = vec![
        entry(1, 11, &[(Field::Text, "word word word word")]),
        entry(2, 12, &[(Field::Text, "word a b c"), (Field::Title, "word")]),
    ];
    entries.extend(filler(10, &[(Field::Text, "a b c d"), (Field::Title, "a")]));
    let store = bench.filled(&entries);
    let question = Question { weighing: Weighing { once: true, ..weighing() }, ..asks(&["word"]) };
    assert_eq!(order(&*store, &question)[0], 12);
    bench.check(&*store, &entries, &question);
    bench.check(&*store, &entries, &asks(&["word"]));
}

pub(super) fn other_weighings(bench: &Bench<'_>) {
    let words = vocabulary(80);
    let entries = corpus(150, &words, 64);
    let store = bench.filled(&entries);
    let all = [
        Weighing { k1: 2.0, ..weighing() },
        Weighing { b: 0.0, ..weighing() },
        Weighing { b: 1.0, k1: 0.3, ..weighing() },
        Weighing { fields: [5.0, 0.0, 0.1, 2.0, 3.0], ..weighing() },
        Weighing { once: true, coverage: 1.5, ..weighing() },
    ];
    for weighing in all {
        let question = Question { weighing, ..asks(&[&words[1], &words[6], &words[13], &words[40]]) };
        bench.check(&*store, &entries, &question);
    }
}

pub(super) fn cut_by_k(bench: &Bench<'_>) {
    let words = vocabulary(60);
    let entries = corpus(150, &words, 65);
    let store = bench.filled(&entries);
    for k in [1, 2, 10, 50, 149, 5000] {
        bench.check(&*store, &entries, &Question { k, ..asks(&[&words[0], &words[3], &words[9]]) });
    }
}

pub(super) fn equal_scores(bench: &Bench<'_>) {
    let part = |document: i64, owner: i64, part: u64| Entry {
        part,
        ..entry(document, owner, &[(Field::Text, "word")])
    };
    let entries =
        [part(9, 40, 1), part(8, 30, 2), part(7, 40, 0), part(6, 30, 10), part(5, 50, 0), part(4, 20, 0)];
    let store = bench.filled(&entries);
    let found = store.search(GROUP, &asks(&["word"]).ask()).unwrap();
    let want = [(20, 0), (30, 2), (30, 10), (40, 0), (40, 1), (50, 0)];
    assert_eq!(owners(&found), want);
    let found = store.search(GROUP, &Question { k: 3, ..asks(&["word"]) }.ask()).unwrap();
    assert_eq!(owners(&found), want[..3]);
}

pub(super) fn several_terms_as_one_word(bench: &Bench<'_>) {
    let words = vocabulary(60);
    let entries = corpus(150, &words, 66);
    let store = bench.filled(&entries);
    let sets: [&[&str]; 4] = [
        &[&words[0], &words[1]],
        &[&words[4], "nowhere"],
        &[&words[2], &words[9], &words[30], &words[50]],
        &[&words[3], &words[3]],
    ];
    for terms in sets {
        bench.check(&*store, &entries, &Question::of(vec![any(terms, &Field::WORDS)]));
        let more = vec![any(terms, &Field::WORDS), word(&words[12])];
        bench.check(&*store, &entries, &Question::of(more));
    }
}

pub(super) fn explains(bench: &Bench<'_>) {
    let words = vocabulary(60);
    let entries = corpus(80, &words, 67);
    let store = bench.filled(&entries);
    let mut question = Question { explain: true, ..asks(&[&words[0], &words[8], "nowhere"]) };
    question.terms[1].keyword = "What was Written".into();
    bench.check(&*store, &entries, &question);
    for hit in store.search(GROUP, &question.ask()).unwrap() {
        assert!(!hit.why.is_empty(), "it is not said why {} was found", hit.owner);
        let own = entries.iter().find(|e| (e.owner, e.part) == (hit.owner, hit.part)).unwrap();
        let has = |term: &Term| own.terms.iter().any(|(_, terms)| terms.contains(&term.any[0]));
        for score in &hit.why {
            assert!(score.value > 0.0, "{score:?}");
            let Some(keyword) = &score.keyword else { continue };
            let term = question.terms.iter().find(|t| t.keyword == *keyword);
            assert!(term.is_some_and(has), "{} does not have {keyword}", hit.owner);
        }
    }
}

pub(super) fn scores_after_removal(bench: &Bench<'_>) {
    let words = vocabulary(60);
    let mut entries = corpus(150, &words, 68);
    let store = bench.filled(&entries);
    store.remove_entries(&(1..=10).map(|d| (d, i64::MAX)).collect::<Vec<_>>()).unwrap();
    entries.retain(|e| e.document > 10);
    for (own, other) in entries.iter_mut().zip(corpus(40, &words, 69)) {
        own.terms = other.terms;
    }
    store.put_entries(GROUP, &entries[..40]).unwrap();
    store.settle().unwrap();
    assert_eq!(store.count(GROUP).unwrap(), entries.len() as u64);
    for words in words.windows(3).step_by(9) {
        bench.check_stale(&*store, &entries, &asks(&[&words[0], &words[1], &words[2]]));
    }
}

pub(super) fn scores_do_not_depend_on_filters(bench: &Bench<'_>) {
    let words = vocabulary(60);
    let entries = corpus(150, &words, 70);
    let store = bench.filled(&entries);
    let question = asks(&[&words[0], &words[5]]);
    let all = store.search(GROUP, &question.ask()).unwrap();
    let narrow = [
        Question { allow: with(vec![is("type", &["csv"])]), ..question.clone() },
        Question { allow: among((3..20).collect()), ..question.clone() },
        Question { part: Some(1), ..question.clone() },
        Question { required: vec![word(&words[5])], ..question.clone() },
    ];
    for question in narrow {
        let found = store.search(GROUP, &question.ask()).unwrap();
        assert!(!found.is_empty());
        for hit in found {
            let same = all.iter().find(|f| (f.owner, f.part) == (hit.owner, hit.part)).unwrap();
            assert!((same.score - hit.score).abs() <= 1e-3 * same.score, "{} and {}", same.score, hit.score);
        }
    }
}
