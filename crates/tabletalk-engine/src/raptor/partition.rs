//! Cutting a layer into clusters that are small enough to be summed up.

use super::leaf::Layer;
use super::{Settings, Small};
use crate::watch::{Watch, interrupted};
use std::collections::HashSet;
use tabletalk_cluster::{cluster, halve};
use tabletalk_core::Result;

/// The clusters of a layer, as rows in order. Every row is in one at least, and none is larger than may be summed up,
/// but for a row that is too large alone.
pub(super) fn partition(layer: &Layer, settings: &Settings, watch: &dyn Watch) -> Result<Vec<Vec<u32>>> {
    let all: Vec<u32> = (0..layer.items.len() as u32).collect();
    let is_small = all.len() <= settings.cluster.n_components + 1;
    let first = match settings.small {
        Small::Cluster if !is_small => clusters(layer, &all, settings, watch)?,
        _ => vec![all],
    };
    cut(layer, first, settings, watch)
}

/// The clusters of some rows of a layer.
pub(super) fn partition_rows(
    layer: &Layer,
    rows: Vec<u32>,
    settings: &Settings,
    watch: &dyn Watch,
) -> Result<Vec<Vec<u32>>> {
    cut(layer, vec![rows], settings, watch)
}

/// The same clusters, those cut that are too large to be summed up at once.
fn cut(
    layer: &Layer,
    mut open: Vec<Vec<u32>>,
    settings: &Settings,
    watch: &dyn Watch,
) -> Result<Vec<Vec<u32>>> {
    let mut done = Vec::new();
    while let Some(rows) = open.pop() {
        if rows.len() < 2 || layer.tokens(&rows) <= settings.cluster_token {
            done.push(rows);
        } else {
            open.extend(split(layer, &rows, settings, watch)?);
        }
    }
    Ok(tidy(layer, done, settings))
}

/// The clusters of rows, whatever their size: all are one cluster where they belong together.
fn clusters(layer: &Layer, rows: &[u32], settings: &Settings, watch: &dyn Watch) -> Result<Vec<Vec<u32>>> {
    let stopped = || watch.stopped();
    let parts = cluster(&layer.rows(rows), &settings.cluster, &stopped)
        .map_err(|e| if stopped() { interrupted() } else { e })?;
    let named = |part: &Vec<u32>| part.iter().filter_map(|&p| rows.get(p as usize).copied()).collect();
    Ok(parts.iter().map(named).collect())
}

/// Smaller sets of rows that cover all of them.
fn split(layer: &Layer, rows: &[u32], settings: &Settings, watch: &dyn Watch) -> Result<Vec<Vec<u32>>> {
    let vectors = layer.rows(rows);
    let stopped = || watch.stopped();
    let cluster = |how: &tabletalk_cluster::Settings| {
        cluster(&vectors, how, &stopped).map_err(|e| if stopped() { interrupted() } else { e })
    };
    let mut how = settings.cluster.clone();
    let mut parts = cluster(&how)?;
    if parts.len() > 1 && parts.iter().any(|p| p.len() == rows.len()) {
        how.single = true;
        parts = cluster(&how)?;
    }
    if parts.len() < 2 || parts.iter().any(|p| p.len() == rows.len()) {
        let (first, second) = halve(&vectors, how.random_seed);
        parts = vec![first, second];
    }
    if parts.iter().any(|p| p.len() == rows.len() || p.is_empty()) {
        // Rows that cannot be told apart: cut in order.
        let (first, second) = rows.split_at(rows.len() / 2);
        return Ok(vec![first.to_vec(), second.to_vec()]);
    }
    let named = |part: &Vec<u32>| part.iter().filter_map(|&p| rows.get(p as usize).copied()).collect();
    Ok(parts.iter().map(named).collect())
}

/// Without sets that say the same, and without rows alone where they fit elsewhere.
fn tidy(layer: &Layer, parts: Vec<Vec<u32>>, settings: &Settings) -> Vec<Vec<u32>> {
    let mut seen = HashSet::new();
    let (alone, mut parts): (Vec<_>, Vec<_>) = parts
        .into_iter()
        .map(|mut part| {
            part.sort_unstable();
            part
        })
        .filter(|part| !part.is_empty() && seen.insert(part.clone()))
        .partition(|part| part.len() == 1);
    let covered: HashSet<u32> = parts.iter().flatten().copied().collect();
    let mut centres: Vec<Vec<f32>> = parts.iter().map(|p| centre(layer, p)).collect();
    for row in alone.into_iter().flatten().filter(|row| !covered.contains(row)) {
        let fits = |p: &Vec<u32>| layer.tokens(p) + layer.tokens(&[row]) <= settings.cluster_token;
        let near = nearest(layer.vector(row), &centres).into_iter();
        match near.map(|(i, _)| i).find(|&i| parts.get(i).is_some_and(&fits)) {
            Some(i) => parts[i].push(row),
            None => {
                parts.push(vec![row]);
                centres.push(layer.vector(row).to_vec());
            }
        }
    }
    parts.iter_mut().for_each(|p| p.sort_unstable());
    parts.sort();
    parts
}

/// The middle of some rows, of length one.
pub(super) fn centre(layer: &Layer, rows: &[u32]) -> Vec<f32> {
    let mut middle = vec![0.0; layer.vectors.dim];
    for &row in rows {
        middle.iter_mut().zip(layer.vector(row)).for_each(|(m, x)| *m += x);
    }
    tabletalk_core::matrix::normalize(&mut middle);
    middle
}

pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The centres by how near they are, with their cosines; only the first few are put in order.
pub(super) fn nearest(vector: &[f32], centres: &[Vec<f32>]) -> Vec<(usize, f32)> {
    let mut near: Vec<(usize, f32)> = centres.iter().map(|c| dot(vector, c)).enumerate().collect();
    near.sort_by(|a, b| b.1.total_cmp(&a.1));
    near.truncate(16);
    near
}
