use serde_json::json;

use super::*;

fn syntax(text: &str) -> (&'static str, usize) {
    match read(text, 64).unwrap_err() {
        ReadError { offset, kind: ReadErrorKind::Syntax(message) } => (message, offset),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn every_kind_of_value_is_read() {
    let text = "\r\n\t {\"a\":[1,-2.50,true,false,null,\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00f1\\ud83c\\udf70ñ🍰\"],\"b\":{}} ";
    let expected: Value = serde_json::from_str(text).unwrap();
    assert_eq!(read(text, 64).unwrap().value, expected);
}

#[test]
fn digits_are_kept_as_they_were_sent() {
    for text in ["1234567890123456789012345", "1.10", "-0", "0.000"] {
        assert_eq!(read(text, 64).unwrap().value.to_string(), text);
    }
}

#[test]
fn broken_text_says_what_was_expected_and_where() {
    let cases = [
        ("{", "the text ends before the JSON value does", 1),
        (r#"{"q":"lon"#, "the text ends inside a text in double quotes", 9),
        (r#"{"msg":"use } and { here","n":1"#, "the text ends before the JSON value does", 31),
        (
            r#"{"commands":["backup","stop","dele"#,
            "the text ends inside a text in double quotes",
            34,
        ),
        (r#"{"a":1,}"#, "a key in double quotes was expected", 7),
        (r#"{"a" 1}"#, "a colon was expected after the key", 5),
        (r#"{"a":1 "b":2}"#, "a comma or a closing brace was expected", 7),
        ("[1 2]", "a comma or a closing bracket was expected", 3),
        ("{'a':1}", "a key in double quotes was expected", 1),
        (r#"{"a":1} {"#, "more text after the JSON value", 8),
        (r#"{"a":tru}"#, "a JSON value was expected", 5),
        (r#"{"a":01}"#, "not a number", 5),
        (r#"{"a":1.}"#, "not a number", 5),
        (r#"{"a":+1}"#, "a JSON value was expected", 5),
        (r#"{"a":NaN}"#, "a JSON value was expected", 5),
        ("\"a\nb\"", "a control character must be escaped inside a text", 2),
        (r#""\ud800""#, "half of a surrogate pair stands alone", 3),
        (r#""\ud800A""#, "half of a surrogate pair stands alone", 3),
        (r#""\udc00""#, "half of a surrogate pair stands alone", 3),
        (r#""a\u0000b""#, "a text cannot hold the NUL character", 3),
        (r#""\x41""#, "no such escape", 2),
        (r#""\u12g4""#, "four hexadecimal digits were expected", 5),
        ("", "the text ends where a JSON value was expected", 0),
        (r#"{"$serde_json::private::Number":"1"}"#, "this key is reserved", 1),
        ("// x\n{}", "a JSON value was expected", 0),
    ];
    for (text, message, offset) in cases {
        assert_eq!(syntax(text), (message, offset), "{text}");
    }
}

#[test]
fn a_key_twice_in_one_object_is_named_with_its_pointer() {
    let error = read(r#"{"a":1,"b":[{"c/d":1,"c/d":1}]}"#, 64).unwrap_err();
    let kind = ReadErrorKind::DuplicateKey { path: "/b/0/c~1d".to_owned(), key: "c/d".to_owned() };
    assert_eq!(error, ReadError { offset: 21, kind });

    // An escape is another spelling of the same key.
    assert!(read(r#"{"a":1,"\u0061":2}"#, 64).is_err());
    assert_eq!(read(r#"{"a":{"a":1}}"#, 64).unwrap().value, json!({"a": {"a": 1}}));
}

#[test]
fn the_last_allowed_level_is_read_and_the_next_is_not() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(read(&nested(64), 64).is_ok());
    let error = read(&nested(65), 64).unwrap_err();
    assert_eq!(error, ReadError { offset: 64, kind: ReadErrorKind::TooDeep });
    assert!(read("[[],[]]", 2).is_ok(), "siblings do not add up");
}

#[test]
fn only_the_given_part_is_read() {
    let text = "xx{\"a\":1}yy";
    assert_eq!(read_within(text, 2, 9, 64).unwrap().value, json!({"a": 1}));
    assert_eq!(read_within(text, 2, 8, 64).unwrap_err().offset, 8);
}
