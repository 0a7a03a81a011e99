//! Fakes, scripts and contract suites.
