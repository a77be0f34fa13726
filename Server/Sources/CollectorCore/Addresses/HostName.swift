// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A host name or an IP address, without a port.
///
/// The value comes from a `Host` header or from `--host`.
public enum HostName: Sendable, Hashable {
    /// An IP address.
    case address(IPAddress)
    /// A host name, in lowercase.
    case name(String)

    /// Reads the value of a `Host` header.
    ///
    /// The value is a name or an address (IPv6 in brackets), with or without a port.
    ///
    /// - Returns: Nil for any other value, such as an empty one, or one with a user name or a second port (RFC 9110,
    ///   7.2).
    public init?(authority: some StringProtocol) {
        let rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let text = authority[authority.index(after: authority.startIndex)..<end]
            // Only IPv6 addresses may be in brackets.
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

    /// Reads a host to listen on; nil if invalid.
    ///
    /// The text is a name, or an address with or without brackets.
    public init?(listening host: some StringProtocol) {
        if let address = IPAddress(host) {
            self = .address(address)
        } else {
            self.init(authority: host)
        }
    }

    /// Whether the host is a loopback address or `localhost`.
    ///
    /// Such a host always refers to this machine.
    public var isLoopback: Bool {
        switch self {
        case .address(let address): address.isLoopback
        case .name(let name): name == "localhost"
        }
    }

    /// Reads a host without brackets or a port.
    private init?(plain text: some StringProtocol) {
        guard (1...253).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowedInName) else { return nil }
        self = IPAddress(text).map { .address($0) } ?? .name(text.lowercased())
    }

    private static func isAllowedInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether the text is a colon followed by at most five digits.
    ///
    /// The port number does not matter: the port that clients use may differ from the collector's.
    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.count <= 6
            && text.utf8.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
