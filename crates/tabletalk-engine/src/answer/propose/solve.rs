//! The steps of a model: think, run a program, look at what it gives, until there is an answer.

use super::protocol::{Act, Said, act_in, act_of, tools};
use crate::answer::Settings;
use crate::answer::tool::{Tools, failed};
use crate::answer::trace::Trace;
use serde_json::{Value, json};
use tabletalk_core::chat::{Call, ChatOptions, Message, Reply, Usage};
use tabletalk_core::seam::Chat;
use tabletalk_core::{Error, Fault, Result, Step};
use tabletalk_sql::Ran;

/// How a model is asked.
#[derive(Debug, Clone)]
struct Asked {
    steps: usize,
    reply_tokens: u32,
    temperature: f32,
    seed: Option<u64>,
}

impl Asked {
    /// For one of the samples.
    fn of(settings: &Settings, sample: usize) -> Asked {
        let several = settings.samples > 1;
        Asked {
            steps: settings.steps.max(1),
            reply_tokens: settings.reply_tokens,
            temperature: if several { settings.temperature } else { 0.0 },
            seed: several.then_some(sample as u64 + 1),
        }
    }
}

/// What the steps came to.
#[derive(Debug, Default)]
pub(crate) struct Solved {
    /// The values of the answer; none when the model does not know.
    pub(crate) values: Vec<String>,
    /// Where it says that it read each of them.
    pub(crate) places: Vec<String>,
    /// The last program that ran, and what it gave.
    pub(crate) program: Option<(String, Ran)>,
    /// What each step did.
    pub(crate) steps: Vec<Step>,
    pub(crate) usage: Usage,
    /// What was said, so that it can be gone on with.
    pub(crate) talk: Vec<Message>,
}

/// What is said when a reply holds none of the things that were asked for.
const AGAIN: &str = "Reply with one SELECT statement in a ```sql block, or with a line `Answer: value`.";
/// What is said when this was the last step but one.
const LAST: &str = "This is the last step: reply with a line `Answer: value`.";

/// Lets a model work as often as samples are wanted.
pub(crate) fn samples(
    settings: &Settings,
    chat: &dyn Chat,
    talk: &[Message],
    tools: &Tools<'_>,
    trace: &mut Trace,
    on_text: &mut dyn FnMut(&str),
) -> Result<Vec<Solved>> {
    let mut all = Vec::new();
    for sample in 0..settings.samples.max(1) {
        let mut solved = solve(chat, talk.to_vec(), tools, &Asked::of(settings, sample), on_text)?;
        trace.steps.append(&mut solved.steps);
        all.push(solved);
    }
    Ok(all)
}

/// Lets a model work until it answers or has no steps left.
fn solve(
    chat: &dyn Chat,
    talk: Vec<Message>,
    tools: &Tools<'_>,
    asked: &Asked,
    on_text: &mut dyn FnMut(&str),
) -> Result<Solved> {
    let mut run = Run { chat, tools, talk, solved: Solved::default(), unclear: 0 };
    for step in 0..asked.steps {
        if tools.stop.is_stopped() {
            return Err(Error::limit("nobody waits for this answer any more"));
        }
        let left = asked.steps - step - 1;
        let reply = run.say(asked, on_text)?;
        if run.takes(reply, left)? {
            return Ok(run.done());
        }
    }
    run.settle();
    Ok(run.done())
}

/// What is said when a model answers with what no program gave, and does not say where it stands.
const WHERE: &str = "No program gave that. Select it from a table with one SELECT statement in a ```sql block, or say where you read it: `Answer: value [row 4]` for a row of a table, `Answer: value [place]` with the place of a passage.";

/// Lets a model go on that answered with what nothing supports yet.
pub(crate) fn go_on(
    settings: &Settings,
    chat: &dyn Chat,
    solved: &Solved,
    tools: &Tools<'_>,
    trace: &mut Trace,
    on_text: &mut dyn FnMut(&str),
) -> Result<Solved> {
    let mut talk = solved.talk.clone();
    talk.push(Message::user(WHERE.to_owned()));
    let mut more = solve(chat, talk, tools, &Asked::of(settings, 0), on_text)?;
    trace.steps.append(&mut more.steps);
    Ok(more)
}

struct Run<'a> {
    chat: &'a dyn Chat,
    tools: &'a Tools<'a>,
    talk: Vec<Message>,
    solved: Solved,
    unclear: usize,
}

impl Run<'_> {
    fn say(&mut self, asked: &Asked, on_text: &mut dyn FnMut(&str)) -> Result<Reply> {
        let native = self.chat.calls_tools();
        let options = ChatOptions {
            temperature: asked.temperature,
            max_tokens: asked.reply_tokens,
            seed: asked.seed,
            // A block is closed and run; what a model would write after it is a guess at the result.
            stop: if native { Vec::new() } else { vec!["```\n".to_owned()] },
            tools: if native { tools() } else { Vec::new() },
            ..ChatOptions::default()
        };
        let begun = std::time::Instant::now();
        let reply = self.chat.chat(&self.talk, &options, on_text)?;
        self.solved.usage += reply.usage;
        let said = Message { calls: reply.calls.clone(), ..Message::assistant(reply.text.clone()) };
        self.talk.push(said);
        self.note("think", begun.elapsed().as_secs_f64() * 1e3, json!({"text": reply.text}));
        Ok(reply)
    }

    /// Does what a reply wants; whether that was the answer.
    fn takes(&mut self, reply: Reply, left: usize) -> Result<bool> {
        if reply.calls.is_empty() {
            let act = act_in(&reply);
            return self.act(act, None, left);
        }
        for call in &reply.calls {
            if self.act(act_of(call), Some(call), left)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn act(&mut self, act: Act, call: Option<&Call>, left: usize) -> Result<bool> {
        let begun = std::time::Instant::now();
        let (name, asked, said) = match act {
            Act::Answer(said) => {
                (self.solved.values, self.solved.places) =
                    said.into_iter().map(|Said { value, place }| (value, place)).unzip();
                return Ok(true);
            }
            Act::Unclear if self.unclear > 0 || left == 0 => {
                self.settle();
                return Ok(true);
            }
            Act::Unclear => {
                self.unclear += 1;
                ("unclear", String::new(), AGAIN.to_owned())
            }
            Act::Sql(sql) => {
                let said = self.program(&sql)?;
                ("sql", sql, said)
            }
            Act::Columns(words) => {
                let said = self.tools.columns(&words)?;
                ("columns", words, said)
            }
            Act::Cells(words) => {
                let said = self.tools.cells(&words)?;
                ("cells", words, said)
            }
        };
        self.note(name, begun.elapsed().as_secs_f64() * 1e3, json!({"asked": asked, "gave": said}));
        let said = if left == 1 { format!("{said}\n\n{LAST}") } else { said };
        self.talk.push(match call {
            Some(call) => Message::tool(call.id.clone(), said),
            None => Message::user(said),
        });
        Ok(false)
    }

    /// Runs a program; an error that the model can mend becomes what it is told.
    fn program(&mut self, sql: &str) -> Result<String> {
        match self.tools.run(sql) {
            Ok(ran) => {
                let said = self.tools.told(&ran);
                self.solved.program = Some((sql.to_owned(), ran));
                Ok(said)
            }
            Err(e) if matches!(e.fault(), Fault::Input | Fault::Missing | Fault::Limit) => Ok(failed(&e)),
            Err(e) => Err(e),
        }
    }

    /// Without an answer of the model, what the last program gave is the answer, when it is short.
    fn settle(&mut self) {
        const MOST: usize = 20;
        if let Some((_, ran)) = &self.solved.program
            && ran.rows.len() <= MOST
        {
            let first = ran.columns.iter().position(|c| !c.is_constant);
            let cells = ran.rows.iter().filter_map(|row| row.get(first?));
            self.solved.values = cells.map(|c| c.to_string()).collect();
        }
    }

    fn done(self) -> Solved {
        Solved { talk: self.talk, ..self.solved }
    }

    fn note(&mut self, name: &str, ms: f64, about: Value) {
        let about = about.as_object().cloned().unwrap_or_default();
        self.solved.steps.push(Step { step: name.to_owned(), ms, about });
    }
}
