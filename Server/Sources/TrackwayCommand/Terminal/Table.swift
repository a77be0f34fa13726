// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Columns of text under headings, as wide as their widest cell.
public struct Table: Sendable {
    /// On which side a column's short cells are filled up.
    public enum Alignment: Sendable, Hashable {
        /// Text.
        case left
        /// Numbers.
        case right
    }

    private var headings: [String]
    private var alignments: [Alignment]
    private var rows: [[String]] = []

    /// A table without rows.
    public init(_ columns: [(heading: String, alignment: Alignment)]) {
        headings = columns.map(\.heading)
        alignments = columns.map(\.alignment)
    }

    /// Appends a row; missing cells are empty, surplus cells are left out.
    public mutating func append(_ cells: [String]) {
        let padding = Array(repeating: "", count: max(0, headings.count - cells.count))
        rows.append(Array((cells + padding).prefix(headings.count)))
    }

    /// The lines, heading first.
    public func lines(style: Style) -> [String] {
        let widths = headings.indices.map { column in
            rows.reduce(headings[column].count) { max($0, $1[column].count) }
        }
        let heading = style.faint(line(headings, widths: widths))
        return [heading] + rows.map { line($0, widths: widths) }
    }

    private func line(_ cells: [String], widths: [Int]) -> String {
        var text = ""
        for (column, cell) in cells.enumerated() {
            let filling = String(repeating: " ", count: widths[column] - cell.count)
            if column > 0 { text += "  " }
            switch alignments[column] {
            case .right: text += filling + cell
            // Nothing trails the last column.
            case .left: text += column == cells.count - 1 ? cell : cell + filling
            }
        }
        return text
    }
}
