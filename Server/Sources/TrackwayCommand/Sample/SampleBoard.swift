// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// The board about the made-up shop: what one wants to know about a shop, asked of its events.
enum SampleBoard {
    /// What it is called.
    static let title = "Sample shop"

    /// What became of it.
    struct Made: Sendable {
        /// Its address.
        var address: String
        /// A link by which it is read without a key; nil where none could be made, or the board was there before.
        var link: String?
    }

    /// Makes the board, unless there is one of that title, and a link to it for thirty days.
    ///
    /// - Parameters:
    ///   - address: the collector. Without a key the developer's is tried.
    ///   - zone: whose days are counted.
    /// - Throws: ``CommandFailure`` with what the collector said.
    static func make(at address: CollectorAddress, zone: String) async throws(CommandFailure) -> Made {
        var address = address
        address.key = address.key ?? "dev"
        let client = CollectorClient(address)
        let boards = try await client.get("/v1/boards")["boards"]?.array ?? []
        if let id = boards.first(where: { $0["title"]?.string == title })?["id"]?.string {
            return Made(address: "\(address.root)/?boards=\(id)")
        }
        let id = try await client.send("POST", "/v1/boards", body: draft(zone: zone))["id"]?.string ?? ""
        var made = Made(address: "\(address.root)/?boards=\(id)")
        do throws(CommandFailure) {
            let query = [(name: "expires_in", value: "30d")]
            let link = try await client.send("POST", "/v1/boards/\(id)/links", query: query)
            made.link = link["path"]?.string.map { address.root + $0 }
        } catch {
            // A key that may only write, or none: who may read without one is not its owner's to decide.
            guard error.status == .refused else { throw error }
        }
        return made
    }

    /// The board as it is sent.
    static func draft(zone: String) -> JSONValue {
        .members(("title", .string(title)), ("cards", .array(cards.map { card($0, zone) })))
    }

    private typealias Card = (title: String, size: BoardCard.Size, kind: BoardCard.Kind, query: String)

    private static let shop = "where=context.app.id=sample-shop"

    private static let cards: [Card] = [
        ("Right now", .full, .live, "minutes=60"),
        ("People per day", .half, .trends, "measure=users&last=30d"),
        ("Purchases by currency", .half, .trends, "name=purchase&by=currency&top=4&last=30d&\(shop)"),
        (
            "From looking to buying", .half, .funnels,
            "step=view_item&step=add_to_cart&step=begin_checkout&step=purchase&window=7d&last=30d&\(shop)"
        ),
        (
            "Payments that failed, by version", .half, .trends,
            "name=payment_failed&by=context.app.version&top=4&last=30d"
        ),
        ("Who comes back", .full, .retention, "interval=week&last=30d"),
        ("New, returning, resurrected and dormant people", .half, .lifecycle, "last=30d"),
        ("On how many days people come", .half, .stickiness, "last=30d"),
        ("Where people go from the first screen", .full, .paths, "start=Home&steps=5&top=5&last=30d"),
        ("Most frequent events", .full, .catalogue, "limit=12"),
        ("What is missing", .half, .ledger, ""),
        ("What was refused", .half, .failed, "last=30d&top=6"),
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
