//! What holds for every text and value.

use jiff::tz::TimeZone;
use manos_text::{
    Formats, Labels, Language, Locale, Money, Question, QuestionForm, SUMMARY_CHARS_MAX, Template,
    Texts, Values, argument_lines, result_summary, safe_text, safe_value,
};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Text with much of what a trickster would use.
fn tricky() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "[ -~]{0,6}",
        prop::sample::select(vec![
            "\r\n",
            "\u{202e}",
            "\u{200d}",
            "\u{fe0f}",
            "👍🏽",
            "👨‍👩‍👧",
            "🏴",
            "\u{e0067}",
            "\u{e007f}",
            "pаypal",
            "а",
            "a",
            "⚠",
            "_",
            "    ",
            "\u{301}",
            "\u{a0}",
            "1",
            "\u{20e3}",
            "\0",
            "{{",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        tricky().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((tricky(), inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn hides_something(text: &str) -> bool {
    let direction = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}');
    text.chars().any(|c| c.is_control() || direction(c) || (c.is_whitespace() && c != ' '))
}

proptest! {
    #[test]
    fn safe_text_is_one_line_without_tricks(text in tricky()) {
        let safe = safe_text(&text);
        prop_assert!(!hides_something(&safe), "{safe:?}");
        prop_assert!(!safe.contains("    "), "{safe:?}");
    }

    #[test]
    fn safe_text_stays_as_it_is(text in tricky()) {
        let once = safe_text(&text).into_owned();
        prop_assert_eq!(safe_text(&once), once.as_str());
    }

    #[test]
    fn plain_text_is_not_touched(text in "([a-zA-Z0-9ñÑáéíóúü¿¡.,:;$€()+*/-]{1,8} ?){0,6}") {
        prop_assert_eq!(safe_text(&text), text.as_str());
    }

    #[test]
    fn every_line_of_the_arguments_is_ours(value in json()) {
        let arguments = Map::from_iter([("a".to_owned(), value)]);
        let lines = argument_lines(&arguments, &Labels::new());
        for line in lines.lines() {
            prop_assert!(line.trim_start().starts_with("• "), "{line:?}");
        }
        prop_assert!(!hides_something(&lines.replace('\n', "")), "{lines:?}");
    }

    #[test]
    fn no_value_of_the_arguments_is_left_out(value in json()) {
        let arguments = Map::from_iter([("a".to_owned(), value.clone())]);
        let lines = argument_lines(&arguments, &Labels::new());
        let unquoted = lines.replace("\\\"", "\"").replace("\\\\", "\\");
        for text in texts_of(&safe_value(&value)) {
            prop_assert!(lines.contains(&text) || unquoted.contains(&text), "{text:?} in {lines:?}");
        }
    }

    #[test]
    fn a_summary_is_short_and_one_line(value in json()) {
        let summary = result_summary(&value);
        prop_assert!(summary.chars().count() <= SUMMARY_CHARS_MAX);
        prop_assert!(!hides_something(&summary), "{summary:?}");
    }

    #[test]
    fn a_question_shows_its_lines_and_adds_only_its_own(title in tricky(), value in json()) {
        let lines = argument_lines(&Map::from_iter([("a".to_owned(), value)]), &Labels::new());
        let form = QuestionForm::Written;
        for language in Language::ALL {
            let question = Question { title: &title, lines: &lines, form, repeat: None };
            let text = Texts::new(language).question(&question);
            prop_assert!(text.contains(&lines));
            prop_assert_eq!(text.lines().count(), lines.lines().count() + 2);
        }
    }

    #[test]
    fn no_source_and_no_value_makes_a_template_panic(source in tricky(), value in json()) {
        let formats = Formats::new(&Locale::from(Language::En), Money::default(), TimeZone::UTC);
        let vars = Map::from_iter([("a".to_owned(), value)]);
        for source in [source.clone(), format!("{{{{ a }}}}{{{{ {source} }}}}")] {
            if let Ok(template) = Template::compile(&source) {
                let _either = template.render(Values::Safe, &formats, &vars);
            }
        }
    }

    #[test]
    fn a_safe_rendering_makes_no_lines_of_its_own(text in tricky()) {
        let formats = Formats::new(&Locale::from(Language::En), Money::default(), TimeZone::UTC);
        let vars = Map::from_iter([("a".to_owned(), Value::from(text))]);
        let shown = Template::compile("{{ a }}").unwrap().render(Values::Safe, &formats, &vars);
        prop_assert!(!hides_something(&shown.unwrap()));
    }
}

/// The plain values; keys of amounts are left unsaid on purpose.
fn texts_of(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts_of).collect(),
        Value::Object(map) => map.values().flat_map(texts_of).collect(),
        other => vec![other.to_string()],
    }
}
