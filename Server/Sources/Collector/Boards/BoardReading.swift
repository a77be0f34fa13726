// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A board as somebody sends it: what it shall be called and show.
package struct BoardDraft: Sendable, Hashable {
    /// The title.
    package var title: String
    /// The cards; those without an id get one.
    package var cards: [BoardCard]
    /// The version that was changed; nil when it is not told.
    package var version: Int64?

    /// A draft.
    package init(title: String, cards: [BoardCard], version: Int64? = nil) {
        self.title = title
        self.cards = cards
        self.version = version
    }

    /// Reads a draft. Questions are not looked into here.
    ///
    /// - Throws: ``BoardError`` `malformed` with the member, its value, and what helps.
    package init(_ value: JSONValue) throws(BoardError) {
        let reader = BoardReader(value: value, path: "")
        let members = try reader.members(["title", "cards", "version"])
        title = try BoardReader.title(members["title"], "title")
        version = try members["version"].map { value throws(BoardError) in
            guard let version = value.integer, version > 0 else {
                throw BoardError(.malformed, field: "version", "“version” is not a whole number from 1 on.")
            }
            return version
        }
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
        for (index, value) in list.enumerated() { cards.append(try BoardReader.card(value, at: index)) }
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

/// Reads the parts of a board from JSON.
struct BoardReader {
    let value: JSONValue
    /// Where the value stands, for errors.
    let path: String

    /// The members of an object that has no others.
    func members(_ known: [String]) throws(BoardError) -> JSONValue.Object {
        guard let object = value.object else {
            throw BoardError(
                .malformed,
                field: path,
                "\(path.isEmpty ? "The board" : "“\(path)”") is not an object with \(known.joined(separator: ", "))."
            )
        }
        if let other = object.members.first(where: { !known.contains($0.key) })?.key {
            throw BoardError(
                .malformed,
                field: path.isEmpty ? String(other.prefix(64)) : "\(path).\(other.prefix(64))",
                "“\(other.prefix(64))” is not known here; there are \(known.joined(separator: ", "))."
            )
        }
        return object
    }

    /// A title: text that a person can read.
    static func title(_ value: JSONValue?, _ field: String) throws(BoardError) -> String {
        guard let title = value?.string, title.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw BoardError(.malformed, field: field, "“\(field)” is missing or empty: write what it shall be called.")
        }
        guard title.utf8.count <= BoardLimits.titleBytes else {
            throw BoardError(
                .malformed,
                field: field,
                "“\(title.prefix(32))…” has \(title.utf8.count) bytes; a title has \(BoardLimits.titleBytes) at most."
            )
        }
        guard !title.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw BoardError(
                .malformed,
                field: field,
                "The title has a control character, such as a line's end; write it in one line."
            )
        }
        return title
    }

    /// A card.
    static func card(_ value: JSONValue, at index: Int) throws(BoardError) -> BoardCard {
        let path = "cards[\(index)]"
        let members = try BoardReader(value: value, path: path).members(["id", "title", "size", "kind", "query"])
        var id = ""
        if let given = members["id"] {
            guard let text = given.string, isName(text) else {
                throw BoardError(
                    .malformed,
                    field: path + ".id",
                    "“\(path).id” is not made of 1 to 32 letters, digits or hyphens; leave it out to get one."
                )
            }
            id = text
        }
        return BoardCard(
            id: id,
            title: try title(members["title"], path + ".title"),
            size: try choice(members["size"], path + ".size", usual: .half),
            kind: try choice(members["kind"], path + ".kind", usual: nil),
            query: try query(members["query"], path + ".query")
        )
    }

    /// Whether a text may name a board or a card: 1 to 32 ASCII letters, digits or hyphens.
    static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ value: JSONValue?,
        _ field: String,
        usual: Choice?
    ) throws(BoardError) -> Choice {
        if value == nil, let usual { return usual }
        let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        guard let text = value?.string else {
            throw BoardError(.malformed, field: field, "“\(field)” is missing or no text; it is one of \(choices).")
        }
        guard let choice = Choice(rawValue: text) else {
            throw BoardError(.malformed, field: field, "“\(text.prefix(64))” is none of \(choices).")
        }
        return choice
    }

    private static func query(_ value: JSONValue?, _ field: String) throws(BoardError) -> String {
        guard let value else { return "" }
        guard let text = value.string else {
            throw BoardError(.malformed, field: field, "“\(field)” is no text such as name=purchase&last=30d.")
        }
        guard text.utf8.count <= BoardLimits.queryBytes else {
            throw BoardError(
                .malformed,
                field: field,
                "The question has \(text.utf8.count) bytes; \(BoardLimits.queryBytes) are allowed."
            )
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw BoardError(
                .malformed,
                field: field,
                "“\(text.prefix(64))” is not as it stands in an address: write what is not ASCII, spaces and “#” as %XX."
            )
        }
        return text
    }
}
