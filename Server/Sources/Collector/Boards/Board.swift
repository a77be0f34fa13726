// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Saved questions under one title, in an order.
public struct Board: Sendable, Hashable {
    /// Names it for ever: made by the collector, never used again.
    public var id: String
    /// What a person calls it.
    public var title: String
    /// The questions, in their order.
    public var cards: [BoardCard]
    /// Counts its changes, from 1: whoever changes a board says which version they saw. Nil for one that is ready-made.
    public var version: Int64?
    /// When it was made.
    public var created: Timestamp
    /// When it was changed last.
    public var changed: Timestamp

    /// A board.
    public init(
        id: String,
        title: String,
        cards: [BoardCard],
        version: Int64?,
        created: Timestamp,
        changed: Timestamp
    ) {
        self.id = id
        self.title = title
        self.cards = cards
        self.version = version
        self.created = created
        self.changed = changed
    }

    /// Whether the collector makes it, so that nobody can change it.
    public var isReadyMade: Bool { version == nil }
}

/// One question on a board.
public struct BoardCard: Sendable, Hashable {
    /// What is asked.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// How much happened when.
        case trends
        /// How far people come through steps.
        case funnels
        /// Who comes back.
        case retention
        /// Who is new, comes back or stays away.
        case lifecycle
        /// In how many intervals people are active.
        case stickiness
        /// How people go on from a screen or an event.
        case paths
        /// Which events there are.
        case catalogue
        /// What was refused, grouped.
        case failed
        /// The ledger in numbers.
        case ledger
        /// Events per minute of the last while.
        case live

        /// Whether it has intervals, whose length may be chosen.
        public var hasIntervals: Bool {
            switch self {
            case .trends, .retention, .lifecycle, .stickiness, .failed: true
            case .funnels, .paths, .catalogue, .ledger, .live: false
            }
        }
    }

    /// How wide it is where there is room for two.
    public enum Size: String, Sendable, Hashable, CaseIterable {
        /// One of two beside each other.
        case half
        /// As wide as the board.
        case full
    }

    /// Names it within its board.
    public var id: String
    /// What a person calls it.
    public var title: String
    /// How wide it is.
    public var size: Size
    /// What is asked.
    public var kind: Kind
    /// The question's parameters as they stand in an address behind the question mark.
    public var query: String

    /// A card.
    public init(id: String, title: String, size: Size = .half, kind: Kind, query: String) {
        self.id = id
        self.title = title
        self.size = size
        self.kind = kind
        self.query = query
    }
}

/// A link by which a board can be read without a key. What opens it is a secret that is kept as its digest only.
public struct BoardLink: Sendable, Hashable {
    /// Names it within its board, for revoking it.
    public var id: String
    /// The digest of the secret.
    public var digest: KeyDigest
    /// When it was made.
    public var created: Timestamp
    /// From when on it opens nothing; nil for never.
    public var expires: Timestamp?

    /// A link.
    public init(id: String, digest: KeyDigest, created: Timestamp, expires: Timestamp? = nil) {
        self.id = id
        self.digest = digest
        self.created = created
        self.expires = expires
    }
}

/// A board as it is kept: with the links that lead to it.
public struct StoredBoard: Sendable, Hashable {
    /// The board.
    public var board: Board
    /// Its links, in the order they were made.
    public var links: [BoardLink]

    /// A board with its links.
    public init(_ board: Board, links: [BoardLink] = []) {
        self.board = board
        self.links = links
    }
}

/// How much boards may hold.
public enum BoardLimits {
    /// Boards of a collector.
    public static let boards = 200
    /// Cards of a board.
    public static let cards = 50
    /// Links to a board.
    public static let links = 10
    /// Bytes of the file with all boards, and of a request that changes one.
    public static let bytes = 1 << 20
    /// The longest time after which a link ends, in days.
    public static let linkDays: Int64 = 3_660
}

/// What is wrong with a board, or keeps it from being read or changed.
public typealias BoardError = SavedError
