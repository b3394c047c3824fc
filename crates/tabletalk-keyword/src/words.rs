//! Finding entries of a group by words, wherever the group is indexed.

use crate::index::{Clause, Group, Keep, Scoring, Want, rarity_of, whole_term};
use std::sync::Arc;
use tabletalk_core::Result;
use tabletalk_core::seam::EntryReader;
use tabletalk_core::seam::store::{Allow, EntryHit, EntryQuery, Field, Term, Weighing};

/// The words of one group.
#[derive(Clone)]
pub enum Words {
    /// In an index of this library's own.
    Own(Arc<Group>),
    /// In a store that others use too, under this name.
    Shared(Arc<dyn EntryReader>, String),
}

/// What is looked for.
#[derive(Clone)]
pub struct Look<'a> {
    /// The words.
    pub clauses: &'a [Clause],
    /// Terms that every hit must have.
    pub required: &'a [String],
    /// How they become scores.
    pub scoring: &'a Scoring,
    /// How many hits.
    pub k: usize,
    /// Which documents may be found, as an index of this library's own asks it.
    pub keep: Option<&'a (dyn Fn(i64) -> bool + Sync)>,
    /// The same, as a store is told it.
    pub allow: &'a Allow,
    /// Only entries with this part, when set.
    pub part: Option<u64>,
    /// Whether the bytes of entries are wanted.
    pub data: bool,
    /// Whether it is wanted what each word added to the score.
    pub explain: bool,
    /// Whether a word that stands nowhere is taken for a slip of the pen.
    pub slips: bool,
}

impl Words {
    /// How many entries there are.
    pub fn len(&self) -> Result<u64> {
        match self {
            Words::Own(group) => Ok(group.len()),
            Words::Shared(store, group) => store.count(group),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Whether each of these words stands in any field that counts, whole values aside.
    pub fn stand(&self, clauses: &[&Clause], scoring: &Scoring) -> Result<Vec<bool>> {
        match self {
            Words::Own(group) => clauses.iter().map(|c| group.has_term(&c.term, scoring)).collect(),
            Words::Shared(store, group) => {
                let plain = |c: &&Clause| term(&Clause { want: Want::Word, ..(*c).clone() }, scoring);
                let terms: Vec<Term> = clauses.iter().map(plain).collect();
                Ok(frequencies(&**store, group, &terms)?.into_iter().map(|n| n > 0).collect())
            }
        }
    }

    /// In how many entries each word stands.
    pub fn frequencies(&self, clauses: &[Clause], scoring: &Scoring) -> Result<Vec<f32>> {
        match self {
            Words::Own(group) => Ok(group.look_up(clauses, scoring, false)?.frequencies()),
            Words::Shared(store, group) => {
                let terms: Vec<Term> = clauses.iter().map(|c| term(c, scoring)).collect();
                Ok(frequencies(&**store, group, &terms)?.into_iter().map(|n| n as f32).collect())
            }
        }
    }

    /// The best entries, the best first.
    pub fn search(&self, look: &Look<'_>) -> Result<Vec<EntryHit>> {
        match self {
            Words::Own(group) => own(group, look),
            Words::Shared(store, group) => {
                let clauses = match look.slips {
                    true => with_slips(&[(self, look.scoring)], look.clauses)?,
                    false => look.clauses.to_vec(),
                };
                shared(&**store, group, &Look { clauses: &clauses, ..look.clone() })
            }
        }
    }
}

/// How rare each word is among the entries of several indexes together: its weight in a score.
pub fn rarities(places: &[(&Words, &Scoring)], clauses: &[Clause]) -> Result<Vec<f32>> {
    let (mut sums, mut total) = (vec![0.0; clauses.len()], 0.0);
    for (words, scoring) in places {
        for (sum, n) in sums.iter_mut().zip(words.frequencies(clauses, scoring)?) {
            *sum += n;
        }
        total += words.len()? as f32;
    }
    Ok(sums.iter().zip(clauses).map(|(n, clause)| rarity_of(*n, total) * clause.weight).collect())
}

/// The clauses of a query, those of words that stand in none of these indexes taken for slips of the pen.
pub fn with_slips(places: &[(&Words, &Scoring)], clauses: &[Clause]) -> Result<Vec<Clause>> {
    let at: Vec<usize> = (0..clauses.len()).filter(|i| clauses[*i].may_be_slip()).collect();
    let asked: Vec<&Clause> = at.iter().map(|i| &clauses[*i]).collect();
    let mut stands = vec![false; at.len()];
    for (words, scoring) in places {
        for (known, stand) in stands.iter_mut().zip(words.stand(&asked, scoring)?) {
            *known |= stand;
        }
    }
    let mut all = clauses.to_vec();
    for (i, _) in at.iter().zip(stands).filter(|(_, stands)| !stands) {
        all[*i] = clauses[*i].as_slip();
    }
    Ok(all)
}

fn frequencies(store: &dyn EntryReader, group: &str, terms: &[Term]) -> Result<Vec<u64>> {
    if terms.is_empty() { Ok(Vec::new()) } else { store.frequencies(group, terms) }
}

fn own(group: &Group, look: &Look<'_>) -> Result<Vec<EntryHit>> {
    let keep = |document: i64, part: u64| {
        look.part.is_none_or(|wanted| part == wanted) && look.keep.is_none_or(|keep| keep(document))
    };
    let keep: Keep<'_> = (look.part.is_some() || look.keep.is_some()).then_some(&keep as _);
    let lookup = group.look_up(look.clauses, look.scoring, look.slips)?;
    let found = match look.required.is_empty() {
        true => group.search(&lookup, look.k, keep)?,
        false => {
            let all = group.search(&lookup, look.k.saturating_mul(20).max(500), keep)?;
            let mut kept = Vec::new();
            for f in all {
                if kept.len() < look.k && group.has_all(look.required, f.address)? {
                    kept.push(f);
                }
            }
            kept
        }
    };
    let entries: Vec<_> = if look.explain { found.iter().map(|f| f.address).collect() } else { Vec::new() };
    let mut why = group.explain(&lookup, &entries)?.into_iter();
    let one = |f: &crate::index::Found| {
        let data = if look.data { group.data(f.address)? } else { Vec::new() };
        let (document, owner, part, score) = (f.document, f.owner, f.part, f.score);
        Ok(EntryHit { document, owner, part, score, data, why: why.next().unwrap_or_default() })
    };
    found.iter().map(one).collect()
}

fn shared(store: &dyn EntryReader, group: &str, look: &Look<'_>) -> Result<Vec<EntryHit>> {
    let terms: Vec<Term> = look.clauses.iter().map(|c| term(c, look.scoring)).collect();
    let required = |text: &String| Term {
        any: vec![text.clone()],
        prefix: None,
        like: None,
        fields: Field::WORDS.to_vec(),
        weight: 0.0,
        keyword: text.clone(),
    };
    let required: Vec<Term> = look.required.iter().map(required).collect();
    store.search(
        group,
        &EntryQuery {
            terms: &terms,
            required: &required,
            weighing: &look.scoring.weighing(),
            k: look.k.max(1),
            allow: look.allow,
            part: look.part,
            data: look.data,
            explain: look.explain,
        },
    )
}

fn term(clause: &Clause, scoring: &Scoring) -> Term {
    let fields: &[Field] = if clause.want == Want::Whole { &[Field::Whole] } else { &Field::WORDS };
    let text = &clause.term;
    // As many slips as an index of our own allows.
    let slips = if text.chars().count() > 8 { 2 } else { 1 };
    Term {
        any: match clause.want {
            Want::Word => vec![text.clone()],
            Want::Whole => vec![whole_term(text)],
            Want::Prefix | Want::Like => Vec::new(),
        },
        prefix: (clause.want == Want::Prefix).then(|| text.clone()),
        like: (clause.want == Want::Like).then(|| (text.clone(), slips)),
        fields: fields.iter().copied().filter(|f| scoring.weight(*f) > 0.0).collect(),
        weight: clause.weight,
        keyword: clause.keyword.clone(),
    }
}

impl Scoring {
    /// The same, as a store is told it.
    pub fn weighing(&self) -> Weighing {
        Weighing {
            k1: self.k1,
            b: self.b,
            fields: Field::ALL.map(|f| self.weight(f)),
            coverage: self.coverage,
            once: self.once,
        }
    }
}
