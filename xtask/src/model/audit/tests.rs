//! Trails in order, and trails that break one rule each.

use serde_json::json;

use super::*;

/// A trail out of `kind call` pairs, all of `crear_pedido` in turn `t` and step 1.
fn trail(kinds: &[(&str, &str)]) -> Vec<Value> {
    let events = kinds.iter().enumerate().map(|(index, (kind, call))| {
        let call = (!call.is_empty()).then_some(call);
        let tool = call.map(|_| "crear_pedido");
        json!({"id": index + 10, "seq": index + 1, "type": kind, "chat_key": "terminal:local",
               "turn_id": "t", "step": 1, "call_id": call, "tool": tool})
    });
    events.collect()
}

fn wrong(kinds: &[(&str, &str)]) -> Vec<String> {
    complaints(&trail(kinds), &["crear_pedido"])
}

#[test]
fn a_trail_in_order_holds() {
    let done = [
        ("turn.started", ""),
        ("tool.requested", "c1"),
        ("confirm.asked", "c1"),
        ("confirm.approved", "c1"),
        ("tool.started", "c1"),
        ("tool.succeeded", "c1"),
        ("turn.finished", ""),
    ];
    assert_eq!(wrong(&done), Vec::<String>::new());
    let waits = [("turn.started", ""), ("tool.requested", "c1"), ("confirm.asked", "c1")];
    assert_eq!(wrong(&waits), Vec::<String>::new());
    let reset = [
        ("turn.started", ""),
        ("tool.requested", "c1"),
        ("confirm.asked", "c1"),
        ("turn.cancelled", ""),
    ];
    assert_eq!(wrong(&reset), Vec::<String>::new());
    let invented = [("turn.started", ""), ("tool.unknown", "c1"), ("turn.finished", "")];
    assert_eq!(wrong(&invented), Vec::<String>::new());
}

#[test]
fn each_way_to_break_it_is_named() {
    type Case = (&'static str, &'static [(&'static str, &'static str)]);
    let cases: [Case; 8] = [
        (
            "call c1 of crear_pedido was started without a yes",
            &[("tool.requested", "c1"), ("tool.started", "c1"), ("tool.succeeded", "c1")],
        ),
        (
            "call c1 of crear_pedido was started after tool.invalid",
            &[
                ("tool.requested", "c1"),
                ("tool.invalid", "c1"),
                ("confirm.approved", "c1"),
                ("tool.started", "c1"),
            ],
        ),
        (
            "call c1 of crear_pedido was started and never requested",
            &[("confirm.approved", "c1"), ("tool.started", "c1"), ("tool.failed", "c1")],
        ),
        (
            "call c1 of crear_pedido was started twice",
            &[
                ("tool.requested", "c1"),
                ("confirm.approved", "c1"),
                ("tool.started", "c1"),
                ("tool.started", "c1"),
                ("tool.failed", "c1"),
            ],
        ),
        ("call c1 of crear_pedido in turn t has no end", &[("tool.requested", "c1")]),
        (
            "call c1 of crear_pedido in turn t has the ends tool.failed, tool.succeeded",
            &[
                ("tool.requested", "c1"),
                ("confirm.approved", "c1"),
                ("tool.started", "c1"),
                ("tool.failed", "c1"),
                ("tool.succeeded", "c1"),
            ],
        ),
        (
            "call c1 of crear_pedido succeeded and was never started",
            &[("tool.requested", "c1"), ("tool.succeeded", "c1")],
        ),
        ("turn t never ended", &[("turn.started", "")]),
    ];
    for (expected, kinds) in cases {
        assert_eq!(wrong(kinds), [expected]);
    }
}

#[test]
fn numbers_without_gaps_and_ids_that_grow() {
    let mut events = trail(&[("turn.started", ""), ("turn.finished", "")]);
    events[1]["seq"] = json!(3);
    events[1]["id"] = json!(10);
    assert_eq!(
        complaints(&events, &[]),
        ["event 3 follows event 1", "id Some(10) follows id Some(10)"]
    );
}

#[test]
fn a_run_that_fills_in_a_question_is_no_call_of_the_model() {
    let mut events = trail(&[("tool.started", "c1"), ("tool.succeeded", "c1")]);
    for event in &mut events {
        event["for"] = json!("confirm");
    }
    assert_eq!(complaints(&events, &["crear_pedido"]), Vec::<String>::new());
}

#[test]
fn a_call_that_the_model_made_and_nobody_took_is_named() {
    let mut events = trail(&[("turn.started", ""), ("model.replied", ""), ("turn.finished", "")]);
    events[1]["calls"] = json!([{"tool": "ver_menu", "call_id": "c9"}]);
    assert_eq!(complaints(&events, &[]), ["call c9 of ver_menu in turn t has no end"]);

    events[2]["type"] = json!("loop.max_steps");
    events[0]["type"] = json!("model.called");
    assert_eq!(complaints(&events, &[]), Vec::<String>::new());
}
