//! The host of an address, in all the ways it can be written.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::AddressError;

/// The longest host name, in bytes, as in DNS.
pub const HOST_BYTES_MAX: usize = 253;

/// The longest part of a name between two dots, in bytes, as in DNS.
const LABEL_BYTES_MAX: usize = 63;

/// Whom a request is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// An address.
    Ip(IpAddr),
    /// A name in lower case, without the dot of the root at its end.
    Name(String),
}

impl Host {
    /// Reads the host part of a URL.
    ///
    /// What ends in a number is an IPv4 address, in every form that C libraries and browsers take:
    /// decimal, octal after `0`, hexadecimal after `0x`, one to four parts. So `http://2130706433/`,
    /// `http://0x7f.1/` and `http://127.0.0.1./` are all the loopback address, and are judged as it.
    ///
    /// # Errors
    ///
    /// [`AddressError::Host`] for what is neither name nor address; names are ASCII (`xn--…` for
    /// others), without `%`.
    ///
    /// # Examples
    ///
    /// ```
    /// use manos_wire_tool::address::Host;
    /// assert_eq!(Host::parse("0x7f.1").unwrap().to_string(), "127.0.0.1");
    /// assert_eq!(Host::parse("API.Example.com.").unwrap().to_string(), "api.example.com");
    /// ```
    ///
    /// # Source
    ///
    /// [WHATWG URL, host parsing](https://url.spec.whatwg.org/#host-parsing).
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if let Some(inside) = text.strip_prefix('[') {
            let inside = inside.strip_suffix(']').ok_or(AddressError::Host)?;
            // A zone (`%eth0`) is no part of an address that goes over the wire: the parse refuses it.
            let address: Ipv6Addr = inside.parse().map_err(|_| AddressError::Host)?;
            return Ok(Self::Ip(IpAddr::V6(address)));
        }
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        if name.is_empty() || name.len() > HOST_BYTES_MAX {
            return Err(AddressError::Host);
        }
        let last = name.rsplit('.').next().unwrap_or_default();
        if ends_in_number(last) {
            return Ok(Self::Ip(IpAddr::V4(ipv4(&name).ok_or(AddressError::Host)?)));
        }
        if name.split('.').all(is_label) { Ok(Self::Name(name)) } else { Err(AddressError::Host) }
    }

    /// Returns the address, when the host is one.
    pub fn ip(&self) -> Option<IpAddr> {
        match self {
            Self::Ip(ip) => Some(*ip),
            Self::Name(_) => None,
        }
    }

    /// Returns whether this can only be the machine itself: a loopback address, `localhost` or a
    /// name under it.
    ///
    /// # Source
    ///
    /// [RFC 6761, 6.3](https://www.rfc-editor.org/rfc/rfc6761#section-6.3).
    pub fn is_loopback(&self) -> bool {
        match self {
            Self::Ip(ip) => ip.is_loopback(),
            Self::Name(name) => name == "localhost" || name.ends_with(".localhost"),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(IpAddr::V4(ip)) => ip.fmt(f),
            Self::Ip(IpAddr::V6(ip)) => write!(f, "[{ip}]"),
            Self::Name(name) => f.write_str(name),
        }
    }
}

fn is_label(label: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !label.is_empty() && label.len() <= LABEL_BYTES_MAX && label.bytes().all(inside)
}

/// Whether a name with this last part is meant as an IPv4 address.
fn ends_in_number(last: &str) -> bool {
    !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit())
        || last
            .strip_prefix("0x")
            .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Reads the forms of an IPv4 address; the last part fills all bytes that are left.
fn ipv4(text: &str) -> Option<Ipv4Addr> {
    let mut parts = [0_u32; 4];
    let mut count = 0;
    for part in text.split('.') {
        *parts.get_mut(count)? = number(part)?;
        count += 1;
    }
    let (last, first) = parts.get(..count)?.split_last()?;
    let bits_left = 32 - 8 * u32::try_from(first.len()).ok()?;
    if bits_left < 32 && *last >> bits_left != 0 {
        return None;
    }
    let mut address = *last;
    for (part, shift) in first.iter().zip([24_u32, 16, 8]) {
        address |= u32::from(u8::try_from(*part).ok()?) << shift;
    }
    Some(Ipv4Addr::from(address))
}

fn number(part: &str) -> Option<u32> {
    let (digits, radix) = if let Some(hex) = part.strip_prefix("0x") {
        // The standard takes a bare `0x` for zero.
        (if hex.is_empty() { "0" } else { hex }, 16)
    } else if part.len() > 1 && part.starts_with('0') {
        (part, 8)
    } else {
        (part, 10)
    };
    if digits.starts_with('+') {
        return None;
    }
    u32::from_str_radix(digits, radix).ok()
}
