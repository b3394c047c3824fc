//! Finding distinct values: the index finds blocks of them, the values inside are scored one by one.

use super::node::Ref;
use super::{Allow, Candidate, Query, Recall};
use crate::index::{RANGE, split_part};
use std::collections::HashMap;
use tabletalk_core::{Result, Score};
use tabletalk_store::analyze::Scratch;
use tabletalk_store::distinct::Distinct;
use tabletalk_store::keyword::{Block, Clause, Found, Group, Want};

/// Blocks looked into, at least.
const BLOCKS: usize = 32;
/// What the match of the whole block, and so of the column's name, adds to the score of a value.
const BLOCK_SHARE: f32 = 0.2;

impl Recall<'_> {
    pub(super) fn cells(&self, query: &Query, k: usize, allow: Allow<'_>) -> Result<Vec<Candidate>> {
        let Some(index) = self.library.keyword().group("cell")? else { return Ok(Vec::new()) };
        let scoring = &self.weights.cell;
        let (clauses, blocks) = self.entries(&index, query, scoring, BLOCKS.max(k), allow)?;
        let scorer = ValueScorer::new(self, &index, &clauses)?;
        let mut scratch = self.library.keyword().analyzer().scratch();
        let mut found = Vec::new();
        for block in blocks {
            self.look_into(&index, &scorer, &mut scratch, block, query, &mut found)?;
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.truncate(k);
        Ok(found)
    }

    fn look_into(
        &self,
        index: &Group,
        scorer: &ValueScorer<'_>,
        scratch: &mut Scratch,
        block: Found,
        query: &Query,
        found: &mut Vec<Candidate>,
    ) -> Result<()> {
        let (document, table) = (block.document, block.owner);
        let (col, number) = split_part(block.part);
        if number == RANGE {
            let node = Ref::Range { document, table, col };
            found.push(Candidate::new(node, block.score * BLOCK_SHARE, "keyword"));
            return Ok(());
        }
        let Block { start, values } = Block::unpack(&index.data(block.address)?);
        for (i, value) in values.into_iter().enumerate() {
            let (score, keyword) = scorer.score(&value, scratch);
            if score > 0.0 && query.phrases.iter().all(|p| same(&value.text, p)) {
                let score = score + block.score * BLOCK_SHARE;
                let why = vec![Score { name: "value".into(), value: score, keyword }];
                let node = Ref::Cell { document, table, col, rank: start + i as u64, value };
                found.push(Candidate { why, ..Candidate::new(node, score, "keyword") });
            }
        }
        Ok(())
    }
}

/// Whether a value is the quoted one, or contains it.
fn same(value: &str, phrase: &str) -> bool {
    value.to_lowercase().contains(&phrase.to_lowercase())
}

/// Scores single values against the words of a query.
pub(super) struct ValueScorer<'a> {
    analyzer: &'a tabletalk_store::analyze::Analyzer,
    words: HashMap<&'a str, (f32, &'a str)>,
    prefixes: Vec<(&'a str, f32, &'a str)>,
    wholes: HashMap<&'a str, f32>,
}

impl<'a> ValueScorer<'a> {
    pub(super) fn new(recall: &'a Recall<'_>, index: &Group, clauses: &'a [Clause]) -> Result<Self> {
        let analyzer = recall.library.keyword().analyzer();
        let mut scorer =
            ValueScorer { analyzer, words: HashMap::new(), prefixes: Vec::new(), wholes: HashMap::new() };
        for clause in clauses {
            let rarity = index.rarity(clause, &recall.weights.cell)?;
            match clause.want {
                Want::Whole => drop(scorer.wholes.insert(&clause.term, rarity)),
                Want::Word => drop(scorer.words.insert(&clause.term, (rarity, &clause.keyword))),
                Want::Prefix => scorer.prefixes.push((&clause.term, rarity, &clause.keyword)),
                // The first half of a misspelt word is usually right.
                Want::Like => {
                    let half =
                        clause.term.char_indices().nth(clause.term.chars().count() / 2).map_or(0, |c| c.0);
                    scorer.prefixes.push((&clause.term[..half], rarity * 0.5, &clause.keyword));
                }
            }
        }
        Ok(scorer)
    }

    /// The score of a value, and the word that matched best.
    pub(super) fn score(&self, value: &Distinct, scratch: &mut Scratch) -> (f32, Option<String>) {
        let (mut sum, mut best, mut keyword, mut count) = (0.0f32, 0.0f32, None, 0usize);
        let mut whole = String::new();
        self.analyzer.for_each_in_value(&value.text, scratch, |term, _| {
            count += 1;
            if let Some((weight, word)) = self.weight(term) {
                sum += weight;
                if weight > best {
                    (best, keyword) = (weight, Some(word.to_owned()));
                }
            }
        });
        if sum > 0.0 && !self.wholes.is_empty() {
            self.analyzer.for_each(&value.text, scratch, |term, _| {
                if !whole.is_empty() {
                    whole.push(' ');
                }
                whole.push_str(term);
            });
        }
        let bonus = match self.wholes.get(whole.as_str()) {
            Some(rarity) => *rarity,
            // A value of one word that is in the query is there as a whole.
            None if count == 1 => 0.5 * sum,
            None => 0.0,
        };
        // Long values match by chance: each further word takes a little away.
        (sum / (0.85 + 0.15 * count as f32) + bonus, keyword)
    }

    fn weight(&self, term: &str) -> Option<(f32, &'a str)> {
        if let Some(&found) = self.words.get(term) {
            return Some(found);
        }
        let prefix = self.prefixes.iter().find(|(p, _, _)| term.starts_with(p));
        prefix.map(|&(_, weight, word)| (weight, word))
    }
}
