//! Reads the answer to a confirmation: a clear yes, a clear no, or anything else.
