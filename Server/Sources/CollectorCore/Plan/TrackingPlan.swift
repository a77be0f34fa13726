// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The events that an app is meant to record, and their attributes.
///
/// The plan is read from a file; received events never change it.
public struct TrackingPlan: Sendable, Hashable {
    /// The treatment of events that are not in the plan.
    public enum UnplannedRule: String, Sendable, Hashable, CaseIterable {
        /// Unplanned events are counted as such.
        case count
        /// Unplanned events are ignored: the plan covers only its own events.
        case allow
    }

    /// The plan's title.
    public var title: String?
    /// The plan's purpose.
    public var description: String?
    /// The treatment of events that are not in the plan.
    public var unplanned: UnplannedRule
    /// The planned events, sorted by the bytes of their names.
    public var events: [PlannedEvent]

    /// Creates a plan and sorts its events.
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

    /// A digest that identifies the plan's rules: 16 hexadecimal digits.
    ///
    /// Titles, descriptions, owners, deprecations and the order of members do not affect it.
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
    /// The name.
    public var name: String
    /// The meaning of the event.
    public var description: String?
    /// The owner of the event.
    public var owner: String?
    /// Whether the event is deprecated.
    public var isDeprecated: Bool
    /// The schema of its attributes: an object.
    public var attributes: PlanSchema
    /// The schema of its items, a list of `{"id","name","attributes"}`; nil for any.
    public var items: PlanSchema?

    /// Creates an event.
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

/// Limits of a plan and of the counts it produces.
public enum PlanLimits {
    /// The maximum size of the file in bytes.
    public static let bytes = 4 << 20
    /// The maximum number of events.
    ///
    /// The limit equals the number of names that the catalog tracks.
    public static let events = EventCatalog.maxNames
    /// The maximum number of schemas of all events together.
    public static let schemas = 50_000
    /// The maximum depth of schemas, including the attributes' own.
    ///
    /// The limit equals the maximum depth of accepted values.
    public static let depth = EventLimits().depth
    /// The maximum number of values in one `enum`.
    public static let values = 1_000
    /// The maximum number of faults reported at once; further ones are counted.
    public static let faults = 200
    /// The maximum number of findings about one event.
    ///
    /// Further findings count once, as ``PlanCode/more``.
    public static let findings = 32
    /// The maximum number of violation groups of all planned events.
    public static let groups = 5_000
    /// The maximum number of violation groups of one event.
    public static let groupsOfEvent = 200
    /// The maximum number of groups of unplanned events.
    public static let unplannedGroups = 1_000
    /// The maximum stored length of a path in bytes.
    public static let pathBytes = 256
    /// The maximum stored length of an app version in bytes.
    public static let versionBytes = 64
    /// The number of former eras whose counts are kept.
    public static let previousEras = 20
}

/// A fault or a warning about one place in a plan file.
public struct PlanFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place, such as `events.purchase.attributes.properties.total.minimum`.
    ///
    /// The path is empty for the whole file.
    public var path: String
    /// The machine-readable kind, such as `unknown_keyword`.
    public var code: String
    /// The beginning of the faulty value as JSON; empty without a value.
    public var value: String
    /// A sentence that describes the fault and how to fix it.
    public var message: String

    /// Creates a fault.
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

/// Joins names into paths.
///
/// A name that could be mistaken for more than one name is quoted.
public enum PlanPath {
    /// Returns a path with a name appended.
    public static func joined(_ path: String, _ name: String) -> String {
        let isPlain =
            !name.isEmpty
            && name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || "-$".unicodeScalars.contains($0) }
        let segment = isPlain ? name : String(decoding: JSONValue.string(name).json(), as: UTF8.self)
        return path.isEmpty ? segment : path + "." + segment
    }
}
