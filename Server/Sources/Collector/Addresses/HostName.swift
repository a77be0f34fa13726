// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Under which name a machine is spoken to: what stands in `Host`, before the port, or behind `--host`.
public enum HostName: Sendable, Hashable {
    /// An address.
    case address(IPAddress)
    /// A name, in lower case.
    case name(String)

    /// Reads the value of a `Host` header: a name or an address, IPv6 in brackets, with a port or without.
    ///
    /// - Returns: Nil for whatever else stands there, such as nothing, a user's name, or a second port. (RFC 9110, 7.2)
    public init?(authority: some StringProtocol) {
        let rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let text = authority[authority.index(after: authority.startIndex)..<end]
            // Brackets are for IPv6 alone.
            guard text.contains(":"), let address = IPAddress(text) else { return nil }
            self = .address(address)
            rest = Substring(authority[authority.index(after: end)...])
        } else {
            let end = authority.firstIndex(of: ":") ?? authority.endIndex
            guard let host = Self(plain: authority[..<end]) else { return nil }
            self = host
            rest = Substring(authority[end...])
        }
        guard rest.isEmpty || Self.isPort(rest) else { return nil }
    }

    /// Reads an address to listen on: a name, or an address with or without brackets; nil for anything else.
    public init?(listening host: some StringProtocol) {
        if let address = IPAddress(host) {
            self = .address(address)
        } else {
            self.init(authority: host)
        }
    }

    /// Whether it means this machine and cannot be made to mean another: a loopback address, or `localhost`.
    public var isLoopback: Bool {
        switch self {
        case .address(let address): address.isLoopback
        case .name(let name): name == "localhost"
        }
    }

    /// Whatever has neither brackets nor a port.
    private init?(plain text: some StringProtocol) {
        guard (1...253).contains(text.utf8.count), text.utf8.allSatisfy(Self.mayStandInName) else { return nil }
        self = IPAddress(text).map { .address($0) } ?? .name(text.lowercased())
    }

    private static func mayStandInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// A colon and up to five digits. Which port it is does not matter: others may stand before the collector's own.
    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.count <= 6
            && text.utf8.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
