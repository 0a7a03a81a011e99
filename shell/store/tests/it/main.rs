//! The stores from outside.

mod contract;
