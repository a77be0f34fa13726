// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// How what a collector has keeps to a plan: which names are not in it, which of it never came, and what events do not keep to.
struct PlanComparison: Sendable {
    /// Events that do not keep to the plan in the same thing.
    struct Violation: Sendable, Hashable {
        /// The event's name.
        var name: String
        /// Where it is.
        var path: String
        /// What is wrong.
        var code: String
        /// The app's version; empty where it is not known.
        var version: String
        /// What the plan wants there; empty where it says nothing.
        var expected: String
        /// How many events.
        var events: Int64
        /// One of them; empty where none is known.
        var sample: String
    }

    /// Where the collector is.
    let address: String
    /// Whether the collector counts by this very plan, so that numbers are of all events; else of those that were looked at.
    var isCounted = false
    /// How many events were looked at, or counted.
    var looked: Int64 = 0
    /// Names that came and are not in the plan, with their events.
    private(set) var unplanned: [(name: String, events: Int64)] = []
    /// Events of names that the collector does not tell apart.
    var others: Int64 = 0
    /// Names of the plan that did not come.
    private(set) var missing: [String] = []
    private var found: [Violation] = []
    private var places: [[String]: Int] = [:]

    /// A comparison of nothing yet.
    init(address: String) {
        self.address = address
    }

    /// Whether everything keeps to the plan. Planned events that have not come yet are no violation.
    var isClean: Bool { found.isEmpty && unplanned.isEmpty && others == 0 }

    /// What events do not keep to, the most frequent first.
    var violations: [Violation] {
        found.sorted { left, right in
            left.events != right.events
                ? left.events > right.events
                : [left.name, left.path, left.code, left.version].lexicographicallyPrecedes([
                    right.name, right.path, right.code, right.version,
                ])
        }
    }

    /// A name came that is not in the plan.
    mutating func add(unplanned name: String, events: Int64) {
        unplanned.append((name, events))
    }

    /// A planned event did not come.
    mutating func add(missing name: String) {
        missing.append(name)
    }

    /// What an event does not keep to, or many.
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

    /// Looks at stored events of one name, as the collector lists them.
    mutating func look(_ events: [JSONValue], of name: String, number: Int, by inspection: inout PlanInspection) {
        for event in events {
            looked += 1
            (event["event"] ?? .null).json().withUnsafeBytes { inspection.look(at: number, event: $0) }
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
            ("looked", .integer(looked)),
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
