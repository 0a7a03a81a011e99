//! Paths.

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// Whether the process is there.
    Health,
    /// Whether it takes requests.
    Ready,
    /// A call by a custom function of Retell.
    Retell { agent: String, tool: String },
    /// A call with the standard body.
    Tools { agent: String, tool: String },
    /// Calls by Vapi.
    Vapi { agent: String },
}

impl Route {
    /// Finds the route of a path without its query; `None` when there is nothing.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let parts: Vec<String> =
            path.strip_prefix('/')?.split('/').map(decoded).collect::<Option<_>>()?;
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let text = str::to_owned;
        Some(match parts.as_slice() {
            ["healthz"] => Self::Health,
            ["readyz"] => Self::Ready,
            ["retell", agent, tool] => Self::Retell { agent: text(agent), tool: text(tool) },
            ["tools", agent, tool] => Self::Tools { agent: text(agent), tool: text(tool) },
            ["vapi", agent] => Self::Vapi { agent: text(agent) },
            _ => return None,
        })
    }

    /// The method that it takes.
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Self::Health | Self::Ready => "GET",
            Self::Retell { .. } | Self::Tools { .. } | Self::Vapi { .. } => "POST",
        }
    }
}

/// A segment without its percent-encoding; `None` when it does not decode.
fn decoded(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (high, low) = (char::from(rest.next()?), char::from(rest.next()?));
        let value = high.to_digit(16)? * 16 + low.to_digit(16)?;
        bytes.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_route_or_none() {
        let tools =
            |agent: &str, tool: &str| Route::Tools { agent: agent.into(), tool: tool.into() };
        let cases = [
            ("/healthz", Some(Route::Health)),
            ("/readyz", Some(Route::Ready)),
            ("/tools/espiga/ver_menu", Some(tools("espiga", "ver_menu"))),
            ("/tools/espiga/men%C3%BA%2F", Some(tools("espiga", "menú/"))),
            ("/vapi/espiga", Some(Route::Vapi { agent: "espiga".into() })),
            ("/retell/a/b", Some(Route::Retell { agent: "a".into(), tool: "b".into() })),
            ("/tools/espiga", None),
            ("/tools/espiga/a/b", None),
            ("/tools/espiga/%zz", None),
            ("/tools/espiga/%f", None),
            ("/tools/espiga/%ff", None),
            ("/", None),
            ("", None),
            ("*", None),
        ];
        for (path, expected) in cases {
            assert_eq!(Route::of(path), expected, "{path}");
        }
    }
}
