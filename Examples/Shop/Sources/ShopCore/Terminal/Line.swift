// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One line of a screen, as pieces with one style each.
package struct Line: Sendable, Hashable {
    /// The style of a piece; the terminal chooses its colors.
    package enum Style: Sendable, Hashable {
        case plain
        case title
        case dim
        case price
        case good
        case chosen
    }

    /// A piece of text with one style.
    package struct Piece: Sendable, Hashable {
        /// The text.
        package var text: String
        /// The style.
        package var style: Style
    }

    /// The pieces, from left to right.
    package private(set) var pieces: [Piece]

    /// Creates a line with one piece.
    package init(_ text: String = "", _ style: Style = .plain) {
        pieces = text.isEmpty ? [] : [Piece(text: text, style: style)]
    }

    /// The width in columns.
    package var width: Int { pieces.reduce(0) { $0 + $1.text.count } }
    /// The text of all pieces.
    package var text: String { pieces.map(\.text).joined() }

    /// Returns the line with another piece.
    package func adding(_ text: String, _ style: Style = .plain) -> Line {
        var line = self
        if !text.isEmpty { line.pieces.append(Piece(text: text, style: style)) }
        return line
    }

    /// Returns the line with a piece that ends at a column, with at least one space before it.
    package func adding(_ text: String, _ style: Style = .plain, endingAt column: Int) -> Line {
        let padding = max(1, column - width - text.count)
        return adding(String(repeating: " ", count: padding)).adding(text, style)
    }

    /// Returns the line truncated to this many columns.
    package func truncated(to columns: Int) -> Line {
        var line = Line()
        var available = columns
        for piece in pieces where available > 0 {
            line = line.adding(String(piece.text.prefix(available)), piece.style)
            available -= piece.text.count
        }
        return line
    }
}
