//! How often the same value is looked at when all errors are listed.
//!
//! To say whether a value is valid, the validator remembers what it knows; to list its errors it
//! looks into every alternative, and into the alternatives of these. A schema whose alternatives
//! lead back to itself doubles the work with every level of the arguments.

use crate::keyword::Reach;
use crate::limits::{ARGUMENTS_DEPTH_MAX, LOOKS_MAX};

/// Returns how deep arguments may be so that none of their values is looked at more than
/// [`LOOKS_MAX`] times; `edges` are the schemas by number, the root first.
pub(super) fn depth_max(edges: &[Vec<(Reach, usize)>]) -> usize {
    let mut looks = vec![0; edges.len()];
    for depth in 0..=ARGUMENTS_DEPTH_MAX {
        let mut next = vec![None; edges.len()];
        for schema in 0..edges.len() {
            count(edges, &looks, &mut next, schema);
        }
        looks = next.into_iter().map(Option::unwrap_or_default).collect();
        if looks.first().is_some_and(|&looks| looks > LOOKS_MAX) {
            return depth;
        }
    }
    ARGUMENTS_DEPTH_MAX
}

/// Counts the looks at the most looked-at value below `schema`, one level deeper than `before`.
///
/// Schemas of the same place add up, schemas inside are for one property or another. There is no
/// circle among those of the same place: that was checked before.
fn count(
    edges: &[Vec<(Reach, usize)>],
    before: &[usize],
    next: &mut [Option<usize>],
    schema: usize,
) -> usize {
    if let Some(Some(known)) = next.get(schema) {
        return *known;
    }
    let mut same_place: usize = 0;
    let mut inside: usize = 1;
    for &(reach, target) in edges.get(schema).into_iter().flatten() {
        match reach {
            Reach::Inside => {
                inside = inside.max(before.get(target).copied().unwrap_or_default());
            }
            Reach::SamePlace => {
                same_place = same_place.saturating_add(count(edges, before, next, target));
            }
        }
    }
    let looks = same_place.saturating_add(inside);
    if let Some(slot) = next.get_mut(schema) {
        *slot = Some(looks);
    }
    looks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_alternatives_that_lead_back_limit_the_depth() {
        use Reach::{Inside, SamePlace};
        let plain_tree = vec![vec![(Inside, 0), (Inside, 0)]];
        assert_eq!(depth_max(&plain_tree), ARGUMENTS_DEPTH_MAX);
        let one_reference = vec![vec![(Inside, 1)], vec![(SamePlace, 0)]];
        assert_eq!(depth_max(&one_reference), ARGUMENTS_DEPTH_MAX);
        let doubling = vec![vec![(Inside, 1)], vec![(SamePlace, 0), (SamePlace, 0)]];
        assert!((5..20).contains(&depth_max(&doubling)));
        let side_by_side: Vec<_> = (0..32)
            .map(|at| if at < 31 { vec![(SamePlace, at + 1); 2] } else { Vec::new() })
            .collect();
        assert_eq!(depth_max(&side_by_side), 0);
    }
}
