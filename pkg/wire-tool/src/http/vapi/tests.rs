use manos_model::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::http::CallId;

#[test]
fn a_tool_call_is_read_in_each_of_the_forms_that_are_sent() {
    let city = json!({"city": "Oslo"});
    let whole = |item: Value| json!({"message": {"type": "tool-calls", "call": {"id": "c1"}, "toolCallList": [item]}});
    let cases = [
        (
            whole(json!({"id": "t1", "name": "weather", "arguments": city})),
            CallArguments::Value(city.clone()),
            "the page on custom tools",
        ),
        (
            whole(json!({"id": "t1", "name": "weather", "parameters": city})),
            CallArguments::Value(city.clone()),
            "the page on server events",
        ),
        (
            whole(
                json!({"id": "t1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\":\"Oslo\"}"}}),
            ),
            CallArguments::Text("{\"city\":\"Oslo\"}".to_owned()),
            "the schema",
        ),
        (
            whole(
                json!({"id": "t1", "type": "function", "function": {"name": "weather", "arguments": city}}),
            ),
            CallArguments::Value(city.clone()),
            "the traffic",
        ),
        (
            whole(
                json!({"id": "t1", "type": "function", "function": {"name": "weather", "parameters": city}}),
            ),
            CallArguments::Value(city.clone()),
            "inside the other list",
        ),
        (whole(json!({"id": "t1", "name": "weather"})), CallArguments::Missing, "no arguments"),
        (
            json!({"message": {"type": "tool-calls", "call": {"id": "c1"}, "toolWithToolCallList": [{"name": "other", "parameters": {}, "toolCall": {"id": "t1", "function": {"name": "weather", "parameters": city}}}]}}),
            CallArguments::Value(city.clone()),
            "the other list alone",
        ),
    ];
    for (body, arguments, why) in cases {
        let call = ToolCall { id: "t1".to_owned(), name: "weather".to_owned(), arguments };
        let expected = Message { call_id: Some("c1".to_owned()), calls: vec![call] };
        assert_eq!(read_message(&body), Ok(expected), "{why}");
    }
}

#[test]
fn what_is_no_tool_call_is_refused() {
    let message = |list: Value| json!({"message": {"type": "tool-calls", "toolCallList": list}});
    let cases = [
        (
            json!({"message": {"type": "status-update"}}),
            MessageError::OtherMessage,
            "another message",
        ),
        (json!({}), MessageError::OtherMessage, "nothing"),
        (message(json!([])), MessageError::NoCalls, "an empty list"),
        (message(json!({})), MessageError::NoCalls, "no list"),
        (
            message(json!([{"name": "x"}])),
            MessageError::Incomplete { index: 0, missing: "id" },
            "no id",
        ),
        (
            message(json!([{"id": "t"}])),
            MessageError::Incomplete { index: 0, missing: "name" },
            "no name",
        ),
        (message(json!(vec![json!({}); 33])), MessageError::TooMany { count: 33 }, "too many"),
    ];
    for (body, expected, why) in cases {
        assert_eq!(read_message(&body), Err(expected), "{why}");
    }
}

#[test]
fn a_result_is_found_by_the_whole_id() {
    let reply =
        |entry: Value| json!({"results": [{"toolCallId": "call_9", "result": "other"}, entry]});
    let cases = [
        (reply(json!({"toolCallId": "call_1", "result": "yes"})), Some(Ok(json!("yes"))), "a text"),
        (
            reply(json!({"toolCallId": "call_1", "result": {"n": 1}})),
            Some(Ok(json!({"n": 1}))),
            "a value",
        ),
        (
            reply(json!({"toolCallId": "call_1", "result": null})),
            Some(Ok(json!(null))),
            "nothing as the result",
        ),
        (
            reply(json!({"toolCallId": "call_1", "error": "full"})),
            Some(Err(json!("full"))),
            "an error in its place",
        ),
        (
            reply(json!({"toolCallId": "call_1", "error": null, "result": 0})),
            Some(Ok(json!(0))),
            "no error",
        ),
        (
            reply(json!({"toolCallId": "call_1", "error": "full", "result": "ok"})),
            Some(Err(json!("full"))),
            "both: it was not clear",
        ),
        (reply(json!({"toolCallId": "call_1"})), None, "neither"),
        (reply(json!({"toolCallId": "call_", "result": 1})), None, "an id cut short"),
        (json!({"results": {"toolCallId": "call_1", "result": 1}}), None, "no list"),
        (json!({"result": 1}), None, "no envelope"),
        (json!("text"), None, "no object"),
    ];
    for (reply, expected, why) in cases {
        assert_eq!(result_of(&reply, "call_1"), expected, "{why}");
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|number| json!(number)),
        any::<String>().prop_map(Value::String),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(
        tool in "\\PC{1,40}",
        call_id in any::<String>(),
        run in any::<u128>(),
        arguments in prop::collection::btree_map(any::<String>(), any_value(), 0..5),
    ) {
        let arguments: Map<String, Value> = arguments.into_iter().collect();
        let (call_id, run_id) = (CallId::new(&call_id), RunId::new(format!("{run:032x}")));
        let call = Call { tool: &tool, arguments: &arguments, call_id: &call_id, run_id: &run_id, at: Timestamp::UNIX_EPOCH };
        let given = CallArguments::Value(Value::Object(arguments.clone()));

        let mut body = String::new();
        write_request(&call, &[], &mut body);
        let value: Value = serde_json::from_str(&body).unwrap();
        prop_assert_eq!(&canonical::text(&value), &body);
        let expected = ToolCall { id: tool_call_id(&run_id), name: tool.clone(), arguments: given.clone() };
        let read = read_message(&value).unwrap();
        prop_assert_eq!(&read.calls, &vec![expected.clone()]);
        prop_assert_eq!(read.call_id.as_deref(), Some(call_id.as_str()));
        let inner = &value["message"]["toolWithToolCallList"][0]["toolCall"];
        prop_assert_eq!(read_call(0, inner), Ok(expected));

        let mut body = String::new();
        crate::http::retell::write_request(&call, &[], &mut body);
        let value: Value = serde_json::from_str(&body).unwrap();
        prop_assert_eq!(&canonical::text(&value), &body);
        let read = crate::http::retell::read_request(value);
        prop_assert_eq!(read.name.as_deref(), Some(tool.as_str()));
        prop_assert_eq!(read.call_id.as_deref(), Some(call_id.as_str()));
        prop_assert_eq!(read.arguments, given);
    }

    #[test]
    fn a_reply_that_is_written_is_read(result in any_value(), failed in any::<bool>()) {
        let end = if failed { Err(result) } else { Ok(result) };
        let written = write_reply(&[ToolEnd { id: "t1".to_owned(), name: "x".to_owned(), end: end.clone() }]);
        let read = result_of(&serde_json::from_str(&written).unwrap(), "t1").unwrap();
        let text = match end { Ok(value) => Ok(json!(one_line(&value))), Err(value) => Err(json!(one_line(&value))) };
        prop_assert_eq!(read, text);
        prop_assert!(!written.contains('\n'));
    }
}
