//! The terminal's modes while a person talks: keys come one by one and are not echoed.
//!
//! Line feeds still begin a new row, so that whatever prints meanwhile (a log line) stands right.

use std::io;

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::{execute, terminal};
use rustix::termios::{OptionalActions, OutputModes, tcgetattr, tcsetattr};

use super::screen::Ability;

/// Takes keys one by one, and pasted text as one.
pub(crate) fn enter(ability: Ability) -> io::Result<()> {
    terminal::enable_raw_mode()?;
    let stdin = io::stdin();
    let mut modes = tcgetattr(&stdin)?;
    modes.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
    tcsetattr(&stdin, OptionalActions::Now, &modes)?;
    if ability.moves {
        execute!(io::stdout(), EnableBracketedPaste)?;
    }
    Ok(())
}

/// Gives the terminal back as it was. Doing it twice does no harm.
pub(crate) fn leave() {
    // A terminal that has gone needs nothing.
    let _gone = terminal::disable_raw_mode();
    if Ability::of_environment().moves {
        let _gone = execute!(io::stdout(), DisableBracketedPaste);
    }
}
