//! Where is the nearest vector? Dense, sparse and late-interaction indexes.
