//! Slips of the finger in words that a list names for it.
//!
//! Only long words, and only slips inside the word: a first letter makes another word
//! (`excepto` for `acepto`) and a last one another form (`confirma` for `confirmo`).

/// Shorter words have too many neighbours.
const LETTERS_MIN: usize = 6;

/// A wrong letter makes another word sooner than a missing one: `acerto` is not `aceito`.
const LETTERS_WRONG_MIN: usize = 7;

/// The last letters carry the person and the tense.
const ENDING: usize = 2;

/// Returns whether a word is another one with two letters swapped, one letter left out or one
/// letter wrong, none of them at the start or in the ending.
pub(crate) fn is_misspelling(word: &str, right: &str) -> bool {
    let (word, right) = (word.as_bytes(), right.as_bytes());
    if right.len() < LETTERS_MIN || word.len().abs_diff(right.len()) > 1 {
        return false;
    }
    let same = word.iter().zip(right).take_while(|(one, other)| one == other).count();
    if same == 0 {
        return false;
    }
    let tail = |word: &'_ [u8], from: usize| word.get(from..).map(<[u8]>::to_vec);
    let has_ending = |from: usize| right.len() >= from + ENDING;
    if word.len() + 1 == right.len() {
        // The letter left out may be the one before the last: the last still tells the form.
        return right.len() > same + 1 && tail(word, same) == tail(right, same + 1);
    }
    if word.len() != right.len() {
        return false;
    }
    let is_one_wrong = right.len() >= LETTERS_WRONG_MIN
        && has_ending(same + 1)
        && tail(word, same + 1) == tail(right, same + 1);
    let is_swapped = word.get(same) == right.get(same + 1)
        && word.get(same + 1) == right.get(same)
        && tail(word, same + 2) == tail(right, same + 2);
    is_one_wrong || is_swapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_inside_a_long_word_is_read_and_no_other() {
        let cases = [
            ("confimo", "confirmo", true, "a letter left out"),
            ("comfirmo", "confirmo", true, "a letter wrong"),
            ("confrimo", "confirmo", true, "two letters swapped"),
            ("adelnte", "adelante", true, "a letter left out"),
            ("acpeto", "acepto", true, "two letters swapped"),
            ("acerto", "aceito", false, "another word"),
            ("confirma", "confirmo", false, "another form"),
            ("confirm", "confirmo", false, "another language"),
            ("excepto", "acepto", false, "another word"),
            ("adelanta", "adelante", false, "another word"),
            ("confirmoo", "confirmo", false, "stretched: not for this rule"),
            ("cofimo", "confirmo", false, "two slips"),
            ("clro", "claro", false, "too short"),
            ("", "confirmo", false, "nothing"),
        ];
        for (word, right, expected, reason) in cases {
            assert_eq!(is_misspelling(word, right), expected, "{word} for {right}: {reason}");
        }
    }
}
