// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Rows of an export, as files in an archive.
///
/// A file is a JSON array with one row per line, or comma-separated values.
///
/// A table with more rows or bytes than other programs can open continues in further files: `events.json`,
/// `events-2.json`, and so on.
struct ExportTable {
    /// The format of the files.
    enum Format: String {
        case json
        case csv
    }

    /// The maximum size of one file, after which the next one begins.
    static let maximumFileBytes: UInt64 = 1 << 30
    /// The maximum number of rows in one file; spreadsheets open up to 1,048,576 rows.
    static let maximumFileRows = 1_000_000

    private let name: String
    private let format: Format
    private let heading: [String]
    private var files = 0
    private var fileRows = 0
    private var fileBytes: UInt64 = 0
    private(set) var rows = 0
    private let maximumFileRows: Int

    /// Creates a table; its first file begins at once.
    ///
    /// - Parameter heading: The names of the columns, for CSV only.
    init(
        _ name: String,
        _ format: Format,
        heading: [String] = [],
        maximumFileRows: Int = maximumFileRows,
        in archive: inout ZipWriter
    ) {
        self.name = name
        self.format = format
        self.heading = heading
        self.maximumFileRows = maximumFileRows
        beginFile(in: &archive)
    }

    /// Adds a row: the bytes of a JSON value, or a line of cells without a line ending.
    mutating func add(_ row: [UInt8], to archive: inout ZipWriter) {
        if fileRows >= maximumFileRows || fileBytes >= Self.maximumFileBytes {
            finish(&archive)
            beginFile(in: &archive)
        }
        var line: [UInt8] = []
        line.reserveCapacity(row.count + 2)
        switch format {
        case .json:
            if fileRows > 0 { line += ",\n".utf8 }
            line += row
        case .csv:
            line += row
            line += "\r\n".utf8
        }
        archive.write(line)
        fileRows += 1
        rows += 1
        fileBytes += UInt64(line.count)
    }

    /// Ends the last file.
    mutating func finish(_ archive: inout ZipWriter) {
        if format == .json { archive.write(Array("\n]\n".utf8)) }
    }

    private mutating func beginFile(in archive: inout ZipWriter) {
        files += 1
        (fileRows, fileBytes) = (0, 0)
        archive.begin(name + (files == 1 ? "" : "-\(files)") + "." + format.rawValue)
        switch format {
        case .json: archive.write(Array("[\n".utf8))
        case .csv: archive.write(Array((Self.line(heading) + "\r\n").utf8))
        }
    }

    /// Returns a line of cells (RFC 4180), without a line ending.
    static func line(_ cells: [String]) -> String { cells.map(UsageReportRow.quoted).joined(separator: ",") }
}
