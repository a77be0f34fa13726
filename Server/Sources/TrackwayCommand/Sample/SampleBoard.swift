// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// The board for the data of the sample shop.
enum SampleBoard {
    /// The title.
    static let title = "Sample shop"

    /// The result of creating the board.
    struct CreatedBoard: Sendable {
        /// The board's address.
        var address: String
        /// A read-only link that needs no key.
        ///
        /// Nil if no link could be created, or the board already existed.
        var link: String?
    }

    /// Creates the board and a thirty-day link, unless a board with this title exists.
    ///
    /// - Parameters:
    ///   - address: The collector's address. Without a key, the developer key is tried.
    ///   - zone: The time zone in which days begin.
    /// - Throws: ``CommandFailure`` with the collector's message.
    static func create(at address: CollectorAddress, zone: String) async throws(CommandFailure) -> CreatedBoard {
        var address = address
        address.key = address.key ?? "dev"
        let client = CollectorClient(address)
        let boards = try await client.get("/v1/boards")["boards"]?.array ?? []
        if let id = boards.first(where: { $0["title"]?.string == title })?["id"]?.string {
            return CreatedBoard(address: "\(address.root)/?boards=\(id)")
        }
        let id = try await client.send("POST", "/v1/boards", body: draft(zone: zone))["id"]?.string ?? ""
        var createdBoard = CreatedBoard(address: "\(address.root)/?boards=\(id)")
        do throws(CommandFailure) {
            let query = [(name: "expires_in", value: "30d")]
            let link = try await client.send("POST", "/v1/boards/\(id)/links", query: query)
            createdBoard.link = link["path"]?.string.map { address.root + $0 }
        } catch {
            // A write-only or missing key must not grant read access, so no link is created for the board.
            guard error.status == .refused else { throw error }
        }
        return createdBoard
    }

    /// Returns the JSON that creates the board.
    static func draft(zone: String) -> JSONValue {
        .members(("title", .string(title)), ("cards", .array(cards.map { card($0, zone) })))
    }

    private typealias Card = (title: String, size: BoardCard.Size, kind: BoardCard.Kind, query: String)

    private static let shop = "where=context.app.id=sample-shop"

    private static let cards: [Card] = [
        ("Right now", .full, .live, "minutes=60"),
        ("Users per day", .half, .trends, "measure=users&last=30d"),
        ("Purchases by currency", .half, .trends, "name=purchase&by=currency&top=4&last=30d&\(shop)"),
        (
            "From viewing to buying", .half, .funnels,
            "step=view_item&step=add_to_cart&step=begin_checkout&step=purchase&window=7d&last=30d&\(shop)"
        ),
        (
            "Failed payments by version", .half, .trends,
            "name=payment_failed&by=context.app.version&top=4&last=30d"
        ),
        ("Weekly retention", .full, .retention, "interval=week&last=30d"),
        ("New, returning, reactivated, and dormant users", .half, .lifecycle, "last=30d"),
        ("Active days per user", .half, .stickiness, "last=30d"),
        ("Paths from the home screen", .full, .paths, "start=Home&steps=5&top=5&last=30d"),
        ("Most frequent events", .full, .catalog, "limit=12"),
        ("Missing events", .half, .ledger, ""),
        ("Rejected events", .half, .failed, "last=30d&top=6"),
    ]

    private static func card(_ card: Card, _ zone: String) -> JSONValue {
        let isZoned = card.kind != .ledger && card.kind != .live
        let query = isZoned ? card.query + "&zone=" + zone : card.query
        return .members(
            ("title", .string(card.title)),
            ("size", .string(card.size.rawValue)),
            ("kind", .string(card.kind.rawValue)),
            ("query", .string(query))
        )
    }
}
