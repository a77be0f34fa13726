// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What an event says, its time and identity left out, in 64 hexadecimal digits: two events are essentially equal when
/// these are.
enum ContentDigest {
    private static let digits = Array("0123456789abcdef".utf8)

    /// - Parameters:
    ///   - user: who is signed in; nil for nobody.
    ///   - limits: how large an event may be; what is cut off makes no difference.
    /// - Complexity: O(size of the event).
    static func text(
        _ name: String,
        _ attributes: Attributes,
        items: [Item],
        user: String?,
        limits: EventLimits
    ) -> String {
        var writer = JSONWriter()
        EventEncoder.encode(
            id: EventID(high: 0, low: 0),
            name: name,
            moment: Moment(wall: Timestamp(milliseconds: 0), monotonic: MonotonicTime(milliseconds: 0)),
            attributes: attributes.inOrder,
            items: items.map { Item(id: $0.id, name: $0.name, $0.attributes.inOrder) },
            limits: limits,
            into: &writer,
            // Told when the event itself is recorded.
            report: { _ in }
        )
        // An end that no JSON has: nobody and somebody without a name differ, and no name can look like an event.
        let whose: [UInt8] = user.map { [1] + Array($0.utf8) } ?? [0]
        let hash = SHA256.hash(writer.array() + whose)
        return String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension Attributes {
    /// The same by name: in which order the app gave them says nothing.
    fileprivate var inOrder: Attributes {
        Attributes(keys.sorted().compactMap { key in self[key].map { (key: key, value: $0) } })
    }
}
