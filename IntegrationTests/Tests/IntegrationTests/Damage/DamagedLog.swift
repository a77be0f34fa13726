// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import TrackwayJournal

/// The log of a killed process.
struct DamagedLog {
    /// The number of events in each log.
    static let events = 24

    let id: String
    /// The path of its only segment.
    let path: String
    /// The byte range of each event's record, in order; event numbers start at 1.
    let records: [Range<Int>]

    init(id: String, data: String) throws {
        self.id = id
        let folder = "\(data)/writers/\(id)"
        path = folder + "/00000001.segment"
        var reader = LogReader(folder: folder)
        var records: [Range<Int>] = []
        while let entry = try reader.next() {
            if entry.kind == .event { records.append(Int(entry.start.offset)..<Int(entry.end.offset)) }
        }
        guard records.count == Self.events else { throw TestSupportError("\(records.count) events in \(folder)") }
        self.records = records
    }

    /// Returns the writers of an installation.
    static func all(in data: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: data + "/writers") else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: data + "/writers")
    }

    /// Changes the segment's bytes.
    func change(_ body: (inout Data) -> Void) throws {
        let file = URL(fileURLWithPath: path)
        var bytes = try Data(contentsOf: file)
        body(&bytes)
        try bytes.write(to: file)
    }
}
