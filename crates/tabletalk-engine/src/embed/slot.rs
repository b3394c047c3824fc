//! Embedding models under their embed keys.

use super::Settings;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tabletalk_core::seam::{Embed, Embedding, Role, Want};
use tabletalk_core::{Error, Result};

/// Letters of a text that decide about its language.
const LOOKED_AT: usize = 1000;
/// Queries whose vectors are remembered.
const REMEMBERED: usize = 4096;

/// Which texts a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Route {
    /// All.
    #[default]
    Any,
    /// Those that are mostly Chinese.
    Chinese,
    /// All others.
    Other,
}

impl Route {
    /// Whether a text goes this way.
    pub fn takes(self, text: &str) -> bool {
        match self {
            Route::Any => true,
            Route::Chinese => is_chinese(text),
            Route::Other => !is_chinese(text),
        }
    }
}

/// Whether at least three in ten letters are Han, with hardly any kana or hangul. A Han character says as much
/// as a few Latin letters, so names in Latin letters do not outweigh a Chinese sentence.
fn is_chinese(text: &str) -> bool {
    let (mut han, mut kana, mut letters) = (0usize, 0usize, 0usize);
    for c in text.chars().filter(|c| c.is_alphabetic()).take(LOOKED_AT) {
        letters += 1;
        match c {
            '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}' => han += 1,
            '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9d}' => kana += 1,
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => kana += 1,
            _ => {}
        }
    }
    han > 0 && han * 10 >= letters * 3 && kana * 20 <= han
}

/// Makes a model when it is first needed.
type Load = Box<dyn Fn() -> Result<Box<dyn Embed>> + Send + Sync>;

/// A model under an embed key.
pub struct Slot {
    /// The embed key.
    pub key: String,
    /// The groups whose nodes it embeds.
    pub groups: Vec<String>,
    /// Which texts it is for.
    pub route: Route,
    /// Whether its token vectors are kept for late interaction.
    pub late: bool,
    /// Whether its sparse vectors are kept.
    pub sparse: bool,
    load: Load,
    model: Mutex<Option<Arc<dyn Embed>>>,
    queries: Mutex<HashMap<(String, Want), Arc<Embedding>>>,
}

impl Slot {
    /// A slot whose model is made by `load` when it is first needed.
    pub fn new(
        key: &str,
        groups: &[String],
        route: Route,
        late: bool,
        load: impl Fn() -> Result<Box<dyn Embed>> + Send + Sync + 'static,
    ) -> Slot {
        Slot {
            key: key.to_owned(),
            groups: groups.to_vec(),
            route,
            late,
            sparse: false,
            load: Box::new(load),
            model: Mutex::default(),
            queries: Mutex::default(),
        }
    }

    /// The same slot, with its sparse vectors kept or not.
    pub fn with_sparse(self, sparse: bool) -> Slot {
        Slot { sparse, ..self }
    }

    /// Whether there are vectors of this kind: of whole texts where the model gives them, others where they are kept.
    pub fn has(&self, want: Want) -> Result<bool> {
        Ok(match want {
            Want::Pooled => self.model()?.dim() > 0,
            Want::Tokens => self.late,
            Want::Both => self.late && self.model()?.dim() > 0,
            Want::Sparse => self.sparse,
        })
    }

    /// The model.
    pub fn model(&self) -> Result<Arc<dyn Embed>> {
        let there = || self.model.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = &*there() {
            return Ok(model.clone());
        }
        // Not under the lock: loading works on several threads, and one of them may take up work that comes back here.
        let made: Arc<dyn Embed> =
            Arc::from((self.load)().map_err(|e| e.at(format!("embed key `{}`", self.key)))?);
        Ok(there().get_or_insert(made).clone())
    }

    /// The embedding of a query. Remembered, so that it is made once.
    pub fn query(&self, text: &str, want: Want) -> Result<Arc<Embedding>> {
        let key = (text.to_owned(), want);
        let remembered = self.queries.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(embedding) = remembered {
            return Ok(embedding);
        }
        self.remember(&[text], want)?;
        let made = self.queries.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        made.ok_or_else(|| Error::upstream("the model gave no vector for the query"))
    }

    /// Embeds queries together, which is faster than one by one.
    pub fn remember(&self, texts: &[&str], want: Want) -> Result<()> {
        let made = self.model()?.embed(texts, Role::Query, want)?;
        let mut queries = self.queries.lock().unwrap_or_else(PoisonError::into_inner);
        if queries.len() > REMEMBERED {
            queries.clear();
        }
        for (text, embedding) in texts.iter().zip(made) {
            queries.insert(((*text).to_owned(), want), Arc::new(embedding));
        }
        Ok(())
    }
}

/// All slots, and what is embedded of a node.
#[derive(Default)]
pub struct Embedders {
    slots: Vec<Slot>,
    /// What is embedded of a node, and how vectors are indexed.
    pub settings: Settings,
}

impl Embedders {
    /// These slots.
    pub fn new(slots: Vec<Slot>, settings: Settings) -> Result<Embedders> {
        for (i, slot) in slots.iter().enumerate() {
            let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
            if slot.key.is_empty() || !slot.key.chars().all(plain) {
                return Err(Error::input(format!("`{}` cannot be an embed key", slot.key))
                    .hint("use letters, digits, `-` and `_`"));
            }
            if slots[..i].iter().any(|s| s.key == slot.key) {
                return Err(Error::input(format!("there are two embed keys `{}`", slot.key)));
            }
        }
        Ok(Embedders { slots, settings })
    }

    /// The slots.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Adds a slot of the user, in the place of one of the same embed key.
    pub fn add(&mut self, slot: Slot) -> Result<()> {
        let mut slots = std::mem::take(&mut self.slots);
        slots.retain(|s| s.key != slot.key);
        slots.push(slot);
        *self = Embedders::new(slots, self.settings.clone())?;
        Ok(())
    }

    /// The first slot for a text whose model gives vectors of whole texts, and so of its tokens; one whose model cannot
    /// be made counts, so that its error is seen.
    pub fn dense_for(&self, text: &str) -> Option<&Slot> {
        let is_dense = |slot: &&Slot| slot.has(Want::Pooled).unwrap_or(true);
        self.slots.iter().filter(|slot| slot.route.takes(text)).find(is_dense)
    }

    /// The slots that embed a group and are for a query; only those named, where some are.
    pub fn for_query<'a>(
        &'a self,
        text: &'a str,
        group: &'a str,
        keys: &'a [String],
    ) -> impl Iterator<Item = &'a Slot> {
        let is_named = move |slot: &&Slot| keys.is_empty() || keys.contains(&slot.key);
        let embeds = move |slot: &&Slot| slot.groups.iter().any(|g| g == group);
        self.slots.iter().filter(is_named).filter(embeds).filter(move |slot| slot.route.takes(text))
    }

    /// The slot of an embed key.
    pub fn get(&self, key: &str) -> Result<&Slot> {
        self.slots.iter().find(|s| s.key == key).ok_or_else(|| {
            let keys: Vec<&str> = self.slots.iter().map(|s| s.key.as_str()).collect();
            Error::missing(format!("there is no embed key `{key}`"))
                .hint(format!("there are: {}", keys.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_go_to_the_model_of_their_language() {
        assert!(Route::Chinese.takes("腾讯 Tencent 的净利润"));
        assert!(Route::Other.takes("the city of 北京 in the north of the country"));
        assert!(
            Route::Other.takes("東京都の人口はどのくらいですか") && Route::Other.takes("서울의 인구는 漢字")
        );
        assert!(Route::Other.takes("1234") && !Route::Chinese.takes(""));
    }

    #[test]
    fn a_model_that_cannot_be_made_is_named_by_its_key() {
        let slot = Slot::new("en", &[], Route::Any, false, || Err(Error::missing("no file model.onnx")));
        let message = slot.query("oslo", Want::Pooled).err().unwrap().to_string();
        assert!(message.contains("embed key `en`") && message.contains("model.onnx"), "{message}");
    }

    #[test]
    fn embed_keys_are_plain_and_stand_once() {
        let slot = |key| Slot::new(key, &[], Route::Any, false, || Err(Error::missing("")));
        assert!(Embedders::new(vec![slot("a/b")], Settings::default()).is_err());
        assert!(Embedders::new(vec![slot("a"), slot("a")], Settings::default()).is_err());
    }
}
