//! `manos chat --json`: a channel with buttons and edits.

use std::io::{BufRead as _, BufReader, Write as _};

use serde_json::Value;

use crate::environment::{TestEnvironment, masked};

/// The id of the newest question in what was printed.
fn question_id(printed: &str) -> String {
    let objects = printed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut questions = objects.filter(|object| object["type"] == "confirm");
    questions.next_back().unwrap()["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_press_answers_a_question_and_the_question_is_edited() {
    let bakery = TestEnvironment::bakery();
    let asked = bakery.chat_as(&["--json"], &["2 café"]);
    insta::assert_snapshot!(asked, @r#"
    {"type":"confirm","id":"c_ID","turn_id":"ID","tool":"crear_pedido","title":"Crear pedido","text":"Voy a: Crear pedido\n• 2 × Café: $7.000\nTotal: $7.000\n¿Confirmas?","buttons":[{"answer":"yes","label":"Sí"},{"answer":"no","label":"No"}],"expires_at":"TIME"}
    ! Hay una confirmación pendiente hasta las TIME: Crear pedido
    "#);
    let id = question_id(&asked.stdout);
    assert!(id.len() <= 38 && id.is_ascii(), "{id} and its answer must fit a button");
    let pressed = bakery.chat_as(&["--json"], &[&format!("/press {id} yes")]);
    insta::assert_snapshot!(pressed, @r#"
    {"type":"confirm","id":"c_ID","turn_id":"ID","tool":"crear_pedido","title":"Crear pedido","text":"Voy a: Crear pedido\n• 2 × Café: $7.000\nTotal: $7.000\n¿Confirmas?","buttons":[{"answer":"yes","label":"Sí"},{"answer":"no","label":"No"}],"expires_at":"TIME"}
    {"type":"edit","id":"c_ID","text":"Voy a: Crear pedido\n• 2 × Café: $7.000\nTotal: $7.000\n¿Confirmas?\n→ Sí"}
    {"type":"reply","turn_id":"ID","text":"Listo, tu pedido es el P-1001. Total: $7.000."}
    "#);
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 7000"]);
}

#[test]
fn a_press_on_an_old_question_never_answers_a_newer_one() {
    let bakery = TestEnvironment::bakery();
    let id = question_id(&bakery.chat_as(&["--json"], &["2 café", "no"]).stdout);
    let press = format!("/press {id} yes");
    let ran = bakery.chat_as(&["--json"], &["3 café", &press, &press]);
    insta::assert_snapshot!(ran, @r#"
    {"type":"confirm","id":"c_ID","turn_id":"ID","tool":"crear_pedido","title":"Crear pedido","text":"Voy a: Crear pedido\n• 3 × Café: $10.500\nTotal: $10.500\n¿Confirmas?","buttons":[{"answer":"yes","label":"Sí"},{"answer":"no","label":"No"}],"expires_at":"TIME"}
    ! Hay una confirmación pendiente hasta las TIME: Crear pedido
    "#);
    assert_eq!(bakery.orders(), [] as [&str; 0]);
    let stale = bakery.event_types().into_iter().filter(|kind| kind == "confirm.stale_press");
    assert_eq!(stale.count(), 2);
}

#[test]
fn two_presses_make_one_order() {
    let bakery = TestEnvironment::bakery();
    let id = question_id(&bakery.chat_as(&["--json"], &["2 café"]).stdout);
    let press = format!("/press {id} yes");
    bakery.chat_as(&["--json"], &[&press, &press, "sí"]);
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 7000"]);
}

#[test]
fn a_press_that_is_no_press_is_told() {
    let bakery = TestEnvironment::bakery();
    let ran = bakery.chat_as(&["--json"], &["/press c_1 perhaps", "/press c_1"]);
    insta::assert_snapshot!(ran, @r"
    ! error: a press is written /press ID yes or /press ID no
    ! error: a press is written /press ID yes or /press ID no
    ");
}

#[test]
fn a_question_that_expires_loses_its_buttons_while_the_person_is_there() {
    let bakery = TestEnvironment::bakery();
    bakery.edit("agent.yaml", "\nrules:", "\nconfirm: { timeout: 300ms }\n\nrules:");
    let mut talk = bakery.spawn(&["chat", "agent.yaml", "--json"]);
    let mut stdin = talk.stdin.take().unwrap();
    stdin.write_all("2 café\n".as_bytes()).unwrap();
    let mut said = BufReader::new(talk.stdout.take().unwrap()).lines().map(Result::unwrap);
    let edit = said.find(|line| line.contains("\"edit\"")).unwrap();
    insta::assert_snapshot!(masked(&edit), @r#"{"type":"edit","id":"c_ID","text":"Voy a: Crear pedido\n• 2 × Café: $7.000\nTotal: $7.000\n¿Confirmas?\n→ sin respuesta"}"#);
    stdin.write_all("sí\n".as_bytes()).unwrap();
    drop(stdin);
    assert!(said.any(|line| line.contains("No te entendí")));
    assert!(talk.wait().unwrap().success());
    assert_eq!(bakery.orders(), [] as [&str; 0]);
}
