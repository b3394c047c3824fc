//! How many tokens a text is, without the model's tokenizer.

/// How a family of tokenizers cuts what differs between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counter {
    /// How many digits are one token.
    digits: usize,
}

impl Counter {
    /// The counter for a model of this name.
    pub(crate) fn of(model: &str) -> Counter {
        let model = model.to_lowercase();
        let by_digit = ["qwen", "deepseek", "gemini", "gemma", "mistral", "llama2", "smollm", "phi", "yi-"];
        Counter { digits: if by_digit.iter().any(|name| model.contains(name)) { 1 } else { 3 } }
    }

    /// How many tokens `text` is, about.
    pub(crate) fn count(self, text: &str) -> usize {
        let mut sum = 0.0;
        let mut run = (Class::Space, 0_usize);
        for c in text.chars() {
            let class = Class::of(c);
            if class == run.0 {
                run.1 += 1;
            } else {
                sum += self.cost(run);
                run = (class, 1);
            }
        }
        (sum + self.cost(run)).ceil() as usize
    }

    fn cost(self, (class, length): (Class, usize)) -> f64 {
        let n = length as f64;
        match class {
            Class::Letter => 1.0 + (n - 6.0).max(0.0) * 0.2,
            Class::Digit => length.div_ceil(self.digits) as f64,
            Class::Wide => n * 0.7,
            Class::Other => n * 0.8,
            Class::Sign => 0.3 + n * 0.6,
            // The first blank goes with the word after it.
            Class::Space => (n - 1.0).max(0.0) * 0.25,
            Class::Break => 0.6,
        }
    }
}

/// How many tokens `text` is, about: within 15 % for English, Chinese and SQL.
pub fn tokens(text: &str) -> usize {
    Counter { digits: 3 }.count(text)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Wide,
    Other,
    Sign,
    Space,
    Break,
}

impl Class {
    fn of(c: char) -> Class {
        match c {
            'a'..='z' | 'A'..='Z' => Class::Letter,
            '0'..='9' => Class::Digit,
            '\n' | '\r' => Class::Break,
            c if c.is_whitespace() => Class::Space,
            c if c.is_ascii() => Class::Sign,
            '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' => Class::Wide,
            _ => Class::Other,
        }
    }
}
