// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One line of a screen, in pieces of one style each.
package struct Line: Sendable, Hashable {
    /// How a piece looks; what that means in colours is the terminal's business.
    package enum Style: Sendable, Hashable {
        case plain
        case title
        case dim
        case price
        case good
        case chosen
    }

    /// A piece of text in one style.
    package struct Piece: Sendable, Hashable {
        /// What it says.
        package var text: String
        /// How it looks.
        package var style: Style
    }

    /// The pieces, from left to right.
    package private(set) var pieces: [Piece]

    /// A line of one piece.
    package init(_ text: String = "", _ style: Style = .plain) {
        pieces = text.isEmpty ? [] : [Piece(text: text, style: style)]
    }

    /// How many columns it takes.
    package var width: Int { pieces.reduce(0) { $0 + $1.text.count } }
    /// What it says.
    package var text: String { pieces.map(\.text).joined() }

    /// Adds a piece.
    package func adding(_ text: String, _ style: Style = .plain) -> Line {
        var line = self
        if !text.isEmpty { line.pieces.append(Piece(text: text, style: style)) }
        return line
    }

    /// Adds a piece so that it ends at a column, with at least one blank before it.
    package func adding(_ text: String, _ style: Style = .plain, endingAt column: Int) -> Line {
        let room = max(1, column - width - text.count)
        return adding(String(repeating: " ", count: room)).adding(text, style)
    }

    /// The line cut to so many columns.
    package func cut(to columns: Int) -> Line {
        var line = Line()
        var room = columns
        for piece in pieces where room > 0 {
            line = line.adding(String(piece.text.prefix(room)), piece.style)
            room -= piece.text.count
        }
        return line
    }
}
