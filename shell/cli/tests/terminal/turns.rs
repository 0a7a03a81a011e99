//! What is seen while a turn runs.

use super::model::{self, INTERIM, PIECES};
use super::window::{Window, pause};

/// A tool that reads for longer than any test waits.
const COUNT: &str = "  - name: count
    title: Count to the end
    description: Counts.
    sql:
      query: >-
        with recursive c(n) as (select 1 union all select n + 1 from c where n < 1000000000)
        select max(n) as n from c
";

/// An agent with a model.
fn window() -> Window {
    let address = model::start();
    Window::new().agent(|text| {
        let (head, rest) = text.split_once("model:\n").unwrap();
        let (_, rest) = rest.split_once("databases:").unwrap();
        let (tools, _) = rest.split_once("rules:").unwrap();
        let model = format!("{{ provider: openai, model: m, api_key: k, base_url: '{address}' }}");
        let tools = tools.replace("tools:\n", &format!("tools:\n{COUNT}"));
        format!("{head}model: {model}\ndatabases:{tools}")
    })
}

#[test]
fn text_is_seen_while_it_comes_and_stands_there_once() {
    let window = window().start();
    window.keys(&["hello", "Enter"]);
    window.see_last("> hello\nThere is bread,");
    let screen = window.see_last(&format!("{}\n>", PIECES.concat()));
    assert_eq!(screen.matches("There is").count(), 1, "{screen}");
}

#[test]
fn text_beside_a_call_goes_when_its_step_ends() {
    let window = window().start();
    window.keys(&["order", "Enter"]);
    window.see_last(INTERIM);
    let screen = window.see("[y] Yes");
    assert!(!screen.contains(INTERIM), "{screen}");
    assert!(screen.contains("> order\n│ I am going to: Place an order\n"), "{screen}");
}

#[test]
fn a_tool_is_named_while_it_runs_and_ctrl_c_stops_it() {
    let window = window().start();
    window.keys(&["count", "Enter"]);
    let screen = window.see("Working: Count to the end…");
    let last = screen.lines().last().unwrap();
    assert!(last.chars().next().is_some_and(|c| !c.is_ascii()), "a spinner: {last}");
    window.keys(&["C-c"]);
    let screen = window.see_last("> count\n→ cancelled\n>");
    assert!(!screen.contains("Working"), "the spinner has gone: {screen}");
    window.keys(&["hello", "Enter"]);
    window.see_last(&format!("{}\n>", PIECES.concat()));
}

#[test]
fn a_second_ctrl_c_leaves() {
    let window = window().start();
    window.keys(&["wait", "Enter"]);
    window.see_last("…");
    window.keys(&["C-c", "C-c"]);
    window.see_last("left with 0\nicanon\necho");
}

#[test]
fn what_was_typed_before_a_question_does_not_answer_it() {
    let window = window().start();
    window.keys(&["order", "Enter"]);
    window.see(INTERIM);
    window.keys(&["yes", "Enter", "y"]);
    window.see("[y] Yes");
    pause(2_000);
    assert!(!window.screen().contains('→'), "{}", window.screen());
    window.keys(&["n"]);
    window.see("→ No");
    // Then it is a message of its own, and what has no end yet waits for it.
    window.see("> yes\nThere is");
    window.see_last("\n> y");
}
