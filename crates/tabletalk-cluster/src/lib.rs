//! Which of these vectors belong together?
//!
//! The crate knows rows of numbers. It must not know texts, models or stores. All results depend on the rows, the settings
//! and the seed, and not on the number of threads.
//!
//! ```
//! use tabletalk_cluster::{Settings, cluster};
//! use tabletalk_core::Matrix;
//!
//! let vectors = Matrix { dim: 2, data: vec![1.0, 0.0, 0.9, 0.1] };
//! assert_eq!(cluster(&vectors, &Settings::default(), &|| false).unwrap(), [[0, 1]]);
//! ```

pub mod ahc;
mod approximate;
mod halve;
pub mod mixture;
pub mod neighbours;
mod products;
mod random;
mod rows;
pub mod sequential;
mod soft;
pub mod umap;

pub use halve::halve;

use serde::{Deserialize, Serialize};
use tabletalk_core::{Error, Matrix, Result};

/// Asked now and then whether to stop. It may be called from several threads.
pub(crate) type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// For those that are not to be stopped.
pub(crate) fn never() -> Stop<'static> {
    &|| false
}

/// How clusters are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Fewer dimensions, then a mixture of Gaussians. A row may be in several clusters.
    #[default]
    Gmm,
    /// The same, and once more within each cluster, as in the RAPTOR paper.
    Twostep,
    /// Merging the two nearest groups again and again (Ward), cut where the next merge would join the most different.
    Ahc,
    /// Runs of rows in their order, cut where neighbours have little in common.
    Sequential,
}

/// How clusters are found, and how many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How clusters are found.
    pub method: Method,
    /// At most so many clusters in one step. `sequential` makes as many as there are runs.
    pub max_cluster: usize,
    /// A row is in every cluster whose probability is over this, and always in the likeliest.
    pub threshold: f32,
    /// Whether a row is in the likeliest cluster only.
    pub single: bool,
    /// Neighbours that a row is compared with, itself counted. By default (n - 1)^0.8, at least 2, at most `max_neighbors` unless that is 0;
    /// `twostep` takes (n - 1)^0.5 and then 10, as the paper does.
    pub n_neighbors: Option<usize>,
    /// The most neighbours that are taken by default; 0 for as many as the published method takes, whatever memory they need.
    pub max_neighbors: usize,
    /// Dimensions that vectors are reduced to. Of few rows fewer are made.
    pub n_components: usize,
    /// Where randomness begins.
    pub random_seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            method: Method::Gmm,
            max_cluster: 64,
            threshold: 0.1,
            single: false,
            n_neighbors: None,
            max_neighbors: 32,
            n_components: 12,
            random_seed: 224,
        }
    }
}

impl Settings {
    /// Whether the settings can be used. The error names the one that cannot.
    pub fn check(&self) -> Result<()> {
        within("max_cluster", self.max_cluster, 1, 1024)?;
        within("n_neighbors", self.n_neighbors.unwrap_or(2), 2, 1024)?;
        if self.max_neighbors != 0 {
            within("max_neighbors", self.max_neighbors, 2, 1024)?;
        }
        within("n_components", self.n_components, 1, umap::MOST_COMPONENTS)?;
        if !(0.0..=1.0).contains(&self.threshold) {
            return Err(
                Error::input(format!("must be from 0 to 1, but is {}", self.threshold)).at("threshold")
            );
        }
        Ok(())
    }
}

fn within(key: &str, value: usize, least: usize, most: usize) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::input(format!("must be from {least} to {most}, but is {value}")).at(key))
}

/// Clusters as sorted lists of row numbers, ordered by their first row; each row is in at least one.
///
/// `stopped` is asked now and then; when it says so, there is an error instead of a result. A row with anything that is not
/// a finite number counts as zeros.
pub fn cluster(
    vectors: &Matrix,
    settings: &Settings,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Vec<u32>>> {
    settings.check()?;
    if vectors.is_empty() || vectors.len() > u32::MAX as usize {
        return Ok(Vec::new());
    }
    let vectors = rows::normalized(vectors);
    let found = match settings.method {
        Method::Gmm => soft::one_step(&vectors, settings, stopped),
        Method::Twostep => soft::two_steps(&vectors, settings, stopped),
        Method::Ahc => ahc::groups(&vectors, settings.max_cluster, settings.random_seed, stopped),
        Method::Sequential => Some(sequential::runs(&vectors)),
    };
    found.filter(|_| !stopped()).map(in_order).ok_or_else(|| Error::limit("clustering was stopped"))
}

/// Sorted, without those that are the same as another.
fn in_order(mut clusters: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    clusters.iter_mut().for_each(|rows| rows.sort_unstable());
    clusters.retain(|rows| !rows.is_empty());
    clusters.sort();
    clusters.dedup();
    clusters
}

#[cfg(test)]
mod tests;
