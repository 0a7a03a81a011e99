//! The ranges that are not the public internet.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What a special-purpose address is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Special {
    /// For measuring devices.
    Benchmark,
    /// For examples in documents.
    Documentation,
    /// An IPv4 address inside an IPv6 one, by a mechanism that hides where a packet ends up.
    Embedded,
    /// One link, the usual place of a cloud's metadata service.
    LinkLocal,
    /// This machine.
    Loopback,
    /// A cloud's metadata service outside the other ranges.
    Metadata,
    /// A group of machines.
    Multicast,
    /// A private network.
    Private,
    /// Set aside by the standards.
    Reserved,
    /// Between a provider and its customers.
    Shared,
    /// No address at all.
    Unspecified,
}

impl Special {
    /// Returns the words for an error.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Benchmark => "an address for measurements",
            Self::Documentation => "an address for examples",
            Self::Embedded => "an IPv4 address hidden in an IPv6 one",
            Self::LinkLocal => "a link-local address",
            Self::Loopback => "this machine itself",
            Self::Metadata => "a cloud's metadata service",
            Self::Multicast => "a multicast address",
            Self::Private => "an address of a private network",
            Self::Reserved => "a reserved address",
            Self::Shared => "an address of a provider's inner network",
            Self::Unspecified => "no address of a machine",
        }
    }
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

type V4 = (Ipv4Addr, u32, Special);
type V6 = (Ipv6Addr, u32, Special);

/// # Source
///
/// [IANA IPv4 Special-Purpose Address Registry](https://www.iana.org/assignments/iana-ipv4-special-registry/),
/// [multicast and class E](https://www.iana.org/assignments/ipv4-address-space/), and
/// [the address of Azure's host](https://learn.microsoft.com/en-us/azure/virtual-network/what-is-ip-address-168-63-129-16),
/// which looks public.
pub(super) const TABLE_V4: [V4; 19] = [
    (Ipv4Addr::UNSPECIFIED, 8, Special::Unspecified),
    (Ipv4Addr::new(10, 0, 0, 0), 8, Special::Private),
    (Ipv4Addr::new(100, 64, 0, 0), 10, Special::Shared),
    (Ipv4Addr::new(127, 0, 0, 0), 8, Special::Loopback),
    (Ipv4Addr::new(168, 63, 129, 16), 32, Special::Metadata),
    (Ipv4Addr::new(169, 254, 0, 0), 16, Special::LinkLocal),
    (Ipv4Addr::new(172, 16, 0, 0), 12, Special::Private),
    (Ipv4Addr::new(192, 0, 0, 0), 24, Special::Reserved),
    (Ipv4Addr::new(192, 0, 2, 0), 24, Special::Documentation),
    (Ipv4Addr::new(192, 31, 196, 0), 24, Special::Reserved),
    (Ipv4Addr::new(192, 52, 193, 0), 24, Special::Reserved),
    (Ipv4Addr::new(192, 88, 99, 0), 24, Special::Reserved),
    (Ipv4Addr::new(192, 168, 0, 0), 16, Special::Private),
    (Ipv4Addr::new(192, 175, 48, 0), 24, Special::Reserved),
    (Ipv4Addr::new(198, 18, 0, 0), 15, Special::Benchmark),
    (Ipv4Addr::new(198, 51, 100, 0), 24, Special::Documentation),
    (Ipv4Addr::new(203, 0, 113, 0), 24, Special::Documentation),
    (Ipv4Addr::new(224, 0, 0, 0), 4, Special::Multicast),
    (Ipv4Addr::new(240, 0, 0, 0), 4, Special::Reserved),
];

/// The first row that fits counts. Only `2000::/3` is given out as addresses of machines; what lies
/// outside it and in no row is reserved.
///
/// # Source
///
/// [IANA IPv6 Special-Purpose Address Registry](https://www.iana.org/assignments/iana-ipv6-special-registry/),
/// [IPv6 address space](https://www.iana.org/assignments/ipv6-address-space/).
pub(super) const TABLE_V6: [V6; 21] = [
    (Ipv6Addr::UNSPECIFIED, 128, Special::Unspecified),
    (Ipv6Addr::LOCALHOST, 128, Special::Loopback),
    // IPv4-compatible, given up in RFC 4291.
    (Ipv6Addr::UNSPECIFIED, 96, Special::Embedded),
    // IPv4-mapped, and the translated form of RFC 2765.
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96, Special::Embedded),
    (Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, 0, 0), 96, Special::Embedded),
    // NAT64 with a prefix of a network's own choice.
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, Special::Embedded),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64, Special::Reserved),
    (Ipv6Addr::new(0x100, 0, 0, 1, 0, 0, 0, 0), 64, Special::Reserved),
    // Teredo.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, Special::Embedded),
    (Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 0), 48, Special::Benchmark),
    // The rest of the protocol assignments: anycast services, ORCHID, drone ids.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, Special::Reserved),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, Special::Documentation),
    // 6to4.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, Special::Embedded),
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48, Special::Reserved),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, Special::Documentation),
    // Segment identifiers.
    (Ipv6Addr::new(0x5f00, 0, 0, 0, 0, 0, 0, 0), 16, Special::Reserved),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, Special::Private),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, Special::LinkLocal),
    // Site-local, given up in RFC 3879.
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, Special::Private),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, Special::Multicast),
    // The former 6bone.
    (Ipv6Addr::new(0x3ffe, 0, 0, 0, 0, 0, 0, 0), 16, Special::Reserved),
];

/// Where networks without IPv4 put the public IPv4 internet.
///
/// # Source
///
/// [RFC 6052](https://www.rfc-editor.org/rfc/rfc6052).
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// What machines are given addresses from.
const GLOBAL_UNICAST: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Returns what an address is for, or `None` when it is one of the public internet.
///
/// IPv6 addresses that carry an IPv4 address are special whatever they carry, but for NAT64
/// (`64:ff9b::/96`), the only way to IPv4 in some networks: there the inner address is judged.
///
/// ```
/// use manos_wire_tool::address::{Special, special};
/// assert_eq!(special("10.1.2.3".parse().unwrap()), Some(Special::Private));
/// assert_eq!(special("64:ff9b::10.1.2.3".parse().unwrap()), Some(Special::Private));
/// assert_eq!(special("93.184.215.14".parse().unwrap()), None);
/// ```
pub fn special(ip: IpAddr) -> Option<Special> {
    match ip {
        IpAddr::V4(ip) => special_v4(ip),
        IpAddr::V6(ip) => special_v6(ip),
    }
}

fn special_v4(ip: Ipv4Addr) -> Option<Special> {
    let bits = ip.to_bits();
    TABLE_V4
        .iter()
        .find(|(base, prefix, _)| (bits ^ base.to_bits()) >> (32 - prefix) == 0)
        .map(|(_, _, special)| *special)
}

fn special_v6(ip: Ipv6Addr) -> Option<Special> {
    let inside =
        |base: Ipv6Addr, prefix: u32| (ip.to_bits() ^ base.to_bits()) >> (128 - prefix) == 0;
    if inside(NAT64.0, NAT64.1) {
        return special_v4(last_v4(ip));
    }
    if let Some((_, _, special)) = TABLE_V6.iter().find(|(base, prefix, _)| inside(*base, *prefix))
    {
        return Some(*special);
    }
    if !inside(GLOBAL_UNICAST.0, GLOBAL_UNICAST.1) {
        return Some(Special::Reserved);
    }
    is_isatap(ip).then_some(Special::Embedded)
}

/// Whether the machine part is that of a tunnel which leads to the IPv4 address in it.
///
/// # Source
///
/// [RFC 5214, 6.1](https://www.rfc-editor.org/rfc/rfc5214#section-6.1).
fn is_isatap(ip: Ipv6Addr) -> bool {
    let [_, _, _, _, flags, mark, _, _] = ip.segments();
    mark == 0x5efe && flags & !0x0300 == 0
}

fn last_v4(ip: Ipv6Addr) -> Ipv4Addr {
    let [.., a, b, c, d] = ip.octets();
    Ipv4Addr::new(a, b, c, d)
}
