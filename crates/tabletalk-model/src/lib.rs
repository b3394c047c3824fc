//! Models: texts to vectors, and how well a passage answers a query.
