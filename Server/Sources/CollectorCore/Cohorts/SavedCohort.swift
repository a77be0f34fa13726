// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// An error in a cohort, or in reading or changing cohorts.
public typealias CohortError = SavedError

/// Limits on cohorts.
public enum CohortLimits {
    /// The maximum number of cohorts.
    public static let cohorts = 200
    /// The maximum number of conditions on events in one cohort.
    public static let behaviors = 10
    /// The maximum value of `times`.
    public static let times = 1_000_000
    /// The maximum size of one definition in a request, in bytes.
    public static let definitionBytes = 64 << 10
    /// The maximum size of all cohorts together, in bytes.
    public static let bytes = 1 << 20
}

/// A cohort as it was saved, with its conditions as text.
public struct SavedCohort: Sendable, Hashable {
    /// A condition on the number of a person's events, as text.
    public struct Behavior: Sendable, Hashable {
        /// The name of the events.
        public var event: String
        /// The conditions on the events.
        public var conditions: [String]
        /// The minimum number of events.
        public var times: Int
        /// The parameters `last`, or `from` and `to`; empty for all events.
        public var range: [Parameter]
    }

    /// A parameter of a time range.
    public struct Parameter: Sendable, Hashable {
        /// The name: `last`, `from` or `to`.
        public var name: String
        /// The value, as in queries.
        public var value: String
    }

    /// The name (``CohortName``).
    public var name: String
    /// The conditions on people.
    public var conditions: [String]
    /// What people must have done.
    public var did: [Behavior]
    /// What people must not have done.
    public var didNot: [Behavior]
    /// The time zone of days in relative ranges; nil for UTC.
    public var zone: String?
    /// The time at which the cohort was last saved.
    public var changed: Timestamp?
}

extension SavedCohort {
    /// Parses a definition and checks everything in it.
    ///
    /// - Parameters:
    ///   - value: the definition as JSON.
    ///   - name: the name in the request's path; it replaces the member `name`.
    ///   - isStored: whether the definition comes from the file; then its conditions are checked by the queries that
    ///     use it, because an earlier version may have accepted a condition that this one rejects.
    /// - Throws: ``SavedError`` `malformed` with the member, its value, and a hint.
    public init(
        _ value: JSONValue,
        name: String,
        zones: ZoneDirectory,
        isStored: Bool = false
    ) throws(CohortError) {
        let members = try SavedObjectReader(value: value, noun: "The cohort")
            .members(["name", "where", "did", "did_not", "zone", "changed"])
        guard CohortName.isValid(name) else {
            throw SavedError(
                .malformed,
                field: "name",
                "“\(name.prefix(80))” is not the name of a cohort: \(CohortName.rule)."
            )
        }
        if let other = members["name"], other.string != name {
            throw SavedError(
                .malformed,
                field: "name",
                "“\((other.string ?? "").prefix(80))” is not “\(name)”, the name in the path."
            )
        }
        self.name = name
        conditions = try Self.texts(members["where"], "where")
        did = try Self.behaviors(members["did"], "did")
        didNot = try Self.behaviors(members["did_not"], "did_not")
        if let zone = members["zone"] {
            guard let text = zone.string else {
                throw SavedError(.malformed, field: "zone", "“zone” is not text, such as Europe/Berlin.")
            }
            self.zone = text
        }
        changed = nil
        guard !conditions.isEmpty || !did.isEmpty || !didNot.isEmpty else {
            throw SavedError(
                .malformed,
                field: "where",
                "The cohort has no conditions: write “where”, “did” or “did_not”, such as "
                    + #"{"where":["person.plan=pro"],"did":[{"event":"purchase","times":3,"last":"90d"}]}."#
            )
        }
        guard did.count + didNot.count <= CohortLimits.behaviors else {
            throw SavedError(
                .malformed,
                field: "did",
                "The cohort has \(did.count + didNot.count) conditions on events; at most \(CohortLimits.behaviors) "
                    + "are allowed."
            )
        }
        guard !isStored else { return }
        // A relative range is valid at any time, so any time serves to check it.
        _ = try cohort(at: Timestamp(milliseconds: 1_800_000_000_000), zones: zones)
    }

    private static func texts(_ value: JSONValue?, _ field: String) throws(CohortError) -> [String] {
        guard let value else { return [] }
        guard let list = value.array else {
            throw SavedError(.malformed, field: field, "“\(field)” is not a list of conditions.")
        }
        guard list.count <= QueryLimits.conditions else {
            throw SavedError(
                .malformed,
                field: field,
                "“\(field)” has \(list.count) conditions; at most \(QueryLimits.conditions) are allowed."
            )
        }
        var texts: [String] = []
        for (index, value) in list.enumerated() {
            guard let text = value.string else {
                throw SavedError(.malformed, field: "\(field)[\(index)]", "“\(field)[\(index)]” is not text.")
            }
            texts.append(text)
        }
        return texts
    }

    private static func behaviors(_ value: JSONValue?, _ field: String) throws(CohortError) -> [Behavior] {
        guard let value else { return [] }
        guard let list = value.array else {
            throw SavedError(
                .malformed,
                field: field,
                "“\(field)” is not a list such as [{\"event\":\"purchase\",\"times\":3,\"last\":\"90d\"}]."
            )
        }
        // Reject a long list before each of its elements is checked.
        guard list.count <= CohortLimits.behaviors else {
            throw SavedError(
                .malformed,
                field: field,
                "“\(field)” has \(list.count) elements; at most \(CohortLimits.behaviors) are allowed."
            )
        }
        var behaviors: [Behavior] = []
        for (index, value) in list.enumerated() {
            behaviors.append(try behavior(value, "\(field)[\(index)]"))
        }
        return behaviors
    }

    private static func behavior(_ value: JSONValue, _ path: String) throws(CohortError) -> Behavior {
        let members = try SavedObjectReader(value: value, path: path, noun: "The cohort")
            .members(["event", "where", "times", "last", "from", "to"])
        guard let event = members["event"]?.string, !event.isEmpty, event.utf8.count <= QueryLimits.nameBytes else {
            throw SavedError(
                .malformed,
                field: "\(path).event",
                "“\(path).event” is not the name of an event of 1 to \(QueryLimits.nameBytes) bytes."
            )
        }
        var times = 1
        if let value = members["times"] {
            guard let number = value.integer, (1...Int64(CohortLimits.times)).contains(number) else {
                throw SavedError(
                    .malformed,
                    field: "\(path).times",
                    "“\(path).times” is not a whole number from 1 to \(CohortLimits.times)."
                )
            }
            times = Int(number)
        }
        var range: [Parameter] = []
        for name in ["last", "from", "to"] {
            guard let value = members[name] else { continue }
            guard let text = value.string ?? value.integer.map(String.init), !text.isEmpty else {
                throw SavedError(
                    .malformed,
                    field: "\(path).\(name)",
                    "“\(path).\(name)” is not a time: write \"last\":\"90d\", or a time in Unix milliseconds."
                )
            }
            range.append(Parameter(name: name, value: text))
        }
        return Behavior(
            event: event,
            conditions: try texts(members["where"], "\(path).where"),
            times: times,
            range: range
        )
    }

    /// Resolves the definition.
    ///
    /// - Parameter now: The time from which relative ranges count back.
    /// - Throws: ``SavedError`` `malformed` if a part of it is invalid.
    func cohort(at now: Timestamp, zones: ZoneDirectory) throws(CohortError) -> Cohort {
        var cohort = Cohort()
        for (index, text) in conditions.enumerated() {
            let condition = try Self.condition(text, "where[\(index)]")
            for field in condition.fields {
                guard case .person = field else {
                    throw SavedError(
                        .malformed,
                        field: "where[\(index)]",
                        Self.isCohort(field)
                            ? "“\(text.prefix(64))” refers to a cohort; a cohort cannot refer to others."
                            : "“\(text.prefix(64))” is not about a person: write person.plan=pro, or move the "
                                + "condition to an event of “did”."
                    )
                }
            }
            cohort.conditions.append(condition)
        }
        for (list, isNegated) in [(did, false), (didNot, true)] {
            for (index, behavior) in list.enumerated() {
                let path = "\(isNegated ? "did_not" : "did")[\(index)]"
                cohort.behaviors.append(try self.behavior(behavior, path, isNegated, at: now, zones))
            }
        }
        return cohort
    }

    private func behavior(
        _ behavior: Behavior,
        _ path: String,
        _ isNegated: Bool,
        at now: Timestamp,
        _ zones: ZoneDirectory
    ) throws(CohortError) -> Cohort.Behavior {
        var filter = QueryFilter(names: [behavior.event])
        for (index, text) in behavior.conditions.enumerated() {
            let place = "\(path).where[\(index)]"
            let condition = try Self.condition(text, place)
            guard !condition.fields.contains(where: \.isOfPerson) else {
                throw SavedError(
                    .malformed,
                    field: place,
                    "“\(text.prefix(64))” is about a person or a cohort, not about the event: conditions on people are "
                        + "in “where” of the cohort, and a cohort cannot refer to others."
                )
            }
            filter.conditions.append(condition)
        }
        var resolved = Cohort.Behavior(filter, times: behavior.times, isNegated: isNegated)
        let names = behavior.range.map(\.name)
        if names.contains("to"), !names.contains("from") {
            throw SavedError(
                .malformed,
                field: "\(path).from",
                "“\(path)” has “to” without “from”: write both, “last”, or neither for all events."
            )
        }
        let parameters = behavior.range.map { (name: $0.name, value: $0.value) } + (zone.map { [("zone", $0)] } ?? [])
        do throws(InvalidQueryError) {
            let reader = QueryParameterReader(parameters)
            if names.isEmpty {
                // Checks the zone, although nothing depends on it.
                _ = try reader.zone(zones, over: now..<now.advanced(by: .seconds(1)))
            } else {
                let range = try reader.range(now: now, zones)
                resolved.from = range.from
                // A range without an end includes events that arrive with a later time.
                resolved.to = names == ["from"] ? nil : range.to
            }
        } catch {
            let field = error.field == "zone" ? "zone" : "\(path).\(error.field)"
            throw SavedError(.malformed, field: field, error.message)
        }
        return resolved
    }

    private static func condition(_ text: String, _ field: String) throws(CohortError) -> QueryCondition {
        do throws(InvalidQueryError) {
            return try QueryCondition(text, parameter: field)
        } catch {
            throw SavedError(.malformed, field: error.field, error.message)
        }
    }

    private static func isCohort(_ field: QueryField) -> Bool { if case .cohort = field { true } else { false } }

    /// Writes the definition as JSON.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        if !conditions.isEmpty { writer.list("where", conditions) { $1.string($0) } }
        if !did.isEmpty { writer.list("did", did) { $0.write(to: &$1) } }
        if !didNot.isEmpty { writer.list("did_not", didNot) { $0.write(to: &$1) } }
        if let zone { writer.member("zone", zone) }
        if let changed { writer.member("changed", changed) }
        writer.endObject()
    }
}

extension SavedCohort.Behavior {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("event", event)
        if !conditions.isEmpty { writer.list("where", conditions) { $1.string($0) } }
        writer.member("times", Int64(times))
        for parameter in range { writer.member(parameter.name, parameter.value) }
        writer.endObject()
    }
}
