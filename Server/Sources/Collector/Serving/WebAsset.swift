// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One file of the collector's page, as it is served.
public struct WebAsset: Sendable, Hashable {
    /// The path it is served under, such as `/app.js`; the page itself is `/`.
    public let path: String
    /// Its media type, with the character set where it is text.
    public let contentType: String
    /// Its bytes.
    public let body: [UInt8]
    /// A strong entity tag, quotes included: another content has another tag.
    public let entityTag: String

    /// What tells its content from another: an address with it, such as `/page.js?v=…`, always has the same content.
    public var version: String { String(entityTag.dropFirst().dropLast()) }

    /// A file to be served under `path`.
    ///
    /// - Complexity: O(bytes).
    public init(path: String, contentType: String, body: [UInt8]) {
        self.path = path
        self.contentType = contentType
        self.body = body
        entityTag = Self.entityTag(of: body)
    }

    /// A strong entity tag for a content, by FNV-1a, quotes included.
    static func entityTag(of body: [UInt8]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in body { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "\"" + String(hash, radix: 16) + "\""
    }
}
