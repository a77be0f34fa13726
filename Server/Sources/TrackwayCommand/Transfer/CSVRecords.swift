// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Splits comma-separated values (RFC 4180) into records.
struct CSVRecords: Sendable {
    /// A record with the line on which it begins.
    struct Record: Sendable, Hashable {
        var line: Int
        var cells: [String]
    }

    /// The maximum number of cells in a record.
    static let maximumCells = 10_000
    /// The maximum length of a record in bytes.
    static let maximumBytes = 8 << 20

    private var line = 1
    private var firstLine = 1
    private var cells: [String] = []
    private var cell: [UInt8] = []
    private var bytes = 0
    private var isQuoted = false
    /// Whether the cell began with a quote, which has been closed.
    private var wasQuoted = false
    private var hasCells = false

    /// Creates a reader at the beginning of a file.
    init() {}

    /// Adds bytes and returns the records that they complete.
    ///
    /// Empty lines are skipped.
    ///
    /// - Throws: ``CommandFailure`` `malformedInput` for a record that is too long.
    mutating func feed(_ input: some Sequence<UInt8>) throws(CommandFailure) -> [Record] {
        var records: [Record] = []
        for byte in input {
            bytes += 1
            guard bytes <= Self.maximumBytes, cells.count <= Self.maximumCells else {
                throw ImportedEvent.failure(
                    firstLine,
                    "the record has more than \(Self.maximumCells.grouped) cells or \(Self.maximumBytes.grouped) bytes",
                    remedy: "remove columns, or check for a missing quotation mark"
                )
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            if isQuoted {
                if byte == UInt8(ascii: "\"") {
                    isQuoted = false
                    wasQuoted = true
                } else {
                    cell.append(byte)
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\"") where wasQuoted:
                // Two quotation marks in a quoted cell are one.
                cell.append(byte)
                isQuoted = true
                wasQuoted = false
            case UInt8(ascii: "\"") where cell.isEmpty:
                isQuoted = true
                hasCells = true
            case UInt8(ascii: ","):
                endCell()
                hasCells = true
            case UInt8(ascii: "\n"):
                if let record = endRecord() { records.append(record) }
            case UInt8(ascii: "\r"): continue
            default:
                cell.append(byte)
                hasCells = true
            }
        }
        return records
    }

    /// Returns the record after the last line ending, if there is one.
    ///
    /// - Throws: ``CommandFailure`` `malformedInput` if the file ends inside a quoted cell.
    mutating func finish() throws(CommandFailure) -> Record? {
        guard !isQuoted else {
            throw ImportedEvent.failure(
                firstLine,
                "a quotation mark is not closed",
                remedy: "the file may have been cut off; no event was imported"
            )
        }
        return endRecord()
    }

    private mutating func endCell() {
        cells.append(String(decoding: cell, as: UTF8.self))
        cell.removeAll(keepingCapacity: true)
        wasQuoted = false
    }

    private mutating func endRecord() -> Record? {
        defer {
            cells = []
            (bytes, hasCells, firstLine) = (0, false, line)
        }
        guard hasCells else { return nil }
        endCell()
        return Record(line: firstLine, cells: cells)
    }
}
