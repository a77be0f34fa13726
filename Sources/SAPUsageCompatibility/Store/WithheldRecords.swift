// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayEvents
internal import TrackwayJournal

/// A record moved out of the log, because it stays while records behind it are removed.
struct WithheldRecord: Sendable, Hashable, Codable {
    /// The process that recorded it.
    var writer: String
    /// Its former place in the log of that process.
    var sequence: UInt64
    /// The record as JSON.
    var record: String
    /// The start of its session as JSON; nil without one.
    var start: String?
    /// Whether the back end refused the record alone: it is not sent again.
    var isRefused: Bool?

    /// A record at a place.
    init(_ record: String, at place: UsagePlace, start: String?, isRefused: Bool = false) {
        writer = place.writer.description
        sequence = place.sequence
        self.record = record
        self.start = start
        self.isRefused = isRefused ? true : nil
    }

    /// Its former place; nil when the file was damaged.
    var place: UsagePlace? { WriterID(writer).map { UsagePlace(writer: $0, sequence: sequence) } }

    /// The bytes it takes, roughly.
    var bytes: Int { record.utf8.count + (start?.utf8.count ?? 0) + 64 }
}

/// The records of a store that were moved out of the log, in a file of their own.
///
/// A record is added before it leaves the log. Between the two it is in both, and readers take the one in this file.
struct WithheldFile: Sendable {
    /// The most bytes of one target's records in the file.
    static let maximumBytes = 4 << 20

    /// Drops the oldest records beyond the limit of bytes.
    ///
    /// - Returns: how many.
    static func trim(_ records: inout [WithheldRecord]) -> Int {
        var bytes = records.reduce(0) { $0 + $1.bytes }
        var count = 0
        while bytes > maximumBytes, count < records.count {
            bytes -= records[count].bytes
            count += 1
        }
        records.removeFirst(count)
        return count
    }

    private let file: StateFile<[String: [WithheldRecord]]>

    init(in folder: String, of storage: any JournalStorage) {
        file = StateFile("withheld", in: folder, of: storage, format: .json)
    }

    /// The records of a target, in the order they were recorded.
    ///
    /// - Throws: when the file is there and cannot be read now.
    func records(of target: String) throws(StorageError) -> [WithheldRecord] {
        try all()[target] ?? []
    }

    /// All records, by target; none for a damaged file.
    func all() throws(StorageError) -> [String: [WithheldRecord]] {
        switch try file.read() {
        case .kept(let records, _): records
        case .nothing, .damaged: [:]
        }
    }

    /// Changes the records, durably.
    func change(_ body: (inout [String: [WithheldRecord]]) -> Void) throws(StorageError) {
        let isOurTurn = try file.exclusively(.few) { () throws(StorageError) in
            let before = try all()
            var records = before
            body(&records)
            records = records.filter { !$0.value.isEmpty }
            guard records != before else { return }
            try file.write(records)
            try file.synchronize()
        }
        guard isOurTurn else { throw file.notOurTurn }
    }
}
