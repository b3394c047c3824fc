//! Learns which words of a text answer a question, and says how well that went on passages that were not learned from.
//!
//! `cargo run --release -p tabletalk-question --example train_span DATA OUT`: DATA has a folder for each set, as JSON lines
//! under zstd; OUT becomes `src/span/learned.bin`. A fifth of the passages is held out. Another fifth teaches how far answers
//! can be believed that were learned without it: each of its questions is asked of its own passage, and of the next one,
//! which rarely answers it. Then it is learned from too.
#![allow(clippy::print_stdout)]

use serde_json::Value;
use std::collections::HashMap;
use std::io::Read;
use tabletalk_keyword::analyze::simplified;
use tabletalk_question::span::learn::{Lesson, learn};

/// Questions and passages.
const SETS: [(&str, &str); 3] = [
    ("cmrc2018/trial", "cmrc2018/passages_trial"),
    ("drcd/dev", "drcd/passages_dev"),
    ("xquad/queries_en", "xquad/passages_en"),
];
const ROUNDS: usize = 4;

struct Item {
    set: usize,
    /// 0 is held out, 1 teaches trust.
    part: u64,
    answers: bool,
    lesson: Lesson,
}

type Done<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, data, out] = arguments.as_slice() else { return Err("usage: train_span DATA OUT".into()) };
    let mut items = Vec::new();
    for (set, (questions, passages)) in SETS.iter().enumerate() {
        read(set, &lines(data, questions)?, &lines(data, passages)?, &mut items)?;
    }
    let lessons = |wanted: &dyn Fn(&Item) -> bool| {
        items.iter().filter(|item| wanted(item)).map(|item| &item.lesson).collect::<Vec<_>>()
    };
    let answering = |from: u64| lessons(&|item: &Item| item.answers && item.part >= from);
    let believed = learn(&answering(2), &lessons(&|item| item.part == 1), ROUNDS);
    let weights = learn(&answering(1), &[], ROUNDS).believed_as(&believed);
    std::fs::write(out, weights.bytes())?;
    for (set, (name, _)) in SETS.iter().enumerate() {
        report(name, &items, set, &weights);
    }
    Ok(())
}

fn lines(data: &str, name: &str) -> Done<Vec<Value>> {
    let mut text = String::new();
    zstd::Decoder::new(std::fs::File::open(format!("{data}/{name}.jsonl.zst"))?)?
        .read_to_string(&mut text)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn read(set: usize, questions: &[Value], passages: &[Value], items: &mut Vec<Item>) -> Done<()> {
    let text = |value: &Value| value.as_str().map(simplified).unwrap_or_default();
    let places: HashMap<&str, usize> =
        passages.iter().enumerate().filter_map(|(i, p)| Some((p["id"].as_str()?, i))).collect();
    for question in questions {
        let id = question["passage"].as_str().ok_or("a question has no passage")?;
        let at = *places.get(id).ok_or("a passage is not there")?;
        let answers: Vec<String> = question["answers"].as_array().into_iter().flatten().map(text).collect();
        let asked = text(&question["question"]);
        let part = (hash(id) >> 20) % 5;
        let lesson = Lesson::new(&asked, &text(&passages[at]["text"]), &answers);
        items.push(Item { set, part, answers: true, lesson });
        if part < 2 {
            let other = text(&passages[(at + 1) % passages.len()]["text"]);
            items.push(Item { set, part, answers: false, lesson: Lesson::new(&asked, &other, &[]) });
        }
    }
    Ok(())
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |x, byte| (x ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// How much of the right answers is given, and by tenths of how sure, how many answers are half right at least.
fn report(name: &str, items: &[Item], set: usize, weights: &tabletalk_question::span::learn::Weights) {
    let held: Vec<&Item> = items.iter().filter(|item| item.set == set && item.part == 0).collect();
    let tried = |item: &&Item| {
        (item.answers, item.lesson.tried(weights).map_or((0.0, 0.0), |(_, sure, f1)| (sure, f1)))
    };
    let all: Vec<(bool, (f32, f32))> = held.iter().map(tried).collect();
    let asked = all.iter().filter(|(answers, _)| *answers).count().max(1) as f32;
    let f1: f32 = all.iter().map(|(_, (_, f1))| f1).sum();
    let exact = all.iter().filter(|(_, (_, f1))| *f1 > 0.9999).count() as f32;
    println!("{name}: {asked} questions held out, exact match {:.3}, F1 {:.3}", exact / asked, f1 / asked);
    for tenth in 0..10 {
        let own: Vec<_> =
            all.iter().filter(|(_, (sure, _))| (sure * 10.0).min(9.0) as usize == tenth).collect();
        let right = own.iter().filter(|(_, (_, f1))| *f1 >= 0.5).count();
        println!("  sure of .{tenth}: {} answers, {right} right", own.len());
    }
}
