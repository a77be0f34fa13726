// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// The position up to which a collector last reported reading a stream.
public struct ReaderPosition: Sendable, Hashable {
    /// The time without a report after which a collector counts as silent.
    ///
    /// Collectors report every ten seconds.
    public static let silence: Duration = .seconds(120)

    /// The collector: its machine's name and its folder, as in `web1:/var/lib/trackway`.
    public var name: String
    /// The sequence of the first record missing from its index.
    ///
    /// 1 or more.
    public var next: UInt64
    /// When the engine received the report.
    public var heard: Timestamp
    /// Whether it continues after records that were deleted because of an erasure.
    ///
    /// Earlier versions stop there.
    public var passesErased: Bool

    /// Creates a reader's position.
    public init(name: String, next: UInt64, heard: Timestamp, passesErased: Bool = true) {
        self.name = name
        self.next = next
        self.heard = heard
        self.passesErased = passesErased
    }

    /// Whether the collector has been silent for long and may be gone.
    public func isSilent(at now: Timestamp) -> Bool { heard.advanced(by: Self.silence) < now }
}

/// The range of sequences of a stream's records.
public struct StreamExtent: Sendable, Hashable {
    /// The sequence of the first record.
    ///
    /// Records deleted because of an erasure count if only such records separate them from the first existing one. In a
    /// stream without records, this is the sequence of the next record.
    public var first: UInt64
    /// The sequence of the last record ever stored; 0 for none.
    public var last: UInt64

    /// Creates an extent.
    public init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }
}

/// Access to a stream for removing records from it.
public protocol StreamMaintenance: Sendable {
    /// Returns the range of the stream's sequences, as reported by its leader.
    ///
    /// - Throws: ``StreamMaintenanceError``.
    func extent() async throws(StreamMaintenanceError) -> StreamExtent

    /// Returns the time when the engine stored a record.
    ///
    /// If the record no longer exists, this is the time of the first record after it; nil without one.
    ///
    /// - Throws: ``StreamMaintenanceError``.
    func time(of sequence: UInt64) async throws(StreamMaintenanceError) -> Timestamp?

    /// Returns all collectors that ever reported a position and were not removed.
    ///
    /// - Throws: ``StreamMaintenanceError``.
    func readers() async throws(StreamMaintenanceError) -> [ReaderPosition]

    /// Permanently removes all records before a sequence.
    ///
    /// Repeating it changes nothing.
    ///
    /// - Returns: The number of removed records.
    /// - Throws: ``StreamMaintenanceError``; records may have been removed nevertheless.
    func purge(before sequence: UInt64) async throws(StreamMaintenanceError) -> UInt64
}

/// A failure of a stream's maintenance.
public struct StreamMaintenanceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence with the cause.
    public var description: String

    /// Creates a failure.
    public init(_ description: String) {
        self.description = description
    }
}
