//! Groups that a language model makes, node by node: summaries, keywords, questions, and prompts of the user.
//!
//! A node says by a print what it was made from, so that only what is new or changed is asked about again.

use super::{Confirm, Estimate, Maker, Order, Settings};
use crate::group::{Definition, Groups, Transform, tokens};
use crate::maintain;
use crate::prompt::{Name, Prompts, talk_of};
use crate::recall::{Ref, make_node};
use crate::watch::{Watch, interrupted};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use tabletalk_core::chat::{ChatOptions, Usage};
use tabletalk_core::seam::Chat;
use tabletalk_core::{Error, Node, Result};
use tabletalk_store::Library;
use tabletalk_store::embedding::hash;

/// Documents whose nodes are made together.
const PAGE: usize = 64;
/// Tokens of a request besides the text.
const AROUND: u64 = 160;
/// The most tokens of a reply to a prompt that is built in.
const REPLY: u32 = 300;

/// What making nodes needs.
pub struct Job<'a> {
    /// Where the nodes are.
    pub library: &'a Library,
    /// The groups there are.
    pub groups: &'a Groups,
    /// The group that is made.
    pub group: &'a Definition,
    /// What is said to the model.
    pub prompts: &'a Prompts,
    /// The model.
    pub chat: &'a dyn Chat,
    /// How it is asked.
    pub settings: &'a Settings,
    /// Says whether a long run may begin.
    pub confirm: Confirm<'a>,
}

/// What came of making nodes.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Made {
    /// Nodes that were made.
    pub nodes: u64,
    /// Nodes of the parent group that had theirs.
    pub known: u64,
    /// Nodes of the parent group that got none, and why.
    pub failed: Vec<String>,
    /// What it cost.
    pub usage: Usage,
}

/// A document with the nodes that are to be asked about, and those that stay.
struct Page {
    document: i64,
    kept: Vec<Node>,
    /// Each with the nodes it had, which stay when there are no new ones.
    asked: Vec<(Node, Vec<Node>)>,
    gone: bool,
}

/// Makes the nodes of a group that a model makes. What is made is kept at once. The caller holds the lock.
pub fn run(job: &Job<'_>, watch: &dyn Watch) -> Result<Made> {
    if !job.group.transform.is_asked() {
        return Err(Error::input(format!("group `{}` is not made by a language model", job.group.name))
            .hint("`tabletalk groups` lists the groups and how they are made"));
    }
    maintain::bring_up_to_date(job.library, job.groups, watch)?;
    let mut made = Made::default();
    let done = job.fill(watch, &mut made);
    // What was made before an error is searched too.
    maintain::bring_up_to_date(job.library, job.groups, watch)?;
    done.map(|()| made)
}

impl Job<'_> {
    fn fill(&self, watch: &dyn Watch, made: &mut Made) -> Result<()> {
        let documents = self.library.catalog()?.select(|record| !record.source.is_empty())?;
        let estimate = self.estimate(&documents)?;
        if estimate.calls > self.settings.ask_above && !(self.confirm)(&estimate)? {
            return Err(interrupted());
        }
        for (i, documents) in documents.chunks(PAGE).enumerate() {
            if watch.stopped() {
                return Err(interrupted());
            }
            let pages = documents.iter().map(|&d| self.page(d)).collect::<Result<Vec<_>>>()?;
            let what = format!("{} of documents from {} on", self.group.name, i * PAGE + 1);
            self.make(pages, &what, watch, made)?;
        }
        Ok(())
    }

    fn estimate(&self, documents: &[i64]) -> Result<Estimate> {
        let maker = self.maker();
        let mut estimate = Estimate::default();
        for &document in documents {
            for (node, _) in self.page(document)?.asked {
                let order = self.order(&node)?;
                if !maker.knows(&order)? {
                    let tokens = tokens::count(&node.text) as u64;
                    estimate.add(tokens + AROUND + u64::from(order.options.max_tokens));
                }
            }
        }
        Ok(estimate)
    }

    fn maker(&self) -> Maker<'_> {
        let accepts: &(dyn Fn(&str) -> bool + Sync) = match self.group.transform {
            Transform::Questions => &|text| !pairs(text).is_empty(),
            Transform::Keywords => &|text| !keywords(text).is_empty(),
            _ => &|_| true,
        };
        Maker { chat: self.chat, accepts, library: self.library, settings: self.settings }
    }

    /// What a document has of the group, and what it lacks.
    fn page(&self, document: i64) -> Result<Page> {
        let mut old: HashMap<String, Vec<Node>> = HashMap::new();
        for (_, node) in self.library.catalog()?.nodes_of(document, Some(&self.group.name))? {
            old.entry(node.parent.clone()).or_default().push(node);
        }
        let mut page = Page { document, kept: Vec::new(), asked: Vec::new(), gone: false };
        for parent in self.parents(document)? {
            let print = self.print(&parent);
            let is_same = |n: &Node| n.fields.get("made_from").and_then(Value::as_str) == Some(&print);
            let nodes = old.remove(&parent.id).unwrap_or_default();
            match !nodes.is_empty() && nodes.iter().all(is_same) {
                true => page.kept.extend(nodes),
                false => page.asked.push((parent, nodes)),
            }
        }
        page.gone = !old.is_empty();
        Ok(page)
    }

    /// The nodes that are asked about.
    fn parents(&self, document: i64) -> Result<Vec<Node>> {
        let parent = self.groups.get(&self.group.parent)?;
        let catalog = self.library.catalog()?;
        let of = |node: Ref| make_node(&catalog, &node);
        let nodes: Vec<Node> = match parent.transform {
            Transform::Root => of(Ref::Root { document })?.into_iter().collect(),
            Transform::Table => {
                let tables = catalog.tables_of(document)?.into_iter().map(|t| t.key);
                let made = tables.map(|table| of(Ref::Table { document, table }));
                made.filter_map(Result::transpose).collect::<Result<_>>()?
            }
            _ => catalog.nodes_of(document, Some(&parent.name))?.into_iter().map(|n| n.1).collect(),
        };
        Ok(nodes.into_iter().filter(|n| !n.text.trim().is_empty()).collect())
    }

    /// Names all that the nodes of a parent depend on.
    fn print(&self, parent: &Node) -> String {
        let prompt = match prompt_of(&self.group.transform) {
            Some(name) => self.prompts.print(name),
            None => self.groups.fingerprint(self.group),
        };
        let all = format!("{}|{prompt}|{}", self.chat.identity(), parent.text);
        hash(&all).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    fn order(&self, node: &Node) -> Result<Order> {
        let reply = match self.group.transform {
            Transform::Prompt { max_token, .. } => max_token,
            _ => REPLY,
        };
        let room = self.chat.context().saturating_sub(reply as usize + 2 * AROUND as usize).max(1);
        let text = node.text.get(..tokens::head(&node.text, room)).unwrap_or(&node.text);
        let values = [("text", text), ("title", node.place.file.as_str())];
        let talk = match (&self.group.transform, prompt_of(&self.group.transform)) {
            (Transform::Prompt { prompt, .. }, _) => talk_of(prompt, &values)?,
            (_, Some(name)) => self.prompts.talk(name, &values)?,
            _ => return Err(Error::bug("a group without a prompt was to be asked for")),
        };
        Ok(Order { talk, options: ChatOptions { max_tokens: reply, ..ChatOptions::default() } })
    }

    fn make(&self, pages: Vec<Page>, what: &str, watch: &dyn Watch, made: &mut Made) -> Result<()> {
        let asked: Vec<&Node> = pages.iter().flat_map(|p| &p.asked).map(|a| &a.0).collect();
        let order = |i: usize| match asked.get(i) {
            Some(node) => self.order(node),
            None => Err(Error::bug("an order that nobody gave")),
        };
        let said = self.maker().make(asked.len(), &order, what, watch)?;
        made.usage += said.usage;
        let mut texts = said.texts.into_iter();
        let mut catalog = self.library.catalog()?;
        let change = catalog.change()?;
        let mut changed = false;
        for page in &pages {
            made.known += page.kept.len() as u64;
            let mut nodes = page.kept.clone();
            for ((parent, old), said) in page.asked.iter().zip(texts.by_ref()) {
                match said.and_then(|text| self.nodes(parent, &text)) {
                    Ok(new) => {
                        made.nodes += new.len() as u64;
                        nodes.extend(new);
                    }
                    Err(e) => {
                        nodes.extend(old.iter().cloned());
                        made.failed.push(e.at(&parent.id).to_string());
                    }
                }
            }
            if !page.asked.is_empty() || page.gone {
                change.replace_nodes(page.document, &self.group.name, &nodes)?;
                changed = true;
            }
        }
        if changed { change.commit() } else { Ok(()) }
    }

    /// The nodes that are made of a reply.
    fn nodes(&self, parent: &Node, text: &str) -> Result<Vec<Node>> {
        let mut parts: Vec<(String, Map<String, Value>)> = match self.group.transform {
            Transform::Questions => pairs(text).into_iter().map(|(q, a)| pair(&q, &a)).collect(),
            Transform::Keywords => vec![(keywords(text), Map::new())],
            _ => vec![(text.to_owned(), Map::new())],
        };
        parts.retain(|(text, _)| !text.is_empty());
        if parts.is_empty() {
            return Err(Error::upstream("the model did not write what was asked for"));
        }
        let print = self.print(parent);
        let (document, rest) = parent.id.split_once('/').unwrap_or((&parent.id, ""));
        let rest = if rest.is_empty() { "1".to_owned() } else { rest.replace('/', "-") };
        let many = parts.len() > 1;
        let node = |(i, (text, mut fields)): (usize, (String, Map<String, Value>))| {
            fields.insert("made_from".into(), print.clone().into());
            let number = if many { format!("-{}", i + 1) } else { String::new() };
            Node {
                id: format!("{document}/{}/{rest}{number}", self.group.name),
                group: self.group.name.clone(),
                parent: parent.id.clone(),
                place: parent.place.clone(),
                text,
                fields,
            }
        };
        Ok(parts.into_iter().enumerate().map(node).collect())
    }
}

fn prompt_of(transform: &Transform) -> Option<Name> {
    match transform {
        Transform::Summary => Some(Name::Summary),
        Transform::Keywords => Some(Name::Keywords),
        Transform::Questions => Some(Name::Questions),
        _ => None,
    }
}

/// Words with commas between them, however the model parted them.
fn keywords(text: &str) -> String {
    let bare = |word: &str| {
        let word =
            word.trim().trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '*' | '•'));
        word.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '"' | '*' | '。')).to_owned()
    };
    let mut words: Vec<String> = Vec::new();
    for word in text.split(['\n', ',', '，', '、', ';', '；']).map(bare).filter(|w| !w.is_empty()) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

fn pair(question: &str, answer: &str) -> (String, Map<String, Value>) {
    let fields = json!({"question": question, "answer": answer});
    (format!("{question}\n{answer}"), fields.as_object().cloned().unwrap_or_default())
}

/// Lines `Q:` and `A:` as pairs; a question without an answer is left out.
fn pairs(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut question: Option<String> = None;
    for line in text.lines() {
        let line = line.trim().trim_start_matches(|c: char| c.is_ascii_digit() || " .*-#)".contains(c));
        let after = |signs: &[&str]| {
            let rest = signs.iter().find_map(|s| line.strip_prefix(s))?;
            Some(rest.trim_matches(|c: char| c.is_whitespace() || c == '*').to_owned())
        };
        if let Some(q) = after(&["Q:", "Q：", "问：", "问:"]) {
            question = Some(q).filter(|q| !q.is_empty());
        } else if let Some(answer) = after(&["A:", "A：", "答：", "答:"]).filter(|a| !a.is_empty()) {
            found.extend(question.take().map(|q| (q, answer)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_as_models_write_them() {
        assert_eq!(keywords("1. Oslo\n2. harbour, Oslo\n- *dredging*."), "Oslo, harbour, dredging");
        assert_eq!(keywords("奥斯陆、港口，扩建。"), "奥斯陆, 港口, 扩建");
        let text = "**Q:** Where?\nA: In Oslo.\n\nQ: When?\n2. Q: Who?\n   A: Ann";
        let expected = [("Where?", "In Oslo."), ("Who?", "Ann")];
        assert_eq!(pairs(text), expected.map(|(q, a)| (q.to_owned(), a.to_owned())));
        assert!(pairs("no questions here").is_empty());
    }
}
