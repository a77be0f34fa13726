// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The address of a NATS server.
package struct NATSAddress: Sendable, Hashable, CustomStringConvertible {
    /// The default port of NATS.
    package static let defaultPort = 4222

    /// A host name or an IP address.
    package var host: String
    /// The port.
    package var port: Int
    /// Whether the connection is encrypted (`tls://`).
    ///
    /// If so, only the server's greeting is exchanged before the handshake is complete and the server is verified.
    package var isEncrypted: Bool

    /// Creates an address.
    package init(host: String, port: Int = defaultPort, isEncrypted: Bool = false) {
        self.host = host
        self.port = port
        self.isEncrypted = isEncrypted
    }

    /// Parses `nats://host:4222`, `tls://host:4222`, `host:4222`, or `host`.
    ///
    /// An IPv6 address must be in brackets. Credentials are rejected, because process lists would expose them.
    package init?(_ text: some StringProtocol) {
        var rest = Substring(text)
        var isEncrypted = false
        if let scheme = rest.firstRange(of: "://") {
            isEncrypted = rest[..<scheme.lowerBound] == "tls"
            guard isEncrypted || rest[..<scheme.lowerBound] == "nats" else { return nil }
            rest = rest[scheme.upperBound...]
        }
        if rest.last == "/" { rest = rest.dropLast() }
        var port = Substring("\(Self.defaultPort)")
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            let suffix = rest[rest.index(after: end)...]
            if !suffix.isEmpty {
                guard suffix.first == ":" else { return nil }
                port = suffix.dropFirst()
            }
            rest = rest[rest.index(after: rest.startIndex)..<end]
        } else if let colon = rest.firstIndex(of: ":") {
            port = rest[rest.index(after: colon)...]
            rest = rest[..<colon]
        }
        guard !rest.isEmpty, rest.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-_:%".contains($0)) }),
            port.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(port), (1...65_535).contains(number)
        else { return nil }
        self.init(host: String(rest), port: number, isEncrypted: isEncrypted)
    }

    /// Parses a comma-separated list such as `nats://a,nats://b`.
    ///
    /// - Returns: Nil if an address is invalid or the list is empty.
    package static func list(_ text: String) -> [NATSAddress]? {
        let addresses = text.split(separator: ",").map { NATSAddress($0) }
        let valid = addresses.compactMap { $0 }
        return valid.isEmpty || valid.count < addresses.count ? nil : valid
    }

    package var description: String {
        let scheme = isEncrypted ? "tls" : "nats"
        return host.contains(":") ? "\(scheme)://[\(host)]:\(port)" : "\(scheme)://\(host):\(port)"
    }
}

/// Credentials for connecting to a server.
package struct NATSCredentials: Sendable, Hashable, CustomStringConvertible {
    /// The user and password, or the token, to authenticate with.
    enum Authentication: Sendable, Hashable {
        case password(user: String, String)
        case token(String)
    }

    let authentication: Authentication

    /// Creates credentials from a user and a password.
    package init(user: String, password: String) {
        authentication = .password(user: user, password)
    }

    /// Creates credentials from a token.
    package init(token: String) {
        authentication = .token(token)
    }

    /// The user's name, or "a token".
    ///
    /// Secrets must not appear in logs.
    package var description: String {
        switch authentication {
        case .password(let user, _): user
        case .token: "a token"
        }
    }
}

extension NATSCredentials: CustomDebugStringConvertible, CustomReflectable {
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
