// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The maximum sizes of an event and its parts.
///
/// What exceeds a limit is left out with a ``Diagnostic``; the rest of the event is recorded. Lengths are in UTF-8 bytes, as in the journal, on the
/// wire and in the collector: a Chinese character has 3 bytes, most emoji 4 or more.
public struct EventLimits: Sendable, Hashable {
    /// The maximum length of an event name, in bytes; a longer one is cut. Default 128.
    public var nameBytes = 128
    /// The maximum length of an attribute key, in bytes. Default 128.
    public var keyBytes = 128
    /// The maximum length of a text value, in bytes. Default 8,192.
    public var stringBytes = 8192
    /// The maximum number of attributes of an event, item or object. Default 256.
    public var attributes = 256
    /// The maximum number of items of an event. Default 100.
    public var items = 100
    /// The maximum length of an item id, in bytes. Default 256.
    public var itemIDBytes = 256
    /// The maximum depth of nested values. Default 8, at most ``maximumDepth``.
    ///
    /// Text and numbers have depth 1, an array of them 2.
    public var depth = 8
    /// The maximum size of an event as canonical JSON, in bytes. Default 65,536.
    ///
    /// Attributes and items that no longer fit are left out.
    public var eventBytes = 65_536

    /// The largest value of ``depth`` that has an effect.
    public static let maximumDepth = 48

    /// The smallest value of ``eventBytes`` that has an effect.
    ///
    /// Name, identity, times and a report of what was left out always fit.
    public static let minimumEventBytes = 2048

    /// One more attribute than an event may have: as many as are worth looking at when there may be too many, so that the
    /// excess is noticed and told. From 1 to a million and one, whatever ``attributes`` says.
    package var oneAttributeTooMany: Int { min(max(0, attributes), 1_000_000) + 1 }

    /// Makes the default limits.
    public init() {}
}

extension String {
    /// The longest beginning that has at most `limit` UTF-8 bytes and ends between characters as Unicode numbers them.
    ///
    /// - Complexity: O(`limit`).
    public func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        guard limit > 0 else { return "" }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        // Bytes of the form 10xxxxxx continue a character.
        while utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
