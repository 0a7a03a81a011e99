use serde_json::{Value, json};

use super::*;

/// A piece as JSON: `{"index":…,"id":…,"name":…,"arguments":…}`.
fn assemble(
    pieces: &[&str],
) -> Result<Vec<(Option<String>, String, CallArguments)>, AssembleError> {
    let mut calls = Assembler::default();
    for piece in pieces {
        let fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(piece).unwrap();
        let text = |key: &str| {
            fields.get(key).map(|raw| serde_json::from_str::<String>(raw.get()).unwrap())
        };
        let (id, name) = (text("id"), text("name"));
        calls.add(CallPiece {
            index: fields.get("index").map(|raw| raw.get().parse().unwrap()),
            id: id.as_deref(),
            name: name.as_deref(),
            arguments: fields.get("arguments").map(AsRef::as_ref),
        })?;
    }
    Ok(calls.finish().into_iter().map(|c| (c.wire_id, c.name, c.arguments)).collect())
}

fn text(text: &str) -> CallArguments {
    CallArguments::Text(text.to_owned())
}

/// Reason, pieces, the calls that come out.
type Case<'a> = (&'a str, &'a [&'a str], &'a [(Option<&'a str>, &'a str, CallArguments)]);

fn check(cases: &[Case<'_>]) {
    for (why, pieces, expected) in cases {
        let expected: Vec<_> = expected
            .iter()
            .map(|(id, name, arguments)| {
                (id.map(str::to_owned), (*name).to_owned(), arguments.clone())
            })
            .collect();
        assert_eq!(assemble(pieces).unwrap(), expected, "{why}");
    }
}

#[test]
fn pieces_find_their_call_by_index() {
    check(&[
        (
            "as OpenAI streams",
            &[
                r#"{"index":0,"id":"a","name":"pay","arguments":""}"#,
                r#"{"index":0,"arguments":"{\"amount\":"}"#,
                r#"{"index":0,"arguments":"5}"}"#,
            ],
            &[(Some("a"), "pay", text(r#"{"amount":5}"#))],
        ),
        (
            "the first index is 1, or any other number",
            &[
                r#"{"index":7,"id":"a","name":"pay"}"#,
                r#"{"index":7,"arguments":"{\"amount\":5}"}"#,
            ],
            &[(Some("a"), "pay", text(r#"{"amount":5}"#))],
        ),
        (
            "a huge index costs nothing",
            &[r#"{"index":18446744073709551615,"id":"a","name":"pay","arguments":"{}"}"#],
            &[(Some("a"), "pay", text("{}"))],
        ),
        (
            "two calls, interleaved",
            &[
                r#"{"index":0,"id":"a","name":"x"}"#,
                r#"{"index":1,"id":"b","name":"y"}"#,
                r#"{"index":0,"arguments":"{\"n\":"}"#,
                r#"{"index":1,"arguments":"{\"m\":"}"#,
                r#"{"index":0,"arguments":"1}"}"#,
                r#"{"index":1,"arguments":"2}"}"#,
            ],
            &[(Some("a"), "x", text(r#"{"n":1}"#)), (Some("b"), "y", text(r#"{"m":2}"#))],
        ),
        (
            "arguments before the announcement",
            &[
                r#"{"index":0,"arguments":"{\"n\":"}"#,
                r#"{"index":0,"id":"a","name":"x","arguments":"1}"}"#,
            ],
            &[(Some("a"), "x", text(r#"{"n":1}"#))],
        ),
        (
            "the same index twice in the first chunk",
            &[r#"{"index":0,"id":"a","name":"x"}"#, r#"{"index":0,"arguments":"{}"}"#],
            &[(Some("a"), "x", text("{}"))],
        ),
    ]);
}

#[test]
fn what_is_said_again_or_late_opens_no_call() {
    check(&[
        (
            "an empty id goes on",
            &[
                r#"{"index":0,"id":"a","name":"x"}"#,
                r#"{"index":0,"id":"","name":"","arguments":"{}"}"#,
            ],
            &[(Some("a"), "x", text("{}"))],
        ),
        (
            "id and name said with every piece",
            &[
                r#"{"index":0,"id":"a","name":"x","arguments":"{\"n\":"}"#,
                r#"{"index":0,"id":"a","name":"x","arguments":"1}"}"#,
            ],
            &[(Some("a"), "x", text(r#"{"n":1}"#))],
        ),
        (
            "the id comes after the name",
            &[r#"{"index":0,"name":"x","arguments":"{}"}"#, r#"{"index":0,"id":"a"}"#],
            &[(Some("a"), "x", text("{}"))],
        ),
        (
            "announced under one number, sent under the next",
            &[r#"{"index":0,"id":"a","name":"t"}"#, r#"{"index":1,"arguments":"{}"}"#],
            &[(Some("a"), "t", text("{}"))],
        ),
        (
            "every piece under a number of its own, with its id",
            &[
                r#"{"index":0,"id":"a","name":"t","arguments":"{\"n\":"}"#,
                r#"{"index":1,"id":"a","name":"t","arguments":"1}"}"#,
            ],
            &[(Some("a"), "t", text(r#"{"n":1}"#))],
        ),
    ]);
}

#[test]
fn a_new_id_or_name_opens_a_new_call() {
    check(&[
        (
            "two ids on one index",
            &[
                r#"{"index":0,"id":"a","name":"read","arguments":"{\"p\":1}"}"#,
                r#"{"index":0,"id":"b","name":"read","arguments":"{\"p\":2}"}"#,
            ],
            &[(Some("a"), "read", text(r#"{"p":1}"#)), (Some("b"), "read", text(r#"{"p":2}"#))],
        ),
        (
            "what follows without id belongs to the last one",
            &[
                r#"{"index":0,"id":"a","name":"read","arguments":"{}"}"#,
                r#"{"index":0,"id":"b","name":"read"}"#,
                r#"{"index":0,"arguments":"{\"p\":2}"}"#,
            ],
            &[(Some("a"), "read", text("{}")), (Some("b"), "read", text(r#"{"p":2}"#))],
        ),
        (
            "two names on one index, no ids",
            &[
                r#"{"index":0,"name":"x","arguments":"{}"}"#,
                r#"{"index":0,"name":"y","arguments":"{}"}"#,
            ],
            &[(None, "x", text("{}")), (None, "y", text("{}"))],
        ),
        (
            "one tool twice on one index, no ids",
            &[
                r#"{"index":0,"name":"x","arguments":"{\"n\":1}"}"#,
                r#"{"index":0,"name":"x","arguments":"{\"n\":2}"}"#,
            ],
            &[(None, "x", text(r#"{"n":1}"#)), (None, "x", text(r#"{"n":2}"#))],
        ),
        (
            "one id, two names",
            &[
                r#"{"index":0,"id":"c1","name":"a","arguments":"{}"}"#,
                r#"{"index":1,"id":"c1","name":"b","arguments":"{}"}"#,
            ],
            &[(Some("c1"), "a", text("{}")), (Some("c1"), "b", text("{}"))],
        ),
    ]);
}

#[test]
fn calls_without_index_are_told_apart() {
    check(&[
        (
            "one call in pieces",
            &[r#"{"id":"a","name":"pay"}"#, r#"{"arguments":"{\"amount\":5}"}"#],
            &[(Some("a"), "pay", text(r#"{"amount":5}"#))],
        ),
        (
            "two calls by id",
            &[
                r#"{"id":"a","name":"pay"}"#,
                r#"{"id":"b","name":"pay"}"#,
                r#"{"id":"a","arguments":"{\"n\":1}"}"#,
                r#"{"id":"b","arguments":"{\"n\":2}"}"#,
            ],
            &[(Some("a"), "pay", text(r#"{"n":1}"#)), (Some("b"), "pay", text(r#"{"n":2}"#))],
        ),
        (
            "two calls without ids",
            &[r#"{"name":"x","arguments":"{}"}"#, r#"{"name":"y","arguments":"{}"}"#],
            &[(None, "x", text("{}")), (None, "y", text("{}"))],
        ),
        ("nothing at all is no call", &["{}", r#"{"index":0,"id":"","name":""}"#], &[]),
    ]);
}

#[test]
fn arguments_stay_as_they_came() {
    let value: Value = json!({"amount": 5});
    check(&[
        (
            "an object",
            &[r#"{"index":0,"id":"a","name":"pay","arguments":{"amount":5}}"#],
            &[(Some("a"), "pay", CallArguments::Value(value))],
        ),
        (
            "none",
            &[r#"{"index":0,"id":"a","name":"now"}"#],
            &[(Some("a"), "now", CallArguments::Missing)],
        ),
        (
            "null and empty text",
            &[
                r#"{"index":0,"id":"a","name":"now","arguments":null}"#,
                r#"{"index":0,"arguments":""}"#,
            ],
            &[(Some("a"), "now", CallArguments::Missing)],
        ),
        (
            "cut text is never closed",
            &[r#"{"index":0,"id":"a","name":"pay","arguments":"{\"amount\":5"}"#],
            &[(Some("a"), "pay", text(r#"{"amount":5"#))],
        ),
        (
            "a value and text together are kept, and will not parse",
            &[
                r#"{"index":0,"id":"a","name":"pay","arguments":{"n":1}}"#,
                r#"{"index":0,"arguments":"{\"n\":2}"}"#,
            ],
            &[(Some("a"), "pay", text(r#"{"n":1}{"n":2}"#))],
        ),
    ]);
}

#[test]
fn arguments_that_may_be_anothers_run_nothing() {
    let pieces = [
        r#"{"index":0,"id":"a","name":"t"}"#,
        r#"{"index":1,"arguments":"{}"}"#,
        r#"{"index":1,"id":"b","name":"u"}"#,
    ];
    assert_eq!(assemble(&pieces), Err(AssembleError::Ambiguous));
}

#[test]
fn a_name_in_pieces_names_no_other_tool() {
    let pieces = [
        r#"{"index":0,"id":"a","name":"delete_"}"#,
        r#"{"index":0,"name":"order","arguments":"{}"}"#,
    ];
    assert_eq!(assemble(&pieces), Err(AssembleError::Ambiguous));
}

#[test]
fn too_much_is_refused() {
    let calls: Vec<String> =
        (0..=CALLS_MAX).map(|n| format!(r#"{{"index":{n},"id":"{n}","name":"x"}}"#)).collect();
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    assert_eq!(assemble(&calls), Err(AssembleError::TooMany));
    let long = format!(r#"{{"index":0,"arguments":"{}"}}"#, "x".repeat(CALL_BYTES_MAX + 1));
    assert_eq!(assemble(&[&long]), Err(AssembleError::TooLarge));
    let name = format!(r#"{{"index":0,"name":"{}"}}"#, "x".repeat(NAME_BYTES_MAX + 1));
    assert_eq!(assemble(&[&name]), Err(AssembleError::NameTooLong));
    let full = "x".repeat(CALL_BYTES_MAX);
    let many: Vec<String> = (0..=CALLS_BYTES_MAX / CALL_BYTES_MAX)
        .map(|n| format!(r#"{{"index":{n},"id":"{n}","arguments":"{full}"}}"#))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(assemble(&many), Err(AssembleError::TooLarge));
}
