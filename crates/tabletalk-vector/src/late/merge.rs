//! Few large segments in place of many small ones.

use super::codec::Codec;
use super::dead::Dead;
use super::segment::{Outline, Segment, write_coded, write_flat};
use super::state::State;
use half::f16;
use std::path::Path;
use tabletalk_core::Result;

/// Merges segments until each is at least twice as large as all smaller ones together, so that their number grows with
/// the logarithm of the tokens and each token is copied about as often. Those with many dead documents are written anew.
pub(super) fn merge(state: &mut State, dir: &Path, dim: usize) -> Result<()> {
    let (keep, merge) = choose(std::mem::take(&mut state.segments));
    state.segments = keep;
    if merge.is_empty() {
        return Ok(());
    }
    let name = state.name("seg");
    let codec = state.trained.as_ref().map(|trained| trained.codec.clone());
    if let Some(segment) = join(&merge, dir, name, dim, codec.as_deref())? {
        state.segments.push(segment);
    }
    Ok(())
}

/// The segments that stay, and those to be merged into one.
fn choose(segments: Vec<Segment>) -> (Vec<Segment>, Vec<Segment>) {
    let mut sized: Vec<(usize, Segment)> = segments.into_iter().map(|s| (s.live_tokens(), s)).collect();
    sized.sort_by_key(|(tokens, _)| std::cmp::Reverse(*tokens));
    let mut smaller: usize = sized.iter().map(|(tokens, _)| tokens).sum();
    let cut = sized.iter().position(|(tokens, _)| {
        smaller -= tokens;
        *tokens < 2 * smaller
    });
    let cut = cut.unwrap_or(sized.len());
    let (mut keep, mut merge) = (Vec::new(), Vec::new());
    for (i, (_, segment)) in sized.into_iter().enumerate() {
        let worn = segment.dead.count() * 4 > segment.ids().len();
        if i >= cut || worn { merge.push(segment) } else { keep.push(segment) }
    }
    (keep, merge)
}

/// Writes the documents that count into one segment; none where there are none.
fn join(
    segments: &[Segment],
    dir: &Path,
    name: String,
    dim: usize,
    codec: Option<&Codec>,
) -> Result<Option<Segment>> {
    let mut outline = Outline::default();
    let live = || segments.iter().flat_map(|s| s.live().map(move |(place, id)| (s, place, id)));
    live().for_each(|(segment, place, id)| outline.push(id, segment.tokens(place)));
    if outline.ids.is_empty() {
        return Ok(None);
    }
    let path = dir.join(&name);
    match codec {
        None => {
            let rows: Vec<f16> = live().flat_map(|(s, place, _)| s.whole(place)).copied().collect();
            write_flat(&path, &outline, &rows)?;
        }
        Some(codec) => {
            let centroids: Vec<u16> = live().flat_map(|(s, place, _)| s.centroids(place)).copied().collect();
            let rest = live().map(|(s, place, _)| s.rest(place)).collect();
            write_coded(&path, &outline, &centroids, rest, codec.tree.points.len())?;
        }
    }
    Segment::open(dir, &name, dim, codec, Dead::default()).map(Some)
}
