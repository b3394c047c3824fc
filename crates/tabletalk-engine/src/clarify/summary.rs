//! What a table is for.

use super::background::{Search, background, cited};
use super::short::{Most, Secrets};
use super::{Clarified, Clarifier, Said};
use crate::excerpt::Excerpt;
use crate::prompt::Name;
use tabletalk_core::Result;

impl Clarifier<'_> {
    /// Says what a table is for, from its title, its columns, some rows, the text around it and what a reference
    /// knows about its subject. Sentences that give away measured values are left out. With a question it says what is
    /// needed for that; one that is kept sees none.
    pub fn summary(
        &self,
        table: &Excerpt,
        question: Option<&str>,
        reference: Option<Search<'_>>,
    ) -> Result<Clarified> {
        let columns: Vec<usize> = (0..table.columns.len()).collect();
        let some = table.keep(&columns, &(0..self.settings.rows).collect::<Vec<_>>());
        let shown = self.shown(&Excerpt { context: String::new(), ..some })?;
        let context = self.cut(&table.context, self.settings.context_tokens);
        let mut clarified = Clarified::default();
        let found = reference.map(|search| background(table, search, &mut clarified.notes));
        let mut found = found.unwrap_or_default();
        found.truncate(self.settings.articles);
        clarified.articles = found.iter().map(cited).collect();
        let share = self.settings.background_tokens / self.settings.articles.max(1);
        let articles = found.iter().map(|article| self.cut(&article.text, share));
        let articles = articles.collect::<Vec<_>>().join("\n\n");
        let sentences = self.settings.sentences.to_string();
        let mut values = vec![
            ("table", shown.as_str()),
            ("context", context.as_str()),
            ("background", articles.as_str()),
            ("sentences", sentences.as_str()),
        ];
        let said = match question {
            Some(question) => {
                values.push(("question", question));
                self.ask(Name::Purpose, &values)?
            }
            None => self.ask(Name::Clarification, &values)?,
        };
        clarified.usage = said.usage;
        let secrets = match question {
            Some(question) => Secrets::cells(table, question),
            None => Secrets::measures(table),
        };
        clarified.text = self.shortened(&secrets, &said, &mut clarified.notes);
        Ok(clarified)
    }

    /// The first sentences of a text, in so many tokens.
    fn cut(&self, text: &str, tokens: usize) -> String {
        Most { sentences: usize::MAX, tokens, count: &|text| self.chat.count(text) }.short(text, |_| true)
    }

    fn shortened(&self, secrets: &Secrets, said: &Said, notes: &mut Vec<String>) -> String {
        let mut told: Vec<String> = Vec::new();
        let most = Most {
            sentences: self.settings.sentences,
            tokens: self.settings.max_tokens as usize,
            count: &|text| self.chat.count(text),
        };
        // A reply that was broken off ends inside a sentence.
        let is_broken =
            |s: &str| said.is_cut && said.text.ends_with(s) && !s.ends_with(['.', '。', '!', '！']);
        let text = most.short(&said.text, |sentence| {
            let secret = secrets.told(sentence, "");
            told.extend(secret.map(|s| format!("a sentence gives away `{s}`")));
            secret.is_none() && !is_broken(sentence)
        });
        told.dedup();
        notes.extend(told);
        text
    }
}
