use super::stub::{Say, Stub, fine};
use super::*;
use tabletalk_core::seam::{Embed, Scorer};

const TWO: &str = r#"{"data": [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [3, 4]}]}"#;
const ONE: &str = r#"{"data": [{"index": 0, "embedding": [3, 4]}]}"#;

fn failure(stub: &Stub, texts: &[&str]) -> Error {
    let embedder = OpenAiEmbed::new(stub.endpoint.clone()).unwrap();
    embedder.embed(texts, Role::Query, Want::Pooled).unwrap_err()
}

#[test]
fn vectors_come_in_the_order_of_the_texts_and_of_length_one() {
    let stub = Stub::new(vec![fine(TWO)]);
    let embedder = OpenAiEmbed::new(stub.endpoint.clone()).unwrap();
    let found = embedder.embed(&["a", "b", "a"], Role::Passage, Want::Pooled).unwrap();
    let vectors: Vec<&[f32]> = found.iter().map(|e| e.pooled.as_slice()).collect();
    assert_eq!(vectors, [[0.6, 0.8], [0.0, 1.0], [0.6, 0.8]]);
    assert_eq!(stub.requests(), 1, "what comes twice is asked for once");
}

#[test]
fn long_lists_go_in_batches_and_keep_their_order() {
    let stub = Stub::new(vec![fine(ONE)]);
    let endpoint = Endpoint { batch_texts: 1, query_prefix: "ask: ".into(), ..stub.endpoint.clone() };
    let embedder = OpenAiEmbed::new(endpoint).unwrap();
    assert_eq!(embedder.embed(&["a", "b", "c", "d", "e"], Role::Query, Want::Pooled).unwrap().len(), 5);
    assert_eq!(stub.requests(), 5);
    assert!(stub.heard.lock().unwrap().iter().all(|request| request.contains(r#"["ask: "#)));
}

#[test]
fn a_failure_that_passes_is_tried_again() {
    let busy = Say::Answer(429, "retry-after: 0\r\n", "slow down".into());
    let stub = Stub::new(vec![Say::Answer(500, "", "oops".into()), busy, fine(ONE)]);
    let embedder = OpenAiEmbed::new(stub.endpoint.clone()).unwrap();
    assert_eq!(embedder.embed(&["a"], Role::Query, Want::Pooled).unwrap().len(), 1);
    assert_eq!(stub.requests(), 3);
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let mut stub = Stub::new(vec![Say::Silence]);
    stub.endpoint.retries = 1;
    stub.endpoint.timeout = Duration::from_millis(300);
    let error = failure(&stub, &["a"]);
    assert_eq!(error.fault(), Fault::Upstream);
    assert!(error.message().contains("did not answer in 0.3 s"), "{error}");
    assert_eq!(stub.requests(), 2);
}

#[test]
fn what_does_not_pass_is_not_tried_again_and_hides_the_key() {
    let mut stub = Stub::new(vec![Say::Answer(401, "", "bad key sk-123 given".into())]);
    stub.endpoint.api_key = Some(Secret::new("sk-123"));
    let error = failure(&stub, &["a"]);
    assert!(error.message().contains("answered 401: bad key *** given"), "{error}");
    assert!(error.cure().is_some() && stub.requests() == 1);
    assert!(stub.heard.lock().unwrap()[0].contains("Bearer sk-123"));
}

#[test]
fn answers_that_do_not_fit_are_named() {
    let wide = r#"{"data": [{"index": 0, "embedding": [1, 2, 3]}]}"#;
    assert!(
        failure(&Stub::new(vec![fine(wide)]), &["a"])
            .message()
            .contains("a vector of 3 numbers where m has 2")
    );
    assert!(failure(&Stub::new(vec![fine(ONE)]), &["a", "b"]).message().contains("1 vectors for 2 texts"));
    assert!(failure(&Stub::new(vec![fine("<html>")]), &["a"]).message().contains("another shape"));
    let stub = Stub::new(vec![fine(ONE)]);
    let embedder = OpenAiEmbed::new(stub.endpoint.clone()).unwrap();
    assert_eq!(embedder.embed(&["a"], Role::Query, Want::Both).unwrap_err().fault(), Fault::Input);
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let endpoint = Endpoint { retries: 0, ..Endpoint::new("http://127.0.0.1:1", "m") };
    let error = OpenAiEmbed::new(endpoint).err().unwrap();
    assert_eq!(error.fault(), Fault::Upstream);
    assert!(error.message().contains("127.0.0.1:1"), "{error}");
    assert_eq!(OpenAiEmbed::new(Endpoint::new("localhost", "m")).err().unwrap().fault(), Fault::Input);
}

#[test]
fn ollama_is_asked_for_the_length_of_its_vectors() {
    let stub = Stub::new(vec![fine(r#"{"embeddings": [[1, 0, 0]]}"#)]);
    let embedder = OllamaEmbed::new(Endpoint { dim: None, ..stub.endpoint.clone() }).unwrap();
    assert_eq!(embedder.dim(), 3);
    assert_eq!(embedder.embed(&[""], Role::Query, Want::Pooled).unwrap()[0].pooled, [1.0, 0.0, 0.0]);
    assert!(stub.heard.lock().unwrap()[1].starts_with("POST /api/embed "));
}

#[test]
fn sparse_vectors_are_terms_and_weights_above_zero() {
    let two = r#"[[{"index": 7, "value": 0.5}, {"index": 9, "value": 0.0}], []]"#;
    let stub = Stub::new(vec![fine(two)]);
    let embedder = TeiEmbed::new(stub.endpoint.clone()).unwrap();
    let found = embedder.embed(&["a", "b", "a"], Role::Query, Want::Sparse).unwrap();
    let vectors: Vec<&[(u32, f32)]> = found.iter().map(|e| e.sparse.as_slice()).collect();
    assert_eq!(vectors, [&[(7, 0.5)][..], &[], &[(7, 0.5)]]);
    assert_eq!((embedder.dim(), stub.requests()), (0, 1));
    let heard = stub.heard.lock().unwrap()[0].clone();
    assert!(heard.starts_with("POST /embed_sparse ") && heard.contains(r#""inputs":["a","b"]"#), "{heard}");
}

#[test]
fn sparse_vectors_that_do_not_fit_are_named() {
    let ask = |body: &str, want| {
        let stub = Stub::new(vec![fine(body)]);
        TeiEmbed::new(stub.endpoint.clone()).unwrap().embed(&["a", "b"], Role::Query, want).unwrap_err()
    };
    assert!(ask("[[]]", Want::Sparse).message().contains("1 vectors for 2 texts"));
    assert!(ask(r#"[[{"index": 1}], []]"#, Want::Sparse).message().contains("another shape"));
    let huge = r#"[[{"index": 1, "value": 1e39}], []]"#;
    assert_eq!(ask(huge, Want::Sparse).fault(), Fault::Upstream);
    assert_eq!(ask("[[], []]", Want::Pooled).fault(), Fault::Input);
    let stub = Stub::new(vec![fine(ONE)]);
    let dense = OpenAiEmbed::new(stub.endpoint.clone()).unwrap();
    let error = dense.embed(&["a"], Role::Query, Want::Sparse).unwrap_err();
    assert!(error.to_string().contains("tei") && stub.requests() == 0, "{error}");
}

#[test]
fn scores_come_in_the_order_of_the_passages() {
    let ranked =
        r#"{"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]}"#;
    let stub = Stub::new(vec![fine(ranked)]);
    let reranker = Rerank::new(stub.endpoint.clone()).unwrap();
    assert_eq!(reranker.score("q", &["a", "b"]).unwrap(), [0.1, 0.9]);
    assert!(reranker.score("q", &["a", "b", "c"]).unwrap_err().message().contains("without a score"));
    assert!(reranker.score("q", &["a"]).unwrap_err().message().contains("passage 1 of 1"));
}
