use crate::world::World;
use serde_json::Value;

fn read(world: &World, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(world.path(name)).unwrap()).unwrap()
}

#[test]
fn lists_all_workloads() {
    let listed = World::new().json(0, &["bench", "list", "--python", "/nonexistent"]);
    let workloads = listed["workloads"].as_array().unwrap();
    let names: Vec<&str> = workloads.iter().map(|w| w["name"].as_str().unwrap()).collect();
    let expected = [
        "start",
        "add-tables",
        "add-csv",
        "search",
        "sql",
        "embed",
        "dense",
        "pdf",
        "clusters",
        "server",
        "growth",
    ];
    assert_eq!(names, expected);
    let sql = workloads.iter().find(|w| w["name"] == "sql").unwrap();
    assert_eq!(sql["peer"], "DuckDB");
    assert_eq!(sql["installed"], false, "there is no Python to look in");
    assert!(workloads[0]["peer"].is_null());
}

#[test]
fn runs_workloads_and_says_which_peer_is_missing() {
    let world = World::new();
    let args =
        ["bench", "run", "start", "add-csv", "--quick", "--rows", "2000", "--out", "results", "--python"];
    let said = world.json(0, &[&args[..], &["/nonexistent"]].concat());
    let kept = read(&world, "results/bench.json");
    assert_eq!(said, kept);
    assert_eq!(kept["provenance"]["version"], env!("CARGO_PKG_VERSION"));
    let [start, csv] = kept["results"].as_array().unwrap().as_slice() else { panic!("two results: {kept}") };
    assert_eq!((&start["workload"], &start["state"]), (&"start".into(), &"measured".into()));
    assert!(start["ours"].as_f64().unwrap() > 0.0 && start["unit"] == "ms" && start["ratio"].is_null());
    assert!(csv["ours"].as_f64().unwrap() > 0.0 && csv["peer"].is_null() && csv["ratio"].is_null());
    assert!(csv["why"].as_str().unwrap().contains("scripts/peers/setup"), "{csv}");
    assert!(csv["detail"]["queries"]["p50_ms"].is_number());
    assert!(
        csv["command"].as_str().unwrap().contains("tabletalk-lab --json bench csv rows-2000.csv"),
        "{csv}"
    );
    let page = std::fs::read_to_string(world.path("results/bench.html")).unwrap();
    assert!(page.contains("add-csv") && page.contains("scripts/peers/setup") && !page.contains("<script"));
}

#[test]
fn skips_what_has_no_data_and_keeps_what_fails() {
    let world = World::new();
    let run = |names: &[&'static str]| {
        let fixed = ["bench", "run", "--quick", "--out", "out", "--data", "none", "--python", "/nonexistent"];
        [&fixed[..], names].concat()
    };
    let skipped = world.json(0, &run(&["pdf"]));
    assert_eq!(skipped["results"][0]["state"], "skipped");
    assert!(skipped["results"][0]["why"].as_str().unwrap().contains("--data"), "{skipped}");
    let late = world.json(1, &run(&["start", "pdf", "--timeout-s", "0"]));
    assert_eq!(late["results"][0]["state"], "failed");
    assert!(late["results"][0]["why"].as_str().unwrap().contains("--timeout-s"), "{late}");
    assert_eq!(late["results"][1]["state"], "skipped", "a failure does not end the others");
    let wrong = world.run(&run(&["nothing"]));
    assert_eq!(wrong.code(), 2);
    assert!(wrong.stderr().contains("add-tables"), "{}", wrong.stderr());
}

#[test]
fn growth_has_exponents_and_a_page() {
    let world = World::new();
    let sizes = ["--sizes", "50,500", "--tables", "5,50"];
    let said = world.json(0, &[&["bench", "growth", "--out", "out"][..], &sizes].concat());
    assert_eq!(said, read(&world, "out/growth.json"));
    for what in ["rows", "tables"] {
        assert_eq!(said[what]["points"].as_array().unwrap().len(), 2);
        assert!(said[what]["points"][1]["search_p50_ms"].as_f64().unwrap() > 0.0);
        assert!(said[what]["points"][1]["library_mib"].as_f64().unwrap() > 0.0);
        assert!(said[what]["exponents"]["seconds"]["last"].is_number());
    }
    let page = std::fs::read_to_string(world.path("out/bench.html")).unwrap();
    assert_eq!(page.matches(r#"class="growth""#).count(), 8);
    assert_eq!(world.run(&["bench", "growth", "--sizes", "0"]).code(), 2);
}
