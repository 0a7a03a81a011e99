//! Lines of the word lists that stand for several phrases: `do (it|that|)`.

/// Returns every phrase that a pattern stands for.
///
/// `(a|b)` is one of the two, `(a|)` is optional, and groups nest; blanks are left as they fall. An unbalanced parenthesis ends
/// its group at the end of the line; a test over all lists keeps them out.
pub(crate) fn expand(pattern: &str) -> Vec<String> {
    let (phrases, _) = alternatives(pattern.as_bytes(), 0);
    phrases.into_iter().filter_map(|bytes| String::from_utf8(bytes).ok()).collect()
}

/// Returns whether every parenthesis of a pattern has its partner.
pub(crate) fn is_balanced(pattern: &str) -> bool {
    let mut depth = 0_i32;
    for byte in pattern.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// Reads alternatives from `at` up to the closing parenthesis; bytes are safe as `(`, `|` and `)`
/// are never part of a longer UTF-8 sequence.
fn alternatives(pattern: &[u8], mut at: usize) -> (Vec<Vec<u8>>, usize) {
    let mut done: Vec<Vec<u8>> = Vec::new();
    let mut open: Vec<Vec<u8>> = vec![Vec::new()];
    while let Some(&byte) = pattern.get(at) {
        at += 1;
        match byte {
            b'(' => {
                let (inner, next) = alternatives(pattern, at);
                at = next;
                let mut longer = Vec::with_capacity(open.len() * inner.len());
                for head in &open {
                    longer.extend(inner.iter().map(|tail| [head.as_slice(), tail].concat()));
                }
                open = longer;
            }
            b'|' => {
                done.append(&mut open);
                open.push(Vec::new());
            }
            b')' => break,
            _ => open.iter_mut().for_each(|phrase| phrase.push(byte)),
        }
    }
    done.append(&mut open);
    (done, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_stands_for_every_choice_of_its_groups() {
        assert_eq!(expand("sí"), ["sí"]);
        assert_eq!(expand("do (it|that|)"), ["do it", "do that", "do "]);
        assert_eq!(expand("a|b"), ["a", "b"]);
        assert_eq!(
            expand("no (lo (haga|hagas)|quiero)"),
            ["no lo haga", "no lo hagas", "no quiero"]
        );
    }

    #[test]
    fn a_lone_parenthesis_is_seen() {
        assert!(is_balanced("a (b|(c|d))"));
        for wrong in ["a (b", "a) b", ")("] {
            assert!(!is_balanced(wrong), "{wrong}");
        }
    }
}
