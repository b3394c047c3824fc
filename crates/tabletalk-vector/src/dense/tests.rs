//! The index against comparing everything, and against a map that cannot go wrong.

use super::*;
use crate::must_rebuild;
use proptest::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use tempfile::TempDir;

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    fn number(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn vector(&mut self, dim: usize) -> Vec<f32> {
        (0..dim).map(|_| self.number()).collect()
    }
}

/// Vectors around a few centres, as embeddings are.
fn clustered(count: usize, dim: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut dice = Dice(seed);
    let centres: Vec<Vec<f32>> = (0..20).map(|_| Dice(dice.next() % 20).vector(dim)).collect();
    (0..count)
        .map(|_| {
            let centre = &centres[dice.next() as usize % centres.len()];
            centre.iter().map(|x| x + 0.7 * dice.number()).collect()
        })
        .collect()
}

fn exact(metric: Metric) -> Settings {
    Settings { metric, quantization: Quantization::F32, ..Settings::default() }
}

/// Settings under which a few hundred vectors make a graph.
fn graphed() -> Settings {
    Settings { flat_limit: 100, rescore: 4, ..Settings::default() }
}

fn open(dir: &TempDir, dim: usize, settings: &Settings) -> Dense {
    Dense::open(dir.path(), dim, settings).unwrap()
}

fn fill(index: &mut Dense, vectors: &[Vec<f32>]) {
    index.add((0..).zip(vectors.iter().map(Vec::as_slice))).unwrap();
}

fn alike(metric: Metric, a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    let score = match metric {
        Metric::Dot => dot(a, b),
        Metric::Cosine => dot(a, b) / (dot(a, a) * dot(b, b)).sqrt(),
        Metric::L2 => -(dot(a, a) + dot(b, b) - 2.0 * dot(a, b)).max(0.0).sqrt(),
    };
    score as f32
}

/// The ids nearest to `query`, by comparing everything.
fn nearest(
    metric: Metric,
    vectors: &[Vec<f32>],
    query: &[f32],
    k: usize,
    pass: impl Fn(u64) -> bool,
) -> Vec<u64> {
    let mut all: Vec<(f32, u64)> = (0..)
        .zip(vectors)
        .filter(|(id, _)| pass(*id))
        .map(|(id, vector)| (alike(metric, vector, query), id))
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.into_iter().take(k).map(|(_, id)| id).collect()
}

fn ids(found: &[crate::Found]) -> Vec<u64> {
    found.iter().map(|one| one.id).collect()
}

/// The share of the true nearest that were found, over several queries.
fn recall(index: &Dense, vectors: &[Vec<f32>], pass: impl Fn(u64) -> bool + Sync + Copy) -> f64 {
    let queries = clustered(20, index.dim(), 77);
    let mut hits = 0;
    for query in &queries {
        let truth: HashSet<u64> =
            nearest(index.settings.metric, vectors, query, 10, pass).into_iter().collect();
        hits += ids(&index.search(query, 10, Some(&pass)).unwrap())
            .iter()
            .filter(|id| truth.contains(id))
            .count();
    }
    hits as f64 / (queries.len() * 10) as f64
}

#[test]
fn few_vectors_are_compared_exactly() {
    for metric in [Metric::Cosine, Metric::Dot, Metric::L2] {
        let dir = TempDir::new().unwrap();
        let vectors = clustered(500, 24, 3);
        let mut index = open(&dir, 24, &exact(metric));
        fill(&mut index, &vectors);
        for query in clustered(10, 24, 5) {
            let found = index.search(&query, 7, None).unwrap();
            assert_eq!(ids(&found), nearest(metric, &vectors, &query, 7, |_| true), "{metric:?}");
            for one in &found {
                let want = alike(metric, &vectors[one.id as usize], &query);
                assert!((one.score - want).abs() < 1e-4, "{metric:?}: {} and {want}", one.score);
            }
        }
    }
}

#[test]
fn smaller_numbers_lose_little() {
    for quantization in [Quantization::F16, Quantization::I8] {
        for metric in [Metric::Cosine, Metric::Dot, Metric::L2] {
            let dir = TempDir::new().unwrap();
            let vectors = clustered(600, 32, 4);
            let mut index = open(&dir, 32, &Settings { metric, quantization, ..Settings::default() });
            fill(&mut index, &vectors);
            let share = recall(&index, &vectors, |_| true);
            assert!(share >= 0.9, "{quantization:?} {metric:?}: {share}");
        }
    }
}

#[test]
fn a_graph_finds_nearly_all() {
    for metric in [Metric::Cosine, Metric::Dot, Metric::L2] {
        let dir = TempDir::new().unwrap();
        let vectors = clustered(1500, 32, 6);
        let settings = Settings { metric, ..graphed() };
        let mut index = open(&dir, 32, &settings);
        fill(&mut index, &vectors);
        index.commit(1).unwrap();
        assert!(index.graph.is_some());
        let share = recall(&index, &vectors, |_| true);
        assert!(share >= 0.95, "{metric:?}: {share}");
        let reader = open(&dir, 32, &settings);
        assert_eq!(recall(&reader, &vectors, |_| true), share);
    }
}

#[test]
fn a_graph_grows_and_what_it_does_not_cover_is_found() {
    let dir = TempDir::new().unwrap();
    let vectors = clustered(2000, 16, 8);
    let mut index = open(&dir, 16, &graphed());
    for (at, part) in vectors.chunks(190).enumerate() {
        let first = at as u64 * 190;
        index.add((first..).zip(part.iter().map(Vec::as_slice))).unwrap();
        index.commit(at as u64).unwrap();
    }
    index.add([(9999, vectors[0].as_slice())]).unwrap();
    assert_eq!(ids(&index.search(&vectors[0], 2, None).unwrap()), [0, 9999]);
    let share = recall(&index, &vectors, |_| true);
    assert!(share >= 0.95, "{share}");
}

#[test]
fn filters_hold_in_scan_and_graph_however_few_pass() {
    let dir = TempDir::new().unwrap();
    let vectors = clustered(2000, 24, 9);
    let mut index = open(&dir, 24, &graphed());
    fill(&mut index, &vectors);
    for graph in [false, true] {
        if graph {
            index.commit(1).unwrap();
        }
        for every in [2, 10, 300, 1999] {
            let pass = |id: u64| id.is_multiple_of(every);
            let found = index.search(&vectors[5], 10, Some(&pass)).unwrap();
            assert!(found.iter().all(|one| pass(one.id)));
            assert_eq!(found.len(), 10.min(2000usize.div_ceil(every as usize)));
            if every < 300 {
                assert!(recall(&index, &vectors, pass) >= 0.95, "every {every}");
            }
        }
        assert!(index.search(&vectors[5], 10, Some(&|_| false)).unwrap().is_empty());
    }
}

#[test]
fn a_filter_that_holds_only_far_away_gives_up_the_graph() {
    let dir = TempDir::new().unwrap();
    let mut vectors = clustered(2000, 16, 10);
    for vector in vectors.iter_mut().take(100) {
        vector.iter_mut().for_each(|x| *x += 30.0);
    }
    let mut index = open(&dir, 16, &Settings { metric: Metric::L2, ..graphed() });
    fill(&mut index, &vectors);
    index.commit(1).unwrap();
    let found = index.search(&vectors[1500], 5, Some(&|id| id < 100)).unwrap();
    assert_eq!(ids(&found), nearest(Metric::L2, &vectors, &vectors[1500], 5, |id| id < 100));
}

#[test]
fn many_equal_vectors_do_not_hide_the_others() {
    let dir = TempDir::new().unwrap();
    let mut vectors = clustered(1500, 16, 17);
    let same = vectors[0].clone();
    vectors.iter_mut().skip(300).for_each(|vector| vector.clone_from(&same));
    let mut index = open(&dir, 16, &graphed());
    fill(&mut index, &vectors);
    index.commit(1).unwrap();
    let found =
        (1..300).filter(|id| index.search(&vectors[*id], 1, None).unwrap()[0].id == *id as u64).count();
    assert!(found >= 296, "{found} of 299");
}

#[test]
fn removed_vectors_are_gone_and_come_back_when_added_again() {
    for settings in [exact(Metric::Cosine), graphed()] {
        let dir = TempDir::new().unwrap();
        let vectors = clustered(400, 16, 11);
        let mut index = open(&dir, 16, &settings);
        fill(&mut index, &vectors);
        index.commit(1).unwrap();
        index.remove(&[7, 7, 100_000]).unwrap();
        assert_eq!((index.len(), index.contains(7)), (399, false));
        assert_ne!(index.search(&vectors[7], 1, None).unwrap()[0].id, 7);
        index.add([(7, vectors[9].as_slice()), (7, vectors[8].as_slice())]).unwrap();
        assert_eq!((index.len(), index.contains(7)), (400, true));
        assert_eq!(ids(&index.search(&vectors[8], 2, None).unwrap()), [8, 7]);
        index.commit(2).unwrap();
        let reader = open(&dir, 16, &settings);
        assert_eq!((reader.len(), reader.generation()), (400, 2));
        assert_eq!(ids(&reader.search(&vectors[8], 2, None).unwrap()), [8, 7]);
    }
}

#[test]
fn an_index_more_dead_than_alive_is_compacted() {
    let dir = TempDir::new().unwrap();
    let vectors = clustered(900, 16, 12);
    let mut index = open(&dir, 16, &graphed());
    fill(&mut index, &vectors);
    index.commit(1).unwrap();
    let before = index.bytes();
    index.remove(&(0..600).collect::<Vec<u64>>()).unwrap();
    index.commit(2).unwrap();
    assert!(index.bytes() < before / 2);
    assert_eq!(index.ids().collect::<Vec<_>>(), (600..900).collect::<Vec<_>>());
    assert_eq!(index.search(&vectors[777], 1, None).unwrap()[0].id, 777);
    let reader = open(&dir, 16, &graphed());
    assert_eq!(reader.search(&vectors[777], 1, None).unwrap()[0].id, 777);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1 + reader.meta.files().len());
}

#[test]
fn what_was_not_committed_is_not_seen_and_is_written_over() {
    let dir = TempDir::new().unwrap();
    let vectors = clustered(300, 8, 13);
    let settings = exact(Metric::Cosine);
    let mut index = open(&dir, 8, &settings);
    fill(&mut index, &vectors[..100]);
    index.commit(1).unwrap();
    index.add((100..).zip(vectors[100..200].iter().map(Vec::as_slice))).unwrap();
    index.remove(&[3]).unwrap();
    drop(index);
    // What kills leave behind: halves of new files, and a meta that was never renamed.
    fs::write(dir.path().join("meta.new"), b"{\"form").unwrap();
    fs::write(dir.path().join("rows-1"), b"half a row").unwrap();
    fs::write(dir.path().join("graph-2"), b"half").unwrap();
    let mut index = open(&dir, 8, &settings);
    assert_eq!(
        (index.len(), index.generation(), index.contains(3), index.contains(150)),
        (100, 1, true, false)
    );
    index.add([(500, vectors[250].as_slice())]).unwrap();
    index.commit(2).unwrap();
    let mut index = open(&dir, 8, &settings);
    assert_eq!(index.len(), 101);
    assert_eq!(index.search(&vectors[250], 1, None).unwrap()[0].id, 500);
    index.remove(&(0..90).collect::<Vec<u64>>()).unwrap();
    index.commit(3).unwrap();
    assert_eq!(open(&dir, 8, &settings).search(&vectors[95], 1, None).unwrap()[0].id, 95);
}

#[test]
fn a_reader_keeps_what_it_opened_while_another_writes() {
    let dir = TempDir::new().unwrap();
    let vectors = clustered(400, 8, 14);
    let mut writer = open(&dir, 8, &graphed());
    fill(&mut writer, &vectors);
    writer.commit(1).unwrap();
    let reader = open(&dir, 8, &graphed());
    writer.remove(&(0..300).collect::<Vec<u64>>()).unwrap();
    writer.commit(2).unwrap();
    assert_eq!(reader.len(), 400);
    assert_eq!(reader.search(&vectors[17], 1, None).unwrap()[0].id, 17);
    assert_eq!(open(&dir, 8, &graphed()).len(), 100);
}

#[test]
fn another_dimension_metric_or_quantization_must_be_rebuilt() {
    let dir = TempDir::new().unwrap();
    let mut index = open(&dir, 8, &Settings::default());
    index.commit(1).unwrap();
    for (dim, settings) in [
        (9, Settings::default()),
        (8, Settings { metric: Metric::Dot, ..Settings::default() }),
        (8, Settings { quantization: Quantization::I8, ..Settings::default() }),
    ] {
        let error = Dense::open(dir.path(), dim, &settings).unwrap_err();
        assert!(must_rebuild(&error), "{error}");
    }
}

#[test]
fn damaged_files_are_errors() {
    let vectors = clustered(400, 8, 15);
    let dir = TempDir::new().unwrap();
    let mut index = open(&dir, 8, &graphed());
    fill(&mut index, &vectors);
    index.remove(&[1]).unwrap();
    index.commit(1).unwrap();
    let files: Vec<PathBuf> = fs::read_dir(dir.path()).unwrap().map(|f| f.unwrap().path()).collect();
    assert_eq!(files.len(), 6);
    for file in &files {
        let bytes = fs::read(file).unwrap();
        for damaged in [&bytes[..bytes.len() - 9], b"", b"???"] {
            fs::write(file, damaged).unwrap();
            let error = Dense::open(dir.path(), 8, &graphed()).unwrap_err();
            assert!(must_rebuild(&error), "{}: {error}", file.display());
        }
        fs::remove_file(file).unwrap();
        let opened = Dense::open(dir.path(), 8, &graphed());
        // Without its meta a directory holds no index.
        assert!(opened.map_or_else(|e| must_rebuild(&e), |index| index.is_empty()), "{}", file.display());
        fs::write(file, bytes).unwrap();
    }
    assert_eq!(open(&dir, 8, &graphed()).len(), 399);
}

#[test]
fn links_that_lead_nowhere_do_not_stop_a_search() {
    let vectors = clustered(400, 8, 16);
    let dir = TempDir::new().unwrap();
    let mut index = open(&dir, 8, &graphed());
    fill(&mut index, &vectors);
    index.commit(1).unwrap();
    let graph = dir.path().join("graph-1");
    let mut bytes = fs::read(&graph).unwrap();
    let head = 64;
    bytes[head..].iter_mut().enumerate().for_each(|(i, byte)| *byte = byte.wrapping_add(i as u8));
    fs::write(&graph, bytes).unwrap();
    if let Ok(index) = Dense::open(dir.path(), 8, &graphed()) {
        for query in &vectors[..50] {
            index.search(query, 10, None).unwrap();
        }
    }
}

#[test]
fn vectors_that_cannot_be_compared_are_refused_whole() {
    let dir = TempDir::new().unwrap();
    let mut index = open(&dir, 2, &Settings { metric: Metric::Dot, ..Settings::default() });
    index.add([(1, [1.0, 2.0].as_slice())]).unwrap();
    for bad in [[f32::NAN, 1.0], [f32::INFINITY, 1.0], [70_000.0, 1.0], [f32::MAX, 1.0]] {
        assert!(index.add([(2, [0.5, 0.5].as_slice()), (1, [9.0, 9.0].as_slice()), (3, &bad)]).is_err());
    }
    assert!(index.add([(2, [1.0].as_slice())]).is_err());
    assert!(index.search(&[1.0, f32::NAN], 1, None).is_err());
    assert!(index.search(&[1.0, 2.0, 3.0], 1, None).is_err());
    assert_eq!((index.len(), index.ids().collect::<Vec<_>>()), (1, vec![1]));
    assert_eq!(index.search(&[1.0, 1.0], 5, None).unwrap()[0].score, 3.0);
}

#[test]
fn an_empty_index_and_a_vector_of_zeros_are_no_trouble() {
    let dir = TempDir::new().unwrap();
    let mut index = open(&dir, 4, &Settings::default());
    assert!(index.search(&[1.0, 0.0, 0.0, 0.0], 3, None).unwrap().is_empty());
    index.commit(1).unwrap();
    index.add([(1, [0.0; 4].as_slice())]).unwrap();
    assert_eq!(index.search(&[1.0, 0.0, 0.0, 0.0], 3, None).unwrap()[0].score, 0.0);
    assert!(index.search(&[1.0, 0.0, 0.0, 0.0], 0, None).unwrap().is_empty());
    assert_eq!(index.search(&[1.0, 0.0, 0.0, 0.0], usize::MAX, None).unwrap().len(), 1);
}

#[test]
fn settings_are_data_and_know_all_their_names() {
    let settings: Settings =
        serde_json::from_str(r#"{"metric": "l2", "hnsw": {"connectivity": 8}}"#).unwrap();
    assert_eq!((settings.metric, settings.hnsw.connectivity), (Metric::L2, 8));
    assert!(serde_json::from_str::<Settings>(r#"{"metrics": "l2"}"#).is_err());
}

#[derive(Debug, Clone)]
enum Step {
    Add(Vec<(u64, [i8; 4])>),
    Remove(Vec<u64>),
    Commit,
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => prop::collection::vec((0u64..40, prop::array::uniform4(-9i8..9)), 0..30).prop_map(Step::Add),
        3 => prop::collection::vec(0u64..40, 0..20).prop_map(Step::Remove),
        2 => Just(Step::Commit),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_order_of_changes_leaves_what_a_map_would(steps in steps(), flat_limit in prop_oneof![Just(8usize), Just(1000)]) {
        let dir = TempDir::new().unwrap();
        let settings = Settings { flat_limit, ..exact(Metric::L2) };
        let mut index = open(&dir, 4, &settings);
        let (mut map, mut committed) = (BTreeMap::new(), BTreeMap::new());
        for step in steps {
            match step {
                Step::Add(vectors) => {
                    let vectors: Vec<(u64, Vec<f32>)> =
                        vectors.into_iter().map(|(id, v)| (id, v.map(f32::from).to_vec())).collect();
                    index.add(vectors.iter().map(|(id, v)| (*id, v.as_slice()))).unwrap();
                    map.extend(vectors);
                }
                Step::Remove(ids) => {
                    index.remove(&ids).unwrap();
                    map.retain(|id, _| !ids.contains(id));
                }
                Step::Commit => {
                    index.commit(1).unwrap();
                    committed = map.clone();
                }
                Step::Reopen => {
                    index = open(&dir, 4, &settings);
                    map = committed.clone();
                }
            }
            prop_assert_eq!(index.len(), map.len());
            let mut all = ids(&index.search(&[0.0; 4], 100, None).unwrap());
            all.sort_unstable();
            prop_assert_eq!(all, map.keys().copied().collect::<Vec<_>>());
            for (id, vector) in &map {
                prop_assert_eq!(index.vector(*id), Some(vector.clone()));
            }
        }
    }
}
