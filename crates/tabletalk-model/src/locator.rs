//! The locators inside the program: encoders that were trained to say which row and which column of a table a question
//! asks for and which of several programs it means, or that none is. `models/locator-en/README.md` says how.

use crate::bert::Bert;
use crate::bundled;
use crate::folder::Weights;
use crate::safetensors::Tensors;
use crate::tokens::{Sequence, Tokens};
use crate::workers::Workers;
use crate::{Options, batch};
use std::sync::{Arc, OnceLock};
use tabletalk_core::seam::{Likely, Locate};
use tabletalk_core::{Error, Result};

/// The most tokens of a question, of a row, of a column and of a program, as in training.
const QUESTION: usize = 40;
const ROW: usize = 104;
const COLUMN: usize = 56;
const PROGRAM: usize = 80;

/// Finds rows and columns in English and in Chinese; each model is read when it is first needed.
#[derive(Default)]
pub struct Locator {
    english: OnceLock<Option<Model>>,
    chinese: OnceLock<Option<Model>>,
}

impl Locator {
    /// The locators of the program: what stands in it is read once, however many libraries ask.
    pub fn bundled() -> &'static Locator {
        static BUNDLED: OnceLock<Locator> = OnceLock::new();
        BUNDLED.get_or_init(Locator::default)
    }

    fn model(&self, question: &str) -> Result<&Model> {
        let is_han = |c: char| matches!(c, '\u{3400}'..='\u{9fff}');
        let (slot, number) = match question.chars().any(is_han) {
            true => (&self.chinese, 1),
            false => (&self.english, 0),
        };
        let model = slot.get_or_init(|| Model::open(number));
        model.as_ref().ok_or_else(|| Error::bug("a model inside the program is damaged"))
    }
}

impl Locate for Locator {
    fn rows(&self, question: &str, texts: &[String]) -> Result<Likely> {
        let model = self.model(question)?;
        model.likely(question, texts, ROW, &model.row)
    }

    fn columns(&self, question: &str, texts: &[String]) -> Result<Likely> {
        let model = self.model(question)?;
        model.likely(question, texts, COLUMN, &model.column)
    }

    fn programs(&self, question: &str, texts: &[String]) -> Result<Likely> {
        let model = self.model(question)?;
        model.likely(question, texts, PROGRAM, &model.program)
    }
}

/// What comes after the encoder: a weighted sum, and what none weighs.
struct Head {
    weight: Vec<f32>,
    bias: f32,
    none: f32,
}

impl Head {
    fn of(tensors: &Tensors<'_>, name: &str) -> Option<Head> {
        let one = |part: &str| tensors.floats(&format!("{name}.{part}"))?.first().copied();
        let weight = tensors.floats(&format!("{name}.weight"))?;
        Some(Head { weight, bias: one("bias")?, none: one("none")? })
    }

    fn score(&self, state: &[f32]) -> f32 {
        self.bias + self.weight.iter().zip(state).map(|(w, x)| w * x).sum::<f32>()
    }
}

struct Model {
    tokens: Tokens,
    bert: Bert,
    workers: Workers,
    row: Head,
    column: Head,
    program: Head,
    batch_tokens: usize,
    /// The marks at the beginning and after each text.
    marks: (i32, i32),
}

impl Model {
    fn open(number: usize) -> Option<Model> {
        let (name, layers) = bundled::LAYERS.get(number)?;
        let folder = bundled::folder(name).ok()?;
        let Weights::Program(base) = folder.weights else { return None };
        let tensors = Tensors::parse(layers)?;
        let options = Options::default();
        let tokens = Tokens::new(&folder.tokenizer, 512, 0).ok()?;
        let bert = Bert::trained(base, &tensors, folder.about.bert?)?;
        let (row, column, program) =
            (Head::of(&tensors, "row")?, Head::of(&tensors, "column")?, Head::of(&tensors, "program")?);
        let fits = [&row, &column, &program].iter().all(|head| head.weight.len() == bert.dim());
        let marks = (tokens.token("[CLS]").ok()?, tokens.token("[SEP]").ok()?);
        let workers = Workers::new(options.threads);
        fits.then_some(Model {
            tokens,
            bert,
            workers,
            row,
            column,
            program,
            batch_tokens: options.batch_tokens,
            marks,
        })
    }

    fn likely(&self, question: &str, texts: &[String], most: usize, head: &Head) -> Result<Likely> {
        let asked = self.tokens.bare(question, QUESTION)?;
        let pair = |text: &String| Ok(self.pair(&asked, &self.tokens.bare(text, most)?));
        let sequences = texts.iter().map(pair).collect::<Result<Vec<_>>>()?;
        let lengths: Vec<usize> = sequences.iter().map(|s| s.ids.len()).collect();
        let batches = batch::plan(&lengths, self.batch_tokens, true);
        let run = |places: &Vec<usize>, pool: &Arc<rten::ThreadPool>| -> Result<Vec<(usize, f32)>> {
            let batch: Vec<&Sequence> = places.iter().filter_map(|at| sequences.get(*at)).collect();
            let states = pool.run(|| self.bert.run(&batch, true))?;
            let scores = states.chunks_exact(self.bert.dim()).map(|state| head.score(state));
            Ok(places.iter().copied().zip(scores).collect())
        };
        let mut scores = vec![f32::MIN; texts.len()];
        for (at, score) in self.workers.each(&batches, run)?.into_iter().flatten() {
            if let Some(slot) = scores.get_mut(at) {
                *slot = score;
            }
        }
        Ok(shared(&scores, head.none))
    }

    /// A question and a text, with the marks around them.
    fn pair(&self, asked: &[i32], text: &[i32]) -> Sequence {
        let (begin, end) = self.marks;
        let mut ids = vec![begin];
        ids.extend(asked);
        ids.push(end);
        let first = ids.len();
        ids.extend(text);
        ids.push(end);
        let types = (0..ids.len()).map(|i| i32::from(i >= first)).collect();
        Sequence { types, special: vec![false; ids.len()], attended: ids.len(), ids }
    }
}

/// Scores as shares of one, with that of none.
fn shared(scores: &[f32], none: f32) -> Likely {
    let most = scores.iter().copied().fold(none, f32::max);
    let weight = |score: f32| (score - most).exp();
    let sum = scores.iter().copied().map(weight).sum::<f32>() + weight(none);
    Likely { each: scores.iter().map(|s| weight(*s) / sum).collect(), none: weight(none) / sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(all: &[&str]) -> Vec<String> {
        all.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn shares_add_up_to_one() {
        let likely = shared(&[2.0, -1.0], 0.5);
        assert!((likely.each.iter().sum::<f32>() + likely.none - 1.0).abs() < 1e-6);
        assert!(likely.each[0] > likely.none && likely.none > likely.each[1]);
        assert_eq!(shared(&[], 0.0).none, 1.0);
    }

    #[test]
    fn finds_rows_and_columns_by_words_that_the_table_has_not() {
        let locator = Locator::default();
        let rows = texts(&[
            "staff | Name: Ann Bell; Monthly salary: 4,100; Home town: Leeds",
            "staff | Name: Omar Diaz; Monthly salary: 3,900; Home town: York",
        ]);
        let columns = texts(&[
            "staff | Name: Ann Bell, Omar Diaz",
            "staff | Monthly salary: 4,100, 3,900",
            "staff | Home town: Leeds, York",
        ]);
        let question = "how much does Omar earn?";
        let row = locator.rows(question, &rows).unwrap();
        let column = locator.columns(question, &columns).unwrap();
        assert!(row.each[1] > 0.8 && column.each[1] > 0.8, "{row:?} {column:?}");
        assert!(locator.columns("what is the shoe size of Omar?", &columns).unwrap().none > 0.5);
        let rows = texts(&["姓名: 王芳; 月薪: 8200; 城市: 杭州", "姓名: 李强; 月薪: 7600; 城市: 苏州"]);
        assert!(locator.rows("王芳挣多少钱？", &rows).unwrap().each[0] > 0.8);
    }
}
