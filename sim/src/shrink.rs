//! Drops steps from a list as long as the same promise stays broken.

use crate::play::replay;
use crate::step::Step;
use crate::watch::Promise;

/// Returns a list in which no single step can be left out.
pub fn shrink(seed: u64, steps: &[Step], promise: Promise) -> Vec<Step> {
    let fails =
        |steps: &[Step]| replay(seed, steps).broken.is_some_and(|broken| broken.promise == promise);
    let mut left = steps.to_vec();
    if !fails(&left) {
        return left;
    }
    let mut size = left.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        let mut dropped = false;
        while at < left.len() {
            let end = (at + size).min(left.len());
            let mut without = left.clone();
            without.drain(at..end);
            if fails(&without) {
                left = without;
                dropped = true;
            } else {
                at = end;
            }
        }
        if size == 1 && !dropped {
            return left;
        }
        if !dropped || size > left.len() {
            size = (size / 2).max(1);
        }
    }
}
