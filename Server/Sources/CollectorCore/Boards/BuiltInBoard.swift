// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Boards that the collector builds from the event catalog.
public enum BuiltInBoard: String, Sendable, Hashable, CaseIterable {
    /// Active users, events, retention, and missing events.
    case firstLook = "first-look"
    /// User behavior: screens, elements, actions, and paths.
    case behavior = "behaviour"

    /// The title.
    public var title: String {
        switch self {
        case .firstLook: "First look"
        case .behavior: "Behavior"
        }
    }

    /// The maximum number of names read from the catalog.
    public static let names = 200
    /// The maximum number of the app's custom events that get a card.
    private static let actions = 4

    /// Returns the board.
    ///
    /// - Parameters:
    ///   - names: The events' names, most frequent first.
    ///   - elements: The attribute that distinguishes clicked elements; nil if none does.
    ///   - time: The current time.
    public func board(names: [String], elements: String?, at time: Timestamp) -> Board {
        var cards: [BoardCard]
        switch self {
        case .firstLook: cards = Self.firstLookCards
        case .behavior: cards = Self.behaviorCards(names, elements)
        }
        for index in cards.indices { cards[index].id = "c\(index + 1)" }
        return Board(id: rawValue, title: title, cards: cards, version: nil, created: time, changed: time)
    }

    /// The attributes that distinguish clicked elements, the most specific first.
    public static let elementKeys = [
        CapturedKey.elementID, CapturedKey.elementContent, CapturedKey.elementType,
    ]

    private static let firstLookCards = [
        card("Right now", .full, .live, "minutes=60"),
        card("Users per day", .half, .trends, "measure=users&last=30d"),
        card("Events per day", .half, .trends, "last=30d"),
        card("Most frequent events", .full, .catalog, "limit=10"),
        card("Retention by week", .full, .retention, "interval=week&last=30d"),
        card("New, returning, reactivated and dormant users", .half, .lifecycle, "last=30d"),
        card("Active days per user", .half, .stickiness, "last=30d"),
        card("Missing events", .half, .ledger, ""),
        card("Rejected events", .half, .failed, "last=30d&top=8"),
    ]

    private static func behaviorCards(_ names: [String], _ elements: String?) -> [BoardCard] {
        var cards: [BoardCard] = []
        let hasScreens = names.contains(CapturedName.screenView)
        if hasScreens {
            let query = "name=\(CapturedName.screenView)&by=\(CapturedKey.screenName)&top=8&last=30d"
            cards.append(card("Screens", .half, .trends, query))
        }
        if names.contains(CapturedName.click), let elements {
            cards.append(card("Elements", .half, .trends, "name=\(CapturedName.click)&by=\(elements)&top=8&last=30d"))
        }
        cards.append(card("User paths", .full, .paths, "of=\(hasScreens ? "screens" : "events")&last=30d"))
        let own = names.filter { !$0.hasPrefix("_") && $0.utf8.count <= QueryLimits.nameBytes }
        for name in own.prefix(actions) {
            cards.append(card(titled(name), .half, .trends, "name=\(escaped(name))&last=30d"))
        }
        cards.append(card("Event frequency", .full, .catalog, "limit=20"))
        cards.append(card("Active days per user", .full, .stickiness, "last=30d"))
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

    /// Returns a name as a one-line title.
    private static func titled(_ name: String) -> String {
        let scalars = name.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return scalars.contains { !$0.properties.isWhitespace } ? String(String.UnicodeScalarView(scalars)) : "Event"
    }

    /// Returns a name percent-encoded for a URL.
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
