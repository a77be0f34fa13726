// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension IPAddress {
    /// Whether the address is on the public internet.
    ///
    /// Excludes private, local, shared, documentation and multicast addresses, the metadata address of cloud machines
    /// (`169.254.169.254`), and IPv6 addresses that represent IPv4 addresses.
    ///
    /// Follows the registries of special-purpose addresses (RFC 6890 and its successors).
    public var isPublic: Bool {
        switch self {
        case .v4(let number): !Self.special4.contains { number >> (32 - $0.bits) == $0.network >> (32 - $0.bits) }
        case .v6(let network, _):
            // Only this eighth of IPv6 is allocated.
            network >> 61 == 0b001
                && !Self.special6.contains { network >> (64 - $0.bits) == $0.network >> (64 - $0.bits) }
        }
    }

    private static let special4: [(network: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8),  // this network
        (0x0a00_0000, 8),  // private
        (0x6440_0000, 10),  // shared by a provider's customers
        (0x7f00_0000, 8),  // loopback
        (0xa9fe_0000, 16),  // link-local, and cloud metadata
        (0xac10_0000, 12),  // private
        (0xc000_0000, 24),  // protocol assignments
        (0xc000_0200, 24),  // documentation
        (0xc058_6300, 24),  // 6to4 relays
        (0xc0a8_0000, 16),  // private
        (0xc612_0000, 15),  // benchmarking
        (0xc633_6400, 24),  // documentation
        (0xcb00_7100, 24),  // documentation
        (0xe000_0000, 4),  // multicast
        (0xf000_0000, 4),  // reserved, and broadcast
    ]

    private static let special6: [(network: UInt64, bits: UInt64)] = [
        (0x2001_0000_0000_0000, 23),  // protocol assignments, including Teredo
        (0x2001_0db8_0000_0000, 32),  // documentation
        (0x2002_0000_0000_0000, 16),  // 6to4: represents an IPv4 address
        (0x3fff_0000_0000_0000, 20),  // documentation
    ]
}
