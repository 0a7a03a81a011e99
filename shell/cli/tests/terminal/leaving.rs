//! Leaving, and coming back.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use super::window::{Window, pause};

#[test]
fn ctrl_c_takes_a_question_back_and_twice_leaves() {
    let window = Window::new().start();
    window.keys(&["2 coffee", "Enter"]);
    window.see("[y] Yes");
    window.keys(&["C-c"]);
    window.see_last("→ cancelled\n>");
    window.keys(&["C-c"]);
    window.see_last("left with 0\nicanon\necho");
}

#[test]
fn ctrl_c_clears_a_line_before_it_leaves() {
    let window = Window::new().start();
    window.keys(&["perhaps"]);
    window.see_last("> perhaps");
    window.keys(&["C-c"]);
    window.see_last("\n>");
    window.keys(&["C-c"]);
    window.see_last("left with 0\nicanon\necho");
}

#[test]
fn a_question_left_open_is_asked_again() {
    let window = Window::new().start();
    window.keys(&["2 coffee", "Enter"]);
    window.see("[y] Yes");
    window.keys(&["C-d"]);
    let screen = window.see_last("left with 0\nicanon\necho");
    assert!(screen.contains("A confirmation is open until "), "{screen}");
    window.close();
    let window = window.start_until(|screen| screen.contains("[y] Yes"));
    let screen = window.screen();
    assert!(screen.contains("│ I am going to: Place an order\n"), "{screen}");
    window.keys(&["y"]);
    window.see_last("→ Yes\nThank you. Your order is number 1.\n>");
}

#[test]
fn a_signal_leaves_in_order() {
    let window = Window::new().start();
    window.keys(&["half a li"]);
    window.see_last("> half a li");
    let ended = Command::new("kill").args(["-TERM", &window.process()]).status().unwrap();
    assert!(ended.success());
    window.see_last("left with 0\nicanon\necho");
}

#[test]
fn a_window_that_closes_ends_the_command() {
    let window = Window::new().start();
    let process = window.process();
    window.close();
    for _ in 0..200 {
        let stat = std::fs::read_to_string(Path::new("/proc").join(&process).join("stat"));
        // Whoever inherits it may let it lie.
        if stat.is_err() || stat.is_ok_and(|stat| stat.contains(") Z ")) {
            return;
        }
        pause(50);
    }
    panic!("the command still runs");
}

#[test]
fn lines_are_remembered_for_the_next_time_and_for_nobody_else() {
    let window = Window::new().start();
    window.keys(&["menu", "Enter"]);
    window.see_last("$3.00\n>");
    window.keys(&[" secret", "Enter"]);
    window.see("orders such as");
    window.keys(&["C-d"]);
    window.see_last("echo");
    let history = window.home().join("state").join("manos").join("history-pan");
    assert_eq!(std::fs::read_to_string(&history).unwrap(), "menu\n", "a blank keeps a line out");
    assert_eq!(history.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    window.close();
    let window = window.start();
    window.keys(&["Up"]);
    window.see_last("> menu");
}

#[test]
fn a_history_that_cannot_be_kept_is_gone_without() {
    let window = Window::new();
    std::fs::write(window.home().join("state"), "no folder").unwrap();
    let window = window.start();
    window.keys(&["menu", "Enter"]);
    window.see_last("$3.00\n>");
    window.keys(&["Up"]);
    window.see_last("> menu");
}

#[test]
fn pasted_lines_are_one_message() {
    let window = Window::new().start();
    window.paste("menu\n2 coffee\n");
    window.see("> menu\n· 2 coffee");
    pause(300);
    let screen = window.screen();
    assert!(!screen.contains("[y] Yes"), "nothing is sent before Enter: {screen}");
}
