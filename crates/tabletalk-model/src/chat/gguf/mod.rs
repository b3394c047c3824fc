//! A language model in a GGUF file, run by llama.cpp inside this program.

mod sample;
#[cfg(test)]
mod tests;
mod worker;

use super::ChatSettings;
use llama_cpp_2::{
    llama_backend::LlamaBackend,
    model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel, params::LlamaModelParams},
    token::LlamaToken,
};
use std::{
    fs::File,
    io::Read,
    path::Path,
    sync::{Arc, OnceLock, mpsc},
    thread::JoinHandle,
    time::{Duration, Instant},
};
use tabletalk_core::{
    Error, Result,
    chat::{ChatOptions, Message, Reply, Speaker},
    seam::Chat,
};
use worker::{Job, News, Worker};

/// A model with its one thread, which holds the state of the last talk so that the next need not read what is the same.
pub(crate) struct Gguf {
    model: Arc<LlamaModel>,
    template: LlamaChatTemplate,
    /// The texts that are marks of the model. In what is said they are broken up: nobody speaks for another.
    marks: Vec<String>,
    identity: String,
    context: usize,
    timeout: Duration,
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Gguf {
    /// Loads the file that `settings` name; `timeout` is for a whole reply.
    pub(crate) fn open(settings: &ChatSettings, timeout: Duration) -> Result<Gguf> {
        let path = Path::new(&settings.model);
        let identity = identity(path)?;
        let unread = |why: String| Error::input(format!("{}: {why}", path.display()));
        let params = LlamaModelParams::default().with_n_gpu_layers(settings.gpu_layers);
        let model = LlamaModel::load_from_file(backend()?, path, &params)
            .map_err(|e| unread(format!("cannot be loaded as GGUF: {e}")))?;
        let template = model.chat_template(None).map_err(|_| {
            unread("has no chat template".to_owned())
                .hint("use a model that was made for talks (Instruct, Chat)")
        })?;
        let trained = usize::try_from(model.n_ctx_train()).unwrap_or(usize::MAX);
        let context = settings.context.clamp(64, trained.max(64));
        let model = Arc::new(model);
        let (jobs, thread) = Worker::start(model.clone(), settings, context)?;
        let marks = marks(&model);
        let (jobs, thread) = (Some(jobs), Some(thread));
        Ok(Gguf { model, template, marks, identity, context, timeout, jobs, thread })
    }

    fn tokens(&self, text: &str, special: bool) -> Vec<LlamaToken> {
        self.model.vocab().tokenize(text.as_bytes(), special, special)
    }

    /// The talk as the model was taught to read it.
    fn prompt(&self, talk: &[Message]) -> Result<Vec<LlamaToken>> {
        let messages = talk.iter().map(|message| self.message(message)).collect::<Result<Vec<_>>>()?;
        let written = self.model.apply_chat_template(&self.template, &messages, true);
        let written = written.map_err(|e| {
            Error::input(format!("the chat template of {} cannot be used: {e}", self.identity))
                .hint("run the model with a server and set `provider` to openai")
        })?;
        Ok(self.tokens(&written, true))
    }

    fn message(&self, message: &Message) -> Result<LlamaChatMessage> {
        let role = match message.speaker {
            Speaker::System => "system",
            Speaker::Assistant => "assistant",
            // Few templates know tools.
            Speaker::User | Speaker::Tool => "user",
        };
        let text =
            self.marks.iter().fold(message.text.replace('\0', " "), |text, mark| broken_up(text, mark));
        LlamaChatMessage::new(role.to_owned(), text)
            .map_err(|e| Error::bug(format!("a message with a NUL: {e}")))
    }

    fn late(&self) -> Error {
        let seconds = self.timeout.as_secs_f64();
        Error::upstream(format!("{} did not answer in {seconds} s", self.identity)).hint("raise `timeout_s`")
    }
}

impl Drop for Gguf {
    fn drop(&mut self) {
        // The thread ends when there is no one to give it work, and must before the program does.
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Chat for Gguf {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn context(&self) -> usize {
        self.context
    }

    fn count(&self, text: &str) -> usize {
        self.tokens(text, false).len()
    }

    fn chat(&self, talk: &[Message], options: &ChatOptions, on_text: &mut dyn FnMut(&str)) -> Result<Reply> {
        let until = Instant::now() + self.timeout;
        let prompt = self.prompt(talk)?;
        if prompt.len() >= self.context {
            let (tokens, most) = (prompt.len(), self.context);
            return Err(Error::limit(format!(
                "the talk has {tokens} tokens, but {} reads {most}",
                self.identity
            ))
            .hint("ask for less, or raise `context`"));
        }
        let (news, heard) = mpsc::channel();
        let job = Job { prompt, options: options.clone(), until, news };
        let jobs = self.jobs.as_ref().ok_or_else(|| Error::bug("the model has no thread"))?;
        jobs.send(job).map_err(|_| Error::bug("the thread of the model has ended"))?;
        loop {
            match heard.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(News::Text(text)) => on_text(&text),
                Ok(News::Done(reply)) => return reply,
                Err(mpsc::RecvTimeoutError::Timeout) => return Err(self.late()),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(Error::bug("the thread of the model has ended"));
                }
            }
        }
    }
}

/// llama.cpp has a state of its own for the whole process, which is made once.
fn backend() -> Result<&'static LlamaBackend> {
    static BACKEND: OnceLock<Option<LlamaBackend>> = OnceLock::new();
    let made = BACKEND.get_or_init(|| {
        let mut backend = LlamaBackend::init().ok()?;
        backend.void_logs();
        Some(backend)
    });
    made.as_ref().ok_or_else(|| Error::bug("llama.cpp was started by someone else in this process"))
}

/// The name of the file and a hash of its beginning, where all that describes a model stands, and of its length.
fn identity(path: &Path) -> Result<String> {
    let at = |e: std::io::Error| {
        Error::from(e)
            .at(path.display())
            .hint("run scripts/fetch-models --language, or give the path of a GGUF file")
    };
    let file = File::open(path).map_err(at)?;
    let length = file.metadata().map_err(at)?.len();
    let mut beginning = Vec::new();
    file.take(1 << 20).read_to_end(&mut beginning).map_err(at)?;
    if !beginning.starts_with(b"GGUF") {
        return Err(Error::input(format!("{} is no GGUF file", path.display())));
    }
    beginning.extend_from_slice(&length.to_le_bytes());
    let hash = blake3::hash(&beginning).to_hex();
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(format!("gguf:{name}:{}", hash.get(..12).unwrap_or_default()))
}

/// The texts of the model's control tokens.
fn marks(model: &LlamaModel) -> Vec<String> {
    let vocab = model.vocab();
    let marks = vocab.tokens().filter(|token| vocab.is_control(*token));
    let texts = marks.filter_map(|token| vocab.text(token).map(|text| text.to_string_lossy().into_owned()));
    texts.filter(|text| text.len() > 2).collect()
}

/// The text with a blank in each `mark`, so that it is read as plain signs.
fn broken_up(text: String, mark: &str) -> String {
    let first = mark.chars().next().map_or(0, char::len_utf8);
    match (text.contains(mark), mark.split_at_checked(first)) {
        (true, Some((head, tail))) => text.replace(mark, &format!("{head} {tail}")),
        _ => text,
    }
}
