// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// A file of events to import.
struct ImportFile: Sendable {
    /// A format of the file.
    enum Format: Sendable, Hashable {
        /// One event on each line.
        case ndjson
        /// Comma-separated values with a heading.
        case csv(mapping: [String], name: String?)
    }

    /// The number of bytes read at once.
    private static let chunk = 1 << 18

    /// The path of the file.
    let path: String
    /// The format of the file.
    let format: Format

    /// The size of the file in bytes; nil if unknown.
    var bytes: UInt64? {
        // A file that is missing is an error when it is read.
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber)?.uint64Value
    }

    /// Passes the events to `body`, in order.
    ///
    /// - Parameter body: Receives events with the number of bytes read so far.
    /// - Returns: The names of ignored columns.
    /// - Throws: ``CommandFailure`` if the file cannot be read or a line is invalid, or the error of `body`.
    func read(_ body: (_ event: ImportedEvent, _ bytes: UInt64) async throws -> Void) async throws -> [String] {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw CommandFailure(.inputMissing, "\(path) cannot be read", remedy: "pass the path of an existing file")
        }
        var reader = LineReader(format: format)
        var bytes: UInt64 = 0
        while let piece = try Self.next(handle, path) {
            bytes += UInt64(piece.count)
            for event in try reader.feed(Array(piece)) { try await body(event, bytes) }
        }
        if let event = try reader.finish() { try await body(event, bytes) }
        return reader.mapping?.ignored ?? []
    }

    private static func next(_ handle: FileHandle, _ path: String) throws(CommandFailure) -> Data? {
        do {
            let piece = try handle.read(upToCount: chunk)
            return piece?.isEmpty == true ? nil : piece
        } catch {
            throw CommandFailure(.inputOutput, "\(path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// Converts bytes into events.
    private struct LineReader {
        let format: Format
        var lines = LineBuffer()
        var records = CSVRecords()
        var mapping: CSVMapping?
        var occurrences = RecordOccurrences()

        init(format: Format) { self.format = format }

        mutating func feed(_ bytes: [UInt8]) throws(CommandFailure) -> [ImportedEvent] {
            var events: [ImportedEvent] = []
            switch format {
            case .ndjson:
                for line in try lines.feed(bytes) { events.append(try event(line)) }
            case .csv:
                for record in try records.feed(bytes) {
                    if let event = try event(record) { events.append(event) }
                }
            }
            return events
        }

        mutating func finish() throws(CommandFailure) -> ImportedEvent? {
            switch format {
            case .ndjson:
                guard let line = lines.finish() else { return nil }
                return try event(line)
            case .csv:
                guard let record = try records.finish() else { return nil }
                return try event(record)
            }
        }

        private mutating func event(_ line: (number: Int, bytes: [UInt8])) throws(CommandFailure) -> ImportedEvent {
            try ImportedEvent(ndjson: line.bytes, line: line.number, occurrences: &occurrences)
        }

        private mutating func event(_ record: CSVRecords.Record) throws(CommandFailure) -> ImportedEvent? {
            guard case .csv(let options, let name) = format else { return nil }
            guard let mapping else {
                self.mapping = try CSVMapping(heading: record.cells, options: options)
                return nil
            }
            return try mapping.event(record, name: name, occurrences: &occurrences)
        }
    }
}

/// A batch of events of one installation, as the body of a request.
struct ImportBatch: Sendable, Hashable {
    /// The body.
    var body: [UInt8]
    /// The line of each event in the file.
    var lines: [Int]

    /// The maximum size of a body without its first event.
    private static let maximumBytes = 768 << 10
    /// The maximum number of events in a batch.
    private static let maximumEvents = 1_000

    /// Returns the batches of events, in the events' order for each installation.
    static func batches(of events: [ImportedEvent]) -> [ImportBatch] {
        var order: [InstallationID?] = []
        var groups: [InstallationID?: [ImportedEvent]] = [:]
        for event in events {
            if groups[event.installation] == nil { order.append(event.installation) }
            groups[event.installation, default: []].append(event)
        }
        return order.flatMap { batches(of: groups[$0] ?? [], installation: $0) }
    }

    private static func batches(of events: [ImportedEvent], installation: InstallationID?) -> [ImportBatch] {
        var batches: [ImportBatch] = []
        var batch = ImportBatch(body: [], lines: [])
        var context: [UInt8] = []
        for event in events {
            let size = event.json.count + event.context.count
            if batch.lines.count >= maximumEvents || (!batch.lines.isEmpty && batch.body.count + size > maximumBytes) {
                batches.append(batch)
                batch = ImportBatch(body: [], lines: [])
            }
            if batch.lines.isEmpty {
                if let installation { batch.body += Array("{\"batch\":{\"installation\":\"\(installation)\"}}\n".utf8) }
                context = []
            }
            if event.context != context {
                context = event.context
                batch.body += Array("{\"context\":".utf8) + (context.isEmpty ? Array("{}".utf8) : context)
                batch.body += Array("}\n".utf8)
            }
            batch.body += event.json + [UInt8(ascii: "\n")]
            batch.lines.append(event.line)
        }
        return batch.lines.isEmpty ? batches : batches + [batch]
    }
}
