//! Points as columns, and columns as points.

use super::filter;
use super::wire::{
    Column, FLOAT_VECTOR, Floats, INT64, JSON, Longs, Scalar, Scalars, Texts, Upsert, Values, Vectors,
};
use std::collections::HashSet;
use tabletalk_core::seam::store::Point;
use tabletalk_core::{Error, Result};

/// A key as Milvus keeps it: one less, because it cannot find a row whose key is the largest number.
pub(super) fn signed(key: u64) -> Result<i64> {
    let kept = i64::try_from(key).map(|k| k - 1);
    kept.map_err(|_| Error::input(format!("the key {key} is too large for milvus")))
}

/// A key as it was given.
pub(super) fn unsigned(key: i64) -> u64 {
    u64::try_from(key.saturating_add(1)).unwrap_or_default()
}

/// Points in batches of so many, or fewer where they would have too many bytes. Of several with one key the
/// last is taken.
pub(super) fn batches(points: &[Point], most: usize, most_bytes: usize) -> Vec<Vec<&Point>> {
    let mut seen = HashSet::with_capacity(points.len());
    let mut batches: Vec<Vec<&Point>> = Vec::new();
    let mut bytes = 0;
    for point in points.iter().rev().filter(|p| seen.insert(p.key)) {
        bytes += size(point);
        match batches.last_mut() {
            Some(batch) if batch.len() < most && bytes <= most_bytes => batch.push(point),
            _ => {
                bytes = size(point);
                batches.push(vec![point]);
            }
        }
    }
    batches
}

/// About how many bytes a point takes in a request.
fn size(point: &Point) -> usize {
    let facets: usize = point.facets.iter().map(|(name, facet)| 2 * name.len() + facet.text.len() + 40).sum();
    point.vector.len() * 4 + facets + 32
}

/// A batch as a request.
pub(super) fn upsert(name: &str, points: &[&Point]) -> Result<Upsert> {
    let dim = points.first().map_or(0, |p| p.vector.len());
    let keys = points.iter().map(|p| signed(p.key)).collect::<Result<Vec<_>>>()?;
    let facets = points.iter().map(|p| filter::object(p.document, &p.facets)).collect::<Result<Vec<_>>>()?;
    let mut floats = Vec::with_capacity(points.len() * dim);
    for point in points {
        if point.vector.len() != dim {
            return Err(Error::input(format!(
                "a vector of length {} among others of {dim}",
                point.vector.len()
            )));
        }
        floats.extend_from_slice(&point.vector);
    }
    let columns = vec![
        scalars("key", INT64, Scalar::Longs(Longs { data: keys })),
        scalars(
            "document",
            INT64,
            Scalar::Longs(Longs { data: points.iter().map(|p| p.document).collect() }),
        ),
        scalars("facets", JSON, Scalar::Json(Texts { data: facets })),
        Column {
            data_type: FLOAT_VECTOR,
            name: "vector".into(),
            values: Some(Values::Vectors(Vectors { dim: long(dim), floats: Some(Floats { data: floats }) })),
        },
    ];
    let rows = u32::try_from(points.len()).unwrap_or(u32::MAX);
    Ok(Upsert { collection: name.to_owned(), columns, rows })
}

fn scalars(name: &str, data_type: i32, data: Scalar) -> Column {
    Column { data_type, name: name.into(), values: Some(Values::Scalars(Scalars { data: Some(data) })) }
}

fn long(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The numbers of a column; none when it is not there.
pub(super) fn longs<'a>(columns: &'a [Column], name: &str) -> &'a [i64] {
    let values = columns.iter().find(|c| c.name == name).and_then(|c| c.values.as_ref());
    match values {
        Some(Values::Scalars(Scalars { data: Some(Scalar::Longs(longs)) })) => &longs.data,
        _ => &[],
    }
}

/// Keys with their vectors.
pub(super) fn vectors(columns: &[Column]) -> Vec<(u64, Vec<f32>)> {
    let values = columns.iter().find(|c| c.name == "vector").and_then(|c| c.values.as_ref());
    let Some(Values::Vectors(Vectors { dim, floats: Some(floats) })) = values else { return Vec::new() };
    let dim = usize::try_from(*dim).unwrap_or_default().max(1);
    let keys = longs(columns, "key").iter().map(|&k| unsigned(k));
    keys.zip(floats.data.chunks_exact(dim).map(<[f32]>::to_vec)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(key: u64, document: i64) -> Point {
        Point { key, document, facets: Vec::new(), vector: vec![1.0, 0.0] }
    }

    #[test]
    fn batches_hold_each_key_once() {
        let points: Vec<Point> = (0..10).map(|n| point(n % 7, n as i64)).collect();
        let batches = batches(&points, 3, 1 << 20);
        assert!(batches.iter().all(|b| b.len() <= 3));
        let mut kept: Vec<(u64, i64)> = batches.iter().flatten().map(|p| (p.key, p.document)).collect();
        kept.sort_unstable();
        assert_eq!(kept, [(0, 7), (1, 8), (2, 9), (3, 3), (4, 4), (5, 5), (6, 6)]);
    }

    #[test]
    fn batches_keep_to_their_bytes() {
        let points: Vec<Point> = (0..10).map(|n| point(n, 1)).collect();
        assert_eq!(batches(&points, 100, size(&points[0]) * 4).len(), 3);
        assert_eq!(batches(&points, 100, 1).len(), 10);
        assert!(batches(&[], 100, 1).is_empty());
    }
}
