//! What is written, for screens that can do more and less.

use std::sync::{Arc, Mutex};

use super::*;

/// Keeps what is written.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Paper {
    /// What was written since the last call, with escapes readable.
    fn read(&self) -> String {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap());
        // Colours are looked at elsewhere.
        let text = String::from_utf8(bytes).unwrap();
        let colours = ["\u{1b}[36m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[0m"];
        let text = colours.iter().fold(text, |text, colour| text.replace(colour, ""));
        text.replace('\u{1b}', "^").replace('\r', "<")
    }
}

const MOVES: Ability = Ability { moves: true, lively: true };
const STILL: Ability = Ability { moves: true, lively: false };
const DUMB: Ability = Ability { moves: false, lively: false };

fn screen(size: fn() -> (usize, usize), ability: Ability) -> (Screen, Paper) {
    let paper = Paper::default();
    (Screen::new(Box::new(paper.clone()), size, ability), paper)
}

fn question(screen: &mut Screen, title: &str, text: &str) {
    let letters = Some((Letters::of("Sí", "No"), ["Sí", "No"]));
    screen.question(&Block { title, text, letters, until: "14:03" });
}

#[test]
fn the_spinner_is_erased_before_anything_is_printed() {
    let (mut screen, paper) = screen(|| (40, 10), MOVES);
    screen.think();
    screen.tick();
    assert_eq!(paper.read(), "⠙ …");
    screen.work("Trabajando: Crear pedido…");
    screen.tick();
    assert_eq!(paper.read(), "<^[J⠹ Trabajando: Crear pedido…");
    screen.work_ended();
    screen.reply("Listo.");
    assert_eq!(paper.read(), "<^[JListo.\n");
}

#[test]
fn a_tool_that_ended_leaves_no_spinner() {
    let (mut screen, paper) = screen(|| (40, 10), MOVES);
    screen.work("Trabajando…");
    screen.tick();
    screen.work_ended();
    paper.read();
    screen.tick();
    assert_eq!(paper.read(), "<^[J");
    screen.tick();
    assert_eq!(paper.read(), "", "and nothing is written while nothing happens");
}

#[test]
fn streamed_text_gives_way_to_the_reply() {
    let (mut screen, paper) = screen(|| (8, 10), MOVES);
    screen.think();
    screen.stream("uno dos");
    screen.stream(" tres");
    screen.tick();
    assert_eq!(paper.read(), "uno dos\ntres");
    screen.stream_ended();
    screen.tick();
    assert_eq!(paper.read(), "", "it stays where it is");
    screen.reply("uno dos tres");
    assert_eq!(paper.read(), "<^[1A^[Juno dos\ntres\n");
}

#[test]
fn streamed_text_that_was_not_the_answer_goes() {
    let (mut screen, paper) = screen(|| (40, 10), MOVES);
    screen.stream("Voy a mirar.");
    screen.tick();
    screen.stream_ended();
    screen.work("Trabajando: Menú…");
    paper.read();
    screen.tick();
    assert_eq!(paper.read(), "<^[J⠹ Trabajando: Menú…");
}

#[test]
fn of_text_longer_than_the_window_the_end_is_shown() {
    let (mut screen, paper) = screen(|| (8, 4), MOVES);
    screen.stream("1\n2\n3\n4\n5\n6");
    screen.tick();
    assert_eq!(paper.read(), "4\n5\n6");
}

#[test]
fn rows_that_a_narrower_window_broke_are_erased_too() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static WIDTH: AtomicUsize = AtomicUsize::new(40);
    let (mut screen, paper) = screen(|| (WIDTH.load(Ordering::Relaxed), 10), MOVES);
    screen.stream("veinticuatro columnas ya");
    screen.tick();
    paper.read();
    WIDTH.store(10, Ordering::Relaxed);
    screen.rest();
    assert_eq!(paper.read(), "<^[2A^[J");
}

#[test]
fn without_animation_work_is_named_once() {
    for ability in [STILL, DUMB] {
        let (mut screen, paper) = screen(|| (40, 10), ability);
        screen.think();
        screen.tick();
        screen.work("Trabajando: Crear pedido…");
        screen.tick();
        screen.tick();
        screen.work_ended();
        screen.tick();
        assert_eq!(paper.read(), "Trabajando: Crear pedido…\n", "{ability:?}");
    }
}

#[test]
fn a_dumb_terminal_gets_the_reply_alone() {
    let (mut screen, paper) = screen(|| (40, 10), DUMB);
    screen.stream("Ho");
    screen.tick();
    screen.stream_ended();
    screen.reply("Hola");
    screen.rest();
    assert_eq!(paper.read(), "Hola\n");
}

#[test]
fn a_question_is_a_block_with_its_keys() {
    let (mut screen, paper) = screen(|| (60, 20), MOVES);
    let text = "Voy a: Crear pedido\n• 5 × Torta de chocolate\n¿Confirmas?";
    question(&mut screen, "Crear pedido", text);
    let shown = "│ Voy a: Crear pedido\n│ • 5 × Torta de chocolate\n│ ¿Confirmas?\n\
                 │ [s] Sí   [n] No   ⌛ 14:03\n";
    assert_eq!(paper.read(), shown);
}

#[test]
fn a_question_in_a_narrow_window_loses_nothing() {
    let (mut screen, paper) = screen(|| (20, 20), MOVES);
    let text = "Voy a: Crear pedido\n• 5 × Torta de chocolate: $62.500\n¿Confirmas?";
    question(&mut screen, "Crear pedido", text);
    let shown = "│ Voy a: Crear\n│ pedido\n│ • 5 × Torta de\n│   chocolate:\n│   $62.500\n\
                 │ ¿Confirmas?\n│ [s] Sí   [n] No\n│ ⌛ 14:03\n";
    assert_eq!(paper.read(), shown);
}

#[test]
fn what_a_model_wrote_is_never_obeyed() {
    let (mut screen, paper) = screen(|| (60, 20), MOVES);
    screen.stream("\u{1b}[2J");
    screen.tick();
    screen.reply("\u{1b}]0;title\u{7}");
    screen.work("a\u{1b}[31m");
    screen.tick();
    let shown = "\\u{1b}[2J<^[J\\u{1b}]0;title\\u{7}\n⠹ a\\u{1b}[31m";
    assert_eq!(paper.read(), shown);
}

#[test]
fn without_colours_only_the_cursor_is_moved() {
    let (mut screen, paper) = screen(|| (60, 20), STILL);
    question(&mut screen, "Crear pedido", "Voy a: Crear pedido\n¿Confirmas?");
    screen.stream("a");
    screen.tick();
    screen.aside("b");
    let written = paper.0.lock().unwrap().clone();
    let written = String::from_utf8(written).unwrap();
    let escapes: Vec<&str> = written.split('\u{1b}').skip(1).collect();
    assert_eq!(escapes, ["[Jb\n"]);
}
