//! What holds for any message.

use manos_answer::{Answer, Asked, CHARS_MAX, Language, Voice, read};
use proptest::prelude::*;

/// Clear answers of every list, to build messages from.
const CLEAR: [(&str, Language, Answer); 20] = [
    ("sí", Language::Es, Answer::Yes),
    ("dale, por favor", Language::Es, Answer::Yes),
    ("mejor no, gracias", Language::Es, Answer::No),
    ("yes, go ahead", Language::En, Answer::Yes),
    ("no thanks", Language::En, Answer::No),
    ("pode fazer", Language::Pt, Answer::Yes),
    ("não, obrigado", Language::Pt, Answer::No),
    ("d'accord, vas-y", Language::Fr, Answer::Yes),
    ("non merci", Language::Fr, Answer::No),
    ("va bene, procedi", Language::It, Answer::Yes),
    ("lascia stare", Language::It, Answer::No),
    ("ja, gerne", Language::De, Answer::Yes),
    ("auf keinen Fall", Language::De, Answer::No),
    ("d'acord, endavant", Language::Ca, Answer::Yes),
    ("ni pensar-hi", Language::Ca, Answer::No),
    ("ja graag", Language::Nl, Answer::Yes),
    ("tak, proszę", Language::Pl, Answer::Yes),
    ("hayır, teşekkürler", Language::Tr, Answer::No),
    ("はい、お願いします", Language::Ja, Answer::Yes),
    ("好的，谢谢", Language::Zh, Answer::Yes),
];

fn clear() -> impl Strategy<Value = (&'static str, Language, Answer)> {
    prop::sample::select(CLEAR.to_vec())
}

fn language() -> impl Strategy<Value = Language> {
    prop::sample::select(Language::ALL.to_vec())
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in ".{0,400}", language in language(), menu: bool) {
        read(&text, &Asked { languages: &[language], menu, ..Asked::default() });
    }

    #[test]
    fn a_word_that_no_list_knows_makes_it_anything_else(
        (text, language, _) in clear(),
        // No word of any list has a q followed by x.
        word in "[a-z]{0,4}qx[a-z]{0,4}",
        is_first: bool,
    ) {
        let message = if is_first { format!("{word} {text}") } else { format!("{text}, {word}") };
        let asked = Asked { languages: &[language], ..Asked::default() };
        prop_assert_eq!(read(&message, &asked), Answer::Other);
    }

    #[test]
    fn a_number_or_a_question_mark_makes_it_anything_else(
        (text, language, _) in clear(),
        sign in "[0-9]{1,4}|\\?",
    ) {
        let asked = Asked { languages: &[language], ..Asked::default() };
        let message = format!("{text} {sign}");
        prop_assert_eq!(read(&message, &asked), Answer::Other);
    }

    #[test]
    fn case_blanks_and_exclamation_marks_change_nothing(
        (text, language, answer) in clear(),
        before in "[ \\t\\n\u{200B}]{0,4}",
        after in "[ \\n!.\u{FE0F}]{0,1}[ \\n]{0,3}",
        is_loud: bool,
    ) {
        let text = if is_loud { text.to_uppercase() } else { text.to_owned() };
        let asked = Asked { languages: &[language], ..Asked::default() };
        let message = format!("{before}{text}{after}");
        prop_assert_eq!(read(&message, &asked), answer);
    }

    #[test]
    fn two_clear_answers_that_differ_are_anything_else(one in clear(), other in clear()) {
        prop_assume!(one.2 != other.2);
        let asked = Asked { languages: &[one.1, other.1], ..Asked::default() };
        for separator in [" ", ", ", ". ", "\n"] {
            let message = format!("{}{separator}{}", one.0, other.0);
            prop_assert_eq!(read(&message, &asked), Answer::Other, "{}", message);
        }
    }

    #[test]
    fn a_message_over_the_limit_is_anything_else(blanks in CHARS_MAX..CHARS_MAX * 3) {
        let message = format!("yes{}please", " ".repeat(blanks));
        prop_assert_eq!(read(&message, &Asked::default()), Answer::Other);
    }

    #[test]
    fn low_confidence_is_anything_else(
        (text, language, answer) in clear(),
        confidence in 0.0..1.0_f64,
        confidence_min in 0.0..1.0_f64,
    ) {
        let voice = Voice { confidence: Some(confidence), confidence_min, overlapped: false };
        let asked = Asked { languages: &[language], voice: Some(voice), ..Asked::default() };
        let expected = if confidence < confidence_min { Answer::Other } else { answer };
        prop_assert_eq!(read(text, &asked), expected);
    }
}
