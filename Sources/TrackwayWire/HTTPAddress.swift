// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An absolute http or https address, taken apart as far as destinations need.
public struct HTTPAddress: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// Host and port as written, lower-case.
    public let authority: String
    /// The path with a leading slash and without a trailing one; empty for the root.
    public let path: String
    /// The query with its question mark; empty without one. A fragment is cut off.
    public let query: String

    /// Reads an address; nil when it is none, or holds characters that must be escaped.
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
        // A name and a password in an address end up in logs; they have no place here.
        guard !authority.isEmpty, !authority.hasPrefix(":"), !authority.contains("@") else { return nil }
        self.scheme = scheme
        self.authority = authority
        var path = rest.dropFirst(authority.count)
        while path.hasSuffix("/") { path = path.dropLast() }
        self.path = String(path)
        query = String(whole.dropFirst(bare.count))
    }

    /// The whole address.
    public var description: String { appending("") }

    /// The address without its query.
    public var withoutQuery: String { "\(scheme)://\(authority)\(path)" }

    /// The whole address with a path behind its own: `http://host/a?x=1` and `/b` make `http://host/a/b?x=1`.
    public func appending(_ path: String) -> String { withoutQuery + path + query }
}
