//! Answering by key, by words, not at all.

use super::window::{Window, pause};

/// Longer than a letter must stay alone to be an answer.
const ALONE_MS: u64 = 1_000;

#[test]
fn a_letter_answers() {
    let cases = [("en", "[y] Yes   [n] No", "y", "→ Yes"), ("es", "[s] Sí   [n] No", "S", "→ Sí")];
    for (language, keys, key, choice) in cases {
        let window = Window::new()
            .agent(|text| text.replace("language: en", &format!("language: {language} #")))
            .start();
        window.keys(&["2 coffee", "Enter"]);
        window.see(keys);
        window.keys(&[key]);
        window.see(choice);
        window.see_last("Your order is number 1.\n>");
    }
}

#[test]
fn words_answer() {
    let window = Window::new().start();
    window.keys(&["2 coffee", "Enter"]);
    window.see("[y] Yes");
    window.keys(&["yes, please", "Enter"]);
    window.see("> yes, please\n→ Yes");
    window.see_last("Your order is number 1.\n>");
}

#[test]
fn the_letter_of_no_refuses() {
    let window = Window::new().start();
    window.keys(&["2 coffee", "Enter"]);
    window.see("[y] Yes");
    window.keys(&["n"]);
    window.see("→ No");
    let screen = window.see_last("\n>");
    assert!(!screen.contains("order is number"), "{screen}");
}

#[test]
fn words_that_begin_with_the_letter_of_yes_are_words() {
    let window = Window::new().start();
    window.keys(&["2 coffee", "Enter"]);
    window.see("[y] Yes");
    window.keys(&["yogurt, better", "Enter"]);
    window.see("> yogurt, better\n→ another answer");
    let screen = window.see_last("\n>");
    assert!(!screen.contains("order is number"), "{screen}");
}

#[test]
fn enter_alone_and_other_keys_answer_nothing() {
    let window = Window::new().start();
    window.keys(&["2 coffee", "Enter"]);
    window.see("[y] Yes");
    window.keys(&["Enter", "Enter", "Space", "Enter", "Up", "Escape"]);
    pause(ALONE_MS);
    assert!(!window.screen().contains('→'), "{}", window.screen());
    window.keys(&["n"]);
    window.see("→ No");
}

#[test]
fn a_letter_taken_back_in_time_is_no_answer() {
    let window = Window::new().start();
    window.keys(&["2 coffee", "Enter"]);
    window.see("[y] Yes");
    window.keys(&["y", "BSpace"]);
    pause(ALONE_MS);
    assert!(!window.screen().contains('→'), "{}", window.screen());
    window.keys(&["n"]);
    window.see("→ No");
}

#[test]
fn a_pasted_letter_is_not_a_pressed_one() {
    let window = Window::new().start();
    window.keys(&["2 coffee", "Enter"]);
    window.see("[y] Yes");
    window.paste("y");
    window.see_last("> y");
    pause(ALONE_MS);
    assert!(!window.screen().contains('→'), "{}", window.screen());
    window.keys(&["C-u", "no", "Enter"]);
    window.see("→ No");
}

#[test]
fn without_buttons_the_answer_is_written() {
    let window = Window::new()
        .agent(|text| text.replace("language: en", "confirm: { buttons: false }\nlanguage: en"))
        .start();
    window.keys(&["2 coffee", "Enter"]);
    let screen = window.see("Do you confirm? (yes/no)");
    assert!(!screen.contains("[y]"), "{screen}");
    window.keys(&["y"]);
    pause(ALONE_MS);
    assert!(!window.screen().contains('→'), "{}", window.screen());
    window.keys(&["es", "Enter"]);
    window.see("→ Yes");
}

#[test]
fn a_question_that_expires_says_so_and_keeps_what_was_written() {
    let window = Window::new()
        .agent(|text| text.replace("language: en", "confirm: { timeout: 3s }\nlanguage: en"))
        .start();
    window.keys(&["2 coffee", "Enter"]);
    window.see("[y] Yes");
    window.keys(&["perhaps"]);
    window.see_last("→ no answer\n> perhaps");
}
