//! How strongly two points at a distance belong together in the result.

/// `1 / (1 + a d^2b)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Curve {
    pub(super) a: f32,
    pub(super) b: f32,
}

impl Curve {
    /// The curve nearest to one that is 1 up to `min_dist` and then falls off exponentially, by damped least squares.
    pub(super) fn fit(min_dist: f32, spread: f32) -> Curve {
        let spread = f64::from(if spread.is_finite() { spread.clamp(0.01, 100.0) } else { 1.0 });
        let least = f64::from(if min_dist.is_finite() { min_dist } else { 0.1 }).clamp(0.0, 3.0 * spread);
        let at = |i: usize| 3.0 * spread * (i + 1) as f64 / 300.0;
        let wanted = |x: f64| if x < least { 1.0 } else { (-(x - least) / spread).exp() };
        let pairs: Vec<(f64, f64)> = (0..300).map(|i| (at(i), wanted(at(i)))).collect();
        let (mut best, mut damping) = ([1.0, 1.0], 1e-3);
        let mut error = misfit(best, &pairs);
        for _ in 0..100 {
            let next = step(best, damping, &pairs);
            let now = misfit(next, &pairs);
            if now < error {
                (best, error, damping) = (next, now, damping * 0.3);
            } else {
                damping *= 10.0;
            }
        }
        Curve { a: best[0] as f32, b: best[1] as f32 }
    }
}

fn height([a, b]: [f64; 2], x: f64) -> f64 {
    1.0 / (1.0 + a * x.powf(2.0 * b))
}

fn misfit(at: [f64; 2], pairs: &[(f64, f64)]) -> f64 {
    if at[0] <= 0.0 || at[1] <= 0.0 {
        return f64::INFINITY;
    }
    pairs.iter().map(|(x, y)| (height(at, *x) - y).powi(2)).sum()
}

/// One step of the damped normal equations for `a` and `b`.
fn step([a, b]: [f64; 2], damping: f64, pairs: &[(f64, f64)]) -> [f64; 2] {
    let (mut aa, mut ab, mut bb, mut ra, mut rb) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (x, y) in pairs {
        let (power, h) = (x.powf(2.0 * b), height([a, b], *x));
        let (da, db) = (-h * h * power, -h * h * a * power * 2.0 * x.ln());
        let left = y - h;
        aa += da * da;
        ab += da * db;
        bb += db * db;
        ra += da * left;
        rb += db * left;
    }
    let (aa, bb) = (aa * (1.0 + damping) + 1e-12, bb * (1.0 + damping) + 1e-12);
    let det = aa * bb - ab * ab;
    [a + (ra * bb - rb * ab) / det, b + (rb * aa - ra * ab) / det]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_settings_give_the_usual_curve() {
        let curve = Curve::fit(0.1, 1.0);
        assert!((curve.a - 1.577).abs() < 0.01 && (curve.b - 0.895).abs() < 0.005, "{curve:?}");
        assert!(Curve::fit(f32::NAN, -1.0).a.is_finite());
    }
}
