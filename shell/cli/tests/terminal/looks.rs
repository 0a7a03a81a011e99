//! Narrow windows, terminals that can do less.

use super::window::Window;

#[test]
fn a_narrow_window_breaks_between_words_and_loses_nothing() {
    let window = Window::new().columns(20).start();
    window.keys(&["2 cake", "Enter"]);
    let screen = window.see("⌛");
    let block = "│ I am going to:\n│ Place an order\n│ • product:\n│   Chocolate cake\n\
                 │ • amount: 2\n│ Do you confirm?\n│ [y] Yes   [n] No\n│ ⌛";
    assert!(screen.contains(block), "{screen}");
    window.keys(&["n"]);
    window.see("→ No");
}

#[test]
fn wide_characters_stay_whole_in_a_narrow_window() {
    let window = Window::new()
        .columns(20)
        .agent(|text| text.replace("coffee: Coffee", "coffee: 'パンとコーヒーとケーキ'"))
        .start();
    window.keys(&["2 coffee", "Enter"]);
    window.see("│ • product: パンと\n│   コーヒーとケーキ\n");
    window.keys(&["n"]);
    window.see("→ No");
}

#[test]
fn a_window_that_becomes_narrower_goes_on() {
    let window = Window::new().start();
    window.keys(&["menu", "Enter"]);
    window.see_last("\n>");
    window.narrow(24);
    window.keys(&["2 coffee", "Enter"]);
    window.see("│ I am going to: Place\n│ an order\n");
    window.keys(&["y"]);
    window.see_last("number 1.\n>");
}

#[test]
fn without_colours_nothing_is_coloured_and_work_is_named_once() {
    let window = Window::new().variable("NO_COLOR=1").start();
    window.keys(&["2 coffee", "Enter"]);
    window.see("[y] Yes");
    window.keys(&["yes", "Enter"]);
    let screen = window.see_last("Your order is number 1.\n>");
    assert_eq!(screen.matches("Working: Place an order…").count(), 1, "{screen}");
    let written = window.written();
    for escape in written.split("\u{1b}[").skip(1) {
        let end = escape.find(|c: char| c.is_ascii_alphabetic()).unwrap();
        let (parameters, rest) = escape.split_at(end);
        // The line editor switches colours off, which it never switched on.
        assert!(!rest.starts_with('m') || parameters == "0", "{parameters}m in {written:?}");
    }
}

#[test]
fn a_terminal_that_cannot_move_its_cursor_gets_no_escapes() {
    let window = Window::new().variable("TERM=dumb").start();
    window.keys(&["2 cofg", "BSpace", "fee", "Enter"]);
    window.see("> 2 coffee\n");
    window.see("[y] Yes");
    window.keys(&["yes", "Enter"]);
    window.see("> yes\n→ Yes");
    window.see_last("Your order is number 1.\n>");
    window.keys(&["C-d"]);
    window.see_last("left with 0\nicanon\necho");
    assert!(!window.written().contains('\u{1b}'), "{:?}", window.written());
}

#[test]
fn what_a_tool_wrote_is_shown_and_not_obeyed() {
    let window = Window::new()
        .agent(|text| text.replace("Hello! Write", r"Hello!\e[31m\u202e Write"))
        .start();
    window.keys(&["menu", "Enter"]);
    window.see(r"Hello!\u{1b}[31m\u{202e} Write");
}
