//! Fakes, scripts and contract suites.

pub mod contract;
pub mod endpoint;
pub mod fakes;
