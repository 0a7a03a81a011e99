//! Orders belong to their chat, and arguments stay values.

use serde_json::json;

use crate::environment::TestEnvironment;

fn call(bakery: &TestEnvironment, user: &str, tool: &str, arguments: &str) -> (i32, String) {
    let ran =
        bakery.run(&["call", "agent.yaml", tool, "--yes", "--user", user, "--args", arguments]);
    (ran.code.unwrap(), ran.stdout)
}

const ONE_COFFEE: &str = r#"{"items":[{"producto":"cafe","cantidad":1}]}"#;

#[test]
fn orders_of_another_chat_cannot_be_seen_changed_or_cancelled() {
    let bakery = TestEnvironment::bakery();
    call(&bakery, "ana", "crear_pedido", ONE_COFFEE);
    assert_eq!(call(&bakery, "luis", "mis_pedidos", "{}"), (0, "[]\n".to_owned()));
    let strange =
        "{\"error\":\"No encuentro el pedido P-1001. Mira tus pedidos para ver el id.\"}\n";
    let id = r#"{"id":"P-1001"}"#;
    assert_eq!(call(&bakery, "luis", "cancelar_pedido", id), (1, strange.to_owned()));
    let change = r#"{"id":"P-1001","items":[{"producto":"cafe","cantidad":9}]}"#;
    assert_eq!(call(&bakery, "luis", "actualizar_pedido", change), (1, strange.to_owned()));
    assert_eq!(bakery.orders(), ["P-1001 terminal:ana confirmado 3500"]);
}

#[test]
fn no_argument_chooses_the_chat() {
    let bakery = TestEnvironment::bakery();
    call(&bakery, "ana", "crear_pedido", ONE_COFFEE);
    for name in ["ctx_chat", "chat", "ctx_user", "ctx_run"] {
        let mut arguments = json!({"id": "P-1001"});
        arguments[name] = json!("terminal:ana");
        let (code, printed) = call(&bakery, "luis", "cancelar_pedido", &arguments.to_string());
        assert_eq!(code, 1, "{name}: {printed}");
        assert!(printed.contains("invalid_arguments"), "{name}: {printed}");
    }
    assert_eq!(bakery.orders(), ["P-1001 terminal:ana confirmado 3500"]);
}

#[test]
fn sql_in_an_argument_is_only_text() {
    let bakery = TestEnvironment::bakery();
    call(&bakery, "ana", "crear_pedido", ONE_COFFEE);
    let wild = [
        "P-1001' or '1'='1",
        "'; drop table pedidos; --",
        "P-1001\u{0} union select 1",
        "%",
        "P-____",
        ":ctx_chat",
        "x') or chat=(select chat",
    ];
    for text in wild {
        for tool in ["cancelar_pedido", "actualizar_pedido"] {
            let mut arguments = json!({ "id": text });
            if tool == "actualizar_pedido" {
                arguments["items"] = json!([{"producto": "cafe", "cantidad": 2}]);
            }
            let (code, printed) = call(&bakery, "luis", tool, &arguments.to_string());
            assert_eq!(code, 1, "{tool} {text}: {printed}");
        }
        for tool in ["crear_pedido", "cotizar_pedido"] {
            let arguments = json!({"items": [{"producto": text, "cantidad": 1}]});
            let (code, printed) = call(&bakery, "luis", tool, &arguments.to_string());
            assert!(code == 1 && printed.contains("invalid_arguments"), "{tool} {text}: {printed}");
        }
    }
    assert_eq!(bakery.orders(), ["P-1001 terminal:ana confirmado 3500"]);
    assert_eq!(bakery.shop("select count(*) || '' from menu"), ["6"]);
}

#[test]
fn a_chat_key_with_quotes_is_only_a_key() {
    let bakery = TestEnvironment::bakery();
    let wild = "x' or '1'='1";
    call(&bakery, "ana", "crear_pedido", ONE_COFFEE);
    assert_eq!(call(&bakery, wild, "mis_pedidos", "{}"), (0, "[]\n".to_owned()));
    call(&bakery, wild, "crear_pedido", ONE_COFFEE);
    let made =
        ["P-1001 terminal:ana confirmado 3500", "P-1002 terminal:x' or '1'='1 confirmado 3500"];
    assert_eq!(bakery.orders(), made);
}

#[test]
fn a_failure_halfway_leaves_nothing_behind() {
    let bakery = TestEnvironment::bakery();
    call(&bakery, "ana", "crear_pedido", ONE_COFFEE);
    let db = rusqlite::Connection::open(bakery.path("shop.db")).unwrap();
    db.execute("delete from menu where clave = 'bunuelo'", []).unwrap();
    drop(db);
    // Without the lookup that would refuse it, the second of two lines has no price.
    bakery.edit(
        "agent.yaml",
        "confirm: true\n    confirm_lines:\n      from: cotizar_pedido",
        "confirm: true\n    confirm_lines:\n      from: ver_menu",
    );
    bakery.edit("agent.yaml", "result.items", "[]");
    bakery.edit("agent.yaml", "{{ result.total | money }}", "?");
    let items =
        r#"{"items":[{"producto":"cafe","cantidad":1},{"producto":"bunuelo","cantidad":1}]}"#;
    let (code, printed) = call(&bakery, "ana", "crear_pedido", items);
    assert_eq!(code, 1, "{printed}");
    assert_eq!(bakery.orders(), ["P-1001 terminal:ana confirmado 3500"]);
    assert_eq!(bakery.shop("select count(*) || '' from lineas"), ["1"]);
}
