//! Numbers on an axis or beside a bar, short, as each language writes them.

use super::Tongue;

/// What numbers are counted in, the largest first.
fn units(tongue: Tongue) -> &'static [(f64, &'static str)] {
    match tongue {
        Tongue::En => &[(1e12, "T"), (1e9, "B"), (1e6, "M")],
        Tongue::Zh => &[(1e12, "万亿"), (1e8, "亿"), (1e4, "万")],
        Tongue::De => &[(1e12, "\u{a0}Bio."), (1e9, "\u{a0}Mrd."), (1e6, "\u{a0}Mio.")],
    }
}

/// A number with three places that count, or more where it is large: `1,500`, `2.5M`.
pub(super) fn short(n: f64, tongue: Tongue) -> String {
    let unit = units(tongue).iter().find(|(size, _)| n.abs() >= *size);
    let (value, unit) = unit.map_or((n, ""), |(size, name)| (n / size, name));
    let decimals =
        if value == 0.0 { 0 } else { (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize };
    let text = format!("{value:.decimals$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text };
    format!("{}{unit}", grouped(&text, tongue))
}

/// With thousands parted.
fn grouped(text: &str, tongue: Tongue) -> String {
    let (between, point) = if tongue == Tongue::De { ('.', ",") } else { (',', ".") };
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, part) =
        rest.split_once('.').map_or((rest, String::new()), |(w, p)| (w, format!("{point}{p}")));
    let mut out = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(between);
        }
        out.push(digit);
    }
    format!("{sign}{out}{part}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_writes_numbers_its_way() {
        let said = |tongue| [1500.0, 2_500_000.0, -0.25, 0.0, 21_254.65].map(|n| short(n, tongue));
        assert_eq!(said(Tongue::En), ["1,500", "2.5M", "-0.25", "0", "21,255"]);
        assert_eq!(said(Tongue::Zh), ["1,500", "250万", "-0.25", "0", "2.13万"]);
        assert_eq!(said(Tongue::De), ["1.500", "2,5\u{a0}Mio.", "-0,25", "0", "21.255"]);
    }
}
