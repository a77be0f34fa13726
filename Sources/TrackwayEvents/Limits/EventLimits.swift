// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How large an event may be. What exceeds a limit is left out with a ``Diagnostic``; the rest of the event is recorded.
///
/// All lengths count UTF-8 bytes, because that is what the journal, the wire and the collector hold: a Chinese character
/// counts 3, most emoji 4 and more.
public struct EventLimits: Sendable, Hashable {
    /// The longest event name, in bytes. A longer one is cut between characters. Default 128.
    public var nameBytes = 128
    /// The longest attribute key, in bytes. Default 128.
    public var keyBytes = 128
    /// The longest text value, in bytes. Default 8,192.
    public var stringBytes = 8192
    /// The most attributes of an event, of an item, or of an object inside them. Default 256.
    public var attributes = 256
    /// The most items of an event. Default 100.
    public var items = 100
    /// The longest item id, in bytes. Default 256.
    public var itemIDBytes = 256
    /// How deep values may nest: text and numbers are 1 deep, an array of them 2. At most ``maximumDepth``. Default 8.
    public var depth = 8
    /// The largest event as canonical JSON, in bytes. Attributes and items that no longer fit are left out. Default 65,536.
    public var eventBytes = 65_536

    /// The largest useful ``depth``; greater values count as this one.
    public static let maximumDepth = 48

    /// The smallest useful ``eventBytes``; smaller values count as this one: name, identity, times and a report of what was left out always fit.
    public static let minimumEventBytes = 2048

    /// One more attribute than an event may have: as many as are worth looking at when there may be too many, so that the
    /// excess is noticed and told. From 1 to a million and one, whatever ``attributes`` says.
    package var oneAttributeTooMany: Int { min(max(0, attributes), 1_000_000) + 1 }

    /// The default limits. Change those that should differ.
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
