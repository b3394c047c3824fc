//! `tabletalk model`: finding, trying and using a language model; and doing without one that is gone.

use crate::script::{Do, Server};
use crate::world::{Run, World};
use serde_json::{Value, json};

/// Runs where nothing but the given variables says where models are.
fn run(world: &World, variables: &[(&str, &str)], args: &[&str]) -> Run {
    let mut command = world.command(args);
    for name in ["OPENAI", "ANTHROPIC", "GEMINI", "DEEPSEEK", "DASHSCOPE"] {
        command.env_remove(format!("{name}_API_KEY"));
    }
    // A port that nobody listens on.
    command.env("OLLAMA_HOST", "127.0.0.1:9").env_remove("OPENAI_BASE_URL");
    Run::of(command.envs(variables.iter().copied()).output().unwrap())
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout()).unwrap_or_else(|e| panic!("{e}: {} {}", run.stdout(), run.stderr()))
}

#[test]
fn a_server_on_this_machine_is_found_tried_and_used() {
    let server = Server::start(vec![Do::Say("7")]);
    let world = World::new();
    world.write("tabletalk.toml", "[answer]\nsamples = 2\n");
    let host = server.url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let ollama = [("OLLAMA_HOST", host.as_str())];
    let found = json(&run(&world, &ollama, &["model", "--json"]));
    let offers = found["found"].as_array().unwrap();
    let offer = offers.iter().find(|o| o["name"] == "Ollama").unwrap();
    assert_eq!((&offer["models"], &offer["is_local"]), (&json!(["scripted"]), &json!(true)), "{found:#}");

    let used = run(&world, &ollama, &["model", "scripted"]);
    assert_eq!(used.code(), 0, "{}", used.stderr());
    assert!(used.stdout().contains("answered right"), "{}", used.stdout());
    assert!(used.stdout().contains("nothing leaves this machine"), "{}", used.stdout());
    let config = std::fs::read_to_string(world.path("tabletalk.toml")).unwrap();
    assert!(config.contains("provider = \"ollama\"") && config.contains("samples = 2"), "{config}");

    let none = run(&world, &ollama, &["model", "--none"]);
    assert_eq!(none.code(), 0);
    assert!(!std::fs::read_to_string(world.path("tabletalk.toml")).unwrap().contains("[chat]"));
}

#[test]
fn a_key_in_the_environment_is_named_and_never_written() {
    let server = Server::start(vec![Do::Say("There are 7 shops.")]);
    let world = World::new();
    let variables = [("OPENAI_API_KEY", "sk-very-secret"), ("OPENAI_BASE_URL", server.url.as_str())];
    let used = json(&run(&world, &variables, &["model", "scripted", "--json"]));
    assert_eq!(used["right"], true, "{used:#}");
    let config = std::fs::read_to_string(world.path("tabletalk.toml")).unwrap();
    assert!(config.contains("api_key_env = \"OPENAI_API_KEY\"") && !config.contains("secret"), "{config}");
}

#[test]
fn nothing_found_says_what_to_do_and_a_wrong_name_what_was_meant() {
    let world = World::new();
    let server = Server::start(vec![Do::Say("3")]);
    let host = server.url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let wrong = run(&world, &[("OLLAMA_HOST", &host)], &["model", "scriptd"]);
    assert!(wrong.code() == 3 && wrong.stderr().contains("did you mean `scripted`?"), "{}", wrong.stderr());
    let unsure = run(&world, &[("OLLAMA_HOST", &host)], &["model", "scripted"]);
    assert!(unsure.stdout().contains("not right"), "{}", unsure.stdout());
}

#[test]
fn a_model_that_is_gone_takes_no_answers_away() {
    let world = World::new();
    world.write("cities.csv", "city,country,population\nOslo,Norway,709000\nBergen,Norway,291000\n");
    let chat = "[chat]\nmodel = \"m\"\nurl = \"http://127.0.0.1:9/v1\"\nretries = 0\n";
    world.write("tabletalk.toml", chat);
    world.json(0, &["add", "cities.csv", "--no-embed"]);
    let answer = world.json(0, &["ask", "What is the population of Bergen?"]);
    assert_eq!(answer["values"], json!(["291000"]), "{answer:#}");
    assert!(answer["notice"].as_str().unwrap().contains("cannot be reached"), "{answer:#}");
    let shown = world.run(&["ask", "What is the population of Bergen?"]);
    assert!(
        shown.stdout().contains("291000") && shown.stderr().contains("built-in parser"),
        "{}",
        shown.stderr()
    );

    // A key that is not there is no reason to be silent either.
    world.write("tabletalk.toml", format!("{chat}api_key_env = \"NO_SUCH_API_KEY\"\n"));
    let answer = world.json(0, &["ask", "What is the population of Bergen?"]);
    assert!(answer["notice"].as_str().unwrap().contains("NO_SUCH_API_KEY"), "{answer:#}");

    // Who wants the model alone is told.
    world.write("tabletalk.toml", format!("{chat}\n[answer]\nbuilt_in = \"never\"\n"));
    assert_eq!(world.run(&["ask", "What is the population of Bergen?"]).code(), 5);
}
