//! A tool-calling runtime that asks before it touches.
