//! Addresses of endpoints, with arguments in the path.
//!
//! An address is taken apart once more when its arguments are in place: scheme, host, port and the
//! number of segments must be those of the template, whatever the arguments are.

use manos_model::{PATH_VALUE_RULE, Violation, path_value};
use serde_json::{Map, Value};
use url::Url;

use super::percent;
use crate::address::Target;

/// Why a text is no address of an endpoint. The messages hold nothing of it: it may hold a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlTemplateError {
    /// `{name}` elsewhere than in the path.
    #[error("`{{name}}` may stand in the path only")]
    HoleOutsidePath,
    /// It is no address by `http` or `https`.
    #[error("this is no web address")]
    NotAnAddress,
    /// It has a user or a password.
    #[error("an address cannot hold a user and a password")]
    Credentials,
}

/// The address of an endpoint, in which `{name}` stands for an argument.
///
/// ```
/// use manos_wire_tool::http::UrlTemplate;
/// use serde_json::json;
/// let template = UrlTemplate::parse("https://api.example.com/orders/{id}?v=2")?;
/// let arguments = json!({"id": "P 1"});
/// let target = template.fill(arguments.as_object().unwrap()).unwrap();
/// assert_eq!(target.path_and_query(), "/orders/P%201?v=2");
/// # Ok::<(), manos_wire_tool::http::UrlTemplateError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct UrlTemplate {
    /// Texts and holes by turns: text, hole, text, hole, … text.
    texts: Vec<String>,
    holes: Vec<String>,
    /// With something in each hole.
    example: Target,
    segments: usize,
}

impl std::fmt::Debug for UrlTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UrlTemplate").field("holes", &self.holes).finish_non_exhaustive()
    }
}

impl UrlTemplate {
    /// Reads an address.
    ///
    /// # Errors
    ///
    /// [`UrlTemplateError`].
    pub fn parse(text: &str) -> Result<Self, UrlTemplateError> {
        let text = text.split('#').next().unwrap_or_default();
        let path = path_of(text).ok_or(UrlTemplateError::NotAnAddress)?;
        let (mut texts, mut holes) = (vec![String::new()], Vec::new());
        let mut rest = text;
        while let Some((before, name, after)) = next_hole(rest) {
            let at = text.len() - rest.len() + before.len();
            if !path.contains(&at) {
                return Err(UrlTemplateError::HoleOutsidePath);
            }
            if let Some(last) = texts.last_mut() {
                last.push_str(before);
            }
            texts.push(String::new());
            holes.push(name.to_owned());
            rest = after;
        }
        if let Some(last) = texts.last_mut() {
            last.push_str(rest);
        }
        let (example, segments) = target(&texts.join("x"))?;
        Ok(Self { texts, holes, example, segments })
    }

    /// Returns the arguments that stand in the path, in their order; one may stand there twice.
    pub fn names(&self) -> &[String] {
        &self.holes
    }

    /// Returns the address with `x` for each argument.
    pub fn example(&self) -> &Target {
        &self.example
    }

    /// Puts arguments into the path.
    ///
    /// # Errors
    ///
    /// A [`Violation`] for each argument that cannot stand there.
    pub fn fill(&self, arguments: &Map<String, Value>) -> Result<Target, Vec<Violation>> {
        if self.holes.is_empty() {
            return Ok(self.example.clone());
        }
        let mut violations = Vec::new();
        let mut text = String::new();
        for (index, part) in self.texts.iter().enumerate() {
            text.push_str(part);
            let Some(name) = self.holes.get(index) else { continue };
            match arguments.get(name).and_then(path_value) {
                Some(value) => percent::push(&value, &mut text),
                None => violations.push(violation(name, arguments.get(name))),
            }
        }
        if !violations.is_empty() {
            return Err(violations);
        }
        let whole = || vec![violation(&self.holes.join("`, `"), None)];
        let (target, segments) = target(&text).map_err(|_| whole())?;
        if segments != self.segments || !target.is_same_origin(&self.example) {
            return Err(whole());
        }
        Ok(target)
    }
}

fn violation(name: &str, got: Option<&Value>) -> Violation {
    Violation {
        path: format!("/{name}"),
        expected: PATH_VALUE_RULE.to_owned(),
        got: got.cloned().unwrap_or_default(),
    }
}

/// Takes an address apart as every client does, and returns where it leads and how many segments its
/// path has.
pub(super) fn target(text: &str) -> Result<(Target, usize), UrlTemplateError> {
    let mut url = parse(text)?;
    url.set_fragment(None);
    let target = Target::parse(url.as_str()).map_err(|_| UrlTemplateError::NotAnAddress)?;
    Ok((target, segments(&url)))
}

fn parse(text: &str) -> Result<Url, UrlTemplateError> {
    let url = Url::parse(text).map_err(|_| UrlTemplateError::NotAnAddress)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(UrlTemplateError::NotAnAddress);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UrlTemplateError::Credentials);
    }
    Ok(url)
}

fn segments(url: &Url) -> usize {
    url.path_segments().map_or(0, Iterator::count)
}

/// Where the path stands in a text.
fn path_of(text: &str) -> Option<std::ops::RangeInclusive<usize>> {
    let host = text.find("://")? + 3;
    let start = text[host..].find(['/', '\\', '?']).map_or(text.len(), |at| host + at);
    let end = text.find('?').unwrap_or(text.len());
    Some(start..=end.saturating_sub(1).max(start))
}

/// Splits at the next `{name}`.
fn next_hole(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = from + text[from..].find('{')?;
        let close = open + text[open..].find('}')?;
        let name = &text[open + 1..close];
        if !name.is_empty() && !name.contains('{') {
            return Some((&text[..open], name, &text[close + 1..]));
        }
        from = open + 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn filled(template: &str, arguments: &Value) -> Result<Target, Vec<Violation>> {
        UrlTemplate::parse(template).unwrap().fill(arguments.as_object().unwrap())
    }

    #[test]
    fn an_argument_stands_in_the_path_percent_encoded() {
        let cases = [
            (
                "https://a.example/o/{id}",
                json!({"id": "P-1"}),
                "https://a.example/o/P-1",
                "a segment",
            ),
            (
                "https://a.example/o/no-{id}.json",
                json!({"id": 7}),
                "https://a.example/o/no-7.json",
                "part of a segment",
            ),
            (
                "https://a.example/{a}/{b}/{a}",
                json!({"a": "x", "b": true}),
                "https://a.example/x/true/x",
                "several, one twice",
            ),
            (
                "https://a.example/o/{id}",
                json!({"id": "a b?c#d&e=f%2F"}),
                "https://a.example/o/a%20b%3Fc%23d%26e%3Df%252F",
                "what means something elsewhere",
            ),
            (
                "https://a.example/o/{id}",
                json!({"id": "ñ☕"}),
                "https://a.example/o/%C3%B1%E2%98%95",
                "other scripts",
            ),
            (
                "https://a.example/o/{id}",
                json!({"id": "a-_.~"}),
                "https://a.example/o/a-_.~",
                "what is kept",
            ),
            (
                "https://a.example/o/{id}?k=v",
                json!({"id": 1}),
                "https://a.example/o/1?k=v",
                "a query stays",
            ),
            (
                "HTTPS://A.Example:443/o/{id}#top",
                json!({"id": 1}),
                "https://a.example/o/1",
                "as every client reads it",
            ),
            ("https://a.example", json!({}), "https://a.example/", "no path"),
            (
                "https://a.example/x/../y",
                json!({}),
                "https://a.example/y",
                "what the template itself says",
            ),
            (
                "https://a.example/a{b",
                json!({}),
                "https://a.example/a%7Bb",
                "a brace alone is itself",
            ),
        ];
        for (template, arguments, expected, why) in cases {
            assert_eq!(filled(template, &arguments).unwrap().url(), expected, "{why}");
        }
    }

    #[test]
    fn an_argument_that_could_name_something_else_is_refused() {
        for value in [
            json!(""),
            json!("."),
            json!(".."),
            json!("a/b"),
            json!("a\\b"),
            json!("a\0"),
            json!(null),
            json!([1]),
        ] {
            let violations = filled("https://a.example/o/{id}", &json!({"id": value})).unwrap_err();
            assert_eq!((violations[0].path.as_str(), &violations[0].got), ("/id", &value));
        }
        let both = filled("https://a.example/{a}/{b}", &json!({"a": ".."})).unwrap_err();
        assert_eq!(both.len(), 2);
    }

    #[test]
    fn what_is_no_address_of_an_endpoint_is_refused() {
        use UrlTemplateError::{Credentials, HoleOutsidePath, NotAnAddress};
        let cases = [
            ("https://{host}/x", HoleOutsidePath, "the host"),
            ("https://a.example/x?k={v}", HoleOutsidePath, "the query"),
            ("https://a.example:{port}/x", HoleOutsidePath, "the port"),
            ("https://ana:pw@a.example/", Credentials, "a password"),
            ("ftp://a.example/", NotAnAddress, "another scheme"),
            ("/x", NotAnAddress, "no host"),
            ("https://", NotAnAddress, "nothing"),
            ("https://a b/", NotAnAddress, "a blank in the host"),
        ];
        for (text, expected, why) in cases {
            assert_eq!(UrlTemplate::parse(text).unwrap_err(), expected, "{why}");
        }
    }

    #[test]
    fn nothing_prints_an_address() {
        let template = UrlTemplate::parse("https://a.example/key-123/{id}").unwrap();
        let target = filled("https://a.example/key-123", &json!({})).unwrap();
        assert!(!format!("{template:?}{target:?}").contains("key-123"));
    }

    proptest! {
        #[test]
        fn whatever_the_argument_is_it_stays_in_its_segment(a in any::<String>(), b in any::<String>()) {
            let template = UrlTemplate::parse("https://a.example:8443/x/.{a}{b}/y?k=v").unwrap();
            let arguments = json!({"a": a, "b": b});
            if let Ok(target) = template.fill(arguments.as_object().unwrap()) {
                let url = Url::parse(&target.url()).unwrap();
                prop_assert_eq!(url.host_str(), Some("a.example"));
                prop_assert_eq!(url.port(), Some(8443));
                prop_assert_eq!(url.query(), Some("k=v"));
                let parts: Vec<&str> = url.path_segments().unwrap().collect();
                prop_assert_eq!(parts.len(), 3);
                let inside = parts[1].strip_prefix('.').unwrap();
                let decoded = percent_decoded(inside);
                prop_assert_eq!(decoded, [a, b].concat());
            }
        }
    }

    fn percent_decoded(text: &str) -> String {
        let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
        while let Some((&byte, after)) = rest.split_first() {
            if byte == b'%' {
                let digits = std::str::from_utf8(&after[..2]).unwrap();
                bytes.push(u8::from_str_radix(digits, 16).unwrap());
                rest = &after[2..];
            } else {
                bytes.push(byte);
                rest = after;
            }
        }
        String::from_utf8(bytes).unwrap()
    }
}
