// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How large and deep a JSON text may be that comes from outside.
public struct JSONLimits: Sendable, Hashable {
    /// The longest text, in bytes. Default 8 MiB.
    public var bytes: Int
    /// How deep objects and arrays may nest, at most ``maximumDepth``. Default 64.
    public var depth: Int

    /// The deepest nesting that can be allowed.
    public static let maximumDepth = 64

    /// Limits; a depth beyond ``maximumDepth`` counts as that.
    public init(bytes: Int = 8 * 1024 * 1024, depth: Int = JSONLimits.maximumDepth) {
        self.bytes = bytes
        self.depth = min(max(0, depth), Self.maximumDepth)
    }
}
