// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayJournal

/// The boards of one collector: in memory, and in a small file beside its data.
///
/// The file is no part of the index, which can be made anew from the log at any time. Each change writes it in one step and
/// flushes it; what cannot be written has not happened. One process has it: the one that holds the intake log. A file that is
/// damaged is put aside under another name, and nobody's boards are overwritten by a collector that cannot read them.
public actor BoardStore {
    private let file: SavedFile
    private let chance: @Sendable () -> UInt64
    private var boards: [StoredBoard] = []
    /// Why there are no boards to read or change; nil while all is well.
    private var trouble: BoardError?

    /// Opens the boards; a missing file holds none.
    ///
    /// - Parameters:
    ///   - path: the file, as an absolute path; nil keeps boards in memory only.
    ///   - storage: where it lies.
    ///   - time: the time, for the name of a damaged file.
    ///   - chance: random bits, good enough for secrets.
    ///   - notice: told what a person should know about the file.
    public init(
        path: String?,
        storage: any JournalStorage = DiskStorage(),
        at time: Timestamp,
        chance: @escaping @Sendable () -> UInt64,
        notice: (String) -> Void = { _ in }
    ) {
        file = SavedFile(path, storage, of: "boards", limit: BoardLimits.bytes)
        self.chance = chance
        do throws(BoardError) {
            boards =
                try file.read(at: time, notice: notice) { bytes throws(SavedFile.Problem) in
                    try BoardFile.boards(bytes)
                } ?? []
        } catch {
            trouble = error
        }
    }

    /// All boards, in the order they were made.
    ///
    /// - Throws: ``BoardError`` `unavailable`, as everything here does.
    public func all() throws(BoardError) -> [Board] {
        if let trouble { throw trouble }
        return boards.map(\.board)
    }

    /// A board with its links.
    ///
    /// - Throws: ``BoardError`` `notFound`.
    public func board(_ id: String) throws(BoardError) -> StoredBoard { boards[try index(of: id)] }

    /// Makes a board. Its questions must have been checked.
    ///
    /// - Throws: ``BoardError`` `full`.
    public func add(_ draft: BoardDraft, at time: Timestamp) throws(BoardError) -> StoredBoard {
        if let trouble { throw trouble }
        guard boards.count < BoardLimits.boards else {
            throw BoardError(
                .full,
                "There are \(BoardLimits.boards) boards, as many as may be; delete one that nobody needs."
            )
        }
        var id = ""
        repeat { id = letters(10) } while boards.contains { $0.board.id == id }
        let board = Board(id: id, title: draft.title, cards: draft.cards, version: 1, created: time, changed: time)
        try keep(boards + [StoredBoard(board)])
        return StoredBoard(board)
    }

    /// Replaces what a board is called and shows. Its links stay.
    ///
    /// - Parameter version: which version was changed.
    /// - Throws: ``BoardError`` `notFound`, `changed` when it is another version now, or `full`.
    public func replace(
        _ id: String,
        with draft: BoardDraft,
        madeFrom version: Int64,
        at time: Timestamp
    ) throws(BoardError) -> StoredBoard {
        let index = try index(of: id)
        var stored = boards[index]
        try SavedError.see(stored.board.version ?? 0, is: version, of: "board")
        stored.board.title = draft.title
        stored.board.cards = draft.cards
        stored.board.version = version + 1
        stored.board.changed = time
        var changed = boards
        changed[index] = stored
        try keep(changed)
        return stored
    }

    /// Removes a board, and its links with it.
    ///
    /// - Parameter version: which version its remover saw.
    /// - Throws: ``BoardError`` `notFound`, or `changed` when it is another version now.
    public func remove(_ id: String, madeFrom version: Int64) throws(BoardError) {
        let index = try index(of: id)
        try SavedError.see(boards[index].board.version ?? 0, is: version, of: "board")
        var left = boards
        left.remove(at: index)
        try keep(left)
    }

    /// Makes a link to a board.
    ///
    /// - Parameters:
    ///   - id: the board.
    ///   - expires: from when on it opens nothing; nil for never.
    /// - Returns: the link, and the secret that opens it: the only time it can be seen.
    /// - Throws: ``BoardError`` `notFound` or `full`.
    public func link(
        _ id: String,
        expires: Timestamp?,
        at time: Timestamp
    ) throws(BoardError) -> (link: BoardLink, token: String) {
        let index = try index(of: id)
        var changed = boards
        // What is over makes room.
        changed[index].links.removeAll { Self.isOver($0, at: time) }
        guard changed[index].links.count < BoardLimits.links else {
            throw BoardError(
                .full,
                "There are \(BoardLimits.links) links to this board, as many as may be; revoke one of them."
            )
        }
        let token = "twl_" + letters(52)
        var name = ""
        repeat { name = letters(6) } while changed[index].links.contains { $0.id == name }
        let link = BoardLink(id: name, digest: KeyDigest(of: token), created: time, expires: expires)
        changed[index].links.append(link)
        try keep(changed)
        return (link, token)
    }

    /// Revokes a link to a board, or all of them.
    ///
    /// - Parameter link: the link; nil for all.
    /// - Returns: how many there were.
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

    /// The board that a secret opens; nil for one that opens nothing, for whatever reason.
    ///
    /// - Complexity: O(links), each compared whether one was found or not.
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
        if let trouble { throw trouble }
        guard let index = boards.firstIndex(where: { $0.board.id == id }) else {
            throw BoardError(.notFound, "There is no board “\(id.prefix(64))”; /v1/boards lists those there are.")
        }
        return index
    }

    /// Writes all boards, and then remembers them.
    private func keep(_ changed: [StoredBoard]) throws(BoardError) {
        try file.write(BoardFile.bytes(changed), isLess: changed.count < boards.count)
        boards = changed
    }

    private func letters(_ count: Int) -> String { SavedName.letters(count, chance) }
}
