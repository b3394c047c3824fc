use super::*;
use crate::random::Random;
use proptest::prelude::*;

/// `n` points around `k` centres, row `i` around centre `i % k`.
pub(crate) fn blobs(n: usize, k: usize, dim: usize, spread: f32, seed: u64) -> Matrix {
    let mut random = Random::new(seed, 0xb10b);
    let centres: Vec<f32> = (0..k * dim).map(|_| 4.0 * random.bell()).collect();
    let data = (0..n * dim).map(|i| centres[i / dim % k * dim + i % dim] + spread * random.bell()).collect();
    Matrix { dim, data }
}

const METHODS: [Method; 4] = [Method::Gmm, Method::Twostep, Method::Ahc, Method::Sequential];

fn found(vectors: &Matrix, settings: &Settings) -> Vec<Vec<u32>> {
    cluster(vectors, settings, &|| false).unwrap()
}

/// Whether every row is in a cluster, and clusters are sorted, in order and different.
fn is_sound(clusters: &[Vec<u32>], rows: usize) -> bool {
    let mut all: Vec<u32> = clusters.concat();
    all.sort_unstable();
    all.dedup();
    all == (0..rows as u32).collect::<Vec<_>>()
        && clusters.iter().all(|rows| !rows.is_empty() && rows.is_sorted_by(|a, b| a < b))
        && clusters.is_sorted_by(|a, b| a < b)
}

#[test]
fn blobs_are_clusters() {
    let vectors = blobs(300, 5, 24, 0.4, 11);
    for method in [Method::Gmm, Method::Ahc] {
        let clusters = found(&vectors, &Settings { method, single: true, ..Settings::default() });
        assert!(is_sound(&clusters, 300));
        let pure = clusters.iter().filter(|rows| rows.iter().all(|row| row % 5 == rows[0] % 5)).count();
        assert_eq!(pure, clusters.len(), "{method:?}");
        assert!(clusters.len() >= 5, "{method:?}: {}", clusters.len());
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let vectors = blobs(700, 7, 20, 2.5, 2);
    for method in METHODS {
        let settings = Settings { method, max_cluster: 12, ..Settings::default() };
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| found(&vectors, &settings))
        };
        let one = with(1);
        assert!(is_sound(&one, 700));
        assert_eq!(one, with(2), "{method:?}");
        assert_eq!(one, with(5), "{method:?}");
    }
}

#[test]
fn a_higher_threshold_gives_fewer_memberships() {
    let vectors = blobs(400, 4, 10, 3.0, 8);
    let count = |threshold, single| -> usize {
        found(&vectors, &Settings { threshold, single, ..Settings::default() }).iter().map(Vec::len).sum()
    };
    assert!(count(0.0, false) >= count(0.1, false));
    assert!(count(0.1, false) >= count(0.1, true));
    assert_eq!(count(0.1, true), 400);
}

#[test]
fn odd_vectors_are_clustered_all_the_same() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    for n in [0, 1, 2, 3, 4, 13, 14, 15, 16, 40] {
        for vector in [[0.0, 0.0], [1.0, 2.0], [nan, 1.0], [inf, -inf], [1e38, 1e-38]] {
            let vectors = Matrix { dim: 2, data: vector.repeat(n) };
            for method in METHODS {
                let clusters = found(&vectors, &Settings { method, ..Settings::default() });
                assert_eq!(clusters.len(), n.min(1), "{method:?} {n} {vector:?}");
                assert!(is_sound(&clusters, n));
            }
        }
    }
}

#[test]
fn stopping_is_an_error() {
    for method in METHODS {
        let settings = Settings { method, ..Settings::default() };
        assert!(cluster(&blobs(60, 2, 4, 0.1, 1), &settings, &|| true).is_err());
    }
}

#[test]
fn settings_out_of_range_are_named() {
    let with = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        settings.check().unwrap_err().to_string()
    };
    assert_eq!(with(|s| s.max_cluster = 2000), "max_cluster: must be from 1 to 1024, but is 2000");
    assert!(with(|s| s.threshold = f32::NAN).starts_with("threshold"));
    assert!(with(|s| s.n_components = 0).starts_with("n_components"));
    assert!(with(|s| s.n_neighbors = Some(1)).starts_with("n_neighbors"));
    assert!(Settings::default().check().is_ok());
}

#[test]
fn settings_are_read_and_written() {
    let read: Settings = serde_json::from_str(r#"{"method": "twostep", "max_cluster": 9}"#).unwrap();
    assert_eq!((read.method, read.max_cluster, read.n_components), (Method::Twostep, 9, 12));
    assert_eq!(serde_json::from_str::<Settings>(&serde_json::to_string(&read).unwrap()).unwrap(), read);
    assert!(serde_json::from_str::<Settings>(r#"{"max_clusters": 9}"#).is_err());
}

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![8 => -2.0f32..2.0, 2 => Just(0.0), 1 => Just(1.0), 1 => prop::num::f32::ANY]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_row_is_in_a_cluster(dim in 1usize..6, data in prop::collection::vec(number(), 0..150),
                                 method in prop::sample::select(METHODS.to_vec()), n_components in 1usize..5,
                                 max_cluster in 1usize..20, single in any::<bool>(), random_seed in any::<u64>()) {
        let vectors = Matrix { dim, data };
        let settings = Settings { method, n_components, max_cluster, single, random_seed, ..Settings::default() };
        prop_assert!(is_sound(&found(&vectors, &settings), vectors.len()));
        let (low, high) = halve(&vectors, random_seed);
        prop_assert!(low.len() + high.len() == vectors.len() && high.len() - low.len() <= 1);
    }
}
