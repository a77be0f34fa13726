// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes

/// What a path below `/v1/boards` or `/v1/shared` and a method mean.
enum BoardRoute: Sendable, Hashable {
    /// All boards, those that are ready-made first.
    case list
    /// Makes a board.
    case add
    /// A board with its cards.
    case board(id: String)
    /// Changes what a board is called and shows.
    case replace(id: String)
    /// Removes a board.
    case remove(id: String)
    /// The answer to a card's question.
    case card(id: String, board: String)
    /// Makes a link to a board.
    case link(board: String)
    /// Revokes a link to a board, or all of them when none is named.
    case unlink(id: String?, board: String)
    /// The board that a link opens.
    case shared
    /// The answer to one of its cards' questions.
    case sharedCard(id: String)

    /// Whether it takes the right to read everything.
    var reads: Bool {
        switch self {
        case .list, .board, .card: true
        case .add, .replace, .remove, .link, .unlink, .shared, .sharedCard: false
        }
    }

    /// Whether an answer is made of what the index holds.
    var answersFromIndex: Bool {
        switch self {
        case .card, .sharedCard: true
        case .list, .add, .board, .replace, .remove, .link, .unlink, .shared: false
        }
    }

    /// Whether it changes a board or its links.
    var changes: Bool {
        switch self {
        case .add, .replace, .remove, .link, .unlink: true
        case .list, .board, .card, .shared, .sharedCard: false
        }
    }

    /// Whether it decides who may read without a key.
    var decidesWhoReads: Bool {
        switch self {
        case .link, .unlink: true
        case .list, .add, .board, .replace, .remove, .card, .shared, .sharedCard: false
        }
    }

    /// What can be done with a path, by method; nil for other paths.
    static func routes(of path: String) -> [HTTPRequest.Method: BoardRoute]? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        guard parts.count >= 2, parts[0] == "v1", !parts.contains("") else { return nil }
        switch (parts[1], parts.dropFirst(2).count) {
        case ("boards", 0): return [.get: .list, .post: .add]
        case ("boards", 1):
            return [.get: .board(id: parts[2]), .put: .replace(id: parts[2]), .delete: .remove(id: parts[2])]
        case ("boards", 2) where parts[3] == "links":
            return [.post: .link(board: parts[2]), .delete: .unlink(id: nil, board: parts[2])]
        case ("boards", 3) where parts[3] == "links": return [.delete: .unlink(id: parts[4], board: parts[2])]
        case ("boards", 3) where parts[3] == "cards": return [.get: .card(id: parts[4], board: parts[2])]
        case ("shared", 0): return [.get: .shared]
        case ("shared", 2) where parts[2] == "cards": return [.get: .sharedCard(id: parts[3])]
        default: return nil
        }
    }
}
