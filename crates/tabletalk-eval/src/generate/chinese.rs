//! How questions are put in Chinese.

use super::ask::{Ask, Test};
use super::join::{By, Join};
use super::random::Random;
use super::text::{chinese_thing, chinese_value};
use super::view::{Scale, View};
use tabletalk_core::Kind;

/// A question.
pub(super) fn say(view: &View<'_>, ask: &Ask, random: &mut Random) -> String {
    match *ask {
        Ask::Cell { key, row, col } => cell(view, key, row, col, random),
        Ask::Count { test } => count(view, test, random),
        Ask::Sum { col, test } => sum(view, col, test, random),
        Ask::Compare { key, rows, col, high } => {
            let [a, b] = rows.map(|row| label(view, row, key));
            let (more, name) = (degree(view, col, high).0, view.name(col));
            random.wording([
                format!("{a}和{b}，哪个的{name}更{more}？"),
                format!("{a}与{b}相比，哪一个的{name}更{more}？"),
                format!("{a}和{b}之中，{name}更{more}的是哪个？"),
            ])
        }
        Ask::Gap { key, rows, col } => {
            let [a, b] = rows.map(|row| label(view, row, key));
            let (name, unit, more) = (view.name(col), unit(view, col), degree(view, col, true).0);
            random.wording([
                format!("{a}的{name}比{b}{more}多少{unit}？"),
                format!("{a}与{b}的{name}相差多少{unit}？"),
                format!("{a}的{name}比{b}的多出多少{unit}？"),
            ])
        }
        Ask::Best { key, col, high, test } => best(view, key, col, high, test, random),
    }
}

fn value(view: &View<'_>, row: usize, col: usize) -> String {
    chinese_value(&view.said(row, col))
}

/// The name of a row; with the name of its column where it is a number.
fn label(view: &View<'_>, row: usize, key: usize) -> String {
    let value = value(view, row, key);
    if view.kind(key) == Kind::Text { value } else { format!("{}{value}", view.name(key)) }
}

fn noun<'a>(view: &'a View<'_>) -> &'a str {
    view.noun.as_deref().unwrap_or("记录")
}

/// The word with which rows are counted.
fn counter(view: &View<'_>) -> &'static str {
    if view.noun.is_some() { "个" } else { "条" }
}

fn unit(view: &View<'_>, col: usize) -> String {
    view.unsaid_unit(col).map_or_else(String::new, |unit| format!("（单位：{unit}）"))
}

fn cell(view: &View<'_>, key: usize, row: usize, col: usize, random: &mut Random) -> String {
    let (name, label) = (view.name(col), label(view, row, key));
    let what = match view.measure(col).map(|m| m.scale) {
        Some(Scale::Amount) => "多少",
        Some(Scale::Day) => "什么时候",
        Some(Scale::Year) | None => "什么",
    };
    random.wording([
        format!("{label}的{name}是{what}？"),
        format!("请问{label}的{name}是{what}？"),
        format!("{label}对应的{name}是{what}？"),
    ])
}

/// A condition before `的`.
fn with(view: &View<'_>, test: Test, random: &mut Random) -> String {
    let (row, col) = test.cell();
    let (name, value) = (view.name(col), value(view, row, col));
    let is_amount = view.measure(col).is_some_and(|m| m.scale == Scale::Amount);
    let bound = match (test, is_amount) {
        (Test::Is { .. }, _) => random.wording(["为", "是"].map(str::to_owned)),
        (Test::Above { .. }, true) => random.wording(["高于", "超过", "大于"].map(str::to_owned)),
        (Test::Below { .. }, true) => random.wording(["低于", "不到", "小于"].map(str::to_owned)),
        (Test::Above { .. }, false) => "晚于".to_owned(),
        (Test::Below { .. }, false) => "早于".to_owned(),
    };
    format!("{name}{bound}{value}")
}

fn count(view: &View<'_>, test: Test, random: &mut Random) -> String {
    let (noun, one, with) = (noun(view), counter(view), with(view, test, random));
    random.wording([
        format!("{with}的{noun}有多少{one}？"),
        format!("{with}的{noun}一共有几{one}？"),
        format!("有多少{one}{noun}的{with}？"),
    ])
}

fn sum(view: &View<'_>, col: usize, test: Option<Test>, random: &mut Random) -> String {
    let (name, unit) = (view.name(col), unit(view, col));
    let noun = match test {
        Some(test) => format!("{}的{}", with(view, test, random), noun(view)),
        None => format!("所有{}", noun(view)),
    };
    random.wording([
        format!("{noun}的{name}合计是多少{unit}？"),
        format!("{noun}的{name}总和是多少{unit}？"),
        format!("{noun}的{name}加起来一共是多少{unit}？"),
    ])
}

/// Whether a column says how many or how much, not how high.
fn is_quantity(view: &View<'_>, col: usize) -> bool {
    let is_amount = view.measure(col).is_some_and(|m| m.scale == Scale::Amount);
    is_amount && view.name(col).ends_with(['数', '量', '额', '次', '口'])
}

/// The words for more and for most of a measure.
fn degree(view: &View<'_>, col: usize, high: bool) -> (&'static str, &'static str) {
    let is_amount = view.measure(col).is_some_and(|m| m.scale == Scale::Amount);
    match (is_amount, high) {
        (true, true) if is_quantity(view, col) => ("多", "最多"),
        (true, false) if is_quantity(view, col) => ("少", "最少"),
        (true, true) => ("高", "最高"),
        (true, false) => ("低", "最低"),
        (false, true) => ("晚", "最晚"),
        (false, false) => ("早", "最早"),
    }
}

fn best(
    view: &View<'_>,
    key: usize,
    col: usize,
    high: bool,
    test: Option<Test>,
    random: &mut Random,
) -> String {
    let (most, name) = (degree(view, col, high).1, view.name(col));
    let thing = view.noun.as_deref().unwrap_or(view.name(key));
    match test {
        Some(test) => {
            let with = with(view, test, random);
            random.wording([
                format!("在{with}的{}中，哪个{thing}的{name}{most}？", noun(view)),
                format!("{with}的{}里，{name}{most}的是哪个{thing}？", noun(view)),
                format!("{with}的{}当中，{name}{most}的{thing}是哪一个？", noun(view)),
            ])
        }
        None => random.wording([
            format!("哪个{thing}的{name}{most}？"),
            format!("{name}{most}的{thing}是哪个？"),
            format!("{name}{most}的是哪一个{thing}？"),
        ]),
    }
}

/// A question over two tables.
pub(super) fn join(join: &Join<'_, '_>, random: &mut Random) -> String {
    let (from, wanted) = (join.from, join.to.name(join.wanted));
    let thing = chinese_thing(from.name(join.foreign));
    let what = match join.to.measure(join.wanted).map(|m| m.scale) {
        Some(Scale::Amount) => "多少",
        _ => "什么",
    };
    match join.by {
        By::Key { row, col } => {
            let label = label(from, row, col);
            random.wording([
                format!("{label}的{thing}，其{wanted}是{what}？"),
                format!("{label}对应的{thing}的{wanted}是{what}？"),
                format!("先看{label}的{thing}：该{thing}的{wanted}是{what}？"),
            ])
        }
        By::Value { row, col } => {
            let (name, value) = (from.name(col), value(from, row, col));
            random.wording([
                format!("{name}为{value}的{thing}，其{wanted}是{what}？"),
                format!("{name}是{value}的那个{thing}的{wanted}是{what}？"),
                format!("请问{name}为{value}的{thing}的{wanted}是{what}？"),
            ])
        }
        By::Best { col, high, .. } => {
            let (most, name) = (degree(from, col, high).1, from.name(col));
            random.wording([
                format!("{name}{most}的{thing}，其{wanted}是{what}？"),
                format!("{name}{most}的那个{thing}的{wanted}是{what}？"),
                format!("请问{name}{most}的{thing}的{wanted}是{what}？"),
            ])
        }
    }
}

/// A question with the names of its tables.
pub(super) fn place(question: &str, titles: &[String], random: &mut Random) -> String {
    let marked = |title: &String| {
        if title.contains(['《', '》']) { title.clone() } else { format!("《{title}》") }
    };
    let tables = titles.iter().map(marked).collect::<Vec<_>>().join("和");
    random.wording([
        format!("在{tables}中，{question}"),
        format!("根据{tables}，{question}"),
        format!("从{tables}来看，{question}"),
    ])
}
