//! The chat: who gets an inbound event, rules, and the order of turns.
