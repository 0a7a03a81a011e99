//! `manos check`: everything that is wrong, at once, with its place.

use crate::environment::TestEnvironment;

#[test]
fn the_bakery_is_good() {
    let bakery = TestEnvironment::bakery();
    insta::assert_snapshot!(bakery.run(&["check", "agent.yaml"]), @"agent.yaml: good");
    assert!(!bakery.path("espiga.db").exists() && !bakery.path("shop.db").exists());
}

#[test]
fn every_mistake_of_a_file_is_told_at_once_with_its_place() {
    let folder = TestEnvironment::empty();
    folder.write(
        "agent.yaml",
        r#"name: tienda
languge: es
tools:
  - name: a
    description: Uno.
    confirm: true
    sql: { database: shop, query: "select :x" }
  - name: a
    description: Otro.
    confirm: false
    command: [./b]
  - name: c
    description: Tres.
    confirm: false
    parameters: { type: objec }
    command: [./c]
rules:
  - when: { matches: "(" }
    then: { tool: d }
"#,
    );
    insta::assert_snapshot!(folder.run(&["check", "agent.yaml"]), @r#"
    agent.yaml: 7 mistakes
    ! error[config.unknown_key]: unknown key `languge`
    !  --> agent.yaml:2:1
    !   |
    ! 2 | languge: es
    !   | ^^^^^^^
    !   = did you mean `language`?
    ! error[config.unknown_name]: there is no database `shop`
    !  --> agent.yaml:7:22
    !   |
    ! 7 |     sql: { database: shop, query: "select :x" }
    !   |                      ^^^^
    !   = declare it under `databases`
    ! error[config.bad_argument]: nothing gives `:x` a value
    !  --> agent.yaml:7:43
    !   |
    ! 7 |     sql: { database: shop, query: "select :x" }
    !   |                                           ^^
    !   = add `x` to the schema's properties or to `fixed`
    ! error[config.duplicate_tool]: the tool `a` is here and on line 4; names are unique
    !  --> agent.yaml:8:11
    !   |
    ! 8 |   - name: a
    !   |           ^
    !   = rename one of them
    ! error[config.schema]: the root of the schema does not accept objects
    !   --> agent.yaml:15:25
    !    |
    ! 15 |     parameters: { type: objec }
    !    |                         ^^^^^
    !    = did you mean `object`?
    ! error[config.pattern]: this expression cannot be read: unclosed group
    !   --> agent.yaml:18:23
    !    |
    ! 18 |   - when: { matches: "(" }
    !    |                       ^
    ! error[config.unknown_name]: there is no tool `d`
    !   --> agent.yaml:19:19
    !    |
    ! 19 |     then: { tool: d }
    !    |                   ^
    !    = known here: `a`
    exit 1
    "#);
}

#[test]
fn a_tool_that_neither_reads_nor_says_whether_it_asks_is_named() {
    let folder = TestEnvironment::empty();
    folder.write(
        "agent.yaml",
        "name: a\nlanguage: en\ntools:\n  - { name: go, description: Goes., command: [./go] }\n",
    );
    insta::assert_snapshot!(folder.run(&["check", "agent.yaml"]), @r"
    agent.yaml: good, 1 warning
    ! warning[config.undecided_confirm]: `go` changes things and nobody is asked first
    !  --> agent.yaml:4:13
    !   |
    ! 4 |   - { name: go, description: Goes., command: [./go] }
    !   |             ^^
    !   = say `confirm: true` or `confirm: false`, or `read_only: true`
    ");
}

#[test]
fn several_files_are_all_looked_at() {
    let bakery = TestEnvironment::bakery();
    bakery.write("broken.yaml", "name: [\n");
    let ran = bakery.run(&["check", "none.yaml", "broken.yaml", "agent.yaml"]);
    insta::assert_snapshot!(ran, @r"
    broken.yaml: 1 mistake
    agent.yaml: good
    ! error: none.yaml cannot be read: No such file or directory (os error 2)
    ! error[config.syntax]: this is not YAML: while parsing a node, did not find expected node content
    !  --> broken.yaml:2:1
    !   |
    ! 2 | 
    !   | ^
    !   = check the quotes, brackets and indentation on this line and the one before
    exit 1
    ");
}

#[test]
fn online_opens_the_databases_and_reads_every_statement() {
    let bakery = TestEnvironment::bakery();
    insta::assert_snapshot!(bakery.run(&["check", "--online", "agent.yaml"]), @"agent.yaml: good");
    assert!(!bakery.path("shop.db").exists(), "looking makes nothing");
    bakery.edit("agent.yaml", "select clave, nombre, precio from", "select clave, nombe from");
    insta::assert_snapshot!(bakery.run(&["check", "--online", "agent.yaml"]), @r"
    ! error: the SQL of `ver_menu` does not suit its database: no such column: nombe in select clave, nombe from menu order by nombre at offset 14
    exit 1
    ");
}

#[test]
fn a_file_with_mistakes_runs_no_other_command() {
    let bakery = TestEnvironment::bakery();
    bakery.edit("agent.yaml", "dedupe: args", "dedup: args");
    insta::assert_snapshot!(bakery.chat(&["hola"]), @r"
    ! error[config.unknown_key]: unknown key `dedup`
    !   --> agent.yaml:96:5
    !    |
    ! 96 |     dedup: args
    !    |     ^^^^^
    !    = did you mean `dedupe`?
    ! error: agent.yaml has 1 mistake
    exit 1
    ");
}
