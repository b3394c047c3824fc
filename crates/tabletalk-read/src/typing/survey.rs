//! A look at all rows of a stream before it is read, so that no value that comes late is lost.

use super::Guess;

/// After so many rows, columns that are surely text are not looked at any more.
const SAMPLE: usize = 20_000;

/// What has been seen of the columns of a stream.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    guesses: Vec<Guess>,
    /// Columns that may be more than text.
    watched: Vec<bool>,
    rows: usize,
}

impl Survey {
    /// Of so many columns.
    pub(crate) fn new(width: usize) -> Self {
        let mut survey = Survey::default();
        survey.widen(width);
        survey
    }

    /// Adds columns, so that there are so many.
    pub(crate) fn widen(&mut self, width: usize) {
        self.guesses.resize(width, Guess::default());
        self.watched.resize(width, true);
    }

    /// Looks at one more row: `see` is called for every column that is still watched.
    pub(crate) fn row(&mut self, mut see: impl FnMut(usize, &mut Guess)) {
        for (i, guess) in self.guesses.iter_mut().enumerate().filter(|(i, _)| self.watched[*i]) {
            see(i, guess);
        }
        self.end_row();
    }

    /// What has been seen of a column, if it is still watched.
    pub(crate) fn watched(&mut self, column: usize) -> Option<&mut Guess> {
        self.guesses.get_mut(column).filter(|_| self.watched[column])
    }

    /// Says that all cells of a row were shown.
    pub(crate) fn end_row(&mut self) {
        self.rows += 1;
        if self.rows == SAMPLE {
            self.watched = self.guesses.iter().map(Guess::may_be_more).collect();
        }
    }

    /// What was seen so far.
    pub(crate) fn guesses(&self) -> &[Guess] {
        &self.guesses
    }

    /// What was seen of each column.
    pub(crate) fn finish(self) -> Vec<Guess> {
        self.guesses
    }
}
