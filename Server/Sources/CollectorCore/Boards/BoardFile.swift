// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The boards file: `{"version":1,"boards":[…]}`, one board per line.
///
/// Each change rewrites the whole file, so ``BoardLimits`` keeps it small.
enum BoardFile {
    /// The file version to write, and the only one accepted.
    static let version: Int64 = 1

    /// Returns the file's content.
    static func bytes(_ boards: [StoredBoard]) -> [UInt8] {
        SavedFile.bytes(version: version, "boards", boards, write)
    }

    private static func write(_ stored: StoredBoard, to writer: inout JSONWriter) {
        let board = stored.board
        writer.beginObject()
        writer.member("id", board.id)
        writer.member("title", board.title)
        writer.member("version", board.version ?? 1)
        writer.member("created", board.created)
        writer.member("changed", board.changed)
        writer.list("cards", board.cards) { $0.write(to: &$1) }
        writer.list("links", stored.links) { link, writer in
            writer.beginObject()
            writer.member("id", link.id)
            writer.member("sha256", link.digest.hexadecimal)
            writer.member("created", link.created)
            if let expires = link.expires { writer.member("expires", expires) }
            writer.endObject()
        }
        writer.endObject()
    }

    /// Parses the file's content.
    ///
    /// - Throws: ``SavedFile/Problem``.
    static func boards(_ bytes: [UInt8]) throws(SavedFile.Problem) -> [StoredBoard] {
        let value = try SavedFile.document(bytes, version: version, limit: BoardLimits.bytes)
        guard let list = value["boards"]?.array, list.count <= BoardLimits.boards else {
            throw .damaged("it has no list of boards, or more than \(BoardLimits.boards)")
        }
        var boards: [StoredBoard] = []
        var ids: Set<String> = []
        for (index, value) in list.enumerated() {
            guard let stored = board(value), ids.insert(stored.board.id).inserted else {
                throw .damaged("its board \(index + 1) is invalid")
            }
            boards.append(stored)
        }
        return boards
    }

    private static func board(_ value: JSONValue) -> StoredBoard? {
        guard let id = value["id"]?.string, SavedName.isName(id), let version = value["version"]?.integer,
            let created = value["created"]?.integer, let changed = value["changed"]?.integer,
            let title = value["title"], let cards = value["cards"], let list = value["links"]?.array
        else { return nil }
        let draft: BoardDraft
        do throws(BoardError) {
            let members = [("title", title), ("cards", cards)].map { JSONValue.Object.Member(key: $0, value: $1) }
            draft = try BoardDraft(.object(JSONValue.Object(members)))
        } catch {
            return nil
        }
        let links = list.compactMap(link)
        guard links.count == list.count, version > 0 else { return nil }
        let board = Board(
            id: id,
            title: draft.title,
            cards: draft.cards,
            version: version,
            created: Timestamp(milliseconds: created),
            changed: Timestamp(milliseconds: changed)
        )
        return StoredBoard(board, links: links)
    }

    private static func link(_ value: JSONValue) -> BoardLink? {
        guard let id = value["id"]?.string, SavedName.isName(id), let created = value["created"]?.integer,
            let digest = value["sha256"]?.string.flatMap({ KeyDigest(hexadecimal: $0) })
        else { return nil }
        let expires = value["expires"]
        guard expires == nil || expires?.integer != nil else { return nil }
        return BoardLink(
            id: id,
            digest: digest,
            created: Timestamp(milliseconds: created),
            expires: expires?.integer.map(Timestamp.init(milliseconds:))
        )
    }
}
