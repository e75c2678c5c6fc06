//! Which addresses belong to the public network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is one that anybody could reach. Addresses of this machine, its link or a private
/// network are not public. Neither are groups, nor the addresses set apart for other uses by IANA's
/// registries of special-purpose addresses (<https://www.iana.org/assignments/iana-ipv4-special-registry>,
/// `…-ipv6-…`). An address of version 6 that contains an address of version 4 counts as the address of
/// version 4.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// The address of the host of Azure's virtual machines: public according to the registry, but not by its
/// function (<https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16>).
const AZURE_HOST: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

fn is_public_v4(address: Ipv4Addr) -> bool {
    const SPECIAL: [(Ipv4Addr, u32); 15] = [
        (Ipv4Addr::new(0, 0, 0, 0), 8),
        (Ipv4Addr::new(10, 0, 0, 0), 8),
        (Ipv4Addr::new(100, 64, 0, 0), 10),
        (Ipv4Addr::new(127, 0, 0, 0), 8),
        (Ipv4Addr::new(169, 254, 0, 0), 16),
        (Ipv4Addr::new(172, 16, 0, 0), 12),
        (Ipv4Addr::new(192, 0, 0, 0), 24),
        (Ipv4Addr::new(192, 0, 2, 0), 24),
        (Ipv4Addr::new(192, 88, 99, 0), 24),
        (Ipv4Addr::new(192, 168, 0, 0), 16),
        (Ipv4Addr::new(198, 18, 0, 0), 15),
        (Ipv4Addr::new(198, 51, 100, 0), 24),
        (Ipv4Addr::new(203, 0, 113, 0), 24),
        // Groups and reserved addresses, the broadcast address included.
        (Ipv4Addr::new(224, 0, 0, 0), 3),
        (AZURE_HOST, 32),
    ];
    let is_in =
        |(first, bits): &(Ipv4Addr, u32)| (address.to_bits() ^ first.to_bits()) >> (32 - bits) == 0;
    !SPECIAL.iter().any(is_in)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    // Only these addresses are assigned as globally reachable.
    const GLOBAL: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
    const SPECIAL: [(Ipv6Addr, u32); 3] = [
        // Addresses of protocols, among them those of Teredo, which contain an address of version 4 in
        // obfuscated form.
        (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
        (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
        (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
    ];
    let is_in = |(first, bits): &(Ipv6Addr, u32)| {
        (address.to_bits() ^ first.to_bits()) >> (128 - bits) == 0
    };
    match carried(address) {
        Some(carried) => is_public_v4(carried),
        None => is_in(&GLOBAL) && !SPECIAL.iter().any(is_in),
    }
}

/// The address of version 4 in an address of version 6: mapped, translated (NAT64) or 6to4.
fn carried(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let low = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, a, b] | [0x64, 0xff9b, 0, 0, 0, 0, a, b] => Some(low(a, b)),
        [0x2002, a, b, ..] => Some(low(a, b)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn only_public_addresses_are_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.0.1",
            "192.0.1.0",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "2001:4860:4860::8888",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert!(is_public(address.parse().expect(address)), "{address}");
        }
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.168.1.1",
            "192.0.2.1",
            "192.88.99.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a00:1::",
            "2001::1",
            "2001:0:53aa:64c:0:5efe:7f00:1",
            "2001:db8::1",
            "3fff::1",
            "100::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "ff0e::1",
            "::ffff:0:127.0.0.1",
        ] {
            assert!(!is_public(address.parse().expect(address)), "{address}");
        }
    }
}
