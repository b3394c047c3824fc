//! How the next token is picked.

use llama_cpp_2::{
    context::LlamaContext,
    json_schema_to_grammar,
    model::LlamaModel,
    sampling::LlamaSampler,
    token::{LlamaToken, data::LlamaTokenData, data_array::LlamaTokenDataArray},
};
use std::hash::{BuildHasher, RandomState};
use tabletalk_core::{Error, Result, chat::ChatOptions};

/// Picks tokens as the options say.
pub(super) struct Sample {
    pick: LlamaSampler,
    grammar: Option<LlamaSampler>,
}

impl Sample {
    pub(super) fn new(model: &LlamaModel, options: &ChatOptions) -> Result<Sample> {
        let grammar = options.schema.as_ref().map(|schema| {
            let unfit = |e: String| Error::input(format!("the schema cannot be made into a grammar: {e}"));
            let grammar = json_schema_to_grammar(&schema.to_string()).map_err(|e| unfit(e.to_string()))?;
            LlamaSampler::grammar(model, &grammar, "root").map_err(|e| unfit(e.to_string()))
        });
        Ok(Sample { pick: pick(options), grammar: grammar.transpose()? })
    }

    /// The next token after what the context read last.
    pub(super) fn next(&mut self, context: &LlamaContext<'_>) -> Result<LlamaToken> {
        let all = || context.token_data_array_ith(-1);
        let mut picked = choose(all(), &mut self.pick)?;
        if let Some(grammar) = &mut self.grammar {
            // Looking at one token is a thousand times cheaper than at all of them, and it mostly fits.
            if !fits(grammar, picked) {
                picked = choose(all().with_sampler(grammar), &mut self.pick)?;
            }
            grammar
                .try_accept(picked)
                .map_err(|e| Error::bug(format!("the grammar refuses its own token: {e}")))?;
        }
        self.pick.accept(picked);
        Ok(picked)
    }
}

/// The usual cuts of llama.cpp, so that the same model says the same in process and behind a server.
fn pick(options: &ChatOptions) -> LlamaSampler {
    if options.temperature <= 0.0 {
        return LlamaSampler::greedy();
    }
    let seed = options.seed.unwrap_or_else(|| RandomState::new().hash_one(0));
    let seed = (seed ^ (seed >> 32)) as u32;
    LlamaSampler::chain_simple([
        LlamaSampler::top_k(40),
        LlamaSampler::top_p(0.95, 1),
        LlamaSampler::min_p(0.05, 1),
        LlamaSampler::temp(options.temperature),
        LlamaSampler::dist(seed),
    ])
}

fn choose(mut tokens: LlamaTokenDataArray, pick: &mut LlamaSampler) -> Result<LlamaToken> {
    tokens.apply_sampler(pick);
    tokens.selected_token().ok_or_else(|| Error::bug("no token was picked"))
}

fn fits(grammar: &mut LlamaSampler, token: LlamaToken) -> bool {
    let mut one = LlamaTokenDataArray::new(vec![LlamaTokenData::new(token, 1.0, 0.0)], false);
    one.apply_sampler(grammar);
    one.data.first().is_some_and(|data| data.logit().is_finite())
}
