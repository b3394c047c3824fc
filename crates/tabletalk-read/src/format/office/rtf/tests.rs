//! Golden tests: small documents written here, and how they are read.

use crate::format::office::read_rtf;
use crate::format::office::tests::{picture, read};

fn drawn(text: &str) -> String {
    picture(&read(read_rtf, "a.rtf", text.as_bytes()).unwrap())
}

#[test]
fn reads_paragraphs_headings_lists_and_notes() {
    let text = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset2 Symbol;}{\f2\fcharset134 SimSun;}}
{\colortbl;\red0;}{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 Title;}{\*\cs3 Char;}}
{\info{\title The Title}{\author Ada}{\creatim\yr2020\mo1\dy2\hr3\min4}}
{\header\pard ignored\par}{\*\generator x;}
\pard\s1 Chapter\par
\pard Caf\'e9 \u8364?uro \uc2\u20013\'d6\'d0\uc1 {\f2\'d6\'d0\'ce\'c4}{\f1 a} \ldblquote q\rdblquote\~x{\v hidden}{\deleted gone}{\footnote\pard{\super\chftn} A note.}\par
{\listtext\pard 1.\tab}\ls1\ilvl0 one\par
{\listtext\pard\f1\'b7\tab}\ilvl1 deep\par
\pard {\field{\*\fldinst HYPERLINK x}{\fldrslt link}} and \u-10179?\u-8704? end\par
{\*\shppict{\pict{\*\picprop{\sp{\sn wzDescription}{\sv A cat}}}\pngblip 89504e47}}{\nonshppict{\pict 00}}\par
last}";
    insta::assert_snapshot!(drawn(text));
}

#[test]
fn reads_tables_with_merged_cells_and_tables_in_them() {
    let text = r"{\rtf1 before\par
\trowd\trhdr\clvmgf\cellx1000\clmgf\cellx2000\clmrg\cellx3000\pard\intbl City\cell 2023\cell\cell\row
\trowd\trhdr\clvmrg\cellx1000\cellx2000\cellx3000\pard\intbl\cell Q1\cell Q2\cell\row
\trowd\cellx1000\cellx2000\cellx3000\pard\intbl Oslo\par Norway\cell 1\cell 2\par
{\itap2 x\nestcell y\nestcell{\*\nesttableprops\trowd\cellx500\cellx900\nestrow}}\pard\intbl\cell\row
\pard after\par}";
    insta::assert_snapshot!(drawn(text));
}

#[test]
fn survives_what_is_cut_or_nested_without_end() {
    assert!(drawn(r"{\rtf1 kept\par {\b cut").contains("warning: the file ends too early"));
    let deep = format!(r"{{\rtf1 {}", "{".repeat(100_000));
    assert!(read(read_rtf, "a.rtf", deep.as_bytes()).is_err());
    let wild = r"{\rtf1\bin99999999999 \u99999999 x\uc-5\cellx-99999999999\cell\row\nestcell\itap99999 y\nestrow\par}}}}";
    drawn(wild);
}
