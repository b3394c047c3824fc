//! The bundled models at work.

use crate::{CrossEncoder, Encoder, Options, Pooling};
use std::path::Path;
use tabletalk_core::{
    Fault,
    seam::{Embed, Embedding, Role, Want},
};

fn models() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models"))
}

fn zh() -> Encoder {
    Encoder::open(models().join("bge-small-zh-v1.5"), &Options { threads: 2, ..Options::default() }).unwrap()
}

fn cosine(a: &Embedding, b: &Embedding) -> f32 {
    a.pooled.iter().zip(&b.pooled).map(|(x, y)| x * y).sum()
}

fn pooled(encoder: &Encoder, texts: &[&str]) -> Vec<Embedding> {
    encoder.embed(texts, Role::Passage, Want::Pooled).unwrap()
}

#[cfg(feature = "bundled-models")]
#[test]
fn english_of_one_meaning_is_nearer_than_of_another() {
    let encoder = Encoder::bundled("bge-small-en-v1.5", &Options::default()).unwrap();
    assert_eq!(encoder.dim(), 384);
    let passages = ["The firm earned more money last year.", "Penguins cannot fly but swim well."];
    let query = encoder.embed(&["Did the company's revenue rise?"], Role::Query, Want::Pooled).unwrap();
    let found = pooled(&encoder, &passages);
    assert!(cosine(&query[0], &found[0]) > cosine(&query[0], &found[1]) + 0.1);
    assert!(Encoder::bundled("no-such", &Options::default()).is_err());
}

#[test]
fn vectors_do_not_depend_on_order_or_company() {
    let encoder = zh();
    let texts: Vec<String> =
        (1..40).map(|n| format!("第{n}季度的营业收入{}", "比去年同期增长。".repeat(n % 7))).collect();
    let forward: Vec<&str> = texts.iter().map(String::as_str).collect();
    let backward: Vec<&str> = forward.iter().rev().copied().collect();
    let (ahead, mut back) = (pooled(&encoder, &forward), pooled(&encoder, &backward));
    back.reverse();
    // Eight-bit activations share one scale in a batch, so vectors differ a little with their company.
    assert!(ahead.iter().zip(&back).all(|(a, b)| cosine(a, b) > 0.99));
    assert!(forward.iter().zip(&ahead).all(|(text, a)| cosine(a, &pooled(&encoder, &[text])[0]) > 0.98));
}

#[test]
fn the_same_text_twice_is_the_same_vector() {
    let found = pooled(&zh(), &["利润", "收入", "利润"]);
    assert_eq!(found[0], found[2]);
    assert_ne!(found[0], found[1]);
}

#[test]
fn odd_texts_have_vectors_too() {
    let encoder = zh();
    let long = "年度报告 ".repeat(20_000);
    let odd = ["", " ", "🚀🧪", "\u{0}\u{fffd}\u{202e}", "a\u{301}\u{301}\u{301}", long.as_str()];
    for (text, embedding) in odd.iter().zip(pooled(&encoder, &odd)) {
        let norm: f32 = embedding.pooled.iter().map(|x| x * x).sum();
        assert!((norm - 1.0).abs() < 1e-3, "{:?}", text.chars().take(9).collect::<String>());
    }
    assert!(pooled(&encoder, &[]).is_empty());
}

#[test]
fn what_is_past_the_most_tokens_is_not_read() {
    let options = Options { max_tokens: Some(16), ..Options::default() };
    let encoder = Encoder::open(models().join("bge-small-zh-v1.5"), &options).unwrap();
    let long = "收入".repeat(500);
    let found = encoder.embed(&[&long], Role::Passage, Want::Tokens).unwrap();
    assert_eq!(found[0].tokens.len(), 16);
    assert!(found[0].pooled.is_empty());
}

#[test]
fn tokens_come_with_or_without_marks_and_are_of_length_one() {
    let bare = Options { special_tokens: false, ..Options::default() };
    let bare = Encoder::open(models().join("bge-small-zh-v1.5"), &bare).unwrap();
    let with = zh().embed(&["净利润"], Role::Passage, Want::Both).unwrap().remove(0);
    let without = bare.embed(&["净利润"], Role::Passage, Want::Tokens).unwrap().remove(0);
    assert_eq!((with.tokens.len(), without.tokens.len(), with.pooled.len()), (5, 3, 512));
    assert_eq!(with.tokens.rows().nth(1), without.tokens.rows().next());
    assert!(with.tokens.rows().all(|row| (row.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-3));
    assert_eq!(with.tokens.rows().next().unwrap(), with.pooled, "the first mark is what is pooled");
}

#[test]
fn passages_for_late_interaction_go_without_punctuation() {
    let open = |options: Options| Encoder::open(models().join("bge-small-zh-v1.5"), &options).unwrap();
    let count = |encoder: &Encoder, text: &str, role| {
        encoder.embed(&[text], role, Want::Tokens).unwrap()[0].tokens.len()
    };
    let (all, bare) =
        (open(Options::default()), open(Options { punctuation: Some(false), ..Options::default() }));
    assert_eq!(
        (count(&all, "净利润，收入。", Role::Passage), count(&bare, "净利润，收入。", Role::Passage)),
        (9, 7)
    );
    let query = |encoder: &Encoder| count(encoder, "净利润，收入。", Role::Query);
    assert_eq!(query(&bare), query(&all), "a query keeps all");
    assert_eq!(count(&bare, "，。", Role::Passage), 4, "there is nothing else");
    assert_ne!(all.identity(), bare.identity());
    let marked = Options { document_marker: Some("[unused2]".into()), ..Options::default() };
    assert_eq!(count(&open(marked), "净利润，", Role::Passage), 6, "as it was trained");
}

#[test]
fn queries_for_late_interaction_are_marked_and_filled_up() {
    let options = Options {
        query_marker: Some("[unused1]".into()),
        document_marker: Some("[unused2]".into()),
        query_length: Some(32),
        query_prefix: Some(String::new()),
        ..Options::default()
    };
    let encoder = Encoder::open(models().join("bge-small-zh-v1.5"), &options).unwrap();
    let tokens = |role| encoder.embed(&["净利润"], role, Want::Tokens).unwrap()[0].tokens.len();
    assert_eq!((tokens(Role::Query), tokens(Role::Passage)), (32, 6));
    let unknown = Options { query_marker: Some("[no such]".into()), ..Options::default() };
    assert!(Encoder::open(models().join("bge-small-zh-v1.5"), &unknown).is_err());
}

#[test]
fn the_identity_names_what_changes_vectors() {
    let other = Options { pooling: Some(Pooling::Mean), ..Options::default() };
    let other = Encoder::open(models().join("bge-small-zh-v1.5"), &other).unwrap();
    assert_ne!(zh().identity(), other.identity());
    assert!(zh().identity().starts_with("bge-small-zh-v1.5@"));
    #[cfg(feature = "bundled-models")]
    assert_eq!(
        zh().identity(),
        Encoder::bundled("bge-small-zh-v1.5", &Options::default()).unwrap().identity()
    );
}

/// Opens a copy of the Chinese model that something was done to.
fn opened(change: impl Fn(&Path)) -> tabletalk_core::Error {
    let folder = tempfile::tempdir().unwrap();
    for name in ["model.onnx", "tokenizer.json", "config.json"] {
        std::fs::copy(models().join("bge-small-zh-v1.5").join(name), folder.path().join(name)).unwrap();
    }
    change(folder.path());
    let error = Encoder::open(folder.path(), &Options::default()).err().unwrap();
    assert!(error.cure().is_some(), "{error}");
    error
}

#[test]
fn a_missing_or_damaged_file_is_named_with_its_cure() {
    let cut = opened(|folder| {
        std::fs::File::options()
            .write(true)
            .open(folder.join("model.onnx"))
            .unwrap()
            .set_len(9_000_000)
            .unwrap()
    });
    assert!(cut.fault() == Fault::Input && cut.message().contains("model.onnx"), "{cut}");
    let gone = opened(|folder| std::fs::remove_file(folder.join("tokenizer.json")).unwrap());
    assert!(gone.fault() == Fault::Missing && gone.message().contains("tokenizer.json"), "{gone}");
    let noise = opened(|folder| std::fs::write(folder.join("tokenizer.json"), "{").unwrap());
    assert!(noise.fault() == Fault::Input && noise.message().contains("tokenizer.json"), "{noise}");
    let none = opened(|folder| std::fs::remove_file(folder.join("model.onnx")).unwrap());
    assert!(none.fault() == Fault::Missing && none.message().contains("model.onnx"), "{none}");
}

#[test]
fn an_encoder_is_no_cross_encoder() {
    let error = CrossEncoder::open(models().join("bge-small-zh-v1.5"), &Options::default()).err().unwrap();
    assert!(error.message().contains("no score"), "{error}");
}

#[test]
#[ignore = "needs the reranker of scripts/fetch-models"]
fn a_cross_encoder_puts_the_answer_first() {
    use tabletalk_core::seam::Scorer;
    let path = models().join("fetched/ms-marco-MiniLM-L-12-v2");
    let scorer = CrossEncoder::open(path, &Options::default()).unwrap();
    let passages =
        ["Penguins swim well.", "Berlin had 3.7 million inhabitants in 2021.", "Berlin lies on the Spree."];
    let scores = scorer.score("How many people live in Berlin?", &passages).unwrap();
    assert!(scores[1] > 3.0 && scores[1] > scores[2] && scores[2] > scores[0], "{scores:?}");
}
