// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Whether events are stored with the sender's address.
public enum ClientAddressPolicy: String, Sendable, Hashable, CaseIterable {
    /// Addresses are not stored.
    case drop
    /// The network part is stored: 24 (IPv4) or 48 bits (IPv6).
    case truncate
    /// The whole address is stored.
    case keep

    /// Returns the text to store for an address; nil for none.
    public func stored(_ address: IPAddress?) -> String? {
        guard let address else { return nil }
        return switch self {
        case .drop: nil
        case .truncate: address.truncated.description
        case .keep: address.description
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address of the network.
    ///
    /// It lacks the last 8 bits of IPv4, or the last 80 bits of IPv6.
    public var truncated: IPAddress {
        switch self {
        case .v4(let number): .v4(number & 0xffff_ff00)
        case .v6(let network, _): .v6(network: network & 0xffff_ffff_ffff_0000, interface: 0)
        }
    }

    /// The canonical text (RFC 5952), such as `192.0.2.7` or `2001:db8::7`.
    public var description: String {
        switch self {
        case .v4(let number):
            return stride(from: 24, through: 0, by: -8).map { String(number >> UInt32($0) & 0xff) }
                .joined(separator: ".")
        case .v6(let network, let interface):
            let groups = [network, interface].flatMap { half in
                stride(from: 48, through: 0, by: -16).map { UInt16(truncatingIfNeeded: half >> UInt64($0)) }
            }
            guard let gap = Self.longestZeros(groups) else {
                return groups.map { String($0, radix: 16) }.joined(separator: ":")
            }
            let parts = [groups[..<gap.lowerBound], groups[gap.upperBound...]]
            return parts.map { $0.map { String($0, radix: 16) }.joined(separator: ":") }.joined(separator: "::")
        }
    }

    /// Returns the first of the longest ranges of at least two zero groups.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
        var longest: Range<Int>?
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > max(1, longest?.count ?? 0) { longest = start..<index }
            start = index + 1
        }
        return longest
    }
}
