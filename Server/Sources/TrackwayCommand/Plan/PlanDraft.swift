// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// An initial plan created from a collector's event catalog, for manual review.
struct PlanDraft {
    /// Whether to list the values of strings with few distinct values.
    var listsValues = false
    private(set) var events: [PlannedEvent] = []
    /// The names of events that a plan need not or cannot include.
    private(set) var omittedNames: [String] = []

    /// The maximum number of distinct values to list.
    private static let maxValues = 8
    /// The minimum number of events required for listing values.
    private static let enoughEvents: Int64 = 50

    /// Returns whether an event belongs in a plan.
    ///
    /// Automatically captured events and events with an empty name do not belong in a plan. If the result is false, the
    /// name is added to ``omittedNames``.
    mutating func accept(_ name: String) -> Bool {
        guard !PlanChecker.isCaptured(name), !name.isEmpty else {
            omittedNames.append(name)
            return false
        }
        return true
    }

    /// Adds an event.
    ///
    /// - Parameter description: The collector's description of the event.
    mutating func add(_ name: String, _ description: JSONValue) {
        let read = description["read"]?.integer ?? 0
        var schema = PlanSchema(kinds: [.object])
        schema.additional = .forbidden
        for attribute in description["attributes"]?.array ?? [] {
            guard attribute["scope"]?.string == "event", let name = attribute["name"]?.string, !name.isEmpty,
                !name.hasPrefix("_"), !name.hasPrefix("$"), schema.properties.count < EventLimits().attributes
            else { continue }
            let isEverywhere = attribute["events"]?.integer == read && read > 0
            schema.properties.append(PlanSchema.Property(name, self.schema(of: attribute), isRequired: isEverywhere))
        }
        // Attributes that the catalog omits may occur as well.
        if (description["omitted"]?.integer ?? 0) > 0 { schema.additional = .allowed }
        schema.properties.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        events.append(PlannedEvent(name: name, attributes: schema))
    }

    private func schema(of attribute: JSONValue) -> PlanSchema {
        var kinds: Set<PlanSchema.Kind> = []
        for member in attribute["types"]?.object?.members ?? [] where (member.value.integer ?? 0) > 0 {
            switch member.key {
            case "string": kinds.insert(.string)
            case "integer": kinds.insert(.integer)
            case "double": kinds.insert(.number)
            case "boolean": kinds.insert(.boolean)
            case "list": kinds.insert(.array)
            case "object": kinds.insert(.object)
            default: break  // `null` is not a value; types of later versions are unknown.
            }
        }
        if kinds.contains(.number) { kinds.remove(.integer) }
        var schema = PlanSchema(kinds: kinds)
        let values = attribute["values"]?.array ?? []
        if listsValues, kinds == [.string], attribute["more"]?.boolean == false,
            (1...Self.maxValues).contains(values.count), attribute["distinct"]?.integer == Int64(values.count),
            (attribute["events"]?.integer ?? 0) >= Self.enoughEvents
        {
            schema.values = values.compactMap { $0["value"]?.string }.sorted()
                .map { QueryValue.text(Array($0.utf8)) }
        }
        return schema
    }

    /// Returns a plan with the events added so far.
    func plan(title: String?) -> TrackingPlan {
        TrackingPlan(title: title, events: events)
    }
}
