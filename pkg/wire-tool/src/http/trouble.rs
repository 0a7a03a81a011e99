//! Which ends of a try are worth another one, and what several tries come to.

use std::time::Duration;

use manos_model::{Failure, RunEnd};

/// How often a request is sent that may be sent again; then its last end stands.
pub const TRIES_MAX: u32 = 3;
/// The wait before the second try; each further one waits twice as long.
const WAIT_FIRST: Duration = Duration::from_millis(200);

/// Whether a request that ended so may well end better: names that are not found, connections that
/// are refused or break, and the statuses 408, 429, 502, 503 and 504.
pub fn is_worth_another_try(end: &RunEnd) -> bool {
    let (RunEnd::NotDone(failure) | RunEnd::Unknown(failure)) = end else { return false };
    match failure {
        Failure::HttpStatus { status, .. } => matches!(status, 408 | 429 | 502 | 503 | 504),
        Failure::Transport { kind, .. } => matches!(kind.as_str(), "dns" | "connection"),
        _ => false,
    }
}

/// The tries of one run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tries {
    count: u32,
    unclear: bool,
}

impl Tries {
    /// Takes the end of a try. Returns how long to wait before the next, or `None` when it is the
    /// last. `asked` is the wait that the endpoint asks for.
    pub fn next_wait(&mut self, end: &RunEnd, asked: Option<Duration>) -> Option<Duration> {
        self.count += 1;
        if self.count >= TRIES_MAX || !is_worth_another_try(end) {
            return None;
        }
        self.unclear |= matches!(end, RunEnd::Unknown(_));
        let wait = WAIT_FIRST * 2_u32.saturating_pow(self.count - 1);
        Some(asked.map_or(wait, |asked| asked.max(wait)))
    }

    /// Returns what the tries come to: where an earlier one may have been done, the last one not
    /// being done does not settle it.
    pub fn whole(self, last: RunEnd) -> RunEnd {
        match last {
            RunEnd::NotDone(failure) if self.unclear => RunEnd::Unknown(failure),
            last => last,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn status(status: u16) -> Failure {
        Failure::HttpStatus { status, body: Value::Null }
    }

    fn transport(kind: &str) -> Failure {
        Failure::Transport { kind: kind.to_owned(), message: String::new() }
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        let again = [
            transport("dns"),
            transport("connection"),
            status(408),
            status(429),
            status(502),
            status(503),
            status(504),
        ];
        for failure in again {
            assert!(is_worth_another_try(&RunEnd::Unknown(failure.clone())), "{failure:?}");
        }
        let redirect = Failure::Redirect { status: 302, message: String::new() };
        let said = Failure::Said(json!({"error": "full"}));
        let timeout = Failure::Timeout { after_ms: 1 };
        for failure in [
            transport("tls"),
            transport("too_large"),
            transport("blocked_address"),
            transport("bad_reply"),
            status(400),
            status(500),
            status(501),
            redirect,
            said,
            timeout,
        ] {
            assert!(!is_worth_another_try(&RunEnd::NotDone(failure.clone())), "{failure:?}");
        }
        assert!(!is_worth_another_try(&RunEnd::Done(Value::Null)));
    }

    #[test]
    fn three_tries_with_growing_waits() {
        let mut tries = Tries::default();
        let end = RunEnd::NotDone(status(503));
        let waits =
            [None, Some(Duration::from_secs(2)), None].map(|asked| tries.next_wait(&end, asked));
        assert_eq!(waits, [Some(WAIT_FIRST), Some(Duration::from_secs(2)), None]);
    }

    #[test]
    fn an_earlier_try_that_may_have_been_done_is_not_forgotten() {
        let lost = RunEnd::Unknown(transport("connection"));
        let refused = RunEnd::NotDone(transport("connection"));
        let no = RunEnd::NotDone(status(409));
        let yes = RunEnd::Done(json!({}));
        let cases = [
            (vec![&refused, &refused], &refused, refused.clone(), "never done"),
            (
                vec![&lost, &refused],
                &refused,
                RunEnd::Unknown(transport("connection")),
                "perhaps done at first",
            ),
            (vec![&lost], &no, RunEnd::Unknown(status(409)), "perhaps done at first, then refused"),
            (vec![&lost, &refused], &yes, yes.clone(), "done in the end"),
        ];
        for (earlier, last, expected, why) in cases {
            let mut tries = Tries::default();
            for end in earlier {
                assert!(tries.next_wait(end, None).is_some(), "{why}");
            }
            assert_eq!(tries.whole(last.clone()), expected, "{why}");
        }
    }
}
