#![no_main]
use tabletalk_core::value;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = (
        value::number(text),
        value::date(text),
        value::datetime(text),
        value::boolean(text),
        value::keys(text),
    );
    for (range, key) in value::find_keys(text) {
        assert!(text.get(range).is_some() && !key.is_empty());
    }
});
