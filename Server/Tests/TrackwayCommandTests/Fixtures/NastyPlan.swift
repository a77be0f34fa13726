// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// swift-format-ignore-file
// Made by `trackway plan swift` from the tracking plan 753aa10177c4e133. Change the plan, not this file.

import Foundation
import Trackway

/// The event 2nd.
struct _2nd: TypedEvent {
    static let name = "2nd"

    /// What the plan asks for.
    init() {}
}

/// The event Purchase.
@available(*, deprecated, message: "The tracking plan has it as deprecated.")
struct Purchase: TypedEvent {
    static let name = "Purchase"

    /// What the plan asks for.
    init() {}
}

/// The event Swift.
struct SwiftEvent: TypedEvent {
    static let name = "Swift"

    /// What the plan asks for.
    init() {}
}

/// The event a"b\c
/// d.
struct ABCD: TypedEvent {
    static let name = "a\"b\\c\u{A}d"

    /// The attribute x.
    var x: Double?

    /// What the plan asks for.
    init(
        x: Double? = nil
    ) {
        self.x = x
    }

    private enum CodingKeys: String, CodingKey {
        case x = "x"
    }
}

/// The event event.
struct EventEvent: TypedEvent {
    static let name = "event"

    /// What the plan asks for.
    init() {}
}

/// Somebody paid.
/// */ } struct Evil {}
/// let x = 1 //
///
/// Owner: a
/// b
struct Purchase2: TypedEvent {
    static let name = "purchase"

    /// The attribute "); evil(".
    var evil: String?
    /// The attribute 1st.
    var _1st: Int?
    /// The attribute A_B.
    var aB: String?
    /// The attribute Date.
    ///
    /// In the plan: string, one of "y".
    var date: DateValue?
    /// The attribute Type.
    var type: String?
    /// The attribute URLString.
    var urlString: String?
    /// The attribute \(evil).
    var evil2: String?
    /// The attribute a b.
    var aB2: String?
    /// The attribute a.b.
    var aB3: String
    /// The attribute aB.
    var aB4: String?
    /// The attribute a_b.
    var aB5: String?
    /// The attribute anything.
    var anything: [PlannedValue]?
    /// The attribute at.
    var at: Date?
    /// The attribute attributes.
    var attributes_: String?
    /// The attribute class.
    var `class`: String
    /// The attribute counts.
    var counts: [String: Int]?
    /// The attribute currency.
    ///
    /// In the plan: string, one of "CNY", "EUR", "", "none", "self", "1", "a b", "a_b", … (11).
    var currency: Currency?
    /// The attribute description.
    var description_: String?
    /// The attribute encode.
    var encode_: Bool?
    /// The attribute é.
    var e: String?
    /// The attribute hash_value.
    var hashValue_: Int?
    /// The attribute init.
    var init_: Int?
    /// The attribute items.
    var items_: String?
    /// The attribute level.
    ///
    /// In the plan: integer, one of 1, 2.
    var level: Int?
    /// The attribute map.
    var map: [String: PlannedValue]?
    /// The attribute mixed.
    var mixed: PlannedValue?
    /// The attribute name.
    var name_: String?
    /// The attribute old.
    /// Deprecated.
    var old: String?
    /// The attribute open.
    var open: PlannedValue?
    /// The attribute rawValue.
    var rawValue_: String?
    /// The attribute self.
    var self_: Bool?
    /// The attribute sizes.
    var sizes: [Int]?
    /// The attribute string.
    ///
    /// In the plan: string, one of "x".
    var string: StringValue?
    /// The attribute tags.
    var tags: [Tags]?
    /// The attribute to.
    var to: To?
    /// With taxes.
    /// func evil() {}
    ///
    /// In the plan: number, at least 0.
    var total: Double
    /// The attribute é.
    var é: String?
    /// The attribute 价格.
    var 价格: Double?
    /// The attribute 🛒.
    var u1F6D2: Bool?
    /// What was paid for.
    var items: [Item]

    /// What the plan asks for.
    init(
        aB3: String,
        `class`: String,
        total: Double,
        evil: String? = nil,
        _1st: Int? = nil,
        aB: String? = nil,
        date: DateValue? = nil,
        type: String? = nil,
        urlString: String? = nil,
        evil2: String? = nil,
        aB2: String? = nil,
        aB4: String? = nil,
        aB5: String? = nil,
        anything: [PlannedValue]? = nil,
        at: Date? = nil,
        attributes_: String? = nil,
        counts: [String: Int]? = nil,
        currency: Currency? = nil,
        description_: String? = nil,
        encode_: Bool? = nil,
        e: String? = nil,
        hashValue_: Int? = nil,
        init_: Int? = nil,
        items_: String? = nil,
        level: Int? = nil,
        map: [String: PlannedValue]? = nil,
        mixed: PlannedValue? = nil,
        name_: String? = nil,
        old: String? = nil,
        open: PlannedValue? = nil,
        rawValue_: String? = nil,
        self_: Bool? = nil,
        sizes: [Int]? = nil,
        string: StringValue? = nil,
        tags: [Tags]? = nil,
        to: To? = nil,
        é: String? = nil,
        价格: Double? = nil,
        u1F6D2: Bool? = nil,
        items: [Item] = []
    ) {
        self.evil = evil
        self._1st = _1st
        self.aB = aB
        self.date = date
        self.type = type
        self.urlString = urlString
        self.evil2 = evil2
        self.aB2 = aB2
        self.aB3 = aB3
        self.aB4 = aB4
        self.aB5 = aB5
        self.anything = anything
        self.at = at
        self.attributes_ = attributes_
        self.`class` = `class`
        self.counts = counts
        self.currency = currency
        self.description_ = description_
        self.encode_ = encode_
        self.e = e
        self.hashValue_ = hashValue_
        self.init_ = init_
        self.items_ = items_
        self.level = level
        self.map = map
        self.mixed = mixed
        self.name_ = name_
        self.old = old
        self.open = open
        self.rawValue_ = rawValue_
        self.self_ = self_
        self.sizes = sizes
        self.string = string
        self.tags = tags
        self.to = to
        self.total = total
        self.é = é
        self.价格 = 价格
        self.u1F6D2 = u1F6D2
        self.items = items
    }

    /// The values that the plan lists.
    enum DateValue: String, Codable, Sendable, CaseIterable {
        case y = "y"
    }

    /// The values that the plan lists.
    enum Currency: String, Codable, Sendable, CaseIterable {
        case cny = "CNY"
        case eur = "EUR"
        case empty = ""
        case none_ = "none"
        case self_ = "self"
        case _1 = "1"
        case aB = "a b"
        case aB2 = "a_b"
        case x = "\"\\(x)\u{A}"
        case u1F6D2 = "🛒"
        case init_ = "init"
    }

    /// The values that the plan lists.
    enum StringValue: String, Codable, Sendable, CaseIterable {
        case x = "x"
    }

    /// The values that the plan lists.
    enum Tags: String, Codable, Sendable, CaseIterable {
        case new = "new"
        case old = "old"
    }

    /// What to holds.
    struct To: Encodable, Sendable {
        /// The attribute purchase.
        var purchase: Purchase?
        /// The attribute zip.
        var zip: String

        /// What the plan asks for.
        init(
            zip: String,
            purchase: Purchase? = nil
        ) {
            self.purchase = purchase
            self.zip = zip
        }

        /// What purchase holds.
        struct Purchase: Encodable, Sendable {
            /// The attribute x.
            var x: Bool?

            /// What the plan asks for.
            init(
                x: Bool? = nil
            ) {
                self.x = x
            }

            private enum CodingKeys: String, CodingKey {
                case x = "x"
            }
        }

        private enum CodingKeys: String, CodingKey {
            case purchase = "purchase"
            case zip = "zip"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case evil = "\"); evil(\""
        case _1st = "1st"
        case aB = "A_B"
        case date = "Date"
        case type = "Type"
        case urlString = "URLString"
        case evil2 = "\\(evil)"
        case aB2 = "a b"
        case aB3 = "a.b"
        case aB4 = "aB"
        case aB5 = "a_b"
        case anything = "anything"
        case at = "at"
        case attributes_ = "attributes"
        case `class` = "class"
        case counts = "counts"
        case currency = "currency"
        case description_ = "description"
        case encode_ = "encode"
        case e = "é"
        case hashValue_ = "hash_value"
        case init_ = "init"
        case items_ = "items"
        case level = "level"
        case map = "map"
        case mixed = "mixed"
        case name_ = "name"
        case old = "old"
        case open = "open"
        case rawValue_ = "rawValue"
        case self_ = "self"
        case sizes = "sizes"
        case string = "string"
        case tags = "tags"
        case to = "to"
        case total = "total"
        case é = "é"
        case 价格 = "价格"
        case u1F6D2 = "🛒"
    }
}

/// The event purchase!.
struct Purchase3: TypedEvent {
    static let name = "purchase!"

    /// What the event is about.
    var items: [Item]

    /// What the plan asks for.
    init(
        items: [Item] = []
    ) {
        self.items = items
    }

    private enum CodingKeys: CodingKey {}
}

/// The event string.
struct StringEvent: TypedEvent {
    static let name = "string"

    /// What the plan asks for.
    init() {}
}

/// The event typed event.
struct TypedEventEvent: TypedEvent {
    static let name = "typed event"

    /// What the plan asks for.
    init() {}
}

/// The event 🛒🛒.
struct U1F6D2U1F6D2: TypedEvent {
    static let name = "🛒🛒"

    /// What the plan asks for.
    init() {}
}

/// A value whose type the plan leaves open.
enum PlannedValue: Encodable, Sendable, Hashable {
    case text(String)
    case integer(Int)
    case number(Double)
    case boolean(Bool)
    case date(Timestamp)
    case list([PlannedValue])
    case object([String: PlannedValue])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .boolean(let value): try container.encode(value)
        case .date(let value): try container.encode(value.description)
        case .list(let values): try container.encode(values)
        case .object(let values): try container.encode(values)
        }
    }
}
