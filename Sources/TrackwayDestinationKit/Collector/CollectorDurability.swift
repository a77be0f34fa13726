// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The durability of acknowledged events; the `durability` member of a response.
///
/// A collector may send values unknown to this version; such values are preserved.
public struct CollectorDurability: RawRepresentable, Sendable, Hashable {
    /// The value in the response, such as `disk`.
    public let rawValue: String

    /// Creates a durability from its value.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The events are on the stable storage of one machine.
    ///
    /// The events survive power loss, but not the loss of the machine.
    public static let disk = CollectorDurability(rawValue: "disk")
    /// The events are on a majority of the machines of a group.
    ///
    /// They are on these machines' stable storage. Each machine is proven to flush before it responds, so the events
    /// survive the loss of one machine.
    public static let replicated = CollectorDurability(rawValue: "replicated")
    /// The events are in a test collector.
    ///
    /// A test collector loses all data when it ends.
    public static let memory = CollectorDurability(rawValue: "memory")
    /// The events are on machines that are not proven to flush.
    ///
    /// Power loss can destroy the events.
    public static let buffered = CollectorDurability(rawValue: "buffered")
}

extension Set<CollectorDurability> {
    /// The durabilities that a sender accepts by default.
    ///
    /// These are ``CollectorDurability/disk``, ``CollectorDurability/replicated``, and
    /// ``CollectorDurability/memory``, which only a test collector returns.
    public static let standard: Self = [.disk, .replicated, .memory]
}
