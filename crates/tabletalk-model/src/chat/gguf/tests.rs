use super::*;
use tabletalk_core::Fault;

fn failure(model: &Path) -> Error {
    let settings = ChatSettings::new(crate::ChatProvider::Gguf, model.to_string_lossy());
    Gguf::open(&settings, Duration::from_secs(1)).err().unwrap()
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.gguf");
    assert_eq!(failure(&path).fault(), Fault::Missing);
    std::fs::write(&path, "notes").unwrap();
    assert!(failure(&path).message().contains("is no GGUF file"));
    std::fs::write(&path, b"GGUF\x03\0\0\0 and then rubbish").unwrap();
    let error = failure(&path);
    assert!(error.fault() == Fault::Input && error.message().contains("x.gguf"), "{error}");
}

#[test]
fn marks_in_what_is_said_are_broken_up() {
    assert_eq!(broken_up("a<|end|>b".into(), "<|end|>"), "a< |end|>b");
    assert_eq!(broken_up("plain".into(), "<|end|>"), "plain");
}
