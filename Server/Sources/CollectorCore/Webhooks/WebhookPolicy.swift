// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The URLs to which the collector may send webhooks.
///
/// The policy prevents people from using the collector to reach servers that only the collector can reach.
///
/// Without prefixes: `https` to names and addresses on the public internet, and any server on this machine's loopback
/// interface if the collector serves only this machine. With prefixes: only URLs that begin with one of them,
/// regardless of their host.
public struct WebhookPolicy: Sendable, Hashable {
    /// The allowed prefixes of URLs; empty for the default rule.
    public let prefixes: [String]
    /// Whether servers on this machine may receive webhooks, even without encryption.
    public let allowsLoopback: Bool

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - prefixes: The allowed prefixes of URLs; those that ``isPrefix(_:)`` rejects allow nothing.
    ///   - allowsLoopback: Whether servers on this machine may receive webhooks.
    public init(prefixes: [String] = [], allowsLoopback: Bool) {
        self.prefixes = prefixes.map { WebhookAddress($0)?.text ?? "" }
        self.allowsLoopback = allowsLoopback
    }

    /// Whether a string is a valid prefix.
    ///
    /// A prefix is a URL with a path or the URL of a whole host.
    public static func isPrefix(_ text: String) -> Bool { WebhookAddress(text) != nil }

    /// A check that is required before a request is sent.
    public enum Check: Sendable, Hashable {
        /// No further check is required.
        case notNeeded
        /// The name must resolve only to addresses that are public (``IPAddress/isPublic``).
        case name(String)
    }

    /// Checks whether a URL may receive webhooks.
    ///
    /// - Returns: The check that is required each time before a request is sent.
    /// - Throws: ``SavedError`` `malformed` for the field `webhook`.
    public func check(_ text: String) throws(SavedError) -> Check {
        guard let address = WebhookAddress(text) else {
            throw refusal(
                text,
                "is not an http or https URL without a user name, “#”, spaces, and “.” or “..” as path segments"
            )
        }
        guard prefixes.isEmpty else {
            guard prefixes.contains(where: { !$0.isEmpty && address.text.hasPrefix($0) }) else {
                throw refusal(text, "does not begin with a prefix that --alert-url-prefix allows")
            }
            return .notNeeded
        }
        if address.host.isLoopback {
            guard allowsLoopback else {
                throw refusal(
                    text,
                    "is on this machine, and other machines can reach this collector; allow it with --alert-url-prefix"
                )
            }
            return .notNeeded
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
                    "is not an address on the public internet; allow it with --alert-url-prefix"
                )
            }
            return .notNeeded
        }
    }

    private func refusal(_ text: String, _ reason: String) -> SavedError {
        SavedError(.malformed, field: "webhook", "“\(text.prefix(128))” \(reason).")
    }
}

/// A webhook URL in the normalized form that is used for comparisons.
struct WebhookAddress: Sendable, Hashable {
    /// The URL, with a lowercase scheme and host and with a path.
    let text: String
    /// The host.
    let host: HostName
    /// Whether the URL uses `https`.
    let isSecure: Bool

    /// Reads a URL.
    ///
    /// Nil if the URL is invalid, or if an HTTP client could interpret it differently.
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
        // HTTP clients read “/a/../b” as “/b”, and “%2e” as a dot.
        let isPlain = parts.allSatisfy { part in
            let plain = part.lowercased().replacing("%2e", with: ".")
            return plain != "." && plain != ".."
        }
        guard isPlain else { return nil }
        self.text = scheme + authority + path
        self.host = host
        isSecure = scheme == schemes[0]
    }

    /// The URL without its path and query, which may contain secrets.
    var masked: String { text.prefix { $0 != "?" }.split(separator: "/").prefix(2).joined(separator: "//") + "/…" }

    /// Whether a name ends in a number.
    ///
    /// Some resolvers read such a name as an address: `127.1`, `0x7f000001`.
    private static func isNumber(_ host: HostName) -> Bool {
        guard case .name(let name) = host else { return false }
        let labels = name.split(separator: ".", omittingEmptySubsequences: true)
        guard let last = labels.last else { return true }
        if last.utf8.allSatisfy({ (48...57).contains($0) }) { return true }
        return last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)
    }
}
