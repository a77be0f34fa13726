// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// The fields that the SDK may send, as declared in `Scripts/data-map`.
package struct DataMap: Sendable {
    /// A wire format; the raw value is the name of its list.
    package enum Format: String, CaseIterable, Sendable {
        case collector
        case clickstream
        case sensorsAnalytics = "sensors-analytics"
        case sift
        case sapMobileServices = "sap-mobile-services"
    }

    /// A field that may be sent.
    package struct Row: Sendable, Hashable {
        /// The path, with `*` for a name that the app chose.
        package var path: String
        /// Whether the field identifies a person or a device: `yes`, `linked`, `no`.
        package var personal: String
        /// The systems and products that send it.
        package var systems: String
        /// The setting that removes it; `-` for none.
        package var removedBy: String
    }

    /// The rows of each format, including those of all formats.
    private let rows: [Format: [String: Row]]

    /// Reads the lists.
    package init() throws {
        let common = try Self.read("http", macros: [:])
        let collector = try Self.read(Format.collector.rawValue, macros: [:])
        let macros = ["device_properties", "app_state"].map { event in
            ("@\(event)", collector.filter { $0.path.hasPrefix("_\(event).") })
        }
        var rows: [Format: [String: Row]] = [:]
        for format in Format.allCases {
            let own = try Self.read(format.rawValue, macros: Dictionary(uniqueKeysWithValues: macros))
            rows[format] = Dictionary((common + own).map { ($0.path, $0) }) { _, own in own }
        }
        self.rows = rows
    }

    /// Returns the row of a field; nil if the field must not be sent.
    package func row(_ path: String, in format: Format) -> Row? { rows[format]?[path] }

    /// The rows of a format.
    package func rows(of format: Format) -> [Row] { (rows[format] ?? [:]).values.sorted { $0.path < $1.path } }

    // MARK: Reading

    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Scripts/data-map")

    private static func read(_ name: String, macros: [String: [Row]]) throws -> [Row] {
        let text = try String(contentsOf: folder.appendingPathComponent("\(name).txt"), encoding: .utf8)
        return text.split(separator: "\n").flatMap { line -> [Row] in
            let cells = line.components(separatedBy: " | ")
            guard cells.count == 7 else { return [] }
            let row = Row(path: cells[0], personal: cells[3], systems: cells[4], removedBy: cells[6])
            return expand(row, macros)
        }
    }

    /// Returns the rows that a row with braces stands for.
    private static func expand(_ row: Row, _ macros: [String: [Row]]) -> [Row] {
        guard let open = row.path.firstIndex(of: "{"), let close = row.path[open...].firstIndex(of: "}") else {
            return [row]
        }
        let (start, end) = (row.path[..<open], row.path[row.path.index(after: close)...])
        return row.path[row.path.index(after: open)..<close].split(separator: ",").flatMap { name -> [Row] in
            guard let referenced = macros[String(name)] else {
                var copy = row
                copy.path = String(start + name + end)
                return expand(copy, macros)
            }
            return referenced.map { other in
                var copy = other
                copy.path = String(start + other.path.drop { $0 != "." }.dropFirst() + end)
                return copy
            }
        }
    }
}
