// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The most recently reported reading position of a collector in a stream.
public struct ReaderPosition: Sendable, Hashable {
    /// The time without a report after which a collector counts as silent.
    ///
    /// Collectors report every ten seconds.
    public static let silenceTimeout: Duration = .seconds(120)

    /// The collector: its machine's name and its folder, as in `web1:/var/lib/trackway`.
    public var name: String
    /// The sequence number of the first record missing from its index.
    ///
    /// The number is at least 1.
    public var next: UInt64
    /// When the engine received the report.
    public var lastReport: Timestamp
    /// Whether the collector skips records deleted because of an erasure.
    ///
    /// Earlier versions stop at such records.
    public var skipsErasedRecords: Bool

    /// Creates a reader's position.
    public init(name: String, next: UInt64, lastReport: Timestamp, skipsErasedRecords: Bool = true) {
        self.name = name
        self.next = next
        self.lastReport = lastReport
        self.skipsErasedRecords = skipsErasedRecords
    }

    /// Whether the collector has been silent for longer than ``silenceTimeout``.
    ///
    /// Such a collector may no longer exist.
    public func isSilent(at now: Timestamp) -> Bool { lastReport.advanced(by: Self.silenceTimeout) < now }
}

/// The range of sequence numbers of a stream's records.
public struct StreamExtent: Sendable, Hashable {
    /// The sequence number of the first record.
    ///
    /// Records deleted because of an erasure count if only such records separate them from the first existing one. In a
    /// stream without records, this is the sequence number of the next record.
    public var first: UInt64
    /// The sequence number of the last record ever stored; 0 for none.
    public var last: UInt64

    /// Creates an extent.
    public init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }
}

/// Access to a stream for removing records from it.
public protocol StreamMaintenance: Sendable {
    /// Returns the range of sequence numbers that the stream's leader reports.
    ///
    /// - Throws: ``StreamMaintenanceError``.
    func extent() async throws(StreamMaintenanceError) -> StreamExtent

    /// Returns the time when the engine stored a record.
    ///
    /// If the record no longer exists, this is the time of the first record after it; nil if there is none.
    ///
    /// - Throws: ``StreamMaintenanceError``.
    func time(of sequence: UInt64) async throws(StreamMaintenanceError) -> Timestamp?

    /// Returns all collectors that have reported a position and were not removed.
    ///
    /// - Throws: ``StreamMaintenanceError``.
    func readers() async throws(StreamMaintenanceError) -> [ReaderPosition]

    /// Permanently removes all records before a sequence number.
    ///
    /// Repeating the call changes nothing.
    ///
    /// - Returns: The number of removed records.
    /// - Throws: ``StreamMaintenanceError``; even so, records may have been removed.
    func purge(before sequence: UInt64) async throws(StreamMaintenanceError) -> UInt64
}

/// A failure of a stream's maintenance.
public struct StreamMaintenanceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence with the cause.
    public var description: String
    /// Whether another attempt would fail, too.
    public var isPermanent: Bool

    /// Creates a failure.
    public init(_ description: String, isPermanent: Bool = false) {
        self.description = description
        self.isPermanent = isPermanent
    }
}
