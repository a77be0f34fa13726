// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Reads and runs the queries of cards, each with its kind's endpoint.
struct CardQueries: Sendable {
    let queries: QueryEndpoints
    let questions: QuestionEndpoints
    let catalogue: CatalogueEndpoints
    let failed: FailedEndpoints

    /// The parameters that set a period.
    ///
    /// A reader may change these for a card, as well as the time zone and the intervals (``changeable``).
    private static let times = ["last", "from", "to"]
    private static let changeable: Set<String> = ["last", "from", "to", "zone", "interval"]

    /// Reads a card's query.
    ///
    /// - Parameters:
    ///   - change: The parameters that replace the card's own.
    ///   - isShared: Whether the request came by a link, which shows no single events.
    /// - Throws: ``RequestFailure``, as the query's own endpoint does.
    func prepare(
        _ card: BoardCard,
        changedBy change: [(name: String, value: String)] = [],
        isShared: Bool = false
    ) throws -> DeferredResponse {
        let query = try changed(card, by: change)
        switch card.kind {
        case .trends: return try questions.trends(query)
        case .funnels:
            // A board is shown to readers who may not see what individual users did.
            guard query.text("people") == nil else {
                throw RequestFailure.malformed(
                    "people",
                    "“people” lists users, which a board does not show; omit it, or run it as a query."
                )
            }
            return try questions.funnels(query)
        case .retention: return try questions.retention(query)
        case .lifecycle: return try questions.lifecycle(query)
        case .stickiness: return try questions.stickiness(query)
        case .paths: return try questions.paths(query)
        case .catalogue: return try catalogue.list(query)
        case .failed: return try failed.groups(query, isDetailed: !isShared)
        case .ledger: return try queries.ledgerSummary(query, isDetailed: false)
        case .live:
            try query.rejectUnknown(["minutes"])
            return try queries.rate(query)
        }
    }

    /// Checks that a draft's queries are valid.
    ///
    /// - Throws: ``RequestFailure`` 422 with the card, the field, its value, and the remedy.
    func check(_ draft: BoardDraft) throws {
        for (index, card) in draft.cards.enumerated() {
            do {
                _ = try prepare(card)
            } catch let failure as RequestFailure {
                throw RequestFailure(
                    status: .unprocessableContent,
                    code: "malformed_board",
                    field: "cards[\(index)].query.\(failure.field)",
                    message: "Card \(index + 1), “\(card.title.prefix(64))” (\(card.kind.rawValue)): \(failure.message)"
                )
            }
        }
    }

    private func changed(_ card: BoardCard, by change: [(name: String, value: String)]) throws -> Query {
        var parameters = Query(URI("/?\(card.query)")).parameters
        let change = change.filter { !$0.value.isEmpty }
        guard !change.isEmpty else { return Query(parameters: parameters) }
        if let other = change.first(where: { !Self.changeable.contains($0.name) })?.name {
            throw RequestFailure.malformed(
                String(other.prefix(64)),
                """
                “\(other.prefix(64))” cannot be changed for a card; \
                these can: \(Self.changeable.sorted().joined(separator: ", ")).
                """
            )
        }
        var replaced = Set(change.map(\.name))
        // A new period replaces the card's own, regardless of the parameters that either uses.
        if !replaced.isDisjoint(with: Self.times) { replaced.formUnion(Self.times) }
        parameters.removeAll { replaced.contains($0.name) }
        return Query(parameters: parameters + change)
    }
}
