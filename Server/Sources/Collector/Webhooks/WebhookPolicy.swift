// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Where the collector may be made to send requests, so that nobody reaches through it what only it can reach.
///
/// Without prefixes: `https` to names and addresses of the public internet, and anything on this machine's loopback if the collector
/// is for this machine only. With prefixes: what begins with one of them, wherever that is, and nothing else.
public struct WebhookPolicy: Sendable, Hashable {
    /// What addresses have to begin with; empty for the usual rule.
    public let prefixes: [String]
    /// Whether this machine's own servers may be told, also without encryption.
    public let allowsLoopback: Bool

    /// A policy.
    ///
    /// - Parameters:
    ///   - prefixes: what addresses have to begin with; those that ``isPrefix(_:)`` refuses allow nothing.
    ///   - allowsLoopback: whether this machine's own servers may be told.
    public init(prefixes: [String] = [], allowsLoopback: Bool) {
        self.prefixes = prefixes.map { WebhookAddress($0)?.text ?? "" }
        self.allowsLoopback = allowsLoopback
    }

    /// Whether a text can be a prefix: an address, with a path or for a whole host.
    public static func isPrefix(_ text: String) -> Bool { WebhookAddress(text) != nil }

    /// What has to be seen to before a request goes out.
    public enum Check: Sendable, Hashable {
        /// Nothing more.
        case none
        /// The name must not lead to addresses that ``mayReach(_:)`` refuses.
        case name(String)
    }

    /// Sees that an address may be told.
    ///
    /// - Returns: what has to be checked each time before a request is sent.
    /// - Throws: ``SavedError`` `malformed` for the field `webhook`.
    public func check(_ text: String) throws(SavedError) -> Check {
        guard let address = WebhookAddress(text) else {
            throw refusal(
                text,
                "is not an address of http or https, without a user's name, “#”, “.” and “..” as parts of its path, and spaces"
            )
        }
        guard prefixes.isEmpty else {
            guard prefixes.contains(where: { !$0.isEmpty && address.text.hasPrefix($0) }) else {
                throw refusal(text, "begins with none of what --alert-url-prefix allows")
            }
            return .none
        }
        if address.host.isLoopback {
            guard allowsLoopback else {
                throw refusal(
                    text,
                    "is this machine, which a collector that others reach may not be made to ask; allow it with --alert-url-prefix"
                )
            }
            return .none
        }
        guard address.isSecure else {
            throw refusal(text, "is not encrypted; use https, or allow it with --alert-url-prefix")
        }
        switch address.host {
        case .name(let name): return .name(name)
        case .address(let address):
            guard address.isPublic else {
                throw refusal(
                    text,
                    "is no address of the public internet; allow it with --alert-url-prefix"
                )
            }
            return .none
        }
    }

    private func refusal(_ text: String, _ reason: String) -> SavedError {
        SavedError(.malformed, field: "webhook", "“\(text.prefix(128))” \(reason).")
    }
}

/// An address that can be told something, in the one form in which it is compared.
struct WebhookAddress: Sendable, Hashable {
    /// The address, with scheme and host in lower case and with a path.
    let text: String
    /// The machine.
    let host: HostName
    /// Whether it is an `https` one.
    let isSecure: Bool

    /// Reads an address; nil for what is none, or could be taken for another one by whoever sends.
    init?(_ text: String) {
        guard text.utf8.count <= AlertLimits.addressBytes,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "#") })
        else { return nil }
        let schemes = ["https://", "http://"]
        let lower = text.lowercased()
        guard let scheme = schemes.first(where: lower.hasPrefix) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end].lowercased()
        guard let host = HostName(authority: authority), !authority.hasSuffix(":"), !Self.isNumber(host) else {
            return nil
        }
        var path = String(rest[end...])
        if !path.hasPrefix("/") { path = "/" + path }
        let parts = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        // What sends takes “/a/../b” for “/b”, and “%2e” for a dot.
        let isPlain = parts.allSatisfy { part in
            let plain = part.lowercased().replacing("%2e", with: ".")
            return plain != "." && plain != ".."
        }
        guard isPlain else { return nil }
        self.text = scheme + authority + path
        self.host = host
        isSecure = scheme == schemes[0]
    }

    /// The address without what may be a secret in it: its path and query.
    var masked: String { text.prefix { $0 != "?" }.split(separator: "/").prefix(2).joined(separator: "//") + "/…" }

    /// Whether a name ends like a number, which some resolvers take for an address: `127.1`, `0x7f000001`.
    private static func isNumber(_ host: HostName) -> Bool {
        guard case .name(let name) = host else { return false }
        let labels = name.split(separator: ".", omittingEmptySubsequences: true)
        guard let last = labels.last else { return true }
        if last.utf8.allSatisfy({ (48...57).contains($0) }) { return true }
        return last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)
    }
}
