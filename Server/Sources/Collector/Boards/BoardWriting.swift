// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

extension BoardCard {
    /// Writes the card.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id)
        writer.member("title", title)
        writer.member("size", size.rawValue)
        writer.member("kind", kind.rawValue)
        writer.member("query", query)
        writer.endObject()
    }
}

extension Board {
    /// Writes what a list of boards says about it.
    public func writeSummary(to writer: inout JSONWriter) {
        writer.beginObject()
        writeHead(to: &writer)
        writer.member("cards", Int64(cards.count))
        writer.endObject()
    }

    /// Writes the members that tell which board it is.
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

    /// Writes what whoever has a link may see of it: no ids of the board and of other links.
    public func writeShared(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("title", title)
        writer.list("cards", cards) { $0.write(to: &$1) }
        writer.endObject()
    }
}

extension BoardLink {
    /// Writes what is known of the link; what opens it is not.
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
        if !board.isReadyMade { writer.list("links", links) { $0.write(to: &$1) } }
        writer.endObject()
    }
}
