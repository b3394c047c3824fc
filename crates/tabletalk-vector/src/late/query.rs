//! A query as the codes of documents meet it.

use super::codec::{Codec, Weights};
use super::columns::{LANES, Lanes, ROWS, block, columns, products, raise, split, sum};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

/// Centroids a thread scores at a time.
const CHUNK: usize = 512;

/// The tokens of a query, side by side in groups.
#[derive(Debug)]
pub(super) struct Query<'a> {
    codec: &'a Codec,
    pub(super) tokens: usize,
    plain: Vec<Vec<Lanes>>,
    /// The same in units of the scales, to be multiplied with levels.
    scaled: Vec<Vec<Lanes>>,
    /// The scaled tokens one after the other.
    rows: Vec<f32>,
    /// The score of every centroid, group by group; empty until they are asked for.
    scores: Vec<Vec<Lanes>>,
    /// The same in bytes.
    ranks: Vec<Vec<Ranks>>,
}

/// For each token side by side, how near a centroid is: 255 is the nearest there is. A quarter of the memory of scores,
/// so that those of all centroids stay near the processor while the many tokens of documents are looked up.
type Ranks = [u8; LANES];

/// Memory that is used again for the next document.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    levels: Vec<f32>,
    best: Vec<Lanes>,
}

impl<'a> Query<'a> {
    /// A query of at least one token, each as long as those of the codec.
    pub(super) fn new(query: &[f32], codec: &'a Codec) -> Query<'a> {
        let scale =
            |token: &[f32]| token.iter().zip(&codec.scales).map(|(x, scale)| x * scale).collect::<Vec<_>>();
        let rows: Vec<f32> = query.chunks_exact(codec.dim).flat_map(scale).collect();
        let (plain, scaled) = (columns(query, codec.dim), columns(&rows, codec.dim));
        Query {
            codec,
            tokens: query.len() / codec.dim,
            plain,
            scaled,
            rows,
            scores: Vec::new(),
            ranks: Vec::new(),
        }
    }

    /// Scores every centroid, once for all documents.
    pub(super) fn with_centroids(mut self) -> Query<'a> {
        let points = &self.codec.tree.points;
        let score = |columns: &Vec<Lanes>| {
            let mut scores = vec![[0.0; LANES]; points.len()];
            let chunks = scores.par_chunks_mut(CHUNK).zip(points.rows.par_chunks(CHUNK * self.codec.dim));
            chunks.for_each(|(scores, rows)| products(rows, columns, scores));
            scores
        };
        self.scores = self.plain.iter().map(score).collect();
        self.ranks = self.scores.iter().map(|scores| Arch::new().dispatch(Rank { scores })).collect();
        self
    }

    /// The scores of every centroid, group by group.
    pub(super) fn scores(&self) -> &[Vec<Lanes>] {
        &self.scores
    }

    /// A first guess at how alike the query and a document are: MaxSim as if every token stood at its centroid.
    /// Centroids have been scored.
    pub(super) fn glance(&self, centroids: &[u16]) -> f32 {
        self.ranks.iter().map(|ranks| Arch::new().dispatch(Glance { ranks, centroids })).sum::<u32>() as f32
    }

    /// A better guess: each token of the query is compared with that one of the document whose centroid is nearest, which
    /// costs a hundredth of comparing all with all. Centroids have been scored.
    pub(super) fn guess(&self, centroids: &[u16], rest: &[u8]) -> f32 {
        Arch::new().dispatch(Guess { query: self, centroids, rest })
    }

    /// How alike the query and a document are: MaxSim with its tokens as they are kept.
    pub(super) fn score(&self, centroids: &[u16], rest: &[u8], scratch: &mut Scratch) -> f32 {
        if centroids.is_empty() {
            return 0.0;
        }
        scratch.levels.resize(ROWS * self.codec.dim, 0.0);
        scratch.best.clear();
        scratch.best.resize(self.plain.len(), [f32::NEG_INFINITY; LANES]);
        Arch::new().dispatch(Score { query: self, centroids, rest, scratch });
        scratch.best.iter().map(sum).sum()
    }

    /// The dot products of the centroids of a block.
    #[inline(always)]
    fn near<S: Simd>(&self, simd: S, group: usize, centroids: &[u16]) -> [Lanes; ROWS] {
        let centroid = |i: usize| centroids.get(i).copied().unwrap_or(0);
        match self.scores.get(group) {
            Some(scores) => {
                std::array::from_fn(|i| scores.get(usize::from(centroid(i))).copied().unwrap_or([0.0; LANES]))
            }
            None => {
                let point = |i| self.codec.point(centroid(i)).or_else(|| self.codec.point(0));
                block(simd, std::array::from_fn(|i| point(i).unwrap_or_default()), &self.plain[group])
            }
        }
    }
}

/// Turns scores into bytes.
struct Rank<'a> {
    scores: &'a [Lanes],
}

impl WithSimd for Rank<'_> {
    type Output = Vec<Ranks>;

    /// A token's range is from the mean of all centroids to the best: that of a document is hardly ever below.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<Ranks> {
        let (mut best, mut sums) = ([f32::NEG_INFINITY; LANES], [0.0; LANES]);
        for row in self.scores {
            raise(&mut best, row);
            sums.iter_mut().zip(row).for_each(|(sum, score)| *sum += score);
        }
        let count = self.scores.len().max(1) as f32;
        let steps: Lanes = std::array::from_fn(|lane| 255.0 / (best[lane] - sums[lane] / count).max(1e-6));
        let rank = |score: f32, lane: usize| (255.0 - (best[lane] - score) * steps[lane]).max(0.0);
        self.scores.iter().map(|row| std::array::from_fn(|lane| rank(row[lane], lane) as u8)).collect()
    }
}

struct Glance<'a> {
    ranks: &'a [Ranks],
    centroids: &'a [u16],
}

impl WithSimd for Glance<'_> {
    type Output = u32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> u32 {
        let mut best = [0; LANES];
        for ranks in self.centroids.iter().filter_map(|centroid| self.ranks.get(usize::from(*centroid))) {
            best.iter_mut().zip(ranks).for_each(|(best, rank)| *best = (*best).max(*rank));
        }
        best.iter().map(|rank| u32::from(*rank)).sum()
    }
}

struct Guess<'a> {
    query: &'a Query<'a>,
    centroids: &'a [u16],
    rest: &'a [u8],
}

impl WithSimd for Guess<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f32 {
        let Guess { query, centroids, rest } = self;
        let codec = query.codec;
        let groups = query.rows.chunks(LANES * codec.dim).zip(&query.scores).zip(&query.ranks);
        let mut total = 0.0;
        for ((tokens, scores), ranks) in groups {
            let places = nearest(ranks, centroids);
            for ((lane, token), place) in tokens.chunks_exact(codec.dim).enumerate().zip(places) {
                let rest = row(rest, place, codec.bytes());
                let centroid = centroids.get(place).map_or(usize::MAX, |c| usize::from(*c));
                let near = scores.get(centroid).map_or(0.0, |scores| scores[lane]);
                let weights = Weights::of(rest);
                total += weights.centroid * near + weights.levels * codec.product(rest, token);
            }
        }
        total
    }
}

#[inline(always)]
fn row(rest: &[u8], place: usize, bytes: usize) -> &[u8] {
    rest.get(place * bytes..(place + 1) * bytes).unwrap_or_default()
}

/// For each token of the query, where that of the document stands whose centroid is nearest.
#[inline(always)]
fn nearest(ranks: &[Ranks], centroids: &[u16]) -> [usize; LANES] {
    let mut best = [0u32; LANES];
    for (place, centroid) in (0..1 << 24).zip(centroids) {
        let Some(ranks) = ranks.get(usize::from(*centroid)) else { continue };
        for lane in 0..LANES {
            // The rank above the place: the greatest says where it stands.
            best[lane] = best[lane].max(u32::from(ranks[lane]) << 24 | place);
        }
    }
    best.map(|best| (best & 0x00ff_ffff) as usize)
}

struct Score<'a> {
    query: &'a Query<'a>,
    centroids: &'a [u16],
    rest: &'a [u8],
    scratch: &'a mut Scratch,
}

impl WithSimd for Score<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Score { query, centroids, rest, scratch: Scratch { levels, best } } = self;
        let (dim, bytes) = (query.codec.dim, query.codec.bytes());
        for (centroids, rest) in centroids.chunks(ROWS).zip(rest.chunks(ROWS * bytes)) {
            let mut weights = [Weights::default(); ROWS];
            let rows = levels.chunks_exact_mut(dim).zip(rest.chunks_exact(bytes));
            for ((row, rest), weights) in rows.zip(&mut weights) {
                *weights = query.codec.unpack(rest, row);
            }
            for ((group, scaled), best) in query.scaled.iter().enumerate().zip(best.iter_mut()) {
                let near = query.near(simd, group, centroids);
                let left = block(simd, split(levels, dim), scaled);
                for ((near, left), weights) in near.iter().zip(&left).zip(weights).take(centroids.len()) {
                    raise(best, &add(near, weights.centroid, left, weights.levels));
                }
            }
        }
    }
}

#[inline(always)]
fn add(a: &Lanes, by: f32, b: &Lanes, times: f32) -> Lanes {
    std::array::from_fn(|lane| by * a[lane] + times * b[lane])
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;
    use proptest::prelude::*;

    /// MaxSim of rows, by a plain loop.
    fn naive(query: &[f32], rows: &[Vec<f32>], dim: usize) -> f32 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let best = |q: &[f32]| rows.iter().map(|row| dot(q, row)).fold(f32::NEG_INFINITY, f32::max);
        query.chunks(dim).map(best).sum()
    }

    fn row(codec: &Codec, centroid: u16, rest: &[u8]) -> Vec<f32> {
        let mut levels = vec![0.0; codec.dim];
        let weights = codec.unpack(rest, &mut levels);
        let numbers = levels.iter().zip(&codec.scales).zip(codec.point(centroid).unwrap());
        numbers.map(|((level, scale), c)| weights.centroid * c + weights.levels * scale * level).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn scores_are_those_of_the_rows_that_codes_stand_for(
            bits in prop::sample::select(vec![1u8, 2, 4, 8]),
            (dim, rows, query) in (1usize..40, 1usize..30, 1usize..40).prop_flat_map(|(dim, rows, tokens)| (
                Just(dim),
                prop::collection::vec(-1f32..1.0, rows * dim),
                prop::collection::vec(-1f32..1.0, tokens * dim),
            ))
        ) {
            let sample: Vec<f16> = rows.iter().map(|x| f16::from_f32(*x)).collect();
            let codec = Codec::learn(&sample, dim, 3, bits);
            let codes = codec.encode(&rows);
            let all = || codes.centroids.iter().zip(codes.rest.chunks(codec.bytes()));
            let kept: Vec<Vec<f32>> = all().map(|(centroid, rest)| row(&codec, *centroid, rest)).collect();
            let few = Query::new(&query, &codec);
            let score = few.score(&codes.centroids, &codes.rest, &mut Scratch::default());
            let many = few.with_centroids();
            prop_assert_eq!(score, many.score(&codes.centroids, &codes.rest, &mut Scratch::default()));
            let wanted = naive(&query, &kept, dim);
            prop_assert!((score - wanted).abs() < 1e-3 * (1.0 + wanted.abs()), "{score} is not {wanted}");
            let guess = many.guess(&codes.centroids, &codes.rest);
            prop_assert!(guess <= wanted + 1e-3 * (1.0 + wanted.abs()), "{guess} is more than {wanted}");
            let one = &codes.rest[..codec.bytes()];
            let (guess, wanted) = (many.guess(&codes.centroids[..1], one), naive(&query, &kept[..1], dim));
            prop_assert!((guess - wanted).abs() < 1e-3 * (1.0 + wanted.abs()), "{guess} is not {wanted}");
        }
    }
}
