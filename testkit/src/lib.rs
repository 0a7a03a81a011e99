//! Fakes, scripts and contract suites.

pub mod contract;
pub mod fakes;
