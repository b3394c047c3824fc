//! The smallest models that there can be, written for tests: a table with a row for each token of a few words.

use std::path::Path;

/// The tokens; a word that is none of them is unknown.
pub(crate) const TOKENS: [&str; 7] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "car", "vehicle", "fruit"];

/// A model as the table that its tokens look their rows up in.
pub(crate) struct Tiny {
    rows: Vec<Vec<f32>>,
}

impl Tiny {
    /// A masked language model: every word stands for itself, and a car for a vehicle too.
    pub(crate) fn terms() -> Tiny {
        let says = |token: usize| -> Vec<f32> {
            let own = |term: usize| match (token, term) {
                (4, 5) => 1.0,
                (4.., _) if token == term => 2.0,
                _ => -1.0,
            };
            (0..TOKENS.len()).map(own).collect()
        };
        Tiny { rows: (0..TOKENS.len()).map(says).collect() }
    }

    /// Every token weighs two, marks too.
    pub(crate) fn weights() -> Tiny {
        Tiny { rows: vec![vec![2.0]; TOKENS.len()] }
    }

    /// States of three numbers, which are no weights of terms.
    pub(crate) fn states() -> Tiny {
        Tiny { rows: (0..TOKENS.len()).map(|token| vec![1.0, token as f32, 0.5]).collect() }
    }

    /// Writes `model.onnx` and `tokenizer.json` to a folder.
    pub(crate) fn write(&self, folder: &Path) {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join("model.onnx"), self.onnx()).unwrap();
        let vocabulary: serde_json::Map<String, serde_json::Value> =
            TOKENS.iter().enumerate().map(|(id, token)| ((*token).to_owned(), id.into())).collect();
        let tokenizer = serde_json::json!({
            "version": "1.0", "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
            "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
            "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
        });
        std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    }

    /// One node that looks rows up, as the fields of ONNX's messages are numbered.
    fn onnx(&self) -> Vec<u8> {
        let width = self.rows.first().map_or(0, Vec::len);
        let raw: Vec<u8> = self.rows.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let table =
            [number(1, self.rows.len()), number(1, width), number(2, 1), bytes(8, b"table"), bytes(9, &raw)];
        let inputs = [bytes(1, b"table"), bytes(1, b"input_ids"), bytes(2, b"logits"), bytes(4, b"Gather")];
        let graph = [
            bytes(1, &inputs.concat()),
            bytes(2, b"tiny"),
            bytes(5, &table.concat()),
            bytes(11, &value("input_ids", 7, &[None, None])),
            // It is no use here, but tells that texts of different lengths may be run together.
            bytes(11, &value("attention_mask", 7, &[None, None])),
            bytes(12, &value("logits", 1, &[None, None, Some(width)])),
        ];
        [number(1, 8), bytes(7, &graph.concat()), bytes(8, &number(2, 13))].concat()
    }
}

/// An input or output: its name, the type of its numbers and its shape.
fn value(name: &str, kind: usize, shape: &[Option<usize>]) -> Vec<u8> {
    let dim = |size: &Option<usize>| bytes(1, &size.map_or_else(|| bytes(2, b"any"), |size| number(1, size)));
    let shape: Vec<u8> = shape.iter().flat_map(dim).collect();
    let tensor = [number(1, kind), bytes(2, &shape)].concat();
    [bytes(1, name.as_bytes()), bytes(2, &bytes(1, &tensor))].concat()
}

fn number(field: usize, value: usize) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn bytes(field: usize, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len()), value.to_vec()].concat()
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut out = Vec::new();
    while value > 127 {
        out.push((value & 127) as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
    out
}
