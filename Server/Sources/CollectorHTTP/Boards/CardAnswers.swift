// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Reads and answers cards' questions, each by the endpoint of its kind.
struct CardAnswers: Sendable {
    let queries: QueryEndpoints
    let questions: QuestionEndpoints
    let catalogue: CatalogueEndpoints
    let failed: FailedEndpoints

    /// What a reader may ask otherwise than a card says: the time, its zone and its intervals.
    private static let times = ["last", "from", "to"]
    private static let changeable: Set<String> = ["last", "from", "to", "zone", "interval"]

    /// Reads a card's question.
    ///
    /// - Parameters:
    ///   - change: What is asked otherwise than the card says.
    ///   - isShared: Whether it is for somebody who came by a link, who sees no single event.
    /// - Throws: ``RequestFailure`` as the question's own endpoint does.
    func prepare(
        _ card: BoardCard,
        changedBy change: [(name: String, value: String)] = [],
        isShared: Bool = false
    ) throws -> PreparedAnswer {
        let query = try changed(card, by: change)
        switch card.kind {
        case .trends: return try questions.trends(query)
        case .funnels:
            // A board is shown to people who may not see who did something.
            guard query.text("people") == nil else {
                throw RequestFailure.malformed(
                    "people",
                    "“people” lists persons, and a board has none; leave it out, and ask for them as a question."
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
            try query.takesOnly(["minutes"])
            return try queries.rate(query)
        }
    }

    /// Sees that a draft's questions are some.
    ///
    /// - Throws: ``RequestFailure`` 422 with the card, the field, its value, and what helps.
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
                "“\(other.prefix(64))” is the card's own; for a card \(Self.changeable.sorted().joined(separator: ", ")) can be given."
            )
        }
        var replaced = Set(change.map(\.name))
        // One time instead of another, however each is told.
        if !replaced.isDisjoint(with: Self.times) { replaced.formUnion(Self.times) }
        parameters.removeAll { replaced.contains($0.name) }
        return Query(parameters: parameters + change)
    }
}
