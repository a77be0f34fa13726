// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Parses and runs card queries with the endpoint for their kind.
struct CardQueries: Sendable {
    let queries: QueryEndpoints
    let analytics: AnalyticsEndpoints
    let catalog: CatalogEndpoints
    let failed: FailedEndpoints

    /// The parameters that set a period.
    ///
    /// A reader may override these parameters for a card, as well as the time zone and the interval (``changeable``).
    private static let times = ["last", "from", "to"]
    private static let changeable: Set<String> = ["last", "from", "to", "zone", "week_start", "interval"]

    /// Parses a card's query.
    ///
    /// - Parameters:
    ///   - change: The parameters that replace the card's own.
    ///   - isShared: Whether the request came through a shared link, which does not show individual events.
    /// - Throws: ``RequestFailure``, as from the query's own endpoint.
    func prepare(
        _ card: BoardCard,
        changedBy change: [(name: String, value: String)] = [],
        isShared: Bool = false
    ) throws -> DeferredResponse {
        let query = try changed(card, by: change)
        switch card.kind {
        case .trends: return try analytics.trends(query)
        case .funnels:
            // A board may be shown to readers who are not allowed to see the actions of individual users.
            guard try query.text("people") == nil else {
                throw RequestFailure.malformed(
                    "people",
                    "“people” lists users, which a board does not show; omit it, or run it as a query."
                )
            }
            return try analytics.funnels(query)
        case .retention: return try analytics.retention(query)
        case .lifecycle: return try analytics.lifecycle(query)
        case .stickiness: return try analytics.stickiness(query)
        case .paths: return try analytics.paths(query)
        case .catalog: return try catalog.list(query)
        case .failed: return try failed.groups(query, isDetailed: !isShared)
        case .ledger: return try queries.ledgerSummary(query, isDetailed: false)
        case .live:
            try query.rejectUnknown(["minutes"])
            return try queries.rate(query)
        }
    }

    /// Checks that a draft's queries are valid.
    ///
    /// - Throws: ``RequestFailure`` 422 with the card, the field, its value, and a suggested fix.
    func check(_ draft: BoardDraft) throws {
        for (index, card) in draft.cards.enumerated() {
            do {
                _ = try prepare(card)
            } catch let failure as RequestFailure {
                throw RequestFailure(
                    status: .unprocessableContent,
                    code: .malformedBoard,
                    field: "cards[\(index)].query.\(failure.field)",
                    message: "Card \(index + 1), “\(card.title.prefix(64))” (\(card.kind.rawValue)): \(failure.message)"
                )
            }
        }
    }

    private func changed(_ card: BoardCard, by change: [(name: String, value: String)]) throws -> QueryParameters {
        var parameters = QueryParameters(URI("/?\(card.query)")).parameters
        let change = change.filter { !$0.value.isEmpty }
        guard !change.isEmpty else { return QueryParameters(parameters: parameters) }
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
        // A new period replaces all of the card's period parameters, even if it uses different ones.
        if !replaced.isDisjoint(with: Self.times) { replaced.formUnion(Self.times) }
        parameters.removeAll { replaced.contains($0.name) }
        return QueryParameters(parameters: parameters + change)
    }
}
