// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Which events an app means to record, and what they look like: read from a file, never changed by what arrives.
public struct TrackingPlan: Sendable, Hashable {
    /// What an event means that the plan does not name.
    public enum UnplannedRule: String, Sendable, Hashable, CaseIterable {
        /// It is counted as unplanned.
        case count
        /// Nothing: the plan speaks about its own events only.
        case allow
    }

    /// What the plan is called.
    public var title: String?
    /// What it is for.
    public var description: String?
    /// What an event means that the plan does not name.
    public var unplanned: UnplannedRule
    /// The planned events, by their names byte by byte.
    public var events: [PlannedEvent]

    /// A plan; the events come into their order.
    public init(
        title: String? = nil,
        description: String? = nil,
        unplanned: UnplannedRule = .count,
        events: [PlannedEvent]
    ) {
        self.title = title
        self.description = description
        self.unplanned = unplanned
        self.events = events.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Names the rules of the plan: 16 hexadecimal digits. Titles, descriptions, owners, deprecations and the order of members change nothing in it.
    ///
    /// - Complexity: O(size of the plan).
    public var digest: String {
        SHA256.hash(json(isAnnotated: false).json()).prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}

/// An event of a plan.
public struct PlannedEvent: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// What it means.
    public var description: String?
    /// Who answers for it.
    public var owner: String?
    /// Whether nobody should record it any more.
    public var isDeprecated: Bool
    /// What its attributes are: an object.
    public var attributes: PlanSchema
    /// What its items are, a list of `{"id","name","attributes"}`; nil when nothing is said about them.
    public var items: PlanSchema?

    /// An event.
    public init(
        name: String,
        description: String? = nil,
        owner: String? = nil,
        isDeprecated: Bool = false,
        attributes: PlanSchema = PlanSchema(kinds: [.object]),
        items: PlanSchema? = nil
    ) {
        self.name = name
        self.description = description
        self.owner = owner
        self.isDeprecated = isDeprecated
        self.attributes = attributes
        self.items = items
    }
}

/// How much a plan may hold, and how much is counted by it.
public enum PlanLimits {
    /// Bytes of the file.
    public static let bytes = 4 << 20
    /// Events of a plan: as many as the catalogue tells apart.
    public static let events = Catalogue.maxNames
    /// Schemas of all events together.
    public static let schemas = 50_000
    /// How deep schemas may nest, the attributes' own included: as deep as values are accepted.
    public static let depth = EventLimits().depth
    /// Values that one `enum` may list.
    public static let values = 1_000
    /// Mistakes that are told at once; the others are counted.
    public static let faults = 200
    /// Findings about one event; what is beyond counts once, as ``PlanCode/more``.
    public static let findings = 32
    /// Groups of violations that are told apart, of all planned events.
    public static let groups = 5_000
    /// The same, of one event.
    public static let groupsOfEvent = 200
    /// Groups of events that are not in the plan.
    public static let unplannedGroups = 1_000
    /// Bytes of a path that are kept.
    public static let pathBytes = 256
    /// Bytes of an app's version that are kept.
    public static let versionBytes = 64
    /// Former stretches of counting that stay known, in numbers.
    public static let formerEras = 20
}

/// What is wrong with a plan's file at one place, or to be remarked.
public struct PlanFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place: `events.purchase.attributes.properties.total.minimum`; empty for the whole file.
    public var path: String
    /// The machine-readable kind, such as `unknown_keyword`.
    public var code: String
    /// The value at fault as JSON, its beginning; empty where there is none.
    public var value: String
    /// What is wrong and what to do, as a sentence.
    public var message: String

    /// A fault.
    public init(path: String, code: String, value: String = "", message: String) {
        self.path = path
        self.code = code
        self.value = value
        self.message = message
    }

    /// The fault in one line.
    public var description: String {
        let place = path.isEmpty ? "the file" : path
        return value.isEmpty ? "\(place): \(message)" : "\(place) = \(value): \(message)"
    }

    /// The fault as JSON.
    public var json: JSONValue {
        .object(
            JSONValue.Object([
                .init(key: "path", value: .string(path)), .init(key: "code", value: .string(code)),
                .init(key: "value", value: value.isEmpty ? .null : .string(value)),
                .init(key: "message", value: .string(message)),
            ])
        )
    }
}

/// A name within a path, in quotation marks where it could be taken for more than a name.
public enum PlanPath {
    /// A path with one more name behind it.
    public static func joined(_ path: String, _ name: String) -> String {
        let isPlain =
            !name.isEmpty
            && name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || "-$".unicodeScalars.contains($0) }
        let segment = isPlain ? name : String(decoding: JSONValue.string(name).json(), as: UTF8.self)
        return path.isEmpty ? segment : path + "." + segment
    }
}
