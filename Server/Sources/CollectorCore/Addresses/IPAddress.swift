// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An IP address, read from its unambiguous text form.
///
/// Only two forms are accepted: four decimal numbers without leading zeros, and IPv6 as defined by RFC 4291. Other
/// forms that some resolvers accept (`127.1`, `0177.0.0.1`, `2130706433`) and names that merely begin like an address
/// are rejected. An IPv4 address written as IPv6 (`::ffff:127.0.0.1`) is that IPv4 address.
public enum IPAddress: Sendable, Hashable {
    /// An IPv4 address, with its first number in the highest byte.
    case v4(UInt32)
    /// An IPv6 address: its network half and its interface half.
    case v6(network: UInt64, interface: UInt64)

    /// Reads an address; nil if the text is not an address.
    ///
    /// IPv6 addresses must not have brackets or a zone.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.longestText else { return nil }
        if text.utf8.contains(UInt8(ascii: ":")) {
            guard let groups = Self.groups(text) else { return nil }
            self = Self.address(groups)
        } else {
            guard let number = Self.number(text) else { return nil }
            self = .v4(number)
        }
    }

    /// Whether the address is reachable only from this machine.
    ///
    /// Such addresses are 127.0.0.0/8 and ::1.
    public var isLoopback: Bool {
        switch self {
        case .v4(let number): number >> 24 == 127
        case .v6(let network, let interface): network == 0 && interface == 1
        }
    }

    /// The length of the longest valid text: `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`.
    private static let longestText = 45

    /// Reads the four numbers of an IPv4 address into one integer.
    private static func number(_ text: some StringProtocol) -> UInt32? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var number: UInt32 = 0
        for part in parts {
            // Some parsers read a number with a leading zero as octal, others as decimal.
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var value: UInt32 = 0
            for digit in part {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
                value = value * 10 + UInt32(digit - UInt8(ascii: "0"))
            }
            guard value <= 255 else { return nil }
            number = number << 8 | value
        }
        return number
    }

    /// Reads the eight groups of an IPv6 address.
    ///
    /// `::` may occur at most once.
    private static func groups(_ text: some StringProtocol) -> [UInt16]? {
        guard let gap = text.firstRange(of: "::") else {
            let groups = groups(between: text)
            return groups?.count == 8 ? groups : nil
        }
        let rest = text[gap.upperBound...]
        guard let head = groups(between: text[..<gap.lowerBound]), let tail = groups(between: rest),
            rest.first != ":", head.count + tail.count <= 7, !text[..<gap.lowerBound].contains(".")
        else { return nil }
        return head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    /// Reads groups separated by single colons; empty text has no groups.
    ///
    /// The last group may be an IPv4 address, which counts as two.
    private static func groups(between text: some StringProtocol) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains("."), let number = number(part) {
                groups += [UInt16(number >> 16), UInt16(number & 0xffff)]
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(isHexadecimal),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private static func address(_ groups: [UInt16]) -> IPAddress {
        let halves = [groups[..<4], groups[4...]].map { $0.reduce(UInt64(0)) { $0 << 16 | UInt64($1) } }
        if halves[0] == 0, halves[1] >> 32 == 0xffff { return .v4(UInt32(truncatingIfNeeded: halves[1])) }
        return .v6(network: halves[0], interface: halves[1])
    }
}
