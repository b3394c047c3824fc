//! Lines and areas of a page.

use hayro_interpret::kurbo::Rect;

/// A straight line, across or down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    /// Runs across the page; otherwise down.
    pub across: bool,
    /// Its height, or its distance from the left.
    pub at: f32,
    pub from: f32,
    pub to: f32,
    pub width: f32,
    /// Drawn in white.
    pub light: bool,
}

impl Rule {
    /// The line through the middle of a thin rectangle.
    pub(super) fn of(rect: &Rect, width: f32, light: bool) -> Option<Self> {
        let across = rect.width() >= rect.height();
        let (at, from, to) = match across {
            true => ((rect.y0 + rect.y1) / 2.0, rect.x0, rect.x1),
            false => ((rect.x0 + rect.x1) / 2.0, rect.y0, rect.y1),
        };
        let finite = [at, from, to].iter().all(|v| v.is_finite() && v.abs() < 1e6);
        finite.then_some(Rule { across, at: at as f32, from: from as f32, to: to as f32, width, light })
    }
    pub(super) fn len(&self) -> f32 {
        self.to - self.from
    }
}

/// Joins the pieces of each line: programs draw a line cell by cell.
pub(super) fn joined(mut rules: Vec<Rule>) -> Vec<Rule> {
    const NEAR: f32 = 1.5;
    rules.sort_by(|a, b| a.across.cmp(&b.across).then(a.at.total_cmp(&b.at)).then(a.from.total_cmp(&b.from)));
    let mut out: Vec<Rule> = Vec::new();
    let mut i = 0;
    while i < rules.len() {
        let mut band = vec![rules[i]];
        let mut j = i + 1;
        while j < rules.len()
            && rules[j].across == rules[i].across
            && rules[j].at - rules[j - 1].at < NEAR
            && rules[j].at - rules[i].at < 2.0 * NEAR
        {
            band.push(rules[j]);
            j += 1;
        }
        band.sort_by(|a, b| a.from.total_cmp(&b.from));
        let first = out.len();
        for rule in band {
            match out.get_mut(first..).and_then(<[Rule]>::last_mut) {
                Some(last) if rule.from <= last.to + 2.0 => {
                    last.to = last.to.max(rule.to);
                    last.width = last.width.max(rule.width);
                    last.light &= rule.light;
                }
                _ => out.push(rule),
            }
        }
        i = j;
    }
    out
}
