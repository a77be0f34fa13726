// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How safe the events of an answer are: what its member `durability` says.
///
/// A collector may say words that this version does not know; they are kept as they came.
public struct CollectorDurability: RawRepresentable, Sendable, Hashable {
    /// The word in the answer, such as `disk`.
    public let rawValue: String

    /// A durability by its word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// They are on the stable storage of one machine: they survive its loss of power, not its loss.
    public static let disk = CollectorDurability(rawValue: "disk")
    /// They are on the stable storage of most of a group of machines, each proven to flush before it answers: they survive the
    /// loss of one.
    public static let replicated = CollectorDurability(rawValue: "replicated")
    /// They are in a collector for tests, which forgets everything when it ends.
    public static let memory = CollectorDurability(rawValue: "memory")
    /// They are with machines that were not proven to flush: a loss of power may take them.
    public static let buffered = CollectorDurability(rawValue: "buffered")
}

extension Set<CollectorDurability> {
    /// What a sender lets go of its events at unless it says otherwise: ``CollectorDurability/disk``,
    /// ``CollectorDurability/replicated``, and ``CollectorDurability/memory``, which only a collector for tests says.
    public static let usual: Self = [.disk, .replicated, .memory]
}
