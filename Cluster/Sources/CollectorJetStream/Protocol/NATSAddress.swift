// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Where a server of NATS listens.
package struct NATSAddress: Sendable, Hashable, CustomStringConvertible {
    /// The port that servers listen on when nothing else is said.
    package static let usualPort = 4222

    /// A name or an address.
    package var host: String
    /// The port.
    package var port: Int
    /// Whether nothing is said there but the greeting before the connection is encrypted, and the server known: `tls://`.
    package var isEncrypted: Bool

    /// An address.
    package init(host: String, port: Int = usualPort, isEncrypted: Bool = false) {
        self.host = host
        self.port = port
        self.isEncrypted = isEncrypted
    }

    /// Reads `nats://host:4222`, `tls://host:4222`, `host:4222` or `host`; an address of IPv6 stands in brackets. Names and passwords do
    /// not belong into an address, where lists of processes show them: a text with them is none.
    package init?(_ text: some StringProtocol) {
        var rest = Substring(text)
        var isEncrypted = false
        if let scheme = rest.firstRange(of: "://") {
            isEncrypted = rest[..<scheme.lowerBound] == "tls"
            guard isEncrypted || rest[..<scheme.lowerBound] == "nats" else { return nil }
            rest = rest[scheme.upperBound...]
        }
        if rest.last == "/" { rest = rest.dropLast() }
        var port = Substring("\(Self.usualPort)")
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            let behind = rest[rest.index(after: end)...]
            if !behind.isEmpty {
                guard behind.first == ":" else { return nil }
                port = behind.dropFirst()
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

    /// Reads `nats://a,nats://b`.
    ///
    /// - Returns: Nil when one of them is no address, or when there is none.
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

/// Who connects.
package struct NATSCredentials: Sendable, Hashable, CustomStringConvertible {
    /// How somebody shows who they are.
    enum Proof: Sendable, Hashable {
        case password(user: String, String)
        case token(String)
    }

    let proof: Proof

    /// A user's credentials.
    package init(user: String, password: String) {
        proof = .password(user: user, password)
    }

    /// Those of whoever has this token.
    package init(token: String) {
        proof = .token(token)
    }

    /// The user; what is secret has no business in a log.
    package var description: String {
        switch proof {
        case .password(let user, _): user
        case .token: "a token"
        }
    }
}

extension NATSCredentials: CustomDebugStringConvertible, CustomReflectable {
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
