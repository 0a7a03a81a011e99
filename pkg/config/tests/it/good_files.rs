//! Each file under `tests/good` loads.

use manos_config::{Action, ModelChoice, RunnerFile, StoreConfig, starter};
use manos_model::Secret;

use crate::world::{files, loaded, printed};

#[test]
fn a_good_file_loads_and_its_advice_is_known() {
    for (name, text) in files("good") {
        let loaded = loaded(&text);
        assert!(loaded.agent.is_some(), "{name}:\n{}", printed(&loaded));
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false, snapshot_path => "../good" }, {
            insta::assert_snapshot!(name, printed(&loaded));
        });
    }
}

#[test]
fn the_starter_loads_without_a_word_but_the_missing_key() {
    let starter = starter("shop-1");
    let loaded = loaded(&starter.agent);
    insta::assert_snapshot!(printed(&loaded), @"note: the variable `OPENAI_API_KEY` is not set; the agent runs on its rules alone");
    let agent = loaded.agent.unwrap();
    assert_eq!(agent.name.as_str(), "shop-1");
    assert!(agent.tool("menu").unwrap().read_only);
    assert!(!agent.tool("order").unwrap().read_only);
    assert!(manos_wire_tool_reads(&starter.schema_sql));
}

fn manos_wire_tool_reads(sql: &str) -> bool {
    manos_wire_tool::sql::statements(sql).unwrap().len() == 3
}

#[test]
fn defaults_are_those_of_the_documentation() {
    let agent = loaded("name: espiga\nlocale: es-CO\n").agent.unwrap();
    assert_eq!(agent.language.tag(), "es");
    assert_eq!(agent.store, StoreConfig::Sqlite { path: "espiga.db".to_owned() });
    assert!(matches!(agent.model, ModelChoice::None));
    insta::assert_debug_snapshot!((agent.limits, agent.confirm));
}

#[test]
fn a_variable_is_a_secret_and_stays_text() {
    let text =
        "name: a\nmodel: { provider: openai, model: \"m-${NO}\", api_key: \"Bearer ${KEY}\" }";
    let loaded = loaded(text);
    let ModelChoice::Use(model) = loaded.agent.unwrap().model else { panic!("no model") };
    assert_eq!(model.model, "m-no");
    assert_eq!(model.api_key, Some(Secret::new("Bearer sk-secret".to_owned())));
    let secrets: Vec<&String> = loaded.secrets.iter().map(Secret::expose).collect();
    assert_eq!(secrets, ["no", "sk-secret"]);
}

#[test]
fn variables_are_left_alone_elsewhere() {
    let text = "name: a\npersona: ${KEY}\nfallback: \"${NOWHERE}\"\nrules:\n- when: { matches: '\\${1}' }\n  then: { reply: '${KEY}' }\n";
    let loaded = loaded(text);
    let agent = loaded.agent.unwrap();
    assert_eq!(agent.persona, "${KEY}");
    assert_eq!(agent.fallback.as_deref(), Some("${NOWHERE}"));
    let Action::Reply(reply) = &agent.rules[0].then else { panic!("no reply") };
    assert_eq!(reply.source(), "${KEY}");
    assert!(loaded.secrets.is_empty());
}

#[test]
fn json_and_yaml_are_one_language() {
    let (_, json) =
        files("good").into_iter().find(|(name, _)| name == "function_form.json").unwrap();
    let agent = loaded(&json).agent.unwrap();
    let tool = agent.tool("search_appointments").unwrap();
    let RunnerFile::Endpoint(endpoint) = &tool.runner else { panic!("no endpoint") };
    assert_eq!(endpoint.url.expose(), "https://api.example.com/appointments/search");
    assert_eq!(tool.timeout, Some(std::time::Duration::from_mins(2)));
    assert_eq!(tool.parameters["required"][0], "date");
}

#[test]
fn a_question_waits_as_long_as_its_channel_says() {
    let timeout = |text: &str, channel: &str| {
        let confirm = loaded(&format!("name: a\n{text}")).agent.unwrap().confirm;
        confirm.timeouts.get(channel).unwrap_or(&confirm.timeout).as_secs()
    };
    let telegram = "channels: { telegram: { token: t, confirm_timeout: 5m } }\n";
    let cases = [
        ("ours", "", "telegram", 120),
        ("mail is read late", "", "email", 1800),
        ("a bridge is slow", "", "baileys", 600),
        ("the file's own for all", "confirm: { timeout: 30s }\n", "email", 30),
        ("the channel's own", telegram, "telegram", 300),
        ("and no other's", telegram, "web", 120),
    ];
    for (why, text, channel, expected) in cases {
        assert_eq!(timeout(text, channel), expected, "{why}");
    }
}

#[test]
fn a_label_is_a_word_or_several() {
    let text = "name: a\ntools:\n- { name: t, command: [a], confirm: true, labels: { p: { x: X, y: [Y, Ys] } } }\n";
    let agent = loaded(text).agent.unwrap();
    let words = &agent.tool("t").unwrap().labels["p"];
    assert_eq!(words["x"].all().collect::<Vec<_>>(), ["X"]);
    assert_eq!(words["y"].all().collect::<Vec<_>>(), ["Y", "Ys"]);
}
