// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Saved queries under one title, in order.
public struct Board: Sendable, Hashable {
    /// A permanent identifier.
    ///
    /// The collector generates it and never reuses it.
    public var id: String
    /// The title.
    public var title: String
    /// The queries, in order.
    public var cards: [BoardCard]
    /// The revision number, counting changes from 1; nil for a built-in board.
    ///
    /// A request that changes a board states the version it is based on.
    public var version: Int64?
    /// The creation time.
    public var created: Timestamp
    /// The time of the last change.
    public var changed: Timestamp

    /// Creates a board.
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

    /// Whether the board is built in and therefore read-only.
    public var isBuiltIn: Bool { version == nil }
}

/// One query on a board.
public struct BoardCard: Sendable, Hashable {
    /// The kind of query.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Counts over time.
        case trends
        /// Conversion through a sequence of steps.
        case funnels
        /// Users who return.
        case retention
        /// New, returning, and dormant users.
        case lifecycle
        /// The number of intervals in which users are active.
        case stickiness
        /// Paths that users take from a screen or an event.
        case paths
        /// The event catalog.
        case catalog = "catalogue"
        /// Rejected events, grouped.
        case failed
        /// Totals of the ledger.
        case ledger
        /// Events per minute over the most recent minutes.
        case live

        /// Whether the query has intervals of a selectable length.
        public var hasIntervals: Bool {
            switch self {
            case .trends, .retention, .lifecycle, .stickiness, .failed: true
            case .funnels, .paths, .catalog, .ledger, .live: false
            }
        }
    }

    /// The width of a card in a two-column layout.
    public enum Size: String, Sendable, Hashable, CaseIterable {
        /// One of two columns.
        case half
        /// The full width of the board.
        case full
    }

    /// The drawing of a trend.
    public enum Chart: String, Sendable, Hashable, CaseIterable {
        /// One line per series.
        case line
        /// Bars by interval.
        case bars
        /// The total as a number, and a bar for each group.
        case number
        /// The numbers as a table.
        case table
    }

    /// An identifier unique within the board.
    public var id: String
    /// The title.
    public var title: String
    /// The width.
    public var size: Size
    /// The kind of query.
    public var kind: Kind
    /// The query parameters as in a URL, without the question mark.
    public var query: String
    /// The drawing of a card of kind ``Kind/trends``; nil for lines, and for other kinds.
    public var chart: Chart?

    /// Creates a card.
    public init(id: String, title: String, size: Size = .half, kind: Kind, query: String, chart: Chart? = nil) {
        self.id = id
        self.title = title
        self.size = size
        self.kind = kind
        self.query = query
        self.chart = chart
    }
}

/// A link that opens a board without an API key.
///
/// Only the digest of its secret is stored.
public struct BoardLink: Sendable, Hashable {
    /// An identifier unique within the board, used to revoke the link.
    public var id: String
    /// The digest of the secret.
    public var digest: KeyDigest
    /// The creation time.
    public var created: Timestamp
    /// When the link expires; nil for never.
    public var expires: Timestamp?

    /// Creates a link.
    public init(id: String, digest: KeyDigest, created: Timestamp, expires: Timestamp? = nil) {
        self.id = id
        self.digest = digest
        self.created = created
        self.expires = expires
    }
}

/// A board as stored, with the links to it.
public struct StoredBoard: Sendable, Hashable {
    /// The board.
    public var board: Board
    /// The links to the board, in order of creation.
    public var links: [BoardLink]

    /// Creates a board with its links.
    public init(_ board: Board, links: [BoardLink] = []) {
        self.board = board
        self.links = links
    }
}

/// Limits of boards.
public enum BoardLimits {
    /// The maximum number of boards per collector.
    public static let boards = 200
    /// The maximum number of cards per board.
    public static let cards = 50
    /// The maximum number of links per board.
    public static let links = 10
    /// The maximum size of the boards file in bytes.
    ///
    /// It also limits the size of a request that changes a board.
    public static let bytes = 1 << 20
    /// The maximum lifetime of a link, in days.
    public static let linkDays: Int64 = 3_660
}

/// An error that prevents a board from being read or changed.
public typealias BoardError = SavedError
