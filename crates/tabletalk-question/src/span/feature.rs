//! What speaks for words of a text as an answer: features of where they begin, of where they end, and of both together.

use super::text::Text;
use super::token::Class;

/// Numbers that features are told apart by.
pub(super) const BITS: u32 = 19;
/// Places before and after words at which the question is looked for.
const BESIDE: usize = 12;

/// The features of one place or pair.
pub(super) type Features = Vec<u32>;

struct Made {
    of: u64,
    all: Features,
}

impl Made {
    fn add(&mut self, name: u64, about: &[u64]) {
        let mut x: u64 = 0xcbf2_9ce4_8422_2325;
        for part in [self.of, name].iter().chain(about) {
            x = (x ^ part).wrapping_mul(0x0100_0000_01b3);
            x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        }
        self.all.push((x >> (64 - BITS)) as u32);
    }
}

fn key(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |x, byte| (x ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A number among few.
fn step(x: usize) -> u64 {
    const ENDS: [usize; 11] = [1, 2, 3, 4, 5, 7, 10, 15, 23, 36, 61];
    ENDS.iter().filter(|end| x >= **end).count() as u64
}

/// A share in so many parts.
fn part(share: f32, parts: f32) -> u64 {
    (share * parts).round().clamp(0.0, parts) as u64
}

/// What a question asks for, as features name it.
struct ChatOptions {
    kind: u64,
    head: u64,
    last: u64,
}

impl ChatOptions {
    fn of(text: &Text<'_>) -> ChatOptions {
        let head = &text.asked.head;
        let last = head.last().map_or(0, |word| key(word));
        ChatOptions { kind: text.asked.kind as u64, head: key(&head.concat()), last }
    }
}

/// The features of beginning at a place.
pub(super) fn begin(text: &Text<'_>, i: usize) -> Features {
    let mut f = Made { of: u64::from(text.is_han), all: Vec::with_capacity(28) };
    let ChatOptions { kind: k, last: head, .. } = ChatOptions::of(text);
    let best = text.best.max(1e-6);
    let (sentence, clause) = (text.sentence[i], text.clause[i]);
    let (before, first) = (key(text.at(i, -1)), key(text.at(i, 0)));
    let (class_before, class) = (text.class(i, -1), text.class(i, 0));
    f.add(1, &[before]);
    f.add(2, &[before, k]);
    f.add(3, &[key(text.at(i, -2)), before]);
    f.add(4, &[first]);
    f.add(5, &[first, k]);
    f.add(6, &[class_before, class, k]);
    f.add(7, &[class_before, class, head]);
    f.add(8, &[first, key(text.at(i, 1))]);
    let same = text.same_before(i).min(7) as u64;
    f.add(9, &[same]);
    f.add(10, &[same, k, u64::from(text.asked.left.is_empty())]);
    let far = step(text.before(i));
    f.add(11, &[far]);
    f.add(12, &[far, k]);
    let hit = u64::from(text.hit[i]);
    f.add(13, &[hit, class_before]);
    f.add(14, &[hit, u64::from(i > 0 && text.hit[i - 1]), k]);
    let (begins, parts) = text.begins(i);
    f.add(15, &[u64::from(begins), u64::from(parts), k]);
    f.add(16, &[text.rank[sentence] as u64]);
    f.add(17, &[part(text.sentence_share[sentence] / best, 8.0), part(text.best, 5.0)]);
    f.add(18, &[part(text.sentence_share[sentence], 10.0)]);
    f.add(19, &[part(text.clause_share[clause] / best, 6.0)]);
    f.add(20, &[part(text.clause_share[clause] / best, 4.0), k]);
    let beside = text.weight(i.saturating_sub(BESIDE), i);
    f.add(21, &[part(beside, 8.0)]);
    f.add(22, &[part(beside, 5.0), k]);
    f.add(23, &[first, head]);
    f.add(24, &[before, head]);
    f.add(25, &[before, key(text.asked.left.last().map_or("", String::as_str))]);
    f.all
}

/// The features of ending before a place.
pub(super) fn end(text: &Text<'_>, j: usize) -> Features {
    let mut f = Made { of: 2 + u64::from(text.is_han), all: Vec::with_capacity(24) };
    let ChatOptions { kind: k, head: named, last: head } = ChatOptions::of(text);
    let (next, last) = (key(text.at(j, 0)), key(text.at(j, -1)));
    let (class_next, class) = (text.class(j, 0), text.class(j, -1));
    f.add(1, &[next]);
    f.add(2, &[next, k]);
    f.add(3, &[next, key(text.at(j, 1))]);
    f.add(4, &[last]);
    f.add(5, &[last, k]);
    f.add(6, &[key(text.at(j, -2)), last, k]);
    f.add(7, &[class_next, class, k]);
    f.add(8, &[class_next, class, head]);
    let same = text.same_after(j).min(7) as u64;
    f.add(9, &[same]);
    f.add(10, &[same, k]);
    let far = step(text.after(j));
    f.add(11, &[far]);
    f.add(12, &[far, k]);
    let hit = u64::from(text.hit[j - 1]);
    f.add(13, &[hit, class_next]);
    f.add(14, &[hit, u64::from(text.hit.get(j) == Some(&true)), k]);
    let (over, paused) = text.is_over(j);
    f.add(15, &[u64::from(over), u64::from(paused), k]);
    let ends_so = text.asked.head.last().is_some_and(|word| word == text.at(j, -1));
    let goes_on_so = text.asked.head.first().is_some_and(|word| word == text.at(j, 0));
    f.add(16, &[u64::from(ends_so), u64::from(goes_on_so), k]);
    f.add(17, &[last, head]);
    f.add(18, &[last, named]);
    f.add(19, &[next, head]);
    let beside = text.weight(j, j + BESIDE);
    f.add(20, &[part(beside, 8.0)]);
    f.add(21, &[part(beside, 5.0), k]);
    f.all
}

/// The features of both together.
pub(super) fn pair(text: &Text<'_>, i: usize, j: usize) -> Features {
    let mut f = Made { of: 4 + u64::from(text.is_han), all: Vec::with_capacity(30) };
    let ChatOptions { kind: k, last: head, .. } = ChatOptions::of(text);
    shape(&mut f, text, i, j, k, head);
    place(&mut f, text, i, j, k);
    f.all
}

/// How long words are, and what they are made of.
fn shape(f: &mut Made, text: &Text<'_>, i: usize, j: usize, k: u64, head: u64) {
    let len = j - i;
    let count = |class: Class| text.tokens[i..j].iter().filter(|t| t.class() == class).count();
    f.add(1, &[step(len)]);
    f.add(2, &[step(len), k]);
    f.add(3, &[step(len), head]);
    f.add(4, &[len.min(20) as u64, k]);
    let hits = text.hits(i, j) as f32 / len as f32;
    f.add(5, &[part(hits, 5.0)]);
    f.add(6, &[part(hits, 5.0), k, step(len) / 3]);
    let (digits, numerals) = (count(Class::Digits), count(Class::Numeral));
    let all = u64::from(digits + numerals == len);
    f.add(7, &[u64::from(digits > 0), all, u64::from(numerals > 0), k]);
    f.add(8, &[u64::from(digits > 0), head]);
    f.add(9, &[count(Class::Pause).min(4) as u64, k]);
    f.add(10, &[count(Class::Joint).min(3) as u64, k]);
    f.add(11, &[(5 + count(Class::Open).min(5) - count(Class::Close).min(5)) as u64]);
    let is = |step: isize, at: usize, class: Class| text.class(at, step) == class as u64;
    let inside = is(-1, i, Class::Open) && is(0, j, Class::Close);
    let around = is(0, i, Class::Open) && is(-1, j, Class::Close);
    f.add(12, &[u64::from(inside), u64::from(around), k]);
    let small = count(Class::Particle) + count(Class::Function);
    f.add(13, &[small.min(5) as u64, step(len)]);
    f.add(14, &[text.class(i, 0), text.class(j, -1), len.min(6) as u64, k]);
    f.add(15, &[key(text.at(i, 0)), key(text.at(j, -1)), u64::from(len > 1)]);
}

/// What stands around words, and where in the text they stand.
fn place(f: &mut Made, text: &Text<'_>, i: usize, j: usize, k: u64) {
    let long = step(j - i);
    f.add(31, &[text.same_before(i).min(4) as u64, text.same_after(j).min(4) as u64]);
    f.add(32, &[(text.before(i) + text.after(j)).min(14) as u64]);
    let (_, begins) = text.begins(i);
    let (_, over) = text.is_over(j);
    f.add(33, &[u64::from(begins), u64::from(over), k, u64::from(long > 6)]);
    f.add(34, &[key(text.at(i, -1)), key(text.at(j, 0))]);
    f.add(35, &[text.class(i, -1), text.class(j, 0), k, long / 2]);
    let best = text.best.max(1e-6);
    let inside = text.weight(i, j);
    let (first, last) = (text.clause[i], text.clause[j - 1]);
    let outside = (text.clause_share[first..=last].iter().sum::<f32>() - inside).max(0.0) / best;
    f.add(36, &[part(outside, 8.0)]);
    f.add(37, &[part(outside, 4.0), k]);
    f.add(38, &[part(inside / best, 6.0)]);
    let sentence = text.sentence[i];
    f.add(39, &[part((text.sentence_share[sentence] - inside).max(0.0) / best, 8.0), k]);
    let from_best = |clause: usize| (clause as i64 - text.best_clause as i64).clamp(-3, 4) as u64;
    f.add(40, &[from_best(first), from_best(last)]);
    f.add(41, &[from_best(first), k]);
    f.add(42, &[u64::from(sentence == 0), k, u64::from(long > 6)]);
}
