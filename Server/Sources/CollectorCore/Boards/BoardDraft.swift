// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A board as received in a request.
public struct BoardDraft: Sendable, Hashable {
    /// The title.
    public var title: String
    /// The cards; cards without an id get one.
    public var cards: [BoardCard]
    /// The version that the change is based on; nil if not specified.
    public var version: Int64?

    /// Creates a draft.
    public init(title: String, cards: [BoardCard], version: Int64? = nil) {
        self.title = title
        self.cards = cards
        self.version = version
    }

    /// Parses a draft.
    ///
    /// Queries are not validated here.
    ///
    /// - Throws: ``BoardError`` `malformed` with the member, its value, and a hint.
    public init(_ value: JSONValue) throws(BoardError) {
        let members = try SavedObjectReader(value: value, noun: "The board").members(["title", "cards", "version"])
        title = try SavedObjectReader.title(members["title"], "title")
        version = try SavedObjectReader.version(members["version"])
        guard let list = (members["cards"] ?? .array([])).array else {
            throw BoardError(.malformed, field: "cards", "“cards” is not a list of cards.")
        }
        guard list.count <= BoardLimits.cards else {
            throw BoardError(
                .malformed,
                field: "cards",
                "There are \(list.count) cards; a board can have at most \(BoardLimits.cards). Create a second board."
            )
        }
        cards = []
        for (index, value) in list.enumerated() { cards.append(try BoardCard(value, at: index)) }
        try nameCards()
    }

    /// Assigns ids to cards without one, and rejects duplicate ids.
    private mutating func nameCards() throws(BoardError) {
        var usedIDs: Set<String> = []
        for (index, card) in cards.enumerated() where !card.id.isEmpty {
            guard usedIDs.insert(card.id).inserted else {
                throw BoardError(
                    .malformed,
                    field: "cards[\(index)].id",
                    "Two cards have the id “\(card.id)”; omit it, and the collector assigns one."
                )
            }
        }
        var number = 0
        for index in cards.indices where cards[index].id.isEmpty {
            repeat { number += 1 } while usedIDs.contains("c\(number)")
            cards[index].id = "c\(number)"
        }
    }
}

extension BoardCard {
    /// Parses a card; a missing id is left empty.
    fileprivate init(_ value: JSONValue, at index: Int) throws(BoardError) {
        let path = "cards[\(index)]"
        let members = try SavedObjectReader(value: value, path: path, noun: "The board")
            .members(["id", "title", "size", "kind", "query", "chart"])
        var id = ""
        if let given = members["id"] {
            guard let text = given.string, SavedName.isName(text) else {
                throw BoardError(
                    .malformed,
                    field: path + ".id",
                    "“\(path).id” must consist of 1 to 32 letters, digits or hyphens; omit it to have one assigned."
                )
            }
            id = text
        }
        let kind: Kind = try SavedObjectReader.choice(members["kind"], path + ".kind", default: nil)
        var chart: Chart?
        if let given = members["chart"] {
            guard kind == .trends else {
                throw BoardError(
                    .malformed,
                    field: path + ".chart",
                    "“\(path).chart” is only for cards of kind trends; omit it for “\(kind.rawValue)”."
                )
            }
            chart = try SavedObjectReader.choice(given, path + ".chart", default: .line)
        }
        self.init(
            id: id,
            title: try SavedObjectReader.title(members["title"], path + ".title"),
            size: try SavedObjectReader.choice(members["size"], path + ".size", default: .half),
            kind: kind,
            query: try SavedObjectReader.query(members["query"], path + ".query"),
            chart: chart
        )
    }
}
