//! A crash in each stage of a turn, with each answer of the tool about its run.

use manos_chat::Doing;
use manos_ports::Settled;
use manos_testkit::fakes::{FakeExecutor, Plan};
use serde_json::json;

use crate::world::{Around, ONCE, REPEATS, World, chat, world};

fn settling(settled: Settled) -> Around {
    Around { executor: FakeExecutor::default().settling(settled), ..Around::default() }
}

/// A process that was stuck in a run of this tool, and the one after it.
async fn crashed_in(tool: &str, settled: Settled) -> (World, World) {
    let world = world(Around::waiting_tools());
    if tool == "pedir" {
        world.asks("pedir").await;
        world.says("sí").await;
    } else {
        world.says(tool).await;
    }
    world.run(1).await;
    let next = world.next_process(settling(settled));
    assert_eq!(next.runtime.resume().await.unwrap(), 1);
    assert_eq!(next.settled().await, Doing::Idle);
    (world, next)
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_under_way_is_settled_by_what_its_tool_knows() {
    let done = || Settled::Done(json!({"ok": true}));
    // Which tool, what is known, how often it runs again, what the person reads.
    for (tool, settled, again, told) in [
        ("hacer", done(), 0, "listo: hacer"),
        ("hacer", Settled::NotDone, 1, "listo: hacer"),
        ("hacer", Settled::Unknown, 0, "hacer"), // it may have been done: never again by itself
        ("leer", Settled::Unknown, 1, "listo: leer"),
        ("leer", Settled::NotDone, 1, "listo: leer"),
        ("pedir", done(), 0, "listo: pedir"),
        ("pedir", Settled::NotDone, 1, "listo: pedir"), // the yes is still fresh
        ("pedir", Settled::Unknown, 0, "pedir"),
        ("poner", Settled::Unknown, 1, "listo: poner"), // idempotent
    ] {
        let case = format!("{tool} {settled:?}");
        let in_doubt = !told.starts_with("listo");
        let (before, next) = crashed_in(tool, settled).await;
        let run = before.run(1).await;
        assert_eq!(next.executor.asked_about.all(), std::slice::from_ref(&run), "{case}");
        let started = next.executor.started.all();
        assert_eq!(started.len(), again, "{case}");
        assert!(started.iter().all(|asked| asked.run_id == run), "{case}: the same run id");
        let texts = next.texts();
        assert_eq!(texts.len(), 1, "{case}: {texts:?}");
        assert!(texts[0].contains(told), "{case}: {texts:?}");
        assert_eq!(next.count("run.unknown").await, usize::from(in_doubt), "{case}");
        assert_eq!(next.count("tool.interrupted").await, usize::from(in_doubt), "{case}");
        assert_eq!(next.count("turn.finished").await, 1, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_call_that_was_under_way_is_made_again() {
    let world = world(Around::default());
    world.provider.gate.shut();
    world.says("hola").await;
    world.says("y otra").await;
    world.provider.requests.wait(1).await;
    let next = world.next_process(Around::default());
    next.runtime.resume().await.unwrap();
    next.settled().await;
    assert_eq!(next.texts(), ["oí hola", "oí y otra"]);
}

#[tokio::test(start_paused = true)]
async fn an_output_that_was_under_way_goes_out_again_where_that_does_no_harm() {
    for (surface, arrives, told) in [(REPEATS, 1, "reply.sent"), (ONCE, 0, "reply.unknown")] {
        let world = world(Around::default());
        world.channel.gate.shut();
        let body = manos_chat::InboundBody::Text("hola".into());
        world.send_on(&chat(), body, None, surface).await.unwrap();
        let (_, tried) = world.channel.tried.wait(1).await.remove(0);
        let next = world.next_process(Around::default());
        next.runtime.resume().await.unwrap();
        next.settled().await;
        next.later().await;
        let arrived = next.channel.arrived.all();
        assert_eq!(arrived.len(), arrives, "{surface:?}");
        assert!(arrived.iter().all(|(_, output)| *output == tried), "{surface:?}");
        assert_eq!(next.count(told).await, 1, "{surface:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_was_under_way_is_shown_by_the_next_process() {
    let world = world(Around::default());
    world.channel.gate.shut();
    world.says("pedir").await;
    world.channel.tried.wait(1).await;
    let next = world.next_process(Around::default());
    next.runtime.resume().await.unwrap();
    assert!(matches!(next.settled().await, Doing::Waiting { .. }));
    next.asks("sí").await;
    assert_eq!(next.executor.started.count(), 1);
    assert_eq!(next.texts().last().unwrap(), "listo: pedir");
}

#[tokio::test(start_paused = true)]
async fn a_run_without_a_turn_is_settled_too() {
    for (settled, late, unknown) in [
        (Settled::Done(json!({"ok": true})), 1, 0),
        (Settled::NotDone, 1, 0),
        (Settled::Unknown, 0, 1),
    ] {
        let world = world(Around::waiting_tools());
        world.says("hacer").await;
        world.run(1).await;
        world.says("/reset").await;
        let next = world.next_process(settling(settled.clone()));
        next.runtime.resume().await.unwrap();
        next.settled().await;
        assert_eq!(next.executor.started.count(), 0, "{settled:?}");
        assert_eq!(next.count("tool.late").await, late, "{settled:?}");
        assert_eq!(next.count("run.unknown").await, unknown, "{settled:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_cannot_say_how_its_run_ended_does_not_hold_the_chat() {
    #[derive(Debug)]
    struct Mute;
    #[async_trait::async_trait]
    impl manos_ports::ToolExecutor for Mute {
        async fn run(
            &self,
            _order: &manos_policy::RunOrder,
            _context: &manos_ports::RunContext,
            _cancel: &tokio_util::sync::CancellationToken,
        ) -> manos_model::RunEnd {
            panic!("nothing may run")
        }
        async fn settle(
            &self,
            _tool: &manos_model::ToolName,
            _run_id: &manos_model::RunId,
            _context: &manos_ports::RunContext,
        ) -> Settled {
            std::future::pending().await
        }
    }
    let world = world(Around::tools(|_| Plan::Waits));
    world.says("hacer").await;
    world.run(1).await;
    let next = world.next_process_with(std::sync::Arc::new(Mute));
    let started = tokio::time::Instant::now();
    next.resume().await.unwrap();
    assert_eq!(next.settled(&chat()).await, Doing::Idle);
    assert!(started.elapsed() < std::time::Duration::from_mins(1), "{:?}", started.elapsed());
    assert_eq!(world.count("tool.interrupted").await, 1);
}
