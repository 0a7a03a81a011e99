//! The question of every language in every form, to be read by people who speak it.

use manos_text::{
    Choice, Labels, Language, Question, QuestionForm, Repeat, Texts, argument_lines, result_summary,
};
use serde_json::json;

fn every_form(language: Language) -> String {
    let texts = Texts::new(language);
    let arguments = json!({"items": [
        {"cantidad": 5, "producto": "torta"},
        {"cantidad": 2, "producto": "cafe"},
    ]});
    let words = [("torta", "Torta de chocolate"), ("cafe", "Café")];
    let words = words.map(|(raw, word)| (raw.to_owned(), word.into()));
    let labels = Labels::from([("producto".to_owned(), words.into())]);
    let lines = argument_lines(arguments.as_object().unwrap(), &labels);
    let result = result_summary(&json!({"id": "P-7", "items": [{"producto": "torta"}]}));
    let shapes = [
        (QuestionForm::Written, None),
        (QuestionForm::Buttons, Some(Repeat::Done { result: &result })),
        (QuestionForm::Menu, Some(Repeat::Unknown)),
    ];
    let mut out = Vec::new();
    for (form, repeat) in shapes {
        let question = Question { title: "Crear pedido", lines: &lines, form, repeat };
        out.push(texts.question(&question));
    }
    out.push(texts.choice(Choice::Yes));
    out.join("\n--\n")
}

macro_rules! question_of {
    ($($name:ident: $language:ident),+ $(,)?) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), every_form(Language::$language));
        }
    )+};
}

question_of! {
    the_question_in_catalan: Ca,
    the_question_in_english: En,
    the_question_in_french: Fr,
    the_question_in_german: De,
    the_question_in_italian: It,
    the_question_in_portuguese: Pt,
    the_question_in_spanish: Es,
}
