// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// A first plan, made of what a collector's catalogue says about events: to be read and changed by a person.
struct PlanDraft {
    /// Whether texts that have few values are listed as such.
    var listsValues = false
    private(set) var events: [PlannedEvent] = []
    /// Events that no plan has to name, or cannot.
    private(set) var passedOver: [String] = []

    /// A text with more different values is not listed.
    private static let maxValues = 8
    /// Of fewer events than these nothing is concluded about which values there are.
    private static let enoughEvents: Int64 = 50

    /// Whether an event is for a plan: what clients record by themselves is not.
    mutating func takes(_ name: String) -> Bool {
        guard !PlanChecker.isCaptured(name), !name.isEmpty else {
            passedOver.append(name)
            return false
        }
        return true
    }

    /// Adds an event.
    ///
    /// - Parameter description: The collector's answer about it.
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
        // What is not told apart may be there, too.
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
            default: break  // Null is no value; what a later version tells is not known here.
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
                .map { QuestionValue.text(Array($0.utf8)) }
        }
        return schema
    }

    /// The plan so far.
    func plan(title: String?) -> TrackingPlan {
        TrackingPlan(title: title, events: events)
    }
}
