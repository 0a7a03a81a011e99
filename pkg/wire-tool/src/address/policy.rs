//! The rule for each kind of caller.

use std::net::IpAddr;

use super::target::split_port;
use super::{AddressError, Host, Scheme, Special, Target, special};

/// How many hosts one list may name; a longer list is refused.
pub const HOST_PATTERNS_MAX: usize = 1000;

/// Why a request does not go where it wants to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressRefusal {
    /// A name that stands for this machine was answered with another machine's address.
    #[error("the name stands for this machine, but leads to another one")]
    NotLoopback,
    /// The host, or the host with this port, is on no list.
    #[error(
        "the host is not on the tool's `allow_hosts` (a port other than the usual one is written there as host:port)"
    )]
    NotListed,
    /// Plain HTTP, and the host may not be spoken to without TLS.
    #[error("plain http:// goes only to this machine and to the hosts in `network.allow_http`")]
    PlainHttp,
    /// The address is none of the public internet.
    #[error("it is {0}, where a model may send nothing")]
    Special(Special),
}

/// One entry of `allow_hosts` or `network.allow_http`.
///
/// `host`, `host:port`, `*.example.com` (the names under it, not itself), `*` (every host), each
/// with or without a port. IPv6 addresses with a port stand in brackets.
///
/// ```
/// use manos_wire_tool::address::HostPattern;
/// for text in ["api.example.com", "*.example.com:8443", "*", "10.0.0.7:9000", "[::1]:80", "::1"] {
///     assert!(HostPattern::parse(text).is_ok(), "{text}");
/// }
/// assert!(HostPattern::parse("https://api.example.com").is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    hosts: Hosts,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Hosts {
    All,
    One(Host),
    /// With the dot before it.
    Under(String),
}

/// An entry of a list of hosts that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostPatternError {
    /// It is no host.
    #[error("`{pattern}` is no host; write host, host:port or *.example.com")]
    Bad {
        /// The entry.
        pattern: String,
        /// What is wrong with it.
        source: AddressError,
    },
    /// The list is longer than [`HOST_PATTERNS_MAX`].
    #[error("a list of hosts has more than {HOST_PATTERNS_MAX} entries")]
    TooMany,
}

impl HostPattern {
    /// Reads one entry.
    ///
    /// # Errors
    ///
    /// [`AddressError`] for what is no host.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if let Ok(ip) = text.parse::<IpAddr>() {
            return Ok(Self { hosts: Hosts::One(Host::Ip(ip)), port: None });
        }
        let (host, port) = split_port(text)?;
        let hosts = if host == "*" {
            Hosts::All
        } else if let Some(parent) = host.strip_prefix("*.") {
            match Host::parse(parent)? {
                Host::Name(name) => Hosts::Under(format!(".{name}")),
                Host::Ip(_) => return Err(AddressError::Host),
            }
        } else {
            Hosts::One(Host::parse(host)?)
        };
        Ok(Self { hosts, port })
    }

    /// Reads a list.
    ///
    /// # Errors
    ///
    /// [`HostPatternError`] with the first entry that is none.
    pub fn list(texts: &[String]) -> Result<Vec<Self>, HostPatternError> {
        if texts.len() > HOST_PATTERNS_MAX {
            return Err(HostPatternError::TooMany);
        }
        let read = |text: &String| {
            Self::parse(text)
                .map_err(|source| HostPatternError::Bad { pattern: text.clone(), source })
        };
        texts.iter().map(read).collect()
    }

    fn covers(&self, host: &Host) -> bool {
        match (&self.hosts, host) {
            (Hosts::All, _) => true,
            (Hosts::One(one), host) => one == host,
            (Hosts::Under(parent), Host::Name(name)) => name.ends_with(parent.as_str()),
            (Hosts::Under(_), Host::Ip(_)) => false,
        }
    }

    /// Without a port, any port.
    fn allows_plain(&self, target: &Target) -> bool {
        self.covers(target.host()) && self.port.is_none_or(|port| port == target.port())
    }

    /// Without a port, the scheme's own.
    fn allows(&self, target: &Target) -> bool {
        let port = self.port.unwrap_or(target.scheme().default_port());
        self.covers(target.host()) && port == target.port()
    }

    /// Whether the entry names exactly this host, with this port.
    fn names(&self, target: &Target) -> bool {
        matches!(&self.hosts, Hosts::One(one) if one == target.host())
            && self.port == Some(target.port())
    }
}

/// Who chose the address, and what follows from it.
///
/// # Examples
///
/// ```
/// use manos_wire_tool::address::{AddressPolicy, AddressRefusal, HostPattern, Special, Target};
/// let policy = AddressPolicy::ModelChosen {
///     allow_hosts: HostPattern::list(&["*".to_owned(), "127.0.0.1:8080".to_owned()]).unwrap(),
///     allow_http: vec![HostPattern::parse("*").unwrap()],
/// };
/// let check = |url: &str| policy.check_target(&Target::parse(url).unwrap());
/// assert_eq!(check("https://example.com/"), Ok(()));
/// assert_eq!(check("http://127.0.0.1:8080/"), Ok(()));
/// assert_eq!(check("http://0x7f.1/"), Err(AddressRefusal::Special(Special::Loopback)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressPolicy {
    /// The operator, in the agent file: https anywhere, http to this machine and where it is
    /// allowed.
    Configured {
        /// `network.allow_http`; without a port, any port.
        allow_http: Vec<HostPattern>,
    },
    /// A model: only listed hosts, and only public addresses, unless an entry names the special
    /// address itself with its port (`localhost` with its port names the loopback addresses).
    ModelChosen {
        /// The tool's `allow_hosts`; without a port, the scheme's own.
        allow_hosts: Vec<HostPattern>,
        /// `network.allow_http`; without a port, any port.
        allow_http: Vec<HostPattern>,
    },
}

impl Default for AddressPolicy {
    fn default() -> Self {
        Self::Configured { allow_http: Vec::new() }
    }
}

impl AddressPolicy {
    /// Judges what can be judged before the name is looked up.
    ///
    /// # Errors
    ///
    /// [`AddressRefusal`].
    pub fn check_target(&self, target: &Target) -> Result<(), AddressRefusal> {
        let (Self::Configured { allow_http } | Self::ModelChosen { allow_http, .. }) = self;
        let plain = target.scheme() == Scheme::Http;
        let may_be_plain = || {
            target.host().is_loopback() || allow_http.iter().any(|entry| entry.allows_plain(target))
        };
        if plain && !may_be_plain() {
            return Err(AddressRefusal::PlainHttp);
        }
        let Self::ModelChosen { allow_hosts, .. } = self else { return Ok(()) };
        if !allow_hosts.iter().any(|entry| entry.allows(target)) {
            return Err(AddressRefusal::NotListed);
        }
        match target.host() {
            Host::Ip(ip) => self.check_address(target, *ip),
            // Needs no look-up to be refused.
            Host::Name(_) if target.host().is_loopback() && !self.names(target) => {
                Err(AddressRefusal::Special(Special::Loopback))
            }
            Host::Name(_) => Ok(()),
        }
    }

    /// Judges one address that the target's name was answered with, or that is its host.
    ///
    /// One bad address among several is enough to give up: an honest name does not mix them.
    ///
    /// # Errors
    ///
    /// [`AddressRefusal`].
    pub fn check_address(&self, target: &Target, ip: IpAddr) -> Result<(), AddressRefusal> {
        if target.host().is_loopback() && !ip.is_loopback() {
            return Err(AddressRefusal::NotLoopback);
        }
        if matches!(self, Self::Configured { .. }) {
            return Ok(());
        }
        let Some(special) = special(ip) else { return Ok(()) };
        let names_it = match target.host() {
            Host::Ip(host) => *host == ip,
            Host::Name(_) => target.host().is_loopback(),
        };
        if names_it && self.names(target) { Ok(()) } else { Err(AddressRefusal::Special(special)) }
    }

    /// Whether a list names exactly this host and port.
    fn names(&self, target: &Target) -> bool {
        match self {
            Self::Configured { .. } => false,
            Self::ModelChosen { allow_hosts, .. } => {
                allow_hosts.iter().any(|entry| entry.names(target))
            }
        }
    }
}
