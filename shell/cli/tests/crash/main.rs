//! Kills the real binary at many moments of scripted chats, goes on with the next process, and
//! holds what is left against a run that nothing disturbed.
//!
//! `MANOS_KILLS` says how many kills there are, `MANOS_SEED` repeats a run.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![expect(clippy::print_stdout, reason = "the moments of the kills are what the run shows")]

mod chance;
mod moments;
mod talk;
mod trail;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use chance::Chance;
use moments::{Moment, moment};
use talk::{Cut, Said, Talk};
use trail::Trail;

/// Kills when nobody says how many.
const KILLS: usize = 200;

/// A chat with every kind of turn that the bakery's rules know.
const BAKERY: &[&str] = &[
    "hola",
    "menú",
    "2 pan de bono y 1 café",
    "sí",
    "3 buñuelos",
    "no",
    "cotizar 3 café",
    "1 torta de chocolate y 2 cafés",
    "mejor mañana",
    "4 croissant",
    "sí",
    "cambiar P-1001 a 2 café",
    "sí",
    "cancelar P-1002",
    "sí",
    "cancelar P-1002",
    "sí",
    "4 croissant",
    "mis pedidos",
];

/// The tools that change something.
const EFFECTS: &[&str] = &["actualizar_pedido", "anotar", "cancelar_pedido", "crear_pedido"];

/// The same shop, with a model whose answers are a script.
const BAKERY_WITH_A_MODEL: &[&str] = &[
    "buenas, ¿qué tal?",
    "quisiera encargar un café",
    "sí",
    "quisiera encargar un croissant",
    "no",
    "quisiera encargar pan",
    "mejor que sean dos",
    "sí",
    "gracias",
];

#[test]
fn a_killed_bakery_loses_nothing_and_repeats_nothing() {
    hold(&|| Talk::in_a_bakery(BAKERY), 5, kills_wanted(KILLS));
}

#[test]
fn a_killed_bakery_with_a_model_loses_nothing_and_repeats_nothing() {
    hold(&|| Talk::in_a_bakery_with_a_model(BAKERY_WITH_A_MODEL), 2, kills_wanted(KILLS) / 4);
}

/// Plays a chat undisturbed, and then again and again with processes that are killed.
fn hold(talk: &dyn Fn() -> Talk, effects: usize, kills_wanted: usize) {
    let calm = talk();
    let started = Instant::now();
    let said = calm.run(Cut::Never);
    let whole = started.elapsed();
    assert!(said.finished, "the undisturbed chat must end by itself: {}", calm.errors());
    assert_eq!(calm.trail().received(), calm.lines, "every line is taken");
    let expected = Outcome::of(&calm.trail(), calm.folder.path());
    assert_eq!(expected.effects.len(), effects, "{expected:#?}");

    let mut chance = Chance::from_environment();
    let mut moments: BTreeMap<Moment, usize> = BTreeMap::new();
    let (mut kills, mut talks) = (0, 0);
    while kills < kills_wanted {
        let talk = talk();
        kills += play_and_kill(&talk, whole, &mut chance, |trail| {
            *moments.entry(moment(trail)).or_default() += 1;
        });
        talks += 1;
        let trail = talk.trail();
        assert_eq!(trail.received(), talk.lines, "every line is taken once, in order");
        assert_eq!(Outcome::of(&trail, talk.folder.path()), expected);
        // The bakery's tools settle by their journal, and its channel can be told twice.
        for never in ["run.unknown", "tool.interrupted", "reply.unknown", "confirm.expired"] {
            assert_eq!(trail.count(never), 0, "{never}");
        }
        trail.check_numbers();
        for settled in trail.of_type("tool.late") {
            assert_eq!(settled["settled"], "done");
            *moments.entry(Moment::DoneButNotKept).or_default() += 1;
        }
    }
    println!("{kills} kills in {talks} chats; an undisturbed chat takes {whole:?}");
    for (moment, count) in &moments {
        println!("{count:>5}  {moment}");
    }
}

/// Plays a chat to its end through as many processes as it takes; returns how many were killed.
fn play_and_kill(
    talk: &Talk,
    whole: Duration,
    chance: &mut Chance,
    mut killed_at: impl FnMut(&Trail),
) -> usize {
    let mut kills = 0;
    let mut before = Trail::default();
    let mut printed: Vec<Said> = Vec::new();
    loop {
        let said = talk.run(chance.cut(whole));
        let trail = talk.trail();
        trail.must_go_on_from(&before);
        trail.must_know(&said);
        let finished = said.finished;
        printed.push(said);
        if finished {
            trail.must_be_told(&printed);
            return kills;
        }
        kills += 1;
        killed_at(&trail);
        assert!(kills < 500, "a chat gets somewhere: {}", talk.errors());
        before = trail;
    }
}

/// What stays of a chat, ids of ours left out.
#[derive(Debug, PartialEq)]
struct Outcome {
    effects: Vec<String>,
    questions: Vec<String>,
    replies: Vec<String>,
    rows: Vec<String>,
}

impl Outcome {
    fn of(trail: &Trail, folder: &Path) -> Self {
        Self {
            effects: trail.effects(EFFECTS),
            questions: trail.texts_of("confirm.asked"),
            replies: trail.replies(),
            rows: rows(&folder.join("shop.db")),
        }
    }
}

fn rows(path: &Path) -> Vec<String> {
    let shop = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let mut rows = Vec::new();
    for query in [
        "select json_array(id, chat, estado, total) from pedidos order by numero",
        "select json_array(pedido, linea, producto, cantidad, precio) from lineas order by 1",
        "select json_array('runs', count(*), count(distinct run_id)) from manos_runs",
    ] {
        let mut query = shop.prepare(query).unwrap();
        let found = query.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.extend(found.map(Result::unwrap));
    }
    rows
}

/// Lines of the chat whose tool keeps no journal.
const NOTES: &[&str] =
    &["anota pan", "sí", "anota café", "sí", "anota leche", "no", "anota té", "sí"];

#[test]
fn a_killed_command_runs_once_or_the_trail_says_that_nobody_knows() {
    let calm = Talk::with_notes(NOTES);
    let started = Instant::now();
    assert!(calm.run(Cut::Never).finished, "{}", calm.errors());
    let whole = started.elapsed();
    assert_eq!(calm.noted().len(), 3);

    let mut chance = Chance::from_environment();
    let (mut kills, mut unknown, mut done) = (0, 0, 0);
    while kills < kills_wanted(KILLS) / 4 {
        let talk = Talk::with_notes(NOTES);
        kills += play_and_kill(&talk, whole, &mut chance, |_| {});
        let trail = talk.trail();
        trail.check_numbers();
        let noted = talk.noted();
        let ended = |kind: &str| -> Vec<String> {
            let of_notes = trail.of_type(kind).filter(|event| event["tool"] == "anotar");
            of_notes.map(|event| event["run_id"].as_str().unwrap().to_owned()).collect()
        };
        let (known, in_doubt) = (ended("tool.succeeded"), ended("run.unknown"));
        let mut once = noted.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), noted.len(), "no run wrote twice");
        for run in &noted {
            assert!(known.contains(run) || in_doubt.contains(run), "{run} was done and not told");
        }
        for run in &known {
            assert!(noted.contains(run), "{run} was told and not done");
        }
        unknown += in_doubt.len();
        done += known.len();
    }
    println!("{kills} kills: {done} notes known to be done, {unknown} left to a human");
}

/// The moments of a question must not move its deadline.
#[test]
fn a_question_and_its_deadline_outlive_the_process() {
    let talk = Talk::in_a_bakery(&["2 pan de bono"]);
    assert!(talk.run(Cut::Never).finished);
    let shown = talk.trail();
    let deadline = shown.of_type("confirm.shown").next().unwrap()["deadline"].clone();
    for _ in 0..3 {
        let said = talk.run(Cut::AfterOutputs(1, Duration::ZERO));
        let [question] = &said.outputs[..] else { panic!("{said:?}") };
        assert_eq!(question["type"], "confirm");
        assert_eq!(question["expires_at"], deadline);
    }
    assert_eq!(talk.trail().count("confirm.shown"), 1);
    let answered = Talk { lines: &["2 pan de bono", "sí"], ..talk };
    let said = answered.run(Cut::Never);
    let last = said.outputs.last().unwrap();
    assert_eq!(last["text"], Value::from("Listo, tu pedido es el P-1001. Total: $5.000."));
}

fn kills_wanted(usually: usize) -> usize {
    std::env::var("MANOS_KILLS").map_or(usually, |text| text.parse().unwrap())
}
