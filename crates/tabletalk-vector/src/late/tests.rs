use super::*;
use crate::must_rebuild;
use std::collections::HashSet;
use tabletalk_core::Matrix;
use tabletalk_core::matrix::normalize;
use tempfile::TempDir;

const DIM: usize = 24;

/// Numbers that look random and are the same every time.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn vector(&mut self, dim: usize) -> Vec<f32> {
        let mut vector: Vec<f32> = (0..dim).map(|_| self.next()).collect();
        normalize(&mut vector);
        vector
    }

    /// Rows that are words of a small vocabulary, a little moved.
    fn text(&mut self, tokens: usize, dim: usize) -> Matrix {
        let mut data = Vec::new();
        for _ in 0..tokens {
            let word = (self.next().abs() * 200.0) as u64;
            let mut row = Noise(word * 7919 + 1).vector(dim);
            row.iter_mut().for_each(|x| *x += 0.05 * self.next());
            normalize(&mut row);
            data.extend(row);
        }
        Matrix { dim, data }
    }
}

fn texts(count: usize, seed: u64) -> Vec<Matrix> {
    let mut noise = Noise(seed);
    (0..count).map(|i| noise.text(5 + i % 20, DIM)).collect()
}

/// Settings that compress even a small index.
fn small() -> Settings {
    Settings { flat_limit: 0, bits: 4, ..Settings::default() }
}

fn build(dir: &TempDir, texts: &[Matrix], settings: &Settings) -> Late {
    let mut late = Late::open(dir.path(), DIM, settings).unwrap();
    late.add((0..).zip(texts)).unwrap();
    late.commit(1).unwrap();
    late
}

fn brute(query: &Matrix, texts: &[Matrix], k: usize) -> Vec<u64> {
    let mut all: Vec<(f32, u64)> = texts.iter().map(|text| maxsim(query, text)).zip(0..).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.iter().take(k).map(|(_, id)| *id).collect()
}

fn ids(found: &[Found]) -> Vec<u64> {
    found.iter().map(|found| found.id).collect()
}

/// The share of the true best ten that is found.
fn recall(late: &Late, texts: &[Matrix]) -> f64 {
    let mut noise = Noise(99);
    let mut hits = 0;
    for _ in 0..20 {
        let query = noise.text(6, DIM);
        let wanted: HashSet<u64> = brute(&query, texts, 10).into_iter().collect();
        let found = late.search(&query, 10, None).unwrap();
        hits += found.iter().filter(|found| wanted.contains(&found.id)).count();
    }
    hits as f64 / 200.0
}

#[test]
fn a_small_index_finds_what_brute_force_finds() {
    let (dir, texts) = (TempDir::new().unwrap(), texts(120, 1));
    let late = build(&dir, &texts, &Settings::default());
    assert_eq!(late.centroids(), 0);
    assert!(recall(&late, &texts) > 0.99);
}

#[test]
fn a_compressed_index_finds_nearly_what_brute_force_finds() {
    let (dir, texts) = (TempDir::new().unwrap(), texts(600, 2));
    let late = build(&dir, &texts, &small());
    assert!(late.centroids() > 16);
    let recall = recall(&late, &texts);
    assert!(recall > 0.9, "{recall}");
}

#[test]
fn scores_are_those_of_the_search() {
    let (dir, texts) = (TempDir::new().unwrap(), texts(300, 3));
    let late = build(&dir, &texts, &small());
    let found = late.search(&texts[7], 5, None).unwrap();
    assert_eq!(found[0].id, 7);
    let again = late.score(&texts[7], &[ids(&found), vec![12_345]].concat()).unwrap();
    assert_eq!(again.last(), Some(&None));
    for (found, again) in found.iter().zip(again) {
        assert_eq!(Some(found.score), again);
    }
    assert!((found[0].score - texts[7].len() as f32).abs() < 0.05 * texts[7].len() as f32);
}

#[test]
fn a_filter_that_leaves_few_still_finds_them() {
    let texts = texts(500, 4);
    for settings in [Settings::default(), Settings { candidates: 3, probe: 1, ..small() }] {
        let dir = TempDir::new().unwrap();
        let late = build(&dir, &texts, &settings);
        let only = |id: u64| id % 100 == 3;
        let mut found = ids(&late.search(&texts[0], 10, Some(&only)).unwrap());
        found.sort_unstable();
        assert_eq!(found, [3, 103, 203, 303, 403]);
        assert!(late.search(&texts[0], 10, Some(&|_| false)).unwrap().is_empty());
    }
}

#[test]
fn documents_come_and_go_without_a_rebuild() {
    for settings in [Settings::default(), small()] {
        let (dir, texts) = (TempDir::new().unwrap(), texts(200, 5));
        let mut late = build(&dir, &texts[..150], &settings);
        late.add((150..).zip(&texts[150..])).unwrap();
        late.remove([3, 160, 9999]);
        assert!(late.contains(3) && !late.contains(170), "nothing is seen before the commit");
        late.commit(2).unwrap();
        assert_eq!((late.len(), late.generation()), (198, 2));
        assert!(!late.contains(3) && !late.contains(160) && late.contains(170));
        assert_ne!(late.search(&texts[3], 1, None).unwrap()[0].id, 3);
        assert_eq!(late.search(&texts[170], 1, None).unwrap()[0].id, 170);
        late.add([(3, &texts[3]), (170, &texts[0])]).unwrap();
        late.commit(3).unwrap();
        assert_eq!(late.len(), 199);
        assert_eq!(late.search(&texts[3], 1, None).unwrap()[0].id, 3);
        assert_eq!(late.score(&texts[0], &[0]).unwrap(), late.score(&texts[0], &[170]).unwrap());
    }
}

#[test]
fn the_last_of_several_under_one_id_counts() {
    let (dir, texts) = (TempDir::new().unwrap(), texts(60, 6));
    let settings = Settings { stage_tokens: 100, ..small() };
    let mut late = Late::open(dir.path(), DIM, &settings).unwrap();
    late.add(texts.iter().map(|text| (7, text))).unwrap();
    late.add([(8, &texts[0])]).unwrap();
    late.remove([8]);
    late.commit(1).unwrap();
    assert_eq!(late.ids().collect::<Vec<_>>(), [7]);
    let score = late.score(&texts[59], &[7]).unwrap()[0].unwrap();
    assert!(score > 0.9 * texts[59].len() as f32, "{score}");
}

#[test]
fn an_index_is_the_same_when_opened_again() {
    for settings in [Settings::default(), small()] {
        let (dir, texts) = (TempDir::new().unwrap(), texts(200, 7));
        let mut late = build(&dir, &texts, &settings);
        late.remove([5, 6]);
        late.commit(4).unwrap();
        let before = late.search(&texts[9], 10, None).unwrap();
        drop(late);
        let late = Late::open(dir.path(), DIM, &settings).unwrap();
        assert_eq!((late.len(), late.generation()), (198, 4));
        assert_eq!(late.search(&texts[9], 10, None).unwrap(), before);
    }
}

#[test]
fn what_was_not_committed_is_forgotten() {
    let (dir, texts) = (TempDir::new().unwrap(), texts(200, 8));
    let settings = Settings { stage_tokens: 50, ..small() };
    let mut late = build(&dir, &texts[..100], &settings);
    late.add((100..).zip(&texts[100..])).unwrap();
    late.remove([1]);
    drop(late);
    let mut late = Late::open(dir.path(), DIM, &settings).unwrap();
    assert_eq!((late.len(), late.contains(1)), (100, true));
    late.commit(2).unwrap();
    let files = std::fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(files, 1 + late.state.files().len(), "files of no commit are swept away");
}

#[test]
fn many_small_commits_leave_few_segments() {
    let (dir, texts) = (TempDir::new().unwrap(), texts(40, 9));
    let mut late = Late::open(dir.path(), DIM, &small()).unwrap();
    for (id, text) in (0..).zip(&texts) {
        late.add([(id, text)]).unwrap();
        late.commit(id).unwrap();
    }
    assert_eq!(late.len(), 40);
    assert!(late.state.segments.len() < 10, "{}", late.state.segments.len());
    let recall = recall(&late, &texts);
    assert!(recall > 0.85, "{recall}");
}

#[test]
fn a_grown_index_learns_anew() {
    let (dir, texts) = (TempDir::new().unwrap(), texts(600, 10));
    let mut late = build(&dir, &texts[..20], &small());
    let few = late.centroids();
    late.add((20..).zip(&texts[20..])).unwrap();
    late.commit(2).unwrap();
    assert!(late.centroids() > few);
    assert_eq!(late.len(), 600);
    let recall = recall(&late, &texts);
    assert!(recall > 0.85, "{recall}");
}

#[test]
fn a_small_index_is_compressed_when_it_grows() {
    let (dir, texts) = (TempDir::new().unwrap(), texts(300, 11));
    let settings = Settings { flat_limit: 1000, ..small() };
    let mut late = build(&dir, &texts[..40], &settings);
    assert_eq!(late.centroids(), 0);
    late.remove([2]);
    late.add((40..).zip(&texts[40..])).unwrap();
    late.commit(2).unwrap();
    assert!(late.centroids() > 0 && !late.contains(2) && late.contains(39));
    assert_eq!(late.search(&texts[39], 1, None).unwrap()[0].id, 39);
}

#[test]
fn more_bits_err_less() {
    let texts = texts(400, 12);
    let error = |bits: u8| {
        let dir = TempDir::new().unwrap();
        let late = build(&dir, &texts, &Settings { bits, centroids: Some(32), ..small() });
        let score = |id: usize| late.score(&texts[id + 1], &[id as u64]).unwrap()[0].unwrap();
        let wrong = |id| (score(id) - maxsim(&texts[id + 1], &texts[id])).abs() / texts[id + 1].len() as f32;
        (0..texts.len() - 1).map(wrong).sum::<f32>() / texts.len() as f32
    };
    let errors = [1, 2, 4, 8].map(error);
    for (error, most) in errors.iter().zip([0.15, 0.05, 0.005, 0.001]) {
        assert!(*error < most, "{errors:?}");
    }
    assert!(errors.is_sorted_by(|a, b| a > b), "{errors:?}");
}

#[test]
fn nothing_is_found_in_nothing_and_by_nothing() {
    let dir = TempDir::new().unwrap();
    let mut late = Late::open(dir.path(), DIM, &small()).unwrap();
    let one = Noise(1).text(1, DIM);
    assert!(late.is_empty() && late.search(&one, 5, None).unwrap().is_empty());
    late.commit(1).unwrap();
    late.add([(1, &Matrix::default()), (2, &one), (3, &Matrix { dim: DIM, data: vec![] })]).unwrap();
    late.commit(2).unwrap();
    assert_eq!(late.len(), 3);
    assert_eq!(ids(&late.search(&one, 5, None).unwrap()), [2]);
    assert!(late.search(&Matrix::default(), 5, None).unwrap().is_empty());
    assert!(late.search(&one, 0, None).unwrap().is_empty());
    assert_eq!(late.score(&one, &[1]).unwrap(), [Some(0.0)]);
    late.remove([1, 2, 3]);
    late.commit(3).unwrap();
    assert!(late.is_empty() && late.search(&one, 5, None).unwrap().is_empty());
}

#[test]
fn only_empty_documents_are_no_trouble() {
    let dir = TempDir::new().unwrap();
    let late = build(&dir, &[Matrix::default(), Matrix::default()], &small());
    assert_eq!(late.len(), 2);
    assert!(late.search(&Noise(1).text(1, DIM), 5, None).unwrap().is_empty());
}

#[test]
fn vectors_that_cannot_be_used_are_refused() {
    let dir = TempDir::new().unwrap();
    let mut late = build(&dir, &texts(5, 13), &small());
    let mut nan = Noise(1).text(2, DIM);
    nan.data[DIM] = f32::NAN;
    let other = Noise(1).text(2, DIM + 1);
    let uneven = Matrix { dim: DIM, data: vec![0.0; DIM + 1] };
    for bad in [&nan, &other, &uneven] {
        assert!(late.add([(9, bad)]).is_err());
        assert!(late.search(bad, 3, None).is_err());
        assert!(late.score(bad, &[1]).is_err());
    }
    let error = late.search(&other, 3, None).unwrap_err().to_string();
    assert!(error.starts_with("the query: has vectors of 25 dimensions, the index 24"), "{error}");
    late.commit(2).unwrap();
    assert_eq!(late.len(), 5);
}

#[test]
fn an_index_of_another_model_must_be_rebuilt() {
    let dir = TempDir::new().unwrap();
    drop(build(&dir, &texts(50, 14), &small()));
    let error = Late::open(dir.path(), DIM + 1, &small()).unwrap_err();
    assert!(must_rebuild(&error) && error.to_string().contains("24 dimensions, not 25"), "{error}");
    let error = Late::open(dir.path(), DIM, &Settings { bits: 2, ..small() }).unwrap_err();
    assert!(must_rebuild(&error), "{error}");
}

#[test]
fn a_damaged_index_gives_errors_and_never_a_panic() {
    let texts = texts(80, 15);
    for settings in [Settings::default(), small()] {
        let dir = TempDir::new().unwrap();
        let mut late = build(&dir, &texts, &settings);
        late.remove([1]);
        late.commit(2).unwrap();
        let names = [late.state.files(), vec!["late.json".into()]].concat();
        drop(late);
        for name in names {
            damage(&dir.path().join(name), dir.path(), &settings, &texts[0]);
        }
        assert!(Late::open(dir.path(), DIM, &settings).is_ok());
    }
}

/// Cuts the file, changes bytes all over it, removes it; and puts it back.
fn damage(path: &Path, dir: &Path, settings: &Settings, query: &Matrix) {
    let bytes = std::fs::read(path).unwrap();
    let attempt = |must_fail: bool| match Late::open(dir, DIM, settings) {
        Err(error) => assert!(must_rebuild(&error), "{error}"),
        Ok(_) if must_fail => panic!("{} is not missed", path.display()),
        Ok(late) => {
            let _ = late.search(query, 5, None);
            let _ = late.score(query, &[0, 1, 2]);
        }
    };
    for cut in (0..bytes.len()).step_by(1 + bytes.len() / 8) {
        std::fs::write(path, &bytes[..cut]).unwrap();
        attempt(true);
    }
    for at in (0..bytes.len()).step_by(1 + bytes.len() / 40) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0xFF;
        std::fs::write(path, &bytes).unwrap();
        attempt(false);
    }
    if !path.ends_with("late.json") {
        std::fs::remove_file(path).unwrap();
        attempt(true);
    }
    std::fs::write(path, &bytes).unwrap();
}
