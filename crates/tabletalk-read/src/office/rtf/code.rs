//! Code pages of RTF.

use encoding_rs::Encoding;

/// The encoding of a code page; that of Western Windows when it is not known.
pub(super) fn of_page(page: i32) -> &'static Encoding {
    let label: String = match page {
        932 => "shift_jis".into(),
        936 | 54936 => "gb18030".into(),
        949 | 1361 => "euc-kr".into(),
        950 => "big5".into(),
        65001 => "utf-8".into(),
        10000 => "macintosh".into(),
        10007 => "x-mac-cyrillic".into(),
        866 => "ibm866".into(),
        page => format!("windows-{page}"),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::WINDOWS_1252)
}

/// The encoding of a font by its character set; `None` says the document's own.
pub(super) fn of_charset(set: i32) -> Option<&'static Encoding> {
    let page = match set {
        77 => 10000,
        128 => 932,
        129 | 130 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        0 => 1252,
        _ => return None,
    };
    Some(of_page(page))
}
