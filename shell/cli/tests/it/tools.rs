//! `manos tools`, `manos schema`, `manos completions`.

use serde_json::Value;

use crate::environment::TestEnvironment;

#[test]
fn tools_are_a_table_with_their_class() {
    let bakery = TestEnvironment::bakery();
    insta::assert_snapshot!(bakery.run(&["tools", "agent.yaml"]), @r"
    TOOL               TITLE            CLASS                     RUNS BY  TIMEOUT
    ver_menu           Ver el menú      read-only                 sql      15s
    cotizar_pedido     Cotizar          read-only                 sql      15s
    mis_pedidos        Mis pedidos      read-only                 sql      15s
    crear_pedido       Crear pedido     effect, confirm, dedupe   sql      15s
    actualizar_pedido  Cambiar pedido   effect, confirm           sql      15s
    cancelar_pedido    Cancelar pedido  effect, confirm, cancels  sql      15s
    ");
}

#[test]
fn a_provider_is_sent_the_tools_in_its_own_form() {
    let bakery = TestEnvironment::bakery();
    let ran = bakery.run(&["tools", "agent.yaml", "--provider", "openai"]);
    let sent: Value = serde_json::from_str(&ran.stdout).unwrap();
    let sent = sent.as_array().unwrap();
    let names: Vec<&str> =
        sent.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    let expected = [
        "ver_menu",
        "cotizar_pedido",
        "mis_pedidos",
        "crear_pedido",
        "actualizar_pedido",
        "cancelar_pedido",
    ];
    assert_eq!(names, expected);
    let items = &sent[3]["function"]["parameters"]["properties"]["items"];
    assert_eq!(items["items"]["properties"]["cantidad"]["maximum"], 50);
    for secret in ["sql", "insert", "ctx_", "shop"] {
        assert!(!ran.stdout.contains(secret), "a provider is not told of {secret}");
    }
}

#[test]
fn a_provider_that_is_not_spoken_is_said_to_be_so() {
    let bakery = TestEnvironment::bakery();
    let ran = bakery.run(&["tools", "agent.yaml", "--provider", "gemeni"]);
    assert_eq!(ran.code, Some(2), "{ran}");
    assert!(ran.stderr.contains("gemini"), "{ran}");
}

#[test]
fn each_provider_has_its_own_form_of_the_same_tools() {
    let bakery = TestEnvironment::bakery();
    let forms = [
        ("anthropic", "/3/name", "/3/input_schema/properties/items"),
        ("gemini", "/3/name", "/3/parameters/properties/items"),
        ("ollama", "/3/function/name", "/3/function/parameters/properties/items"),
        ("openai-responses", "/3/name", "/3/parameters/properties/items"),
        ("groq", "/3/function/name", "/3/function/parameters/properties/items"),
    ];
    for (provider, name, items) in forms {
        let ran = bakery.run(&["tools", "agent.yaml", "--provider", provider]);
        let sent: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(sent.pointer(name).unwrap(), "crear_pedido", "{provider}: {sent}");
        assert!(sent.pointer(items).unwrap().is_object(), "{provider}: {sent}");
    }
}

/// A tool whose name and schema no two providers are shown alike.
const BOOKING: &str = r#"
name: a
language: en
model: { provider: gemini, model: m, api_key: k }
tools:
  - name: book table
    read_only: true
    parameters:
      type: object
      properties:
        phone: { type: string, pattern: "^[0-9]+$" }
        guests: { type: integer, exclusiveMinimum: 0 }
      required: [phone]
    command: [printf, "1"]
"#;

#[test]
fn what_a_provider_is_shown_otherwise_is_said() {
    let folder = TestEnvironment::empty();
    folder.write("agent.yaml", BOOKING);
    insta::assert_snapshot!(folder.run(&["check", "agent.yaml"]), @r"
    agent.yaml: good
    ! note: gemini: `book table`: called `book_table` on the wire
    ! note: gemini: `book table`: /phone: `pattern` is not shown
    ! note: gemini: `book table`: /guests: `exclusiveMinimum` is not shown
    ");
    let sent = folder.run(&["tools", "agent.yaml", "--provider", "gemini"]);
    let lines: Vec<&str> = sent.stdout.lines().collect();
    assert_eq!(lines.len(), 1, "the exact JSON alone: {sent}");
    insta::assert_snapshot!(sent.stderr, @r"
    note: `book table`: called `book_table` on the wire
    note: `book table`: /phone: `pattern` is not shown
    note: `book table`: /guests: `exclusiveMinimum` is not shown
    note: whatever is not shown is checked all the same when a call comes
    ");
    let plain = folder.run(&["tools", "agent.yaml", "--provider", "openai"]);
    insta::assert_snapshot!(plain.stderr, @r"
    note: `book table`: called `book_table` on the wire
    note: whatever is not shown is checked all the same when a call comes
    ");
}

#[test]
fn the_schema_is_json_and_knows_the_keys_of_the_bakery() {
    let folder = TestEnvironment::empty();
    let ran = folder.run(&["schema"]);
    let schema: Value = serde_json::from_str(&ran.stdout).unwrap();
    for key in ["name", "model", "databases", "tools", "rules", "fallback"] {
        assert!(schema["properties"][key].is_object(), "{key}");
    }
}

#[test]
fn completions_name_every_command() {
    let folder = TestEnvironment::empty();
    for shell in ["bash", "zsh", "fish"] {
        let ran = folder.run(&["completions", shell]);
        for command in ["chat", "check", "classify", "replay"] {
            assert!(ran.stdout.contains(command), "{shell}: {command}");
        }
    }
}
