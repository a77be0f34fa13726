// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// How far a collector's index has read a stream, as the collector said last.
public struct ReaderPlace: Sendable, Hashable {
    /// After so long without a word a collector counts as silent: they speak every ten seconds.
    public static let silence: Duration = .seconds(120)

    /// Which collector it is: its machine's name and its folder, as in `web1:/var/lib/trackway`.
    public var name: String
    /// The sequence of the first record that its index does not have; 1 or more.
    public var next: UInt64
    /// When the engine heard so.
    public var heard: Timestamp
    /// Whether it goes on behind records that were deleted since they were erased. Earlier versions stop there.
    public var passesErased: Bool

    /// A place.
    public init(name: String, next: UInt64, heard: Timestamp, passesErased: Bool = true) {
        self.name = name
        self.next = next
        self.heard = heard
        self.passesErased = passesErased
    }

    /// Whether nothing was heard of the collector for so long that it may be gone.
    public func isSilent(at now: Timestamp) -> Bool { heard.advanced(by: Self.silence) < now }
}

/// Between which sequences a stream's records lie.
public struct StreamExtent: Sendable, Hashable {
    /// The sequence of the first record that is there, or was deleted since it was erased with all behind it up to one that is there. In a
    /// stream without records it is that of the next one.
    public var first: UInt64
    /// The sequence of the last record that was ever taken; 0 for none.
    public var last: UInt64

    /// An extent.
    public init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }
}

/// A stream, for whoever removes records from it.
public protocol StreamUpkeep: Sendable {
    /// Between which sequences its records lie, by its leader's word.
    ///
    /// - Throws: ``UpkeepFailure``.
    func extent() async throws(UpkeepFailure) -> StreamExtent

    /// When the engine took a record, or, when that is not there any more, the first one behind it; nil when there is none.
    ///
    /// - Throws: ``UpkeepFailure``.
    func time(of sequence: UInt64) async throws(UpkeepFailure) -> Timestamp?

    /// All collectors that ever said how far their index is and were not forgotten since.
    ///
    /// - Throws: ``UpkeepFailure``.
    func readers() async throws(UpkeepFailure) -> [ReaderPlace]

    /// Removes all records before one, for good. Doing so again changes nothing.
    ///
    /// - Returns: How many were removed.
    /// - Throws: ``UpkeepFailure``; they may be removed nevertheless.
    func purge(before sequence: UInt64) async throws(UpkeepFailure) -> UInt64
}

/// A stream's upkeep cannot be done now.
public struct UpkeepFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence with what stands in the way.
    public var description: String

    /// A failure.
    public init(_ description: String) {
        self.description = description
    }
}
