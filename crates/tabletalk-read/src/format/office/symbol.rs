//! Characters of symbol fonts as plain ones.

/// Greek letters and signs of the font Symbol, by their code.
const SYMBOL: &[(u8, char)] = &[
    (0x22, '∀'),
    (0x24, '∃'),
    (0x2d, '−'),
    (0x40, '≅'),
    (0x41, 'Α'),
    (0x42, 'Β'),
    (0x43, 'Χ'),
    (0x44, 'Δ'),
    (0x45, 'Ε'),
    (0x46, 'Φ'),
    (0x47, 'Γ'),
    (0x48, 'Η'),
    (0x4c, 'Λ'),
    (0x50, 'Π'),
    (0x51, 'Θ'),
    (0x53, 'Σ'),
    (0x57, 'Ω'),
    (0x58, 'Ξ'),
    (0x59, 'Ψ'),
    (0x61, 'α'),
    (0x62, 'β'),
    (0x63, 'χ'),
    (0x64, 'δ'),
    (0x65, 'ε'),
    (0x66, 'φ'),
    (0x67, 'γ'),
    (0x68, 'η'),
    (0x69, 'ι'),
    (0x6a, 'ϕ'),
    (0x6b, 'κ'),
    (0x6c, 'λ'),
    (0x6d, 'μ'),
    (0x6e, 'ν'),
    (0x6f, 'ο'),
    (0x70, 'π'),
    (0x71, 'θ'),
    (0x72, 'ρ'),
    (0x73, 'σ'),
    (0x74, 'τ'),
    (0x75, 'υ'),
    (0x77, 'ω'),
    (0x78, 'ξ'),
    (0x79, 'ψ'),
    (0x7a, 'ζ'),
    (0xa3, '≤'),
    (0xa5, '∞'),
    (0xab, '↔'),
    (0xac, '←'),
    (0xad, '↑'),
    (0xae, '→'),
    (0xaf, '↓'),
    (0xb0, '°'),
    (0xb1, '±'),
    (0xb3, '≥'),
    (0xb4, '×'),
    (0xb6, '∂'),
    (0xb7, '•'),
    (0xb8, '÷'),
    (0xb9, '≠'),
    (0xba, '≡'),
    (0xbb, '≈'),
    (0xbc, '…'),
    (0xc5, '⊕'),
    (0xc7, '∩'),
    (0xc8, '∪'),
    (0xcc, '⊂'),
    (0xce, '∈'),
    (0xd1, '∇'),
    (0xd6, '√'),
    (0xd9, '∧'),
    (0xda, '∨'),
    (0xde, '⇒'),
    (0xe5, '∑'),
    (0xf2, '∫'),
];
/// Signs of the fonts Wingdings, by their code.
const WINGDINGS: &[(u8, char)] = &[
    (0x6c, '●'),
    (0x6e, '■'),
    (0x6f, '☐'),
    (0x71, '❑'),
    (0x72, '❒'),
    (0x76, '❖'),
    (0xa7, '▪'),
    (0xa8, '☐'),
    (0xd8, '➢'),
    (0xe0, '→'),
    (0xf0, '⇨'),
    (0xfb, '✗'),
    (0xfc, '✓'),
    (0xfd, '☒'),
    (0xfe, '☑'),
    (0x52, '☑'),
    (0x53, '☒'),
    (0x50, '✓'),
    (0xa3, '☐'),
];

/// The character of a symbol font; `None` when it is not known.
pub(super) fn plain(font: &str, code: u32) -> Option<char> {
    // Symbol fonts stand in the private range F000 to F0FF.
    let low = match code {
        0xf000..=0xf0ff => code - 0xf000,
        0..=0xff => code,
        _ => return char::from_u32(code),
    };
    let font = font.to_ascii_lowercase();
    let known = if font.contains("wingdings") {
        WINGDINGS
    } else if font.contains("symbol") {
        SYMBOL
    } else {
        return char::from_u32(code).filter(|_| code < 0xf000);
    };
    let found = known.iter().find(|(at, _)| u32::from(*at) == low).map(|(_, c)| *c);
    found.or_else(|| char::from_u32(low).filter(|c| c.is_ascii_digit() || c.is_ascii_punctuation()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_greek_letters_and_ticks() {
        assert_eq!(plain("Symbol", 0xf061), Some('α'));
        assert_eq!(plain("Wingdings", 0xfc), Some('✓'));
        assert_eq!(plain("Arial", 0x41), Some('A'));
        assert_eq!(plain("Arial", 0xf041), None);
    }
}
