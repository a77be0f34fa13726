// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// The result of comparing a collector's events with a plan.
///
/// The result contains received names that are not planned, planned names that were never received, and violations.
struct PlanComparison: Sendable {
    /// A group of events that violate the plan in the same way.
    struct Violation: Sendable, Hashable {
        /// The event's name.
        var name: String
        /// The location of the violation within the event.
        var path: String
        /// The code of the violation.
        var code: String
        /// The app's version; empty if unknown.
        var version: String
        /// The plan's expectation; empty for none.
        var expected: String
        /// The number of events.
        var events: Int64
        /// The id of one of the events; empty if unknown.
        var sample: String
    }

    /// The collector's address.
    let address: String
    /// Whether the collector uses this plan.
    ///
    /// If true, the counts cover all events; otherwise, only the inspected events.
    var isCounted = false
    /// The number of inspected or counted events.
    var checkedEvents: Int64 = 0
    /// Received names that are not in the plan, with their event counts.
    private(set) var unplanned: [(name: String, events: Int64)] = []
    /// The number of events whose names the collector does not count separately.
    var others: Int64 = 0
    /// Planned names that were not received.
    private(set) var missing: [String] = []
    private var found: [Violation] = []
    private var places: [[String]: Int] = [:]

    /// Creates an empty comparison.
    init(address: String) {
        self.address = address
    }

    /// Whether all events conform to the plan.
    ///
    /// Planned events that have not been received yet are not violations.
    var isClean: Bool { found.isEmpty && unplanned.isEmpty && others == 0 }

    /// The violations, most frequent first.
    var violations: [Violation] {
        found.sorted { left, right in
            left.events != right.events
                ? left.events > right.events
                : [left.name, left.path, left.code, left.version].lexicographicallyPrecedes([
                    right.name, right.path, right.code, right.version,
                ])
        }
    }

    /// Adds a received name that is not in the plan.
    mutating func add(unplanned name: String, events: Int64) {
        unplanned.append((name, events))
    }

    /// Adds a planned name that was not received.
    mutating func add(missing name: String) {
        missing.append(name)
    }

    /// Adds a violation to its group.
    mutating func add(_ violation: Violation) {
        let key = [violation.name, violation.path, violation.code, violation.version]
        guard let place = places[key] else {
            places[key] = found.count
            found.append(violation)
            return
        }
        found[place].events += violation.events
        if found[place].sample.isEmpty { found[place].sample = violation.sample }
    }

    /// Inspects stored events with one name, as listed by the collector.
    mutating func inspect(_ events: [JSONValue], of name: String, number: Int, by inspection: inout PlanInspection) {
        for event in events {
            checkedEvents += 1
            (event["event"] ?? .null).json().withUnsafeBytes { inspection.inspect(number, event: $0) }
            for finding in inspection.findings {
                let path = inspection.checker.path(of: finding)
                add(
                    Violation(
                        name: name,
                        path: path,
                        code: finding.code.rawValue,
                        version: event["context"]?["app"]?["version"]?.string ?? "",
                        expected: inspection.checker.expectation(of: name, at: path) ?? "",
                        events: 1,
                        sample: event["id"]?.string ?? ""
                    )
                )
            }
        }
    }

    /// The comparison as JSON.
    var json: JSONValue {
        .members(
            ("url", .string(address)),
            ("counted", .boolean(isCounted)),
            ("looked", .integer(checkedEvents)),
            ("clean", .boolean(isClean)),
            (
                "unplanned",
                .array(unplanned.map { .members(("name", .string($0.name)), ("events", .integer($0.events))) })
            ),
            ("others", .integer(others)),
            ("missing", .array(missing.map { .string($0) })),
            (
                "violations",
                .array(
                    violations.map { violation in
                        .members(
                            ("name", .string(violation.name)),
                            ("path", .string(violation.path)),
                            ("code", .string(violation.code)),
                            ("version", .string(violation.version)),
                            ("expected", .string(violation.expected)),
                            ("events", .integer(violation.events)),
                            ("sample", violation.sample.isEmpty ? .null : .string(violation.sample))
                        )
                    }
                )
            )
        )
    }
}
