// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// The boards of one collector.
///
/// The boards are held in memory and in a small file next to the collector's data.
///
/// The file is not part of the index, which can be rebuilt from the log at any time. Each change replaces the file
/// atomically and flushes it; if the write fails, the change does not take effect. A single process uses the file: the
/// one that has the intake log open. A damaged file is renamed, so a collector that cannot read the boards never
/// overwrites them.
public actor BoardStore {
    private let file: SavedFile
    private let randomUInt64: @Sendable () -> UInt64
    private var boards: [StoredBoard] = []
    /// Why the boards cannot be read or changed; nil if they can.
    private var loadError: BoardError?

    /// Opens the boards; a missing file counts as empty.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the file; nil keeps boards in memory only.
    ///   - storage: The storage of the file.
    ///   - time: The current time, used in the name of a damaged file.
    ///   - randomUInt64: Returns random bits, suitable for secrets.
    ///   - onWarning: Called with warnings about the file.
    public init(
        path: String?,
        storage: any JournalStorage = DiskStorage(),
        at time: Timestamp,
        randomUInt64: @escaping @Sendable () -> UInt64,
        onWarning: (String) -> Void = { _ in }
    ) {
        file = SavedFile(path, storage, of: "boards", limit: BoardLimits.bytes)
        self.randomUInt64 = randomUInt64
        do throws(BoardError) {
            boards =
                try file.read(at: time, onWarning: onWarning) { bytes throws(SavedFile.Problem) in
                    try BoardFile.boards(bytes)
                } ?? []
        } catch {
            loadError = error
        }
    }

    /// Returns all boards in order of creation.
    ///
    /// - Throws: ``BoardError`` `unavailable`, as all methods here do.
    public func all() throws(BoardError) -> [Board] {
        if let loadError { throw loadError }
        return boards.map(\.board)
    }

    /// Returns a board with its links.
    ///
    /// - Throws: ``BoardError`` `notFound`.
    public func board(_ id: String) throws(BoardError) -> StoredBoard { boards[try index(of: id)] }

    /// Adds a board.
    ///
    /// The caller must have validated its queries.
    ///
    /// - Throws: ``BoardError`` `full`.
    public func add(_ draft: BoardDraft, at time: Timestamp) throws(BoardError) -> StoredBoard {
        if let loadError { throw loadError }
        guard boards.count < BoardLimits.boards else {
            throw BoardError(
                .full,
                "There are already \(BoardLimits.boards) boards, the maximum; delete one that is no longer needed."
            )
        }
        var id = ""
        repeat { id = randomLetters(10) } while boards.contains { $0.board.id == id }
        let board = Board(id: id, title: draft.title, cards: draft.cards, version: 1, created: time, changed: time)
        try keep(boards + [StoredBoard(board)])
        return StoredBoard(board)
    }

    /// Replaces the title and the cards of a board.
    ///
    /// The board's links remain valid.
    ///
    /// - Parameter version: The version that the change is based on.
    /// - Throws: ``BoardError`` `notFound`, `changed` when the version has changed since, or `full`.
    public func replace(
        _ id: String,
        with draft: BoardDraft,
        basedOn version: Int64,
        at time: Timestamp
    ) throws(BoardError) -> StoredBoard {
        let index = try index(of: id)
        var stored = boards[index]
        try SavedError.checkVersion(stored.board.version ?? 0, is: version, of: "board")
        stored.board.title = draft.title
        stored.board.cards = draft.cards
        stored.board.version = version + 1
        stored.board.changed = time
        var changed = boards
        changed[index] = stored
        try keep(changed)
        return stored
    }

    /// Removes a board and its links.
    ///
    /// - Parameter version: The version that the removal is based on.
    /// - Throws: ``BoardError`` `notFound`, or `changed` when the version has changed since.
    public func remove(_ id: String, basedOn version: Int64) throws(BoardError) {
        let index = try index(of: id)
        try SavedError.checkVersion(boards[index].board.version ?? 0, is: version, of: "board")
        var left = boards
        left.remove(at: index)
        try keep(left)
    }

    /// Creates a link to a board.
    ///
    /// - Parameters:
    ///   - id: The board.
    ///   - expires: When the link expires; nil for never.
    /// - Returns: The link, and the secret that opens it. The secret cannot be retrieved later.
    /// - Throws: ``BoardError`` `notFound` or `full`.
    public func link(
        _ id: String,
        expires: Timestamp?,
        at time: Timestamp
    ) throws(BoardError) -> (link: BoardLink, token: String) {
        let index = try index(of: id)
        var changed = boards
        // Expired links do not count toward the limit.
        changed[index].links.removeAll { Self.isOver($0, at: time) }
        guard changed[index].links.count < BoardLimits.links else {
            throw BoardError(
                .full,
                "This board already has \(BoardLimits.links) links, the maximum; revoke one of them."
            )
        }
        let token = "twl_" + randomLetters(52)
        var name = ""
        repeat { name = randomLetters(6) } while changed[index].links.contains { $0.id == name }
        let link = BoardLink(id: name, digest: KeyDigest(of: token), created: time, expires: expires)
        changed[index].links.append(link)
        try keep(changed)
        return (link, token)
    }

    /// Revokes a link to a board, or all of them.
    ///
    /// - Parameter link: The link; nil for all.
    /// - Returns: The number of revoked links.
    /// - Throws: ``BoardError`` `notFound`.
    public func unlink(_ id: String, link: String?) throws(BoardError) -> Int {
        let index = try index(of: id)
        var changed = boards
        changed[index].links.removeAll { link == nil || $0.id == link }
        let revoked = boards[index].links.count - changed[index].links.count
        guard revoked > 0 || link == nil else {
            throw BoardError(.notFound, "This board has no link “\((link ?? "").prefix(64))”.")
        }
        if revoked > 0 { try keep(changed) }
        return revoked
    }

    /// Returns the board that a secret opens; nil if it opens none.
    ///
    /// The result does not reveal why a secret opens no board.
    ///
    /// - Complexity: O(links). All links are compared, even after a match.
    public func shared(by token: String, at time: Timestamp) -> Board? {
        let presented = KeyDigest(of: token)
        var found: Board?
        for stored in boards {
            for link in stored.links where link.digest.matches(presented) && !Self.isOver(link, at: time) {
                found = stored.board
            }
        }
        return found
    }

    private static func isOver(_ link: BoardLink, at time: Timestamp) -> Bool {
        link.expires.map { $0 <= time } ?? false
    }

    private func index(of id: String) throws(BoardError) -> Int {
        if let loadError { throw loadError }
        guard let index = boards.firstIndex(where: { $0.board.id == id }) else {
            throw BoardError(.notFound, "No board has the id “\(id.prefix(64))”; /v1/boards lists all boards.")
        }
        return index
    }

    /// Writes all boards, then updates the copy in memory.
    private func keep(_ changed: [StoredBoard]) throws(BoardError) {
        try file.write(BoardFile.bytes(changed), isShrinking: changed.count < boards.count)
        boards = changed
    }

    private func randomLetters(_ count: Int) -> String { SavedName.randomLetters(count, randomUInt64) }
}
