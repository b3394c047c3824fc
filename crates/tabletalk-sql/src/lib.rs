//! Typed tables and read-only SQL in a sandbox.
