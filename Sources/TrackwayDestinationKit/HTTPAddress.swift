// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An absolute http or https address, split into its parts.
public struct HTTPAddress: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// The host and port as written, in lowercase.
    public let authority: String
    /// The path with a leading slash and without a trailing slash.
    ///
    /// Empty for the root.
    public let path: String
    /// The query with its question mark; empty if there is none.
    ///
    /// A fragment is not included.
    public let query: String

    /// Parses an address.
    ///
    /// Returns nil if it is not an http or https address, or contains characters that must be escaped.
    public init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x3c && $0 != 0x3e }) else {
            return nil
        }
        let whole = text.prefix { $0 != "#" }
        let bare = whole.prefix { $0 != "?" }
        let lower = bare.lowercased()
        guard let scheme = ["https", "http"].first(where: { lower.hasPrefix("\($0)://") }) else { return nil }
        let rest = bare.dropFirst(scheme.count + 3)
        let authority = rest.prefix { $0 != "/" }.lowercased()
        // A user name and password in an address would appear in logs, so they are not allowed.
        guard !authority.isEmpty, !authority.hasPrefix(":"), !authority.contains("@") else { return nil }
        self.scheme = scheme
        self.authority = authority
        var path = rest.dropFirst(authority.count)
        while path.hasSuffix("/") { path = path.dropLast() }
        self.path = String(path)
        query = String(whole.dropFirst(bare.count))
    }

    /// The complete address.
    public var description: String { appending("") }

    /// The address without its query.
    public var withoutQuery: String { "\(scheme)://\(authority)\(path)" }

    /// Returns the complete address with a path appended to its own path.
    ///
    /// For example, `http://host/a?x=1` and `/b` become `http://host/a/b?x=1`.
    public func appending(_ path: String) -> String { withoutQuery + path + query }
}
