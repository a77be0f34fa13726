// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

extension BoardCard {
    /// Writes the card.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("title", title)
        writer.member("size", size.rawValue)
        writer.member("kind", kind.rawValue)
        writer.member("query", query)
        if let chart { writer.member("chart", chart.rawValue) }
        writer.endObject()
    }
}

extension Board {
    /// Writes the board's entry in a list of boards.
    public func writeSummary(to writer: inout JSONWriter) {
        writer.beginObject()
        writeHead(to: &writer)
        writer.member("cards", Int64(cards.count))
        writer.endObject()
    }

    /// Writes the members that identify the board.
    fileprivate func writeHead(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("title", title)
        if let version {
            writer.member("version", version)
            writer.member("created", created)
            writer.member("changed", changed)
        } else {
            writer.member("ready_made", true)
        }
    }

    /// Writes the board as a shared link shows it.
    ///
    /// The output omits the ids of the board and of its links.
    public func writeShared(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("title", title)
        writer.list("cards", cards) { $0.write(to: &$1) }
        writer.endObject()
    }
}

extension BoardLink {
    /// Writes the link without its secret.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("created", created)
        if let expires { writer.member("expires", expires) }
        writer.endObject()
    }
}

extension StoredBoard {
    /// Writes the board with its cards and links.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        board.writeHead(to: &writer)
        writer.list("cards", board.cards) { $0.write(to: &$1) }
        if !board.isBuiltIn { writer.list("links", links) { $0.write(to: &$1) } }
        writer.endObject()
    }
}
