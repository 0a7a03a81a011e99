//! An address, taken apart once.

use std::fmt;

use super::Host;

/// The longest address that is read, in bytes; a longer one is refused.
pub const URL_BYTES_MAX: usize = 16 * 1024;

/// Why a text is no address that a request can go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// A line end, another control character, or a backslash.
    #[error("the address holds a character that none may hold")]
    Character,
    /// What stands for the host is neither a name in ASCII nor an address.
    #[error("the host of the address is neither a name (in ASCII) nor an IP address")]
    Host,
    /// The port is no number from 1 to 65535.
    #[error("the port of the address is no number from 1 to 65535")]
    Port,
    /// It begins with neither `http://` nor `https://`.
    #[error("the address is no http:// or https:// address")]
    Scheme,
    /// Longer than [`URL_BYTES_MAX`].
    #[error("the address is longer than {URL_BYTES_MAX} bytes")]
    TooLong,
    /// A user or password stands before the host.
    #[error("the address holds a user or password; these belong into a header")]
    UserInfo,
}

/// Plain or TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// Plain.
    Http,
    /// Over TLS.
    Https,
}

impl Scheme {
    /// Returns the word before `://`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// Returns the port that is meant when none is written.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// An address that was parsed once; what is checked, connected to and asked for is this, never the
/// text it came from.
///
/// ```
/// use manos_wire_tool::address::{Scheme, Target};
/// let target = Target::parse("HTTPS://API.Example.com:8443/v1/orders?day=1#top").unwrap();
/// assert_eq!(target.scheme(), Scheme::Https);
/// assert_eq!(target.host().to_string(), "api.example.com");
/// assert_eq!(target.authority(), "api.example.com:8443");
/// assert_eq!(target.path_and_query(), "/v1/orders?day=1");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    scheme: Scheme,
    host: Host,
    port: u16,
    path_and_query: String,
}

impl Target {
    /// Takes a text apart.
    ///
    /// The fragment is dropped; blanks, quotes and what is not ASCII after the host are
    /// percent-encoded; nothing else of path and query is touched.
    ///
    /// # Errors
    ///
    /// [`AddressError`]; a text that two readers could read differently is refused.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if text.len() > URL_BYTES_MAX {
            return Err(AddressError::TooLong);
        }
        let (scheme, rest) = scheme(text)?;
        let before_fragment = rest.split('#').next().unwrap_or_default();
        if before_fragment.chars().any(|c| c.is_control() || c == '\\') {
            return Err(AddressError::Character);
        }
        let end = before_fragment.find(['/', '?']).unwrap_or(before_fragment.len());
        let (authority, path) = before_fragment.split_at(end);
        if authority.contains('@') {
            return Err(AddressError::UserInfo);
        }
        let (host, port) = split_port(authority)?;
        let host = Host::parse(host)?;
        let port = port.unwrap_or(scheme.default_port());
        Ok(Self { scheme, host, port, path_and_query: encoded(path) })
    }

    /// Returns whether TLS is used.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns whom it is for.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Returns the port, written or meant.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the path and the query, exactly as they are sent (and signed); at least `/`.
    pub fn path_and_query(&self) -> &str {
        &self.path_and_query
    }

    /// Adds arguments to the path and the query.
    pub(crate) fn change_path_and_query(&mut self, change: impl FnOnce(&mut String)) {
        change(&mut self.path_and_query);
    }

    /// Returns the host, with the port when it is not the scheme's own: what `Host` says, and what
    /// an error may say.
    pub fn authority(&self) -> String {
        if self.port == self.scheme.default_port() {
            self.host.to_string()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Returns the whole address. Path and query may carry a secret: not for errors and logs.
    pub fn url(&self) -> String {
        format!("{}://{}{}", self.scheme.as_str(), self.authority(), self.path_and_query)
    }

    /// Returns whether both go to the same scheme, host and port.
    pub fn is_same_origin(&self, other: &Self) -> bool {
        (self.scheme, &self.host, self.port) == (other.scheme, &other.host, other.port)
    }

    /// Returns the same place with another path and query, which starts with `/`.
    pub(super) fn with_path(&self, path: &str) -> Self {
        Self { path_and_query: encoded(path), ..self.clone() }
    }
}

/// A path or a query may carry a secret, so `Debug` does not tell them.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({}://{}/…)", self.scheme.as_str(), self.authority())
    }
}

fn scheme(text: &str) -> Result<(Scheme, &str), AddressError> {
    let (scheme, rest) = text.split_once("://").ok_or(AddressError::Scheme)?;
    if scheme.eq_ignore_ascii_case("https") {
        Ok((Scheme::Https, rest))
    } else if scheme.eq_ignore_ascii_case("http") {
        Ok((Scheme::Http, rest))
    } else {
        Err(AddressError::Scheme)
    }
}

/// Splits `host:port`; a colon inside brackets belongs to the address.
pub(super) fn split_port(authority: &str) -> Result<(&str, Option<u16>), AddressError> {
    let after_brackets = authority.rfind(']').map_or(0, |end| end + 1);
    let Some(colon) = authority.get(after_brackets..).and_then(|rest| rest.find(':')) else {
        return Ok((authority, None));
    };
    let (host, port) = authority.split_at(after_brackets + colon);
    let digits = port.get(1..).unwrap_or_default();
    if digits.is_empty() {
        return Ok((host, None));
    }
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(AddressError::Port);
    }
    let port: u16 = digits.parse().map_err(|_| AddressError::Port)?;
    if port == 0 { Err(AddressError::Port) } else { Ok((host, Some(port))) }
}

/// Puts a slash before a bare query and percent-encodes what no request line may hold.
fn encoded(path: &str) -> String {
    const DIGITS: [u8; 16] = *b"0123456789ABCDEF";
    let mut out = String::with_capacity(path.len() + 1);
    if !path.starts_with('/') {
        out.push('/');
    }
    for byte in path.bytes() {
        let plain = byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'`');
        if plain {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(DIGITS[usize::from(byte >> 4)]));
            out.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
    out
}
