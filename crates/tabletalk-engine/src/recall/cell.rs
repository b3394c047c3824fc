//! Finding distinct values: the index finds blocks of them and small tables, the values inside are scored
//! one by one.

use super::node::Ref;
use super::{Allow, Candidate, Query, Recall};
use crate::index::{RANGE, SMALL, split_part};
use std::collections::HashMap;
use tabletalk_core::seam::store::EntryHit as Found;
use tabletalk_core::{Result, Score};
use tabletalk_store::Words;
use tabletalk_store::analyze::Scratch;
use tabletalk_store::distinct::Distinct;
use tabletalk_store::keyword::{Block, Clause, Held, Scoring, Want};
use tabletalk_store::words::{Look as Looked, rarities, with_slips};

/// Blocks and small tables looked into, at least.
const BLOCKS: usize = 32;
/// What the match of the whole block or table, and of the column's name, adds to the score of a value.
const BLOCK_SHARE: f32 = 0.2;

/// Where values stand: the values of large tables in blocks, those of small ones in the tables' entries.
pub(super) struct Places {
    blocks: Option<Words>,
    tables: Option<Words>,
    in_blocks: Scoring,
    in_tables: Scoring,
}

impl Places {
    fn all(&self) -> Vec<(&Words, &Scoring)> {
        let blocks = self.blocks.iter().map(|words| (words, &self.in_blocks));
        blocks.chain(self.tables.iter().map(|words| (words, &self.in_tables))).collect()
    }

    /// The clauses of a query, those of words that stand nowhere taken for slips.
    pub(super) fn clauses(&self, query: &Query) -> Result<Vec<Clause>> {
        with_slips(&self.all(), &query.clauses)
    }

    /// The best blocks.
    pub(super) fn blocks(
        &self,
        query: &Query,
        clauses: &[Clause],
        k: usize,
        allow: Allow<'_>,
    ) -> Result<Vec<Found>> {
        let Some(words) = &self.blocks else { return Ok(Vec::new()) };
        words.search(&looked(query, clauses, &self.in_blocks, k, allow))
    }

    /// The best small tables and what they hold.
    pub(super) fn tables(
        &self,
        query: &Query,
        clauses: &[Clause],
        k: usize,
        allow: Allow<'_>,
    ) -> Result<Vec<(Vec<Held>, Found)>> {
        let Some(words) = &self.tables else { return Ok(Vec::new()) };
        let look = Looked { part: Some(SMALL), ..looked(query, clauses, &self.in_tables, k, allow) };
        Ok(words.search(&look)?.into_iter().map(|f| (Held::unpack(&f.data), f)).collect())
    }
}

fn looked<'a>(
    query: &'a Query,
    clauses: &'a [Clause],
    scoring: &'a Scoring,
    k: usize,
    allow: Allow<'a>,
) -> Looked<'a> {
    let (keep, allow, required) = (allow.keep, allow.told, query.required.as_slice());
    Looked {
        clauses,
        required,
        scoring,
        k,
        keep,
        allow,
        part: None,
        data: true,
        explain: false,
        slips: false,
    }
}

impl Recall<'_> {
    pub(super) fn places(&self) -> Result<Places> {
        let library = self.library;
        let in_blocks = self.weights.cell.clone();
        // Only names and values say something about a cell, and one cell is enough.
        let in_tables = Scoring { title: 0.0, text: 0.0, once: true, ..in_blocks.clone() };
        Ok(Places { blocks: library.words("cell")?, tables: library.words("table")?, in_blocks, in_tables })
    }

    pub(super) fn cells(&self, query: &Query, k: usize, allow: Allow<'_>) -> Result<Vec<Candidate>> {
        self.cells_in(query, k, BLOCKS.max(k), allow)
    }

    /// The best values of the best blocks, and of the best small tables, of which `tables` are looked into.
    pub(super) fn cells_in(
        &self,
        query: &Query,
        k: usize,
        tables: usize,
        allow: Allow<'_>,
    ) -> Result<Vec<Candidate>> {
        let places = self.places()?;
        let clauses = places.clauses(query)?;
        let scorer = ValueScorer::new(self, &places, &clauses)?;
        let mut look = Look {
            scorer: &scorer,
            scratch: self.library.keyword().analyzer().scratch(),
            query,
            found: Vec::new(),
        };
        for block in places.blocks(query, &clauses, BLOCKS.max(k), allow)? {
            look.block(block);
        }
        for (held, table) in places.tables(query, &clauses, tables, allow)? {
            look.table(&table, held);
        }
        let mut found = look.found;
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.truncate(k);
        Ok(found)
    }
}

/// Looks for values inside of what the index found.
struct Look<'a> {
    scorer: &'a ValueScorer<'a>,
    scratch: Scratch,
    query: &'a Query,
    found: Vec<Candidate>,
}

impl Look<'_> {
    fn block(&mut self, block: Found) {
        let (document, table) = (block.document, block.owner);
        let (col, number) = split_part(block.part);
        let extra = block.score * BLOCK_SHARE;
        if number == RANGE {
            let node = Ref::Range { document, table, col };
            self.found.push(Candidate::new(node, extra, "keyword"));
            return;
        }
        let Block { start, values } = Block::unpack(&block.data);
        self.values(values, extra, |i, value| Ref::Cell { document, table, col, rank: start + i, value });
    }

    fn table(&mut self, found: &Found, held: Vec<Held>) {
        let (document, table) = (found.document, found.owner);
        for Held { col, name, ranged, values } in held {
            let named = self.scorer.name(&name, &mut self.scratch) * BLOCK_SHARE;
            if ranged && named > 0.0 {
                let node = Ref::Range { document, table, col };
                self.found.push(Candidate::new(node, named, "keyword"));
            }
            let extra = found.score * BLOCK_SHARE + named;
            self.values(values, extra, |rank, value| Ref::Cell { document, table, col, rank, value });
        }
    }

    fn values(&mut self, values: Vec<Distinct>, extra: f32, node: impl Fn(u64, Distinct) -> Ref) {
        for (i, value) in values.into_iter().enumerate() {
            let (score, keyword) = self.scorer.score(&value.text, &mut self.scratch);
            if score > 0.0 && self.query.phrases.iter().all(|p| same(&value.text, p)) {
                let score = score + extra;
                let why = vec![Score { name: "value".into(), value: score, keyword }];
                self.found.push(Candidate { why, ..Candidate::new(node(i as u64, value), score, "keyword") });
            }
        }
    }
}

/// Whether a value is the quoted one, or contains it.
fn same(value: &str, phrase: &str) -> bool {
    value.to_lowercase().contains(&phrase.to_lowercase())
}

/// A word of a query, or the beginning of one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Word<'a> {
    term: &'a str,
    weight: f32,
    keyword: &'a str,
}

/// Scores single values against the words of a query.
pub(super) struct ValueScorer<'a> {
    analyzer: &'a tabletalk_store::analyze::Analyzer,
    words: HashMap<&'a str, Word<'a>>,
    prefixes: Vec<Word<'a>>,
    wholes: HashMap<&'a str, f32>,
    name: f32,
}

impl<'a> ValueScorer<'a> {
    pub(super) fn new(recall: &'a Recall<'_>, places: &Places, clauses: &'a [Clause]) -> Result<Self> {
        let mut scorer = ValueScorer {
            analyzer: recall.library.keyword().analyzer(),
            words: HashMap::new(),
            prefixes: Vec::new(),
            wholes: HashMap::new(),
            name: places.in_tables.name,
        };
        for (clause, rarity) in clauses.iter().zip(rarities(&places.all(), clauses)?) {
            let word = Word { term: &clause.term, weight: rarity, keyword: &clause.keyword };
            match clause.want {
                Want::Whole => drop(scorer.wholes.insert(&clause.term, rarity)),
                Want::Word => drop(scorer.words.insert(&clause.term, word)),
                Want::Prefix => scorer.prefixes.push(word),
                // The first half of a misspelt word is usually right.
                Want::Like => {
                    let half =
                        clause.term.char_indices().nth(clause.term.chars().count() / 2).map_or(0, |c| c.0);
                    let term = &clause.term[..half];
                    scorer.prefixes.push(Word { term, weight: rarity * 0.5, ..word });
                }
            }
        }
        Ok(scorer)
    }

    /// What the name of a column adds.
    pub(super) fn name(&self, name: &str, scratch: &mut Scratch) -> f32 {
        let mut sum = 0.0;
        self.analyzer.for_each_in_text(name, scratch, |term, _| {
            sum += self.weight(term).map_or(0.0, |word| word.weight);
        });
        sum * self.name
    }

    /// The score of a value, and the word that matched best.
    pub(super) fn score(&self, value: &str, scratch: &mut Scratch) -> (f32, Option<String>) {
        let (mut sum, mut best, mut keyword, mut count) = (0.0f32, 0.0f32, None, 0usize);
        let (mut whole, mut seen) = (String::new(), Vec::new());
        self.analyzer.for_each_in_value(value, scratch, |term, _| {
            count += 1;
            // A word that stands twice in a value does not make it a better one.
            if let Some(found) = self.weight(term).filter(|found| !seen.contains(found)) {
                sum += found.weight;
                if found.weight > best {
                    (best, keyword) = (found.weight, Some(found.keyword.to_owned()));
                }
                seen.push(found);
            }
        });
        if sum > 0.0 && !self.wholes.is_empty() {
            self.analyzer.for_each(value, scratch, |term, _| {
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

    /// The score of a column by the words of the query that stand in its values, each counted once, or in
    /// its name.
    pub(super) fn column(&self, column: &Held, scratch: &mut Scratch) -> f32 {
        let mut seen: HashMap<&str, f32> = HashMap::new();
        for value in &column.values {
            self.analyzer.for_each_in_value(&value.text, scratch, |term, _| {
                if let Some(word) = self.weight(term) {
                    seen.insert(word.term, word.weight);
                }
            });
        }
        seen.values().sum::<f32>() + self.name(&column.name, scratch)
    }

    fn weight(&self, term: &str) -> Option<Word<'a>> {
        let word = self.words.get(term).or_else(|| self.prefixes.iter().find(|p| term.starts_with(p.term)));
        word.copied()
    }
}
