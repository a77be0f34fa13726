// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Saved questions under one title, in an order.
package struct Board: Sendable, Hashable {
    /// Names it for ever: made by the collector, never used again.
    package var id: String
    /// What a person calls it.
    package var title: String
    /// The questions, in their order.
    package var cards: [BoardCard]
    /// Counts its changes, from 1: whoever changes a board says which version they saw. Nil for one that is ready-made.
    package var version: Int64?
    /// When it was made.
    package var created: Timestamp
    /// When it was changed last.
    package var changed: Timestamp

    /// A board.
    package init(
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
    package var isReadyMade: Bool { version == nil }
}

/// One question on a board.
package struct BoardCard: Sendable, Hashable {
    /// What is asked.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
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
        package var hasIntervals: Bool {
            switch self {
            case .trends, .retention, .lifecycle, .stickiness, .failed: true
            case .funnels, .paths, .catalogue, .ledger, .live: false
            }
        }
    }

    /// How wide it is where there is room for two.
    package enum Size: String, Sendable, Hashable, CaseIterable {
        /// One of two beside each other.
        case half
        /// As wide as the board.
        case full
    }

    /// Names it within its board.
    package var id: String
    /// What a person calls it.
    package var title: String
    /// How wide it is.
    package var size: Size
    /// What is asked.
    package var kind: Kind
    /// The question's parameters as they stand in an address behind the question mark.
    package var query: String

    /// A card.
    package init(id: String, title: String, size: Size = .half, kind: Kind, query: String) {
        self.id = id
        self.title = title
        self.size = size
        self.kind = kind
        self.query = query
    }
}

/// A link by which a board can be read without a key. What opens it is a secret that is kept as its digest only.
package struct BoardLink: Sendable, Hashable {
    /// Names it within its board, for revoking it.
    package var id: String
    /// The digest of the secret.
    package var digest: KeyDigest
    /// When it was made.
    package var created: Timestamp
    /// From when on it opens nothing; nil for never.
    package var expires: Timestamp?

    /// A link.
    package init(id: String, digest: KeyDigest, created: Timestamp, expires: Timestamp? = nil) {
        self.id = id
        self.digest = digest
        self.created = created
        self.expires = expires
    }
}

/// A board as it is kept: with the links that lead to it.
package struct StoredBoard: Sendable, Hashable {
    /// The board.
    package var board: Board
    /// Its links, in the order they were made.
    package var links: [BoardLink]

    /// A board with its links.
    package init(_ board: Board, links: [BoardLink] = []) {
        self.board = board
        self.links = links
    }
}

/// How much boards may hold.
package enum BoardLimits {
    /// Boards of a collector.
    package static let boards = 200
    /// Cards of a board.
    package static let cards = 50
    /// Links to a board.
    package static let links = 10
    /// Bytes of the file with all boards, and of a request that changes one.
    package static let bytes = 1 << 20
    /// The longest time after which a link ends, in days.
    package static let linkDays: Int64 = 3_660
}

/// What is wrong with a board, or keeps it from being read or changed.
package typealias BoardError = SavedError
