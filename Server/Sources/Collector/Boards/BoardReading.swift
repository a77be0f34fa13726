// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A board as somebody sends it: what it shall be called and show.
public struct BoardDraft: Sendable, Hashable {
    /// The title.
    public var title: String
    /// The cards; those without an id get one.
    public var cards: [BoardCard]
    /// The version that was changed; nil when it is not told.
    public var version: Int64?

    /// A draft.
    public init(title: String, cards: [BoardCard], version: Int64? = nil) {
        self.title = title
        self.cards = cards
        self.version = version
    }

    /// Reads a draft. Questions are not looked into here.
    ///
    /// - Throws: ``BoardError`` `malformed` with the member, its value, and what helps.
    public init(_ value: JSONValue) throws(BoardError) {
        let members = try SavedReader(value: value, noun: "The board").members(["title", "cards", "version"])
        title = try SavedReader.title(members["title"], "title")
        version = try SavedReader.version(members["version"])
        guard let list = (members["cards"] ?? .array([])).array else {
            throw BoardError(.malformed, field: "cards", "“cards” is not a list of cards.")
        }
        guard list.count <= BoardLimits.cards else {
            throw BoardError(
                .malformed,
                field: "cards",
                "There are \(list.count) cards; a board has \(BoardLimits.cards) at most: make a second one."
            )
        }
        cards = []
        for (index, value) in list.enumerated() { cards.append(try BoardCard(value, at: index)) }
        try nameCards()
    }

    /// Gives an id to the cards that have none, and sees that no two have the same.
    private mutating func nameCards() throws(BoardError) {
        var taken: Set<String> = []
        for (index, card) in cards.enumerated() where !card.id.isEmpty {
            guard taken.insert(card.id).inserted else {
                throw BoardError(
                    .malformed,
                    field: "cards[\(index)].id",
                    "Two cards have the id “\(card.id)”; leave it out, and the collector gives one."
                )
            }
        }
        var number = 0
        for index in cards.indices where cards[index].id.isEmpty {
            repeat { number += 1 } while taken.contains("c\(number)")
            cards[index].id = "c\(number)"
        }
    }
}

extension BoardCard {
    /// Reads a card; without an id its id is empty.
    fileprivate init(_ value: JSONValue, at index: Int) throws(BoardError) {
        let path = "cards[\(index)]"
        let members = try SavedReader(value: value, path: path, noun: "The board")
            .members(["id", "title", "size", "kind", "query"])
        var id = ""
        if let given = members["id"] {
            guard let text = given.string, SavedName.isName(text) else {
                throw BoardError(
                    .malformed,
                    field: path + ".id",
                    "“\(path).id” is not made of 1 to 32 letters, digits or hyphens; leave it out to get one."
                )
            }
            id = text
        }
        self.init(
            id: id,
            title: try SavedReader.title(members["title"], path + ".title"),
            size: try SavedReader.choice(members["size"], path + ".size", usual: .half),
            kind: try SavedReader.choice(members["kind"], path + ".kind", usual: nil),
            query: try SavedReader.query(members["query"], path + ".query")
        )
    }
}
