//! What the README and the guides show is true: commands run, output is what is shown, links lead somewhere.

use crate::world::{World, repository};
use std::path::{Path, PathBuf};

/// Commands of the README that are not run: those that build, and those that serve until they are stopped.
const NOT_RUN: [&str; 9] = [
    "ollama pull",
    "tabletalk model",
    "cargo install",
    "cargo test",
    "docker build",
    "pip install",
    "scripts/build-static",
    "tabletalk serve",
    "tabletalk mcp",
];

/// A command, and the lines that are shown as its output, if any are.
struct Step {
    command: String,
    shown: Vec<String>,
}

/// The commands in blocks of these languages: lines of `sh`, whose output is the `text` block that follows, and lines after
/// `$` in `console`, where everything up to the next command is output. In the guides `sh` is not run: it may name files
/// that are not among the examples.
fn steps(page: &str, languages: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut fence = None;
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            fence = if fence.is_none() { Some(language) } else { None };
            continue;
        }
        let command = match fence {
            Some("sh") if line.is_empty() => continue,
            Some(language @ "sh") if languages.contains(&language) => Some(line),
            Some(language @ "console") if languages.contains(&language) => line.strip_prefix("$ "),
            Some("text") if languages.contains(&"sh") => None,
            _ => continue,
        };
        match (command, steps.last_mut()) {
            (Some(command), _) => steps.push(Step { command: command.to_owned(), shown: Vec::new() }),
            (None, Some(step)) => step.shown.push(line.trim_end().to_owned()),
            (None, None) => panic!("output before any command: {line}"),
        }
    }
    steps
}

/// The words of a command line: parted by blanks, quotes hold words together, `#` begins a remark.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in command.chars() {
        match (letter, quote) {
            ('"' | '\'', None) => quote = Some(letter),
            (_, Some(open)) if letter == open => quote = None,
            ('#', None) => break,
            (' ', None) => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A line without how sure an answer is: that changes whenever the parser learns something.
fn settled(line: &str) -> String {
    let line = line.trim_end();
    match (line.rfind("  ("), line.ends_with(" % sure)")) {
        (Some(at), true) => line[..at].to_owned(),
        _ => line.to_owned(),
    }
}

/// Whether output is what is shown. A line `…` stands for any lines; one that ends in `…` for any that begin so.
fn fits(shown: &[String], output: &[String]) -> bool {
    let Some((first, rest)) = shown.split_first() else { return output.is_empty() };
    if first == "…" {
        return (0..=output.len()).any(|n| fits(rest, &output[n..]));
    }
    let Some((line, more)) = output.split_first() else { return false };
    let is_alike = match first.strip_suffix('…') {
        Some(beginning) => line.starts_with(beginning),
        None => line == first,
    };
    is_alike && fits(rest, more)
}

fn lines(text: &str) -> Vec<String> {
    text.trim_end().lines().map(settled).collect()
}

/// A folder with a copy of the examples.
fn examples() -> World {
    let world = World::new();
    for entry in std::fs::read_dir(repository().join("examples")).unwrap() {
        let entry = entry.unwrap();
        let name = format!("examples/{}", entry.file_name().to_str().unwrap());
        world.write(&name, std::fs::read(entry.path()).unwrap());
    }
    world
}

/// Runs a command and compares what it says with what is shown.
fn check(world: &World, page: &str, Step { command, shown }: &Step) {
    let built = command.replacen("cargo run --release --", "tabletalk", 1);
    let words = words(&built);
    assert_eq!(words[0], "tabletalk", "{page} has a command that is neither run nor left out: {command}");
    let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let run = world.run(&args);
    // 1 is an answer too: refuted, or not known.
    let is_answered = run.code() == 0 || (run.code() == 1 && !shown.is_empty());
    assert!(is_answered, "{page}: {command} ended with {}\n{}\n{}", run.code(), run.stdout(), run.stderr());
    let (shown, said) = (lines(&shown.join("\n")), lines(&run.stdout()));
    let is_true = shown.is_empty() || fits(&shown, &said);
    assert!(is_true, "{page}: {command}\nshown:\n{}\nsaid:\n{}", shown.join("\n"), said.join("\n"));
}

#[test]
fn every_command_of_the_readme_gives_what_it_shows() {
    let world = examples();
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let all = steps(&readme, &["sh", "console"]);
    let run = all.iter().filter(|step| !NOT_RUN.iter().any(|prefix| step.command.starts_with(prefix)));
    run.for_each(|step| check(&world, "README.md", step));
    assert!(all.len() >= 12, "only {} commands were found", all.len());
}

#[test]
fn every_command_of_the_guides_gives_what_it_shows() {
    let world = examples();
    let mut guides = pages(&repository().join("docs"));
    // This one adds the examples, and the others find them added.
    guides.sort_by_key(|path| !path.ends_with("first-questions.md"));
    for path in guides {
        let guide = std::fs::read_to_string(&path).unwrap();
        let name = path.display().to_string();
        steps(&guide, &["console"]).iter().for_each(|step| check(&world, &name, step));
    }
}

/// Examples of the help that are not run: they serve until they are stopped, or need a language model, another server, or the id
/// of a conversation.
const NOT_RUN_OF_HELP: [&str; 7] = [
    "tabletalk serve",
    "tabletalk key add team --role write &&",
    "tabletalk model",
    "tabletalk make",
    "tabletalk migrate",
    "tabletalk conversations 3f2a",
    "tabletalk ask --passages",
];

/// The commands below `Examples:`; long ones are wrapped.
fn examples_of(help: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let below = help.lines().skip_while(|l| !l.starts_with("Example")).skip(1).take_while(|l| !l.is_empty());
    for line in below {
        match (line.trim_start().starts_with("tabletalk "), all.last_mut()) {
            (false, Some(last)) => *last = format!("{last} {}", line.trim()),
            _ => all.push(line.trim().to_owned()),
        }
    }
    all
}

#[test]
fn every_example_of_the_help_works_on_the_example_files() {
    let world = examples();
    let all = world.run(&["--help"]).stdout();
    let commands = all.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    let names: Vec<&str> =
        commands.filter_map(|l| l.split_whitespace().next()).filter(|n| *n != "help").collect();
    assert!(names.contains(&"ask") && names.contains(&"model"), "{all}");
    let mut run = 0;
    for name in names {
        let help = world.run(&[name, "--help"]).stdout();
        let lines = examples_of(&help);
        for line in lines.iter().filter(|l| !NOT_RUN_OF_HELP.iter().any(|prefix| l.starts_with(prefix))) {
            let words = words(line);
            let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            let ended = world.run(&args);
            // 1 says that a statement is refuted.
            let is_good = ended.code() == 0 || (name == "verify" && ended.code() == 1);
            assert!(is_good, "{line} ended with {}\n{}\n{}", ended.code(), ended.stdout(), ended.stderr());
            run += 1;
        }
    }
    assert!(run >= 30, "only {run} examples were found");
}

#[test]
fn the_readme_is_short() {
    let page = std::fs::read_to_string(repository().join("README.md")).unwrap();
    assert!(page.lines().count() <= 120, "{} lines", page.lines().count());
}

/// Every page below a folder, and those in it.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let mut pages: Vec<PathBuf> =
        files.into_iter().filter(|f| f.extension().is_some_and(|e| e == "md")).collect();
    pages.extend(folders.iter().flat_map(|folder| self::pages(folder)));
    pages
}

/// The targets of the links of a page, code left out.
fn links(page: &str) -> Vec<String> {
    let mut is_code = false;
    let mut links = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        if !is_code {
            links
                .extend(line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())));
        }
    }
    links
}

/// The anchors of a page: its headings as GitHub names them.
fn anchors(page: &str) -> Vec<String> {
    let mut is_code = false;
    let mut anchors = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        if !is_code && line.starts_with('#') {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            anchors.push(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
        }
    }
    anchors
}

/// What is wrong with a link of a page, if anything is.
fn broken(page: &Path, text: &str, link: &str) -> Option<String> {
    if link.contains("://") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() { page.to_owned() } else { page.parent()?.join(file) };
    if !target.exists() {
        return Some(format!("{}: {link} leads nowhere", page.display()));
    }
    let is_page = target.extension().is_some_and(|e| e == "md");
    let there = match file.is_empty() {
        true => text.to_owned(),
        false if is_page => std::fs::read_to_string(&target).unwrap(),
        false => return None,
    };
    let is_known = anchor.is_empty() || anchors(&there).iter().any(|a| a == anchor);
    (!is_known).then(|| format!("{}: {link} names a heading that is not there", page.display()))
}

#[test]
fn every_link_of_the_documentation_leads_somewhere() {
    let root = repository();
    let mut all = pages(&root.join("docs"));
    all.extend([root.join("README.md"), root.join("ARCHITECTURE.md")]);
    let mut wrong = Vec::new();
    for page in &all {
        let text = std::fs::read_to_string(page).unwrap();
        wrong.extend(links(&text).iter().filter_map(|link| broken(page, &text, link)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(all.len() > 10, "the documentation was not found");
}

#[test]
fn the_map_of_the_code_names_files_and_types_that_are_there() {
    let root = repository();
    let map = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let mut wrong = Vec::new();
    for line in map.lines() {
        let quoted: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        for path in quoted.iter().filter(|q| q.starts_with("tabletalk") && q.contains('/')) {
            if !root.join("crates").join(path).exists() {
                wrong.push(format!("there is no {path}"));
            }
        }
        // A term of the glossary: its type, then the file that has it.
        if let [name, path] = quoted[..]
            && !name.contains('/')
            && let Ok(code) = std::fs::read_to_string(root.join("crates").join(path))
            && !["struct", "enum", "trait"].iter().any(|kind| code.contains(&format!("{kind} {name}")))
        {
            wrong.push(format!("{path} has no {name}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
