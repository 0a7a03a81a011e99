//! Fakes, scripts and contract suites.

pub mod contract;
