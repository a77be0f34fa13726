// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A text table whose columns are as wide as their widest cell.
public struct Table: Sendable {
    /// The alignment of a column's cells.
    public enum Alignment: Sendable, Hashable {
        /// Left-aligned, for text.
        case left
        /// Right-aligned, for numbers.
        case right
    }

    private var headings: [String]
    private var alignments: [Alignment]
    private var rows: [[String]] = []

    /// Creates a table without rows.
    public init(_ columns: [(heading: String, alignment: Alignment)]) {
        headings = columns.map { TerminalText.part($0.heading) }
        alignments = columns.map(\.alignment)
    }

    /// Appends a row.
    ///
    /// Missing cells are empty, and surplus cells are omitted. Characters that could control a terminal or end the line
    /// are escaped.
    public mutating func append(_ cells: [String]) {
        let padding = Array(repeating: "", count: max(0, headings.count - cells.count))
        rows.append((cells + padding).prefix(headings.count).map(TerminalText.part))
    }

    /// Returns the lines, heading first.
    public func lines(style: Style) -> [String] {
        let widths = headings.indices.map { column in
            rows.reduce(TerminalText.width(headings[column])) { max($0, TerminalText.width($1[column])) }
        }
        let heading = style.faint(line(headings, widths: widths))
        return [heading] + rows.map { line($0, widths: widths) }
    }

    private func line(_ cells: [String], widths: [Int]) -> String {
        var text = ""
        for (column, cell) in cells.enumerated() {
            let filling = String(repeating: " ", count: widths[column] - TerminalText.width(cell))
            if column > 0 { text += "  " }
            switch alignments[column] {
            case .right: text += filling + cell
            // The last column has no trailing spaces.
            case .left: text += column == cells.count - 1 ? cell : cell + filling
            }
        }
        return text
    }
}
