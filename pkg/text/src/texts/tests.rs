use std::collections::BTreeSet;

use fluent_syntax::ast::Entry;
use jiff::Timestamp;
use jiff::tz::{TimeZone, offset};

use super::*;

/// Every message of a catalogue with the variables that it uses.
fn messages(language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let resource = FluentResource::try_new(catalogue::source(language).to_owned())
        .unwrap_or_else(|(_, errors)| panic!("{language}: {errors:?}"));
    let mut out = BTreeMap::new();
    for entry in resource.entries() {
        if let Entry::Message(message) = entry {
            let variables = overrides::variables_of(message.value.as_ref().unwrap());
            let before = out.insert(message.id.name.to_owned(), variables);
            assert!(before.is_none(), "{language} says {} twice", message.id.name);
        }
    }
    out
}

#[test]
fn every_language_says_every_sentence_with_the_same_variables() {
    let keys: BTreeSet<&str> = Texts::keys().collect();
    for language in Language::ALL {
        let said = messages(language);
        let said_keys: BTreeSet<&str> = said.keys().map(String::as_str).collect();
        assert_eq!(said_keys, keys, "{language}");
        for (key, used) in said {
            // The question's title and lines are there for wordings that want the whole.
            let known: BTreeSet<String> = match key.as_str() {
                "confirm" | "confirm-buttons" => BTreeSet::new(),
                key => Texts::variables(key).unwrap().iter().map(|&v| v.to_owned()).collect(),
            };
            assert_eq!(used, known, "{language}: {key}");
        }
    }
}

#[test]
fn buttons_fit_on_every_platform() {
    for language in Language::ALL {
        for say in [Say::ButtonYes, Say::ButtonNo] {
            let label = Texts::new(language).say(&say);
            assert!((1..=20).contains(&label.chars().count()), "{language}: {label}");
        }
    }
}

#[test]
fn fixed_strings_are_exactly_those_of_the_contract() {
    let (es, en) = (Texts::new(Language::Es), Texts::new(Language::En));
    let repeat = es.repeat_warning("Crear pedido", Repeat::Done { result: "…" });
    let cases = [
        (es.say(&Say::ConfirmExpired), "Esa confirmación ya no está activa."),
        (en.say(&Say::ConfirmExpired), "That confirmation is no longer active."),
        (es.answered(Choice::Yes), "Respuesta recibida: Sí."),
        (en.answered(Choice::Yes), "Answer received: Yes."),
        (es.answered(Choice::No), "Respuesta recibida: No."),
        (es.choice(Choice::Yes), "→ Sí"),
        (es.say(&Say::ResetDone), "Conversación reiniciada."),
        (
            repeat,
            "Ojo: ya hice «Crear pedido» hace un momento (resultado: …). \
             Si confirmas, se hará otra vez.",
        ),
    ];
    for (said, expected) in cases {
        assert_eq!(said, expected);
    }
    for language in Language::ALL {
        let instruction = Texts::new(language).say(&Say::RejectedInstruction);
        assert!(instruction.contains("do not retry"), "{language}: models know these words");
    }
}

fn wordings(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect()
}

fn ask(texts: &Texts, form: QuestionForm) -> String {
    texts.question(&Question { title: "Pagar", lines: "• total: 5\n", form, repeat: None })
}

#[test]
fn a_wording_for_writing_serves_the_buttons_too() {
    use QuestionForm::{Buttons, Menu, Written};
    let own =
        |pairs: &[(&str, &str)]| Texts::with_overrides(Language::Es, &wordings(pairs)).unwrap();

    let tail_only = own(&[("ai.tools.confirm", "¿Seguro? (sí/no)")]);
    assert_eq!(ask(&tail_only, Written), "Voy a: Pagar\n• total: 5\n¿Seguro? (sí/no)");
    assert_eq!(ask(&tail_only, Buttons), "Voy a: Pagar\n• total: 5\n¿Seguro?");
    assert_eq!(ask(&tail_only, Menu), "Voy a: Pagar\n• total: 5\n¿Seguro?\n1. Sí\n2. No");

    let other_tail = own(&[("confirm", "¿Va? (di sí o no)")]);
    assert_eq!(ask(&other_tail, Buttons), "Voy a: Pagar\n• total: 5\n¿Va? (di sí o no)");

    let both = own(&[("confirm", "¿Va? (sí/no)"), ("confirmButtons", "¿Listo?")]);
    assert_eq!(ask(&both, Written), "Voy a: Pagar\n• total: 5\n¿Va? (sí/no)");
    assert_eq!(ask(&both, Buttons), "Voy a: Pagar\n• total: 5\n¿Listo?");

    let whole = own(&[("confirm", "Haré { $title }:\n{ $lines }\n¿Vale? (Sí / No)")]);
    assert_eq!(ask(&whole, Written), "Haré Pagar:\n• total: 5\n¿Vale? (Sí / No)");
    assert_eq!(ask(&whole, Buttons), "Haré Pagar:\n• total: 5\n¿Vale?");
    let bare = Question { title: "Pagar", lines: "", form: Written, repeat: None };
    assert_eq!(whole.question(&bare), "Haré Pagar:\n¿Vale? (Sí / No)", "no empty line");
    assert_eq!(whole.ask(Buttons, "Pagar"), "¿Confirmas?", "the short question stays short");
}

#[test]
fn lines_are_shown_even_when_a_wording_forgets_them() {
    let own = wordings(&[("confirm", "¿{ $title }, entonces? (sí/no)")]);
    let texts = Texts::with_overrides(Language::Es, &own).unwrap();
    assert_eq!(
        ask(&texts, QuestionForm::Written),
        "Voy a: Pagar\n• total: 5\n¿Pagar, entonces? (sí/no)",
    );
}

#[test]
fn a_wording_is_read_as_its_author_meant_it() {
    let cases = [
        ("confirmExpired", "Tarde.\n\nMuy tarde.", "Tarde.\n\nMuy tarde."),
        ("confirm_expired", "* uno\n[dos]\n.tres", "* uno\n[dos]\n.tres"),
        ("confirm-expired", "a = b # c", "a = b # c"),
        ("ai.tools.confirmExpired", "«Ñandú» 👍", "«Ñandú» 👍"),
    ];
    for (key, wording, expected) in cases {
        let texts = Texts::with_overrides(Language::Es, &wordings(&[(key, wording)])).unwrap();
        assert_eq!(texts.say(&Say::ConfirmExpired), expected, "{key}");
    }
    let plural = "{ $max ->\n  [one] Una letra\n *[other] { $max } letras\n}";
    let texts =
        Texts::with_overrides(Language::Es, &wordings(&[("message-too-long", plural)])).unwrap();
    assert_eq!(texts.say(&Say::MessageTooLong { max: 1 }), "Una letra");
    assert_eq!(texts.say(&Say::MessageTooLong { max: 8000 }), "8000 letras");
}

#[test]
fn a_wording_that_does_not_fit_is_refused() {
    let long = "x".repeat(9000);
    let cases = [
        ("confirmado", "x", "there is no text \"confirmado\""),
        ("confirm", "  ", "the text \"confirm\" is empty"),
        ("confirm", "{ $titulo }?", "has no variable $titulo; it has $title, $lines"),
        ("reset-done", "{ $x }", "has no variable $x; it has none"),
        ("reset-done", "{ NUMBER(1) }", "uses NUMBER()"),
        ("reset-done", "{ help }", "uses help"),
        ("reset-done", "{ -brand }", "uses -brand"),
        ("reset-done", "a { b", "cannot be read"),
        ("reset-done", "{ $", "cannot be read"),
        ("reset-done", long.as_str(), "has 9000 bytes"),
        ("button-yes", "Sí, quiero confirmarlo", "a button has room for 20"),
    ];
    for (key, wording, expected) in cases {
        let error = Texts::with_overrides(Language::Es, &wordings(&[(key, wording)])).unwrap_err();
        assert!(error.to_string().contains(expected), "{key} {wording:.20}: {error}");
        assert_eq!(error.key(), key);
    }
}

#[test]
fn notes_for_the_model_are_stable_and_bounded() {
    let at: Timestamp = "2026-01-06T03:05:00Z".parse().unwrap();
    let at = at.to_zoned(TimeZone::fixed(offset(-5)));
    let texts = Texts::new(Language::En);
    assert_eq!(texts.now_line(&at), "Now: Monday, 5 January 2026, 22:05 (UTC-05:00).");
    assert_eq!(texts.done_note(&[]), None, "nothing done, nothing said");
    let done = DoneRun { at: &at, tool: "pay", arguments: "{\"total\":5}", result: Some("ok") };
    let unknown = DoneRun { result: None, ..done };
    insta::assert_snapshot!(texts.done_note(&[done, unknown]).unwrap(), @r#"
    Actions of this chat, newest first. Do not repeat them unless the person asks for it:
    - 2026-01-05 22:05: pay {"total":5} → ok
    - 2026-01-05 22:05: pay {"total":5} → outcome unknown: it may have been done
    "#);
    assert_eq!(texts.done_note(&[done; 30]).unwrap().lines().count(), 11, "ten runs at most");
}

#[test]
fn help_lists_what_can_be_written() {
    let commands = [Command::Own("menú"), Command::Help, Command::Reset];
    insta::assert_snapshot!(Texts::new(Language::Es).no_match(&commands), @"
    No te entendí. Puedes escribir:
    • menú
    • /help: muestra esta ayuda
    • /reset: empieza de nuevo la conversación
    ");
    let all = [Command::Help, Command::Reset, Command::Tools, Command::Tool];
    assert_eq!(Texts::new(Language::En).help(&all).lines().count(), 5);
}

#[test]
fn an_injected_title_cannot_break_the_question() {
    let question = Question {
        title: "Pagar\n¿Confirmas? { $lines }",
        lines: "",
        form: QuestionForm::Buttons,
        repeat: Some(Repeat::Unknown),
    };
    let text = Texts::new(Language::Es).question(&question);
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains("Pagar⏎¿Confirmas? { $lines }"), "{text}");
}
