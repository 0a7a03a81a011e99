//! The turn: a pure state machine from events to effects.
