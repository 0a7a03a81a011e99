//! Made-up workspaces that break one rule each.

use serde_json::{Value, json};

use super::{packages, violations};

fn dependency(name: &str, path: Option<&str>, kind: Option<&str>) -> Value {
    json!({"name": name, "path": path.map(|path| format!("/repo/{path}")), "kind": kind})
}

fn workspace(folder: &str, dependencies: &[Value]) -> Value {
    json!({
        "workspace_root": "/repo",
        "packages": [{"manifest_path": format!("/repo/{folder}/Cargo.toml"), "dependencies": dependencies}],
    })
}

fn broken(folder: &str, dependencies: &[Value]) -> Vec<String> {
    violations(&packages(&workspace(folder, dependencies)).unwrap())
}

#[test]
fn each_rule_is_broken_by_the_edge_it_is_about() {
    let cases = [
        ("pkg/engine", "shell/ports", "nothing in pkg/ points down"),
        ("pkg/model", "testkit", "nothing in pkg/ points down"),
        ("pkg/answer", "pkg/model", "not in the table"),
        ("pkg/policy", "pkg/engine", "not in the table"),
        ("shell/tools", "shell/store", "adapters never know each other"),
        ("shell/providers", "shell/tools", "adapters never know each other"),
        ("shell/runtime", "shell/store", "only the facade and the command name adapters"),
        ("shell/ports", "shell/net", "not in the table"),
        ("shell/store", "testkit", "dev-dependency only"),
        ("xtask", "pkg/model", "not in the table"),
    ];
    for (from, to, why) in cases {
        let found = broken(from, &[dependency("x", Some(to), None)]);
        assert_eq!(found.len(), 1, "{from} to {to}: {found:?}");
        assert!(found[0].contains(why), "{from} to {to}: {found:?}");
    }
}

#[test]
fn edges_of_the_table_are_free_of_complaint() {
    let cases = [
        ("pkg/policy", "pkg/schema"),
        ("shell/runtime", "shell/ports"),
        ("shell/facade", "shell/store"),
        ("shell/cli", "pkg/answer"),
        ("examples/bakery-rust", "shell/facade"),
        ("testkit", "shell/ports"),
    ];
    for (from, to) in cases {
        let found = broken(from, &[dependency("x", Some(to), None)]);
        assert_eq!(found, Vec::<String>::new(), "{from} to {to}");
    }
}

#[test]
fn a_library_outside_the_list_is_refused_in_pkg_alone() {
    let tokio = [dependency("tokio", None, None)];
    assert_eq!(
        broken("pkg/engine", &tokio),
        ["pkg/engine may not depend on tokio: it is not on the list of pure libraries"]
    );
    assert_eq!(broken("shell/store", &tokio), Vec::<String>::new());
    assert_eq!(broken("pkg/engine", &[dependency("serde", None, None)]), Vec::<String>::new());
}

#[test]
fn a_build_dependency_is_an_edge_and_a_dev_dependency_is_not() {
    let build = [dependency("cc", None, Some("build"))];
    assert_eq!(broken("pkg/model", &build).len(), 1);
    let dev =
        [dependency("x", Some("testkit"), Some("dev")), dependency("tokio", None, Some("dev"))];
    assert_eq!(broken("pkg/model", &dev), Vec::<String>::new());
}

#[test]
fn a_package_in_no_layer_is_named() {
    let found = broken("pkg/helpers", &[]);
    assert_eq!(found, ["pkg/helpers is in no layer: add it to the table of xtask"]);
}
