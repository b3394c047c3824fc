#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tabletalk_fuzz::read("json", "a.jsonl", bytes));
