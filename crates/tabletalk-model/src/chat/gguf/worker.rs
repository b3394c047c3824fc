//! The thread that runs a model.

use super::sample::Sample;
use crate::chat::{ChatSettings, pieces::Pieces};
use llama_cpp_2::{
    context::{LlamaContext, params::LlamaContextParams},
    llama_batch::LlamaBatch,
    model::LlamaModel,
    token::LlamaToken,
};
use std::{
    num::NonZeroU32,
    sync::{Arc, mpsc},
    thread::JoinHandle,
    time::Instant,
};
use tabletalk_core::{
    Error, Result,
    chat::{ChatOptions, Finish, Reply, Usage},
};

/// A reply that is wanted.
pub(super) struct Job {
    pub(super) prompt: Vec<LlamaToken>,
    pub(super) options: ChatOptions,
    pub(super) until: Instant,
    pub(super) news: mpsc::Sender<News>,
}

/// What is told of a reply.
pub(super) enum News {
    /// More of its text.
    Text(String),
    /// It ended.
    Done(Result<Reply>),
}

/// A model and the state of its last talk.
pub(super) struct Worker<'m> {
    model: &'m LlamaModel,
    context: LlamaContext<'m>,
    batch: LlamaBatch<'static>,
    at_once: usize,
    /// The tokens whose state the context holds.
    read: Vec<LlamaToken>,
}

impl Worker<'_> {
    /// Starts the thread. It ends when the sender is dropped.
    pub(super) fn start(
        model: Arc<LlamaModel>,
        settings: &ChatSettings,
        context: usize,
    ) -> Result<(mpsc::Sender<Job>, JoinHandle<()>)> {
        let params = params(settings, context);
        let at_once = settings.batch.clamp(1, 4096);
        let (jobs, wanted) = mpsc::channel::<Job>();
        let (ready, started) = mpsc::channel();
        let run = move || match Worker::new(&model, params, at_once) {
            Ok(mut worker) => {
                let _ = ready.send(Ok(()));
                wanted.into_iter().for_each(|job| worker.work(&job));
            }
            Err(error) => drop(ready.send(Err(error))),
        };
        let thread = std::thread::Builder::new().name("gguf".to_owned()).spawn(run)?;
        started.recv().map_err(|_| Error::bug("the thread of the model has ended"))??;
        Ok((jobs, thread))
    }
}

impl<'m> Worker<'m> {
    fn new(model: &'m LlamaModel, params: LlamaContextParams, at_once: usize) -> Result<Worker<'m>> {
        let context = model.new_context(super::backend()?, params).map_err(|e| {
            Error::limit(format!("the model cannot be made ready: {e}"))
                .hint("lower `context`: its memory grows with it")
        })?;
        Ok(Worker { model, context, batch: LlamaBatch::new(at_once, 1), at_once, read: Vec::new() })
    }

    fn work(&mut self, job: &Job) {
        let reply = self.reply(job);
        if reply.is_err() {
            self.forget();
        }
        let _ = job.news.send(News::Done(reply));
    }

    fn reply(&mut self, job: &Job) -> Result<Reply> {
        let mut sample = Sample::new(self.model, &job.options)?;
        self.read_prompt(job)?;
        let room = (self.context.n_ctx() as usize).saturating_sub(job.prompt.len());
        let most = room.min(job.options.max_tokens as usize);
        let mut pieces = Pieces::new(&job.options.stop);
        let (mut written, mut finish) = (0, Finish::Length);
        while written < most {
            let token = sample.next(&self.context)?;
            written += 1;
            if self.model.vocab().is_eog(token)
                || pieces.add(&self.model.vocab().token_to_piece(token, false, None))
            {
                finish = Finish::Stop;
                break;
            }
            tell(job, pieces.fresh())?;
            // The last token is not read: nothing comes after it.
            if written < most {
                self.decode(&[token], job)?;
            }
        }
        Ok(Reply { finish, usage: usage(job, written), calls: Vec::new(), text: told(job, pieces)? })
    }

    /// Reads the prompt, without the beginning that it has in common with the last talk.
    fn read_prompt(&mut self, job: &Job) -> Result<()> {
        let same = self.read.iter().zip(&job.prompt).take_while(|(a, b)| a == b).count();
        // The last token is read in any case: what comes after it is asked.
        let same = same.min(job.prompt.len().saturating_sub(1));
        let cut = u32::try_from(same).unwrap_or(0);
        match self.context.clear_kv_cache_seq(Some(0), Some(cut), None) {
            Ok(true) => self.read.truncate(same),
            // Some models cannot forget a part.
            _ => self.forget(),
        }
        let rest = job.prompt.get(self.read.len()..).unwrap_or_default();
        rest.chunks(self.at_once).try_for_each(|chunk| self.decode(chunk, job))
    }

    fn forget(&mut self) {
        self.context.clear_kv_cache();
        self.read.clear();
    }

    /// Reads tokens, in time.
    fn decode(&mut self, tokens: &[LlamaToken], job: &Job) -> Result<()> {
        if Instant::now() >= job.until {
            return Err(Error::upstream("the model did not answer in time").hint("raise `timeout_s`"));
        }
        let failed = |e: String| Error::upstream(format!("the model failed: {e}"));
        self.batch.clear();
        for (at, token) in tokens.iter().enumerate() {
            let place = i32::try_from(self.read.len() + at).map_err(|e| failed(e.to_string()))?;
            let is_last = at + 1 == tokens.len();
            self.batch.add(*token, place, &[0], is_last).map_err(|e| failed(e.to_string()))?;
        }
        self.context.decode(&mut self.batch).map_err(|e| failed(e.to_string()))?;
        self.read.extend_from_slice(tokens);
        Ok(())
    }
}

/// Tells more of the text. Nobody who hears it is a reason to end.
fn tell(job: &Job, text: &str) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    job.news
        .send(News::Text(text.to_owned()))
        .map_err(|_| Error::upstream("nobody waits for the reply any more"))
}

/// The whole text, after what was held back of it was told.
fn told(job: &Job, pieces: Pieces<'_>) -> Result<String> {
    let (text, given) = pieces.end();
    tell(job, text.get(given..).unwrap_or_default())?;
    Ok(text)
}

fn usage(job: &Job, written: usize) -> Usage {
    Usage { calls: 1, cached: 0, prompt_tokens: job.prompt.len() as u64, completion_tokens: written as u64 }
}

fn params(settings: &ChatSettings, context: usize) -> LlamaContextParams {
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = if settings.threads == 0 { processors } else { settings.threads };
    let threads = i32::try_from(threads.min(512)).unwrap_or(1);
    let at_once = u32::try_from(settings.batch.clamp(1, 4096)).unwrap_or(512);
    LlamaContextParams::default()
        .with_n_ctx(NonZeroU32::new(u32::try_from(context).unwrap_or(u32::MAX)))
        .with_n_batch(at_once)
        .with_n_ubatch(at_once)
        .with_n_threads(threads)
        .with_n_threads_batch(threads)
}
