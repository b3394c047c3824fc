//! Node groups: named sets of nodes, each made from another by a transform.
//!
//! A group is data. The built-in ones and the user's form a graph; a changed definition changes the
//! fingerprint of the group and of all below it, and only those are made again.

pub mod command;
mod length;
pub mod own;
pub mod sentence;
pub mod split;
pub mod table;
pub mod text;
pub mod tokens;

use serde::{Deserialize, Serialize};
use tabletalk_core::{Error, Result};

/// The group of what tables are for.
pub const CLARIFICATION: &str = "clarification";
/// The group of trees of summaries.
pub const RAPTOR: &str = "raptor";

/// How the nodes of a group are made from those of its parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Transform {
    /// The whole document.
    Root,
    /// Chunks of at most `length` tokens, neighbours sharing `overlap`.
    Length {
        /// Tokens to a chunk.
        length: usize,
        /// Tokens shared by neighbours.
        #[serde(default)]
        overlap: usize,
    },
    /// Split at newlines.
    Block,
    /// Split at the ends of sentences.
    Sentence,
    /// Split where a regular expression matches.
    Pattern {
        /// The regular expression.
        pattern: String,
    },
    /// What a program of the user makes of the nodes of the parent (see [`command`]).
    Command(command::Program),
    /// What a closure of the user's program makes of each node of the parent (see [`own`]).
    Own(own::Closure),
    /// Every table.
    Table,
    /// Every picture.
    Image,
    /// One node a column: its name, type and range.
    Schema,
    /// Distinct values.
    Cell,
    /// One node a row.
    Row,
    /// One node a column: its values.
    Column,
    /// One node a table: what it is for, as a language model says it (see [`crate::clarify`]).
    Clarification,
    /// One node a parent: the parent in short, as a language model says it (see [`crate::generate`]).
    Summary,
    /// One node a parent: the words by which it is looked for, as a language model says them.
    Keywords,
    /// One node for each question that a parent answers, with its answer, as a language model says it.
    Questions,
    /// One node a parent: what a language model says to a prompt of the user.
    Prompt {
        /// What is said, with the placeholders `{{text}}` and `{{title}}`.
        prompt: String,
        /// The most tokens of a reply.
        #[serde(default = "reply")]
        max_token: u32,
    },
    /// A tree of summaries over the parent (see [`crate::raptor`]).
    Raptor,
}

fn reply() -> u32 {
    256
}

impl Transform {
    /// Whether the nodes are kept; the others are made from their table whenever they are asked for.
    pub fn is_kept(&self) -> bool {
        matches!(
            self,
            Transform::Length { .. }
                | Transform::Block
                | Transform::Sentence
                | Transform::Pattern { .. }
                | Transform::Command(_)
                | Transform::Own(_)
                | Transform::Image
                | Transform::Clarification
                | Transform::Raptor
        ) || self.is_asked()
    }

    /// The program of the user that makes the nodes.
    pub fn program(&self) -> Option<&command::Program> {
        if let Transform::Command(program) = self { Some(program) } else { None }
    }

    /// The same, to be changed.
    pub fn program_mut(&mut self) -> Option<&mut command::Program> {
        if let Transform::Command(program) = self { Some(program) } else { None }
    }

    /// Whether a language model makes the nodes from those of the parent, one by one.
    pub fn is_asked(&self) -> bool {
        use Transform::{Keywords, Prompt, Questions, Summary};
        matches!(self, Summary | Keywords | Questions | Prompt { .. })
    }

    /// Whether the nodes are made by a command of their own, not while documents are added.
    pub fn is_made_later(&self) -> bool {
        self.is_asked() || matches!(self, Transform::Clarification | Transform::Raptor)
    }

    /// Whether the keyword index has entries for the group; rows and columns are found through cells.
    pub fn is_indexed(&self) -> bool {
        !matches!(self, Transform::Root | Transform::Row | Transform::Column)
    }

    /// Whether the nodes are parts of a table.
    pub fn is_of_table(&self) -> bool {
        matches!(self, Transform::Schema | Transform::Cell | Transform::Row | Transform::Column)
    }
}

/// The definition of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The name.
    pub name: String,
    /// The group its nodes are made from; empty for the root.
    #[serde(default = "root")]
    pub parent: String,
    /// How they are made.
    pub transform: Transform,
}

fn root() -> String {
    "root".into()
}

/// All groups of a library, parents before children.
#[derive(Debug, Clone)]
pub struct Groups {
    list: Vec<Definition>,
}

impl Default for Groups {
    fn default() -> Self {
        Groups { list: built_in() }
    }
}

fn built_in() -> Vec<Definition> {
    let group = |name: &str, parent: &str, transform| Definition {
        name: name.into(),
        parent: parent.into(),
        transform,
    };
    let length = |length, overlap| Transform::Length { length, overlap };
    vec![
        group("root", "", Transform::Root),
        group("coarse", "root", length(1024, 100)),
        group("medium", "root", length(256, 25)),
        group("fine", "root", length(128, 12)),
        group("block", "root", Transform::Block),
        group("sentence", "block", Transform::Sentence),
        group("table", "root", Transform::Table),
        group("image", "root", Transform::Image),
        group("schema", "table", Transform::Schema),
        group("cell", "table", Transform::Cell),
        group("row", "table", Transform::Row),
        group("column", "table", Transform::Column),
        group(CLARIFICATION, "table", Transform::Clarification),
        group("summary", "coarse", Transform::Summary),
        group("keywords", "coarse", Transform::Keywords),
        group("questions", "medium", Transform::Questions),
        group(RAPTOR, "medium", Transform::Raptor),
    ]
}

impl Groups {
    /// The built-in groups and the user's; a user's group of a built-in name takes its place.
    pub fn new(user: &[Definition]) -> Result<Self> {
        let mut all = built_in();
        for definition in user {
            check(definition)?;
            match all.iter_mut().find(|d| d.name == definition.name) {
                Some(own) => replace(own, definition)?,
                None => all.push(definition.clone()),
            }
        }
        Ok(Groups { list: in_order(all)? })
    }

    /// These groups and one more, in the place of one of the same name.
    pub fn with(&self, definition: Definition) -> Result<Self> {
        let own = |d: &&Definition| !built_in().contains(d) && d.name != definition.name;
        let mut user: Vec<Definition> = self.list.iter().filter(own).cloned().collect();
        user.push(definition.clone());
        Groups::new(&user)
    }

    /// All groups, parents before children.
    pub fn all(&self) -> &[Definition] {
        &self.list
    }

    /// The group of this name.
    pub fn get(&self, name: &str) -> Result<&Definition> {
        self.list.iter().find(|d| d.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.list.iter().map(|d| d.name.as_str()).collect();
            Error::missing(format!("there is no group `{name}`"))
                .hint(format!("there are: {}", names.join(", ")))
        })
    }

    /// What the nodes of a group depend on: its definition and those of all groups above it.
    pub fn fingerprint(&self, definition: &Definition) -> String {
        let own = serde_json::to_string(definition).unwrap_or_default();
        match self.list.iter().find(|d| d.name == definition.parent) {
            Some(parent) => format!("{own}<{}", self.fingerprint(parent)),
            None => own,
        }
    }
}

fn replace(own: &mut Definition, user: &Definition) -> Result<()> {
    if !own.transform.is_kept() || own.transform == Transform::Clarification {
        return Err(Error::input(format!(
            "group `{}` is built in and cannot be defined otherwise",
            own.name
        ))
        .hint("choose another name"));
    }
    *own = user.clone();
    Ok(())
}

fn check(d: &Definition) -> Result<()> {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if d.name.is_empty() || !d.name.chars().all(plain) {
        return Err(Error::input(format!("`{}` cannot be the name of a group", d.name))
            .hint("use letters, digits, `-` and `_`"));
    }
    if !d.transform.is_kept() || matches!(d.transform, Transform::Image | Transform::Clarification) {
        return Err(Error::input(format!("group `{}`: this transform belongs to a built-in group", d.name))
            .hint("use length, block, sentence, pattern, command, summary, keywords, questions, prompt or raptor"));
    }
    if let Transform::Command(program) = &d.transform {
        program.check().map_err(|e| e.at(format!("group `{}`", d.name)))?;
    }
    if let Transform::Own(closure) = &d.transform {
        closure.check().map_err(|e| e.at(format!("group `{}`", d.name)))?;
    }
    if let Transform::Prompt { prompt, max_token } = &d.transform {
        let wrong = |e: Error| e.at(format!("group `{}`", d.name));
        crate::prompt::check_text(prompt, &["text", "title"]).map_err(wrong)?;
        if !prompt.contains("{{text}}") {
            return Err(wrong(Error::input(
                "the prompt has no {{text}}, so it would say the same of every node",
            )));
        }
        if *max_token == 0 {
            return Err(wrong(Error::input("max_token must be 1 at least")));
        }
    }
    if let Transform::Length { length, overlap } = d.transform
        && (length == 0 || overlap >= length)
    {
        return Err(Error::input(format!(
            "group `{}`: overlap {overlap} must be less than length {length}",
            d.name
        )));
    }
    if let Transform::Pattern { pattern } = &d.transform {
        regex::Regex::new(pattern)
            .map_err(|e| Error::input(format!("group `{}`: not a regular expression: {e}", d.name)))?;
    }
    Ok(())
}

/// Parents before children; an unknown parent or a circle is an error.
fn in_order(mut left: Vec<Definition>) -> Result<Vec<Definition>> {
    let mut done: Vec<Definition> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let ready = |d: &Definition| d.parent.is_empty() || done.iter().any(|p| p.name == d.parent);
        let Some(at) = left.iter().position(ready) else { return Err(no_parent(&left)) };
        let next = left.remove(at);
        if let Some(parent) = done.iter().find(|d| d.name == next.parent) {
            check_parent(&next, parent)?;
        }
        done.push(next);
    }
    Ok(done)
}

fn check_parent(next: &Definition, parent: &Definition) -> Result<()> {
    let wrong = |hint: &str| {
        let message = format!("group `{}` cannot be made from `{}`", next.name, parent.name);
        Err(Error::input(message).hint(hint))
    };
    if parent.transform.is_of_table() {
        return wrong("its parent must be root, table or a text group");
    }
    if parent.transform.is_made_later() && !next.transform.is_made_later() {
        return wrong("its parent must not be made by a language model");
    }
    if next.transform.is_asked() && parent.transform == Transform::Raptor {
        return wrong("its parent must not be a tree of summaries");
    }
    let is_text = parent.transform.is_kept() && parent.transform != Transform::Raptor;
    if next.transform == Transform::Raptor && !is_text {
        return wrong("its parent must be a text group");
    }
    Ok(())
}

fn no_parent(left: &[Definition]) -> Error {
    let names: Vec<&str> = left.iter().map(|d| d.name.as_str()).collect();
    match left.iter().find(|d| !names.contains(&d.parent.as_str())) {
        Some(d) => Error::input(format!("group `{}`: there is no group `{}`", d.name, d.parent)),
        None => Error::input(format!("groups go in a circle: {}", names.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: &str, parent: &str, length: usize) -> Definition {
        let transform = Transform::Length { length, overlap: 0 };
        Definition { name: name.into(), parent: parent.into(), transform }
    }

    #[test]
    fn puts_parents_before_children() {
        let groups = Groups::new(&[group("small", "big", 10), group("big", "root", 100)]).unwrap();
        let at = |name| groups.all().iter().position(|d| d.name == name).unwrap();
        assert!(at("root") < at("big") && at("big") < at("small"));
    }

    #[test]
    fn names_what_is_wrong_with_a_definition() {
        let message = |d: &[Definition]| Groups::new(d).unwrap_err().to_string();
        assert!(message(&[group("a", "nowhere", 10)]).contains("no group `nowhere`"));
        assert!(message(&[group("a", "b", 10), group("b", "a", 10)]).contains("circle"));
        assert!(message(&[group("table", "root", 10)]).contains("built in"));
        assert!(message(&[group("a", "cell", 10)]).contains("cannot be made from `cell`"));
    }

    #[test]
    fn a_changed_parent_changes_the_fingerprint_of_its_children() {
        let print = |length| {
            let groups = Groups::new(&[group("big", "root", length), group("small", "big", 10)]).unwrap();
            groups.fingerprint(groups.get("small").unwrap())
        };
        assert_ne!(print(100), print(200));
        assert_eq!(print(100), print(100));
    }
}
