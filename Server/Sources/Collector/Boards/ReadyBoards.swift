// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Boards that nobody has to save: made from what the catalogue says is there.
public enum ReadyBoard: String, Sendable, Hashable, CaseIterable {
    /// How many people and events, which, who comes back, what is missing.
    case firstLook = "first-look"
    /// What people do: screens, elements, actions, and how they go on.
    case behaviour

    /// What it is called.
    public var title: String {
        switch self {
        case .firstLook: "First look"
        case .behaviour: "Behaviour"
        }
    }

    /// How many names of the catalogue are looked at.
    public static let names = 200
    /// How many of the app's own events get a card of their own.
    private static let actions = 4

    /// The board.
    ///
    /// - Parameters:
    ///   - names: the events' names, the most frequent first.
    ///   - elements: the attribute by which clicks are told apart; nil when there is none.
    ///   - time: now.
    public func board(names: [String], elements: String?, at time: Timestamp) -> Board {
        var cards: [BoardCard]
        switch self {
        case .firstLook: cards = Self.firstLookCards
        case .behaviour: cards = Self.behaviourCards(names, elements)
        }
        for index in cards.indices { cards[index].id = "c\(index + 1)" }
        return Board(id: rawValue, title: title, cards: cards, version: nil, created: time, changed: time)
    }

    /// The attributes by which clicks can be told apart, the most telling first.
    public static let elementKeys = [
        CapturedKey.elementID, CapturedKey.elementContent, CapturedKey.elementType,
    ]

    private static let firstLookCards = [
        card("Right now", .full, .live, "minutes=60"),
        card("People per day", .half, .trends, "measure=users&last=30d"),
        card("Events per day", .half, .trends, "last=30d"),
        card("Most frequent events", .full, .catalogue, "limit=10"),
        card("Who comes back", .full, .retention, "interval=week&last=30d"),
        card("New, returning, resurrected and dormant people", .half, .lifecycle, "last=30d"),
        card("On how many days people come", .half, .stickiness, "last=30d"),
        card("What is missing", .half, .ledger, ""),
        card("What was refused", .half, .failed, "last=30d&top=8"),
    ]

    private static func behaviourCards(_ names: [String], _ elements: String?) -> [BoardCard] {
        var cards: [BoardCard] = []
        let hasScreens = names.contains(CapturedName.screenView)
        if hasScreens {
            let query = "name=\(CapturedName.screenView)&by=\(CapturedKey.screenName)&top=8&last=30d"
            cards.append(card("Screens", .half, .trends, query))
        }
        if names.contains(CapturedName.click), let elements {
            cards.append(card("Elements", .half, .trends, "name=\(CapturedName.click)&by=\(elements)&top=8&last=30d"))
        }
        cards.append(card("Where people go", .full, .paths, "of=\(hasScreens ? "screens" : "events")&last=30d"))
        let own = names.filter { !$0.hasPrefix("_") && $0.utf8.count <= QuestionLimits.nameBytes }
        for name in own.prefix(actions) {
            cards.append(card(titled(name), .half, .trends, "name=\(escaped(name))&last=30d"))
        }
        cards.append(card("How often", .full, .catalogue, "limit=20"))
        cards.append(card("On how many days people come", .full, .stickiness, "last=30d"))
        return cards
    }

    private static func card(
        _ title: String,
        _ size: BoardCard.Size,
        _ kind: BoardCard.Kind,
        _ query: String
    ) -> BoardCard {
        BoardCard(id: "", title: title, size: size, kind: kind, query: query)
    }

    /// A name as a title, which is one line.
    private static func titled(_ name: String) -> String {
        let scalars = name.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return scalars.contains { !$0.properties.isWhitespace } ? String(String.UnicodeScalarView(scalars)) : "Event"
    }

    /// A name as it stands in an address.
    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
