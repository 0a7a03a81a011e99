//! Each mend, and beside it the cases that look like it and are left alone.

use manos_schema::{Checked, MendOptions, RawArguments};
use serde_json::{Value, json};

use crate::{names, one, schema, told, valid};

/// The property `v` after a check of `{"v": sent}`, and the mends.
fn mended(property: &Value, sent: &str) -> (Value, Vec<String>) {
    let (arguments, mends) = valid(&one(property), &format!(r#"{{"v":{sent}}}"#));
    (arguments.get("v").cloned().unwrap_or(json!("(absent)")), mends)
}

fn refused(property: &Value, sent: &str) -> Vec<String> {
    told(&one(property), &format!(r#"{{"v":{sent}}}"#))
}

#[test]
fn a_number_in_quotes_becomes_that_number_where_a_number_is_due() {
    let cases = [
        ("an integer", json!({"type": "integer"}), r#""5""#, json!(5)),
        ("negative", json!({"type": "integer"}), r#""-5""#, json!(-5)),
        ("with a fraction", json!({"type": "number"}), r#""2.5""#, json!(2.5)),
        ("nullable", json!({"type": ["integer", "null"]}), r#""5""#, json!(5)),
        ("one of some numbers", json!({"enum": [1, 2]}), r#""2""#, json!(2)),
        ("the only number", json!({"const": 7}), r#""7""#, json!(7)),
    ];
    for (why, property, sent, expected) in cases {
        let mends = vec!["number_from_text /v".to_owned()];
        assert_eq!(mended(&property, sent), (expected, mends), "{why}");
    }
    // 2^53 and 64 bits are no limits to the digits.
    assert_eq!(
        mended(&json!({"type": "integer"}), r#""1234567890123456789""#).0.to_string(),
        "1234567890123456789"
    );
}

#[test]
fn what_only_resembles_a_number_in_quotes_is_left_alone() {
    let integer = json!({"type": "integer"});
    let cases = [
        ("a blank before", &integer, r#"" 5""#),
        ("a plus", &integer, r#""+5""#),
        ("a leading zero", &integer, r#""05""#),
        ("thousands", &integer, r#""1,000""#),
        ("a decimal comma", &json!({"type": "number"}), r#""1,5""#),
        ("a unit", &integer, r#""5 kg""#),
        ("hexadecimal", &integer, r#""0x10""#),
        ("other digits", &integer, r#""٥""#),
        ("a fraction where an integer is due", &integer, r#""2.5""#),
        ("a number that is too small", &json!({"type": "integer", "minimum": 10}), r#""5""#),
        ("a number that would be rounded", &integer, r#""99999999999999999999""#),
        ("an empty text", &integer, r#""""#),
        ("a boolean is not a number", &integer, "true"),
    ];
    for (why, property, sent) in cases {
        let told = refused(property, sent);
        assert_eq!(told.len(), 1, "{why}: {told:?}");
        assert!(told.iter().all(|line| line.ends_with(&format!("got {sent}"))), "{why}: {told:?}");
    }
}

#[test]
fn a_text_that_is_valid_as_sent_stays_a_text() {
    let cases = [
        ("digits", json!({"type": "string"}), r#""5""#),
        ("true", json!({"type": "string"}), r#""true""#),
        ("null", json!({"type": "string"}), r#""null""#),
        ("JSON", json!({"type": "string"}), r#""[1]""#),
        ("a union with a text", json!({"type": ["integer", "string"]}), r#""5""#),
        ("no type at all", json!({}), r#""5""#),
    ];
    for (why, property, sent) in cases {
        let expected: Value = serde_json::from_str(sent).unwrap();
        assert_eq!(mended(&property, sent), (expected, Vec::new()), "{why}");
    }
}

#[test]
fn an_integer_becomes_its_digits_where_a_text_is_due() {
    let text = json!({"type": "string"});
    for digits in ["10045", "1234567890123456789", "123456789012345678901234567890", "-7", "0"] {
        let expected = (json!(digits), vec!["digits_as_text /v".to_owned()]);
        assert_eq!(mended(&text, digits), expected, "{digits}");
    }
    let cases = [
        ("a fraction has other spellings", json!({"type": "string"}), "1.50"),
        ("so has an exponent", json!({"type": "string"}), "1e3"),
        ("a boolean is not an integer", json!({"type": "string"}), "true"),
        ("the digits do not fit the pattern", json!({"type": "string", "pattern": "^x"}), "5"),
        ("the digits are none of the values", json!({"enum": ["a", "b"]}), "5"),
        (
            "a number is due as well, and too small",
            json!({"type": ["string", "integer"], "minimum": 9}),
            "5",
        ),
    ];
    for (why, property, sent) in cases {
        assert_eq!(refused(&property, sent).len(), 1, "{why}");
    }
}

#[test]
fn a_boolean_in_quotes_becomes_a_boolean_where_one_is_due() {
    let boolean = json!({"type": "boolean"});
    let mends = vec!["boolean_from_text /v".to_owned()];
    assert_eq!(mended(&boolean, r#""true""#), (json!(true), mends.clone()));
    assert_eq!(mended(&boolean, r#""false""#), (json!(false), mends));
    for sent in [r#""True""#, r#""yes""#, r#""1""#, "1", "0", r#""""#, r#"" true""#] {
        assert_eq!(refused(&boolean, sent).len(), 1, "{sent}");
    }
    assert_eq!(refused(&json!({"const": false}), r#""true""#).len(), 1, "the other boolean");
}

#[test]
fn json_text_is_read_where_its_value_is_due() {
    let list = json!({"type": "array", "items": {"type": "string"}});
    let object =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let read = vec!["json_text_parsed /v".to_owned()];
    assert_eq!(mended(&list, r#""[\"test\"]""#), (json!(["test"]), read.clone()));
    assert_eq!(mended(&object, r#""{\"n\":1}""#), (json!({"n": 1}), read));
    // What is inside is mended like anything else.
    let both = vec!["json_text_parsed /v".to_owned(), "number_from_text /v/n".to_owned()];
    assert_eq!(mended(&object, r#""{\"n\":\"1\"}""#), (json!({"n": 1}), both));
    let twice = vec!["encoded_twice /v".to_owned()];
    assert_eq!(mended(&object, r#""\"{\\\"n\\\":1}\"""#), (json!({"n": 1}), twice));
    let fenced = vec!["fence_removed /v".to_owned()];
    assert_eq!(mended(&object, r#""```json\n{\"n\":1}\n```""#), (json!({"n": 1}), fenced));

    let cases = [
        ("cut off", &list, r#""[\"test\"""#),
        ("an object where a list is due", &list, r#""{\"n\":1}""#),
        ("a list where an object is due", &object, r#""[1]""#),
        ("not what the object wants", &object, r#""{\"m\":1}""#),
        ("a list of the wrong things", &list, r#""[true]""#),
        ("a key twice", &object, r#""{\"n\":1,\"n\":2}""#),
        ("words before it", &object, r#""Here: {\"n\":1}""#),
        ("separated by commas", &list, r#""a,b""#),
        ("encoded three times", &json!({"type": "array"}), r#""\"\\\"[]\\\"\"""#),
    ];
    for (why, property, sent) in cases {
        assert_eq!(refused(property, sent).len(), 1, "{why}");
    }
}

#[test]
fn an_object_becomes_json_text_where_a_text_is_due() {
    let text = json!({"type": "string"});
    let (value, mends) = mended(&text, r#"{"b":1.50,"a":[{}]}"#);
    assert_eq!(value, json!(r#"{"b":1.50,"a":[{}]}"#));
    assert_eq!(mends, ["object_as_text /v"]);
    assert_eq!(refused(&text, "[1]").len(), 1, "a list has no one reading as a text");
    assert_eq!(refused(&json!({"type": "string", "maxLength": 3}), r#"{"a":1}"#).len(), 1);
}

#[test]
fn null_is_dropped_where_it_stands_for_nothing() {
    let optional = json!({"type": "string"});
    assert_eq!(mended(&optional, "null"), (json!("(absent)"), vec!["null_dropped /v".to_owned()]));
    assert_eq!(mended(&json!({"type": ["string", "null"]}), "null"), (Value::Null, Vec::new()));

    let required = schema(&json!({"properties": {"v": {"type": "string"}}, "required": ["v"]}));
    assert_eq!(told(&required, r#"{"v":null}"#), ["/v: type string, got null"]);
    let map = schema(&json!({"additionalProperties": {"type": "string"}}));
    assert_eq!(told(&map, r#"{"v":null}"#).len(), 1, "in a map, null may mean to delete");
    let list = json!({"type": "array", "items": {"type": "string"}});
    assert_eq!(refused(&list, r#"["a",null]"#).len(), 1, "an item is not optional");
    let closed = schema(&json!({"properties": {"v": {}}, "additionalProperties": false}));
    assert_eq!(told(&closed, r#"{"w":null}"#).len(), 1, "no such property");
}

#[test]
fn the_word_null_is_dropped_only_where_no_text_is_due() {
    let dropped = (json!("(absent)"), vec!["null_text_dropped /v".to_owned()]);
    assert_eq!(mended(&json!({"type": "integer"}), r#""null""#), dropped);
    let nulled = (Value::Null, vec!["null_from_text /v".to_owned()]);
    assert_eq!(mended(&json!({"type": ["integer", "null"]}), r#""null""#), nulled);

    assert_eq!(mended(&json!({"type": "string"}), r#""null""#), (json!("null"), Vec::new()));
    let cases = [
        ("a text of few values is a text", json!({"enum": ["a", "b"]}), r#""null""#),
        (
            "a text that is too long is a text",
            json!({"type": "string", "maxLength": 2}),
            r#""null""#,
        ),
        ("another spelling", json!({"type": "integer"}), r#""None""#),
        ("another word", json!({"type": "integer"}), r#""undefined""#),
    ];
    for (why, property, sent) in cases {
        assert_eq!(refused(&property, sent).len(), 1, "{why}");
    }
    let required = schema(&json!({"properties": {"v": {"type": "integer"}}, "required": ["v"]}));
    assert_eq!(told(&required, r#"{"v":"null"}"#), [r#"/v: type integer, got "null""#]);
}

#[test]
fn a_single_value_becomes_a_list_only_when_the_agent_opts_in() {
    let list = one(&json!({"type": "array", "items": {"type": "integer"}}));
    let opted = MendOptions { single_as_array: true };
    let check = |text| match list.check(RawArguments::Text(text), opted) {
        Checked::Valid { arguments, mends } => (Value::Object(arguments), names(&mends)),
        Checked::Invalid(error) => (json!(error.violations()), Vec::new()),
    };
    assert_eq!(told(&list, r#"{"v":5}"#), ["/v: type array, got 5"]);
    assert_eq!(check(r#"{"v":5}"#), (json!({"v": [5]}), vec!["single_as_array /v".to_owned()]));
    let both = vec!["single_as_array /v".to_owned(), "number_from_text /v/0".to_owned()];
    assert_eq!(check(r#"{"v":"5"}"#), (json!({"v": [5]}), both));
    let read = vec!["json_text_parsed /v".to_owned()];
    assert_eq!(check(r#"{"v":"[5]"}"#), (json!({"v": [5]}), read), "JSON text comes first");
    assert_eq!(check(r#"{"v":[5]}"#), (json!({"v": [5]}), Vec::new()));
    assert_eq!(check(r#"{"v":null}"#), (json!({}), vec!["null_dropped /v".to_owned()]));
    assert!(check(r#"{"v":"x"}"#).0.is_array(), "the item would not be valid");
}

#[test]
fn mends_reach_wherever_a_schema_reaches() {
    let number = json!({"type": "integer"});
    let item = json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}});
    let source = json!({
        "type": "object",
        "$defs": {"n": number, "item": item, "tree": {
            "type": "object",
            "properties": {"n": number, "below": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
        }},
        "properties": {
            "list": {"type": "array", "items": {"$ref": "#/$defs/item"}},
            "pair": {"type": "array", "prefixItems": [number, {"type": "boolean"}], "items": number},
            "map": {"type": "object", "additionalProperties": number},
            "named": {"type": "object", "patternProperties": {"^n_": number}},
            "all": {"allOf": [{"type": "object"}, {"properties": {"n": number}}]},
            "tree": {"$ref": "#/$defs/tree"},
            "a/b~c": number,
            "cond": {"if": {"required": ["k"]}, "then": {"properties": {"n": number}}},
            "dep": {"dependentSchemas": {"k": {"properties": {"n": number}}}},
        },
    });
    let cases = [
        ("items through a reference", r#"{"list":[{"n":1},{"n":"2"}]}"#, "/list/1/n"),
        ("the first item of a tuple", r#"{"pair":["1",true]}"#, "/pair/0"),
        ("the rest of a tuple", r#"{"pair":[1,true,"3"]}"#, "/pair/2"),
        ("a map", r#"{"map":{"x":"1"}}"#, "/map/x"),
        ("names by pattern", r#"{"named":{"n_a":"1"}}"#, "/named/n_a"),
        ("allOf", r#"{"all":{"n":"1"}}"#, "/all/n"),
        (
            "a recursive schema",
            r#"{"tree":{"below":[{"below":[{"n":"1"}]}]}}"#,
            "/tree/below/0/below/0/n",
        ),
        ("a name that needs escaping", r#"{"a/b~c":"1"}"#, "/a~1b~0c"),
        ("the side of `if` that holds", r#"{"cond":{"k":1,"n":"1"}}"#, "/cond/n"),
        ("a schema that depends on a name", r#"{"dep":{"k":1,"n":"1"}}"#, "/dep/n"),
    ];
    let schema = schema(&source);
    for (why, text, path) in cases {
        assert_eq!(valid(&schema, text).1, [format!("number_from_text {path}")], "{why}");
    }
    let untouched = [r#"{"cond":{"n":"1"}}"#, r#"{"dep":{"n":"1"}}"#, r#"{"named":{"x":"1"}}"#];
    for text in untouched {
        assert!(valid(&schema, text).1.is_empty(), "{text}");
    }
}

#[test]
fn of_alternatives_the_only_one_that_can_be_mended_is() {
    let clear = json!({"anyOf": [{"type": "integer"}, {"type": "boolean"}]});
    assert_eq!(mended(&clear, r#""5""#).1, ["number_from_text /v"]);
    let tagged = json!({"oneOf": [
        {"properties": {"kind": {"const": "card"}, "n": {"type": "integer"}}, "required": ["kind"]},
        {"properties": {"kind": {"const": "cash"}, "n": {"type": "boolean"}}, "required": ["kind"]},
    ]});
    assert_eq!(mended(&tagged, r#"{"kind":"card","n":"5"}"#).1, ["number_from_text /v/n"]);
    let pattern = json!({"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^x"}]});
    assert_eq!(mended(&pattern, r#""5""#).1, ["number_from_text /v"]);

    let boxed = json!({"oneOf": [{"type": "object", "required": ["n"]}, {"type": "array"}]});
    assert_eq!(mended(&boxed, r#""{\"n\":1}""#).1, ["json_text_parsed /v"]);
}

#[test]
fn two_alternatives_that_can_both_be_mended_are_a_guess() {
    let branch = |n: &str, m: &str| json!({"properties": {"n": {"type": n}, "m": {"type": m}}});
    let cases = [
        (
            "a number for either",
            branch("integer", "string"),
            branch("string", "integer"),
            r#"{"n":"1","m":"2"}"#,
        ),
        (
            "both to numbers or both to texts",
            branch("integer", "integer"),
            branch("string", "string"),
            r#"{"n":"1","m":2}"#,
        ),
        (
            "the word null, left out of either",
            branch("integer", "string"),
            branch("string", "boolean"),
            r#"{"n":"null","m":"null"}"#,
        ),
    ];
    for (why, one, other, sent) in cases {
        let (first, second) = (&one["properties"], &other["properties"]);
        let required = json!({"required": ["x"]});
        let both = json!({"anyOf": [{"properties": first}, {"properties": second}, required]});
        assert!(!refused(&both, sent).is_empty(), "{why}");
    }
    // The same result by two ways is no guess.
    let same = json!({"anyOf": [{"type": "integer"}, {"type": "number", "minimum": 0}]});
    assert_eq!(mended(&same, r#""5""#), (json!(5), vec!["number_from_text /v".to_owned()]));
}

#[test]
fn what_can_be_mended_is_not_reported_beside_what_cannot() {
    let source = json!({"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}});
    assert_eq!(told(&schema(&source), r#"{"a":"1","b":"x"}"#), [r#"/b: type integer, got "x""#]);
}
