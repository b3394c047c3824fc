#![no_main]
libfuzzer_sys::fuzz_target!(|sql: &str| tabletalk_fuzz::statement(sql));
