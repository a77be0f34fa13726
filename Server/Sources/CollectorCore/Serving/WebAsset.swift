// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One file of the collector's web UI, as served.
public struct WebAsset: Sendable, Hashable {
    /// The path at which the file is served, such as `/app.js`.
    ///
    /// The page itself is `/`.
    public let path: String
    /// The file's media type, with the character set for text.
    public let contentType: String
    /// The file's bytes.
    public let body: [UInt8]
    /// A strong entity tag that depends on the content, including quotes.
    public let entityTag: String

    /// The version of the content.
    ///
    /// A URL that includes the version, such as `/page.js?v=…`, always has the same content.
    public var version: String { String(entityTag.dropFirst().dropLast()) }

    /// Creates a file to serve at `path`.
    ///
    /// - Complexity: O(bytes).
    public init(path: String, contentType: String, body: [UInt8]) {
        self.path = path
        self.contentType = contentType
        self.body = body
        entityTag = Self.entityTag(of: body)
    }

    /// Returns a strong entity tag for a body.
    ///
    /// The tag is computed with FNV-1a and includes the quotes.
    static func entityTag(of body: [UInt8]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in body { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "\"" + String(hash, radix: 16) + "\""
    }
}
