// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayJournal

/// A record that was moved out of the log.
///
/// Records after it were removed from the log.
struct WithheldRecord: Sendable, Hashable, Codable {
    /// The writer that recorded the record.
    var writer: String
    /// The record's former sequence number in that writer's log.
    var sequence: UInt64
    /// The record as JSON.
    var record: String
    /// The start of the record's session as JSON; nil if none.
    var start: String?
    /// Whether the back end rejected this record individually.
    ///
    /// If so, the record is not sent again.
    var isRefused: Bool?

    /// Creates a withheld record with its former position.
    init(_ record: String, at position: UsagePosition, start: String?, isRefused: Bool = false) {
        writer = position.writer.description
        sequence = position.sequence
        self.record = record
        self.start = start
        self.isRefused = isRefused ? true : nil
    }

    /// The record's former position; nil if the file was damaged.
    var position: UsagePosition? { WriterID(writer).map { UsagePosition(writer: $0, sequence: sequence) } }

    /// The approximate size in bytes.
    var bytes: Int { record.utf8.count + (start?.utf8.count ?? 0) + 64 }
}

/// The file of records that a store moved out of the log.
///
/// A record is added to the file before it leaves the log. While it is in both, readers use the copy in the file.
struct WithheldFile: Sendable {
    /// The maximum size of one target's records in the file, in bytes.
    static let maximumBytes = 4 << 20

    /// Drops the oldest records beyond the size limit.
    ///
    /// - Returns: the number of dropped records.
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

    /// Returns the records of a target, in the order in which they were recorded.
    ///
    /// - Throws: an error if the file exists but currently cannot be read.
    func records(of target: String) throws(StorageError) -> [WithheldRecord] {
        try all()[target] ?? []
    }

    /// Returns all records by target; empty if the file is missing or damaged.
    func all() throws(StorageError) -> [String: [WithheldRecord]] {
        switch try file.read() {
        case .stored(let records, _): records
        case .missing, .damaged: [:]
        }
    }

    /// Changes the records durably.
    func change(_ body: (inout [String: [WithheldRecord]]) -> Void) throws(StorageError) {
        let hasLock = try file.exclusively(.few) { () throws(StorageError) in
            let before = try all()
            var records = before
            body(&records)
            records = records.filter { !$0.value.isEmpty }
            guard records != before else { return }
            try file.write(records)
            try file.synchronize()
        }
        guard hasLock else { throw file.lockUnavailable }
    }
}
