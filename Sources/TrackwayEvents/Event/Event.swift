// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Something that happened, immutable once recorded.
public struct Event: Sendable, Hashable, Identifiable {
    /// Its identity, the same everywhere and for ever.
    public var id: EventID
    /// What happened.
    public var name: String
    /// When, by the device's wall clock.
    public var time: Timestamp
    /// When, since the device's boot.
    public var monotonic: MonotonicTime
    /// Its attributes, in order.
    public var attributes: Attributes
    /// What it is about, in order.
    public var items: [Item]

    /// An event of these parts, taken as they are.
    public init(
        id: EventID,
        name: String,
        time: Timestamp,
        monotonic: MonotonicTime,
        attributes: Attributes = [:],
        items: [Item] = []
    ) {
        self.id = id
        self.name = name
        self.time = time
        self.monotonic = monotonic
        self.attributes = attributes
        self.items = items
    }
}
