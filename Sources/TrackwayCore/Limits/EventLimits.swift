// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The maximum sizes of an event and its parts.
///
/// Parts that exceed a limit are left out with a ``Diagnostic``; the rest of the event is recorded. Lengths are in
/// UTF-8 bytes, as in the journal, on the wire and in the collector: a Chinese character has 3 bytes, most emoji 4 or
/// more.
public struct EventLimits: Sendable, Hashable {
    /// The maximum length of an event name, in bytes.
    ///
    /// A longer name is truncated. The default is 128.
    public var nameBytes = 128
    /// The maximum length of an attribute key, in bytes.
    ///
    /// The default is 128.
    public var keyBytes = 128
    /// The maximum length of a string value, in bytes.
    ///
    /// The default is 8,192.
    public var stringBytes = 8192
    /// The maximum number of attributes of an event, item or object.
    ///
    /// The default is 256.
    public var attributes = 256
    /// The maximum number of items of an event.
    ///
    /// The default is 100.
    public var items = 100
    /// The maximum length of an item id, in bytes.
    ///
    /// The default is 256.
    public var itemIDBytes = 256
    /// The maximum depth of nested values.
    ///
    /// Strings and numbers have depth 1; an array of them has depth 2. The default is 8, and the maximum is
    /// ``maximumDepth``.
    public var depth = 8
    /// The maximum size of an event as canonical JSON, in bytes.
    ///
    /// Attributes and items that do not fit are left out. The default is 65,536.
    public var eventBytes = 65_536

    /// The largest value of ``depth`` that has an effect.
    public static let maximumDepth = 48

    /// The smallest value of ``eventBytes`` that has an effect.
    ///
    /// The name, the id, the times and a report of what was left out always fit.
    public static let minimumEventBytes = 2048

    /// The value of ``attributes``, clamped to 0 through 1,000,000.
    ///
    /// Examining one attribute beyond this limit is enough to detect and report that there are too many.
    package var attributeCountLimit: Int { min(max(0, attributes), 1_000_000) }

    /// Creates the default limits.
    public init() {}
}

extension String {
    /// Returns the longest prefix of at most `limit` UTF-8 bytes.
    ///
    /// It ends between Unicode scalars.
    ///
    /// - Complexity: O(`limit`).
    public func truncated(toUTF8Count limit: Int) -> String {
        guard utf8.count > limit else { return self }
        guard limit > 0 else { return "" }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        // Bytes of the form 10xxxxxx continue a scalar.
        while utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
