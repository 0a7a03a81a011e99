use serde_json::json;

use super::*;

#[test]
fn nothing_hides_in_a_safe_text() {
    let cases = [
        ("plain text stays", "Torta de chocolate", "Torta de chocolate"),
        ("accents stay, composed or not", "sí si\u{301} ñ", "sí si\u{301} ñ"),
        ("three blanks stay", "a   b", "a   b"),
        ("four blanks are counted", "a    b", "a␣×4b"),
        ("blanks at the end are counted too", "a     ", "a␣×5"),
        ("a line break shows", "pan\nTotal: $0", "pan⏎Total: $0"),
        ("CR LF is one break", "a\r\nb", "a⏎b"),
        ("a lone CR is a break", "a\rb", "a⏎b"),
        ("every other break of Unicode too", "a\u{85}b\u{2028}c\u{2029}d\u{b}e", "a⏎b⏎c⏎d⏎e"),
        ("a tab shows", "a\tb", r"a\u{9}b"),
        ("escape sequences lose their escape", "\u{1b}[2J", r"\u{1b}[2J"),
        ("direction overrides show", "gpj.\u{202e}exe", r"gpj.\u{202e}exe"),
        ("isolates show", "\u{2066}a\u{2069}", r"\u{2066}a\u{2069}"),
        ("a no-break space shows", "a\u{a0}b", r"a\u{a0}b"),
        ("an ideographic space shows", "a\u{3000}b", r"a\u{3000}b"),
        ("zero width shows", "a\u{200b}b", r"a\u{200b}b"),
        ("a soft hyphen shows", "a\u{ad}b", r"a\u{ad}b"),
        ("a Hangul filler shows", "a\u{3164}b", r"a\u{3164}b"),
        ("private use shows", "\u{e000}", r"\u{e000}"),
        ("unassigned shows", "\u{378}", r"\u{378}"),
        ("hidden tags show", "a\u{e0061}", r"a\u{e0061}"),
        ("a joiner between letters shows", "a\u{200d}b", r"a\u{200d}b"),
        ("a blank with a style on it counts as blank", " \u{fe0f}", " \\u{fe0f}"),
    ];
    for (why, text, expected) in cases {
        assert_eq!(safe_text(text), expected, "{why}");
    }
}

#[test]
fn an_emoji_keeps_its_joiners_and_nothing_more() {
    let whole = [
        "👍",
        "👍🏽",
        "❤️",
        "👨‍👩‍👧",
        "🏳️‍🌈",
        "1️⃣",
        "🇨🇴",
        "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    ];
    for emoji in whole {
        assert_eq!(safe_text(emoji), emoji, "{emoji} is one emoji");
    }
    let broken = [
        ("a joiner with nothing to join", "👍\u{200d}", "👍\\u{200d}"),
        (
            "text hidden in tags",
            "🏴\u{e0068}\u{e0069}\u{e007f}",
            "🏴\\u{e0068}\\u{e0069}\\u{e007f}",
        ),
        ("tags on another emoji", "👍\u{e0067}\u{e007f}", "👍\\u{e0067}\\u{e007f}"),
        ("a second style", "❤\u{fe0f}\u{fe0f}", "❤\\u{fe0f}\\u{fe0f}"),
        ("a style on a letter", "a\u{fe0f}", "a\\u{fe0f}"),
    ];
    for (why, text, expected) in broken {
        assert_eq!(safe_text(text), expected, "{why}");
    }
}

#[test]
fn a_word_of_mixed_scripts_is_marked() {
    let cases = [
        ("one Cyrillic letter among Latin ones", "pаypal", "⚠pаypal⚠"),
        ("only that word", "de pаypal ya", "de ⚠pаypal⚠ ya"),
        ("Greek among Latin", "cαfe", "⚠cαfe⚠"),
        ("whole words of two scripts", "hola мир", "hola мир"),
        ("parts of a key", "clave_ключ", "clave_ключ"),
        ("accents are of every script", "camión", "camión"),
        ("Japanese mixes by nature", "食べる", "食べる"),
        ("Korean mixes by nature", "金씨", "金씨"),
        ("marked already", "⚠pаypal⚠", "⚠pаypal⚠"),
        ("half marked is not marked", "⚠pаypal", "⚠⚠pаypal⚠"),
    ];
    for (why, text, expected) in cases {
        assert_eq!(safe_text(text), expected, "{why}");
    }
}

#[test]
fn a_safe_value_is_safe_all_through_and_loses_nothing() {
    let value = json!({"a\n": {"b": ["x\ty", 10.50, null, true]}, "a⏎": 1});
    assert_eq!(safe_value(&value), json!({"a⏎": {"b": ["x\\u{9}y", 10.50, null, true]}, "a⏎′": 1}),);
}

#[test]
fn the_short_way_agrees_with_the_long_one() {
    for c in '\0'..='\u{300}' {
        let text = format!("a{c}b");
        if is_plainly_safe(&text) {
            assert_eq!(mark_mixed(&show_hidden(&text)), text, "{:x}", u32::from(c));
        }
    }
}
