// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Trends compared with a naive scan")
struct TrendOracleTests {
    /// The data of an event that the test compares.
    private struct SampleEvent {
        var name: String
        var time: Int64
        var installation: UInt64?
        var user: String?
        /// Attributes by name.
        ///
        /// Includes those of the context that the event does not set.
        var attributes: [String: JSONValue]
        var version: String?
    }

    /// A condition as text, and its meaning.
    private typealias ConditionCase = (text: String, holds: @Sendable (SampleEvent) -> Bool)

    private static let start: Int64 = 1_700_000_000_000
    private static let length: Int64 = 4 * 86_400_000
    private static let quoted = "it's a \"name\".with, everything=數"

    private static func number(_ value: JSONValue?) -> Double? { value?.double }

    private static let conditionCases: [ConditionCase] = [
        ("total>=3", { number($0.attributes["total"]).map { $0 >= 3 } ?? false }),
        ("total<4.5", { number($0.attributes["total"]).map { $0 < 4.5 } ?? false }),
        ("total≠2", { number($0.attributes["total"]) != 2 }),
        ("total=*", { $0.attributes["total"] != nil }),
        ("currency=EUR", { $0.attributes["currency"] == .string("EUR") }),
        ("currency≠*", { $0.attributes["currency"] == nil }),
        ("currency>c3", { ($0.attributes["currency"]?.string).map { $0 > "c3" } ?? false }),
        ("tier=gold", { $0.attributes["tier"] == .string("gold") }),
        ("first=true", { $0.attributes["first"] == .boolean(true) }),
        ("context.app.version:=2", { $0.version == "2" }),
        ("context.app.version=*", { $0.version != nil }),
        ("currency~C1", { ($0.attributes["currency"]?.string).map { $0.contains("c1") } ?? false }),
        ("currency!~c", { !(($0.attributes["currency"]?.string).map { $0.contains("c") } ?? false) }),
        (#"currency=[EUR,c3,"c5"]"#, { ["EUR", "c3", "c5"].contains($0.attributes["currency"]?.string) }),
        ("tier≠[gold,silver]", { $0.attributes["tier"] == nil }),
        (
            "total>=8 or currency=EUR",
            { number($0.attributes["total"]).map { $0 >= 8 } ?? false || $0.attributes["currency"] == .string("EUR") }
        ),
        (
            "context.app.version=[1,2] or first=true or tier≠*",
            {
                ["1", "2"].contains($0.version) || $0.attributes["first"] == .boolean(true)
                    || $0.attributes["tier"] == nil
            }
        ),
        (#""it's a \"name\".with, everything=數"≤1"#, { number($0.attributes[quoted]).map { $0 <= 1 } ?? false }),
    ]

    /// Appends random events to the log, and returns them.
    private static func events(_ random: inout SeededGenerator, into environment: IndexEnvironment) throws
        -> [SampleEvent]
    {
        var all: [SampleEvent] = []
        for batchNumber in 0..<12 {
            let installation = random.oneIn(4) ? nil : UInt64(random.number(1...4))
            var batch = installation.map { Batch($0, UInt64(batchNumber + 1), 1...40) } ?? Batch()
            let user = random.oneIn(3) ? nil : "user-\(random.number(1...5))"
            let version = random.oneIn(4) ? nil : "\(random.number(1...3))"
            let tier = random.oneIn(2) ? "gold" : nil
            var context: [String] = []
            if let user { context.append(#""user":{"id":"\#(user)"}"#) }
            if let version { context.append(#""app":{"version":"\#(version)"}"#) }
            if let tier { context.append(#""global":{"tier":"\#(tier)"}"#) }
            batch.lines.append(#"{"context":{\#(context.joined(separator: ","))}}"#)
            for index in 0..<40 {
                var attributes: [String: JSONValue] = [:]
                if !random.oneIn(4) {
                    let quarters = random.number(-4...40)
                    attributes["total"] =
                        quarters % 4 == 0 ? .integer(Int64(quarters / 4)) : .double(Double(quarters) / 4)
                }
                if !random.oneIn(5) {
                    attributes["currency"] = .string(random.oneIn(3) ? "EUR" : "c\(random.number(1...14))")
                }
                if random.oneIn(6) { attributes["tier"] = .string("silver") }
                if random.oneIn(3) { attributes["first"] = .boolean(random.oneIn(2)) }
                if !random.oneIn(4) {
                    let mixed: [JSONValue] = [
                        .integer(1), .string("1"), .boolean(true), .string("true"), .string("é"), .string("e\u{301}"),
                        .string("c2"),
                    ]
                    attributes["mixed"] = mixed[random.number(0...mixed.count - 1)]
                }
                if random.oneIn(3) { attributes[quoted] = .integer(Int64(random.number(0...2))) }
                let object = JSONValue.Object(attributes.map { .init(key: $0.key, value: $0.value) })
                let known = SampleEvent(
                    name: "n\(random.number(1...3))",
                    time: start + Int64(random.number(0...Int(length) - 1)),
                    installation: installation,
                    user: user,
                    attributes: attributes.merging(tier.map { ["tier": .string($0)] } ?? [:]) { own, _ in own },
                    version: version
                )
                all.append(known)
                let json = String(decoding: JSONValue.object(object).json(), as: UTF8.self)
                batch.lines.append(
                    line(UInt64(batchNumber * 40 + index), known.name, time: known.time, attributes: json)
                )
            }
            try environment.append(batch)
        }
        return all.map { event in
            guard event.user == nil, let installation = event.installation else { return event }
            var event = event
            event.user = signedIn(all, after: event.time, on: installation)
            return event
        }
    }

    /// Returns the user of the next signed-in event on an installation.
    private static func signedIn(_ events: [SampleEvent], after time: Int64, on installation: UInt64) -> String? {
        events.filter { $0.installation == installation && $0.user != nil && $0.time >= time }
            .min { mark($0) < mark($1) }?.user
    }

    private static func mark(_ event: SampleEvent) -> (Int64, Int64) {
        (event.time, TimeCursor.number(of: .user(event.user ?? "")))
    }

    /// Returns the numbers of one group, computed by scanning its events.
    private static func numbers(_ events: [SampleEvent], _ edges: [Timestamp], _ measure: TrendQuery.Measure)
        -> Trend.Numbers
    {
        func measured(_ events: [SampleEvent]) -> JSONNumber? {
            let numbers = events.compactMap { number($0.attributes["total"]) }
            switch measure {
            case .events: return .integer(Int64(events.count))
            case .users:
                return .integer(Int64(Set(events.compactMap { $0.user ?? $0.installation.map { "#\($0)" } }).count))
            case .installations: return .integer(Int64(Set(events.compactMap(\.installation)).count))
            // The sample events are in no groups.
            case .groups: return .integer(0)
            case .sum:
                let isWhole = events.allSatisfy { $0.attributes["total"].map { $0.integer != nil } ?? true }
                let sum = numbers.reduce(0, +)
                return isWhole ? .integer(Int64(sum)) : .double(sum)
            case .average: return numbers.isEmpty ? nil : .double(numbers.reduce(0, +) / Double(numbers.count))
            case .p95:
                guard
                    let value = numbers.sorted().first(where: { candidate in
                        100 * numbers.filter { $0 <= candidate }.count >= 95 * numbers.count
                    })
                else { return nil }
                return JSONNumber.double(value).simplest
            }
        }
        func within(_ from: Timestamp, _ to: Timestamp) -> [SampleEvent] {
            events.filter { $0.time >= from.milliseconds && $0.time < to.milliseconds }
        }
        let whole = within(edges[0], edges[edges.count - 1])
        // Here, the attribute is a number or absent.
        let counted = Int64(whole.count { $0.attributes["total"] != nil })
        return Trend.Numbers(
            values: zip(edges, edges.dropFirst()).map { measured(within($0, $1)) },
            total: measured(whole),
            valueKinds: measure.field == nil
                ? nil : Trend.ValueKinds(numbers: counted, missing: Int64(whole.count) - counted)
        )
    }

    private static func expected(_ query: TrendQuery, _ events: [SampleEvent], by: String?) -> [Trend.Series] {
        let time = query.time
        func series(_ group: Trend.Group, _ events: [SampleEvent]) -> Trend.Series {
            Trend.Series(
                group: group,
                now: numbers(events, time.edges, query.measure),
                before: time.edgesBefore.isEmpty ? nil : numbers(events, time.edgesBefore, query.measure)
            )
        }
        guard let by, let grouping = query.grouping else { return [series(.all, events)] }
        func value(_ event: SampleEvent) -> JSONValue? {
            by == "context.app.version" ? event.version.map { .string($0) } : event.attributes[by]
        }
        /// Returns the text that the events of one group share.
        func text(_ value: JSONValue?) -> [UInt8] {
            guard let value else { return [] }
            guard grouping.readsValuesAsTexts else { return value.json() }
            let text = value.string ?? String(decoding: value.json(), as: UTF8.self)
            return JSONValue.string(text.precomposedStringWithCanonicalMapping).json()
        }
        let within = events.filter { $0.time >= time.edges[0].milliseconds && $0.time < time.end.milliseconds }
        let ranked = Dictionary(grouping: within, by: { text(value($0)) })
            .sorted { left, right in
                left.value.count == right.value.count
                    ? left.key.lexicographicallyPrecedes(right.key) : left.value.count > right.value.count
            }
        let top = ranked.prefix(grouping.top).map(\.key)
        var answer = top.map { key in
            let own = events.filter { text(value($0)) == key }
            guard grouping.readsValuesAsTexts, !key.isEmpty else {
                return series(.value(value(own[0]).flatMap { QueryValue($0) }), own)
            }
            // The shortest form within the period is shown, which is the composed one.
            let forms = own.filter { $0.time >= time.start.milliseconds && $0.time < time.end.milliseconds }
                .compactMap { value($0).flatMap { QueryValue($0) }?.text }
            return series(.value(forms.min { $0.count < $1.count }.map { .text($0) }), own)
        }
        let rest = events.filter {
            !top.contains(text(value($0))) && $0.time >= time.start.milliseconds && $0.time < time.end.milliseconds
        }
        if !rest.isEmpty { answer.append(series(.other(ranked.count - top.count), rest)) }
        return answer
    }

    @Test(arguments: 1...8)
    func `random trend queries return the same results as a naive scan`(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let environment = try IndexEnvironment()
        let events = try Self.events(&random, into: environment)
        try await environment.index()
        let total = QueryField.attribute("total")
        let measures: [TrendQuery.Measure] = [
            .events, .users, .installations, .sum(total), .average(total), .p95(total),
        ]
        let zone = ZoneOffsets(
            name: "Test/Zone",
            first: 3_600,
            changes: [.init(at: Timestamp(milliseconds: Self.start + 100_000_000), seconds: 7_200)]
        )
        for _ in 0..<60 {
            var filter = QueryFilter()
            var wanted = events
            if random.oneIn(2) {
                filter.names = random.oneIn(2) ? ["n1"] : ["n3", "n1"]
                wanted.removeAll { !filter.names.contains($0.name) }
            }
            if random.oneIn(4) {
                filter.user = "user-\(random.number(1...6))"
                wanted.removeAll { $0.user != filter.user }
            }
            if random.oneIn(4) {
                let number = UInt64(random.number(1...5))
                filter.installation = .numbered(number)
                wanted.removeAll { $0.installation != number }
            }
            for _ in 0..<random.number(0...2) {
                let rule = Self.conditionCases[random.number(0...Self.conditionCases.count - 1)]
                filter.conditions.append(try QueryCondition(rule.text, parameter: "where"))
                wanted.removeAll { !rule.holds($0) }
            }
            let from = Self.start + Int64(random.number(0...Int(Self.length)))
            let interval = QueryInterval.allCases[random.number(1...4)]
            let time = try #require(
                QueryTimeRange(
                    from: Timestamp(milliseconds: from),
                    to: Timestamp(milliseconds: from + Int64(random.number(1...Int(Self.length)))),
                    interval: interval,
                    in: zone,
                    comparing: random.oneIn(2)
                )
            )
            let by = [nil, "currency", "tier", "total", "context.app.version", "mixed"][random.number(0...5)]
            let grouping = try by.map {
                TrendQuery.Grouping(
                    by: try QueryField($0, parameter: "by"),
                    top: random.number(1...10),
                    readsValuesAsTexts: random.oneIn(2)
                )
            }
            let measure = measures[random.number(0...measures.count - 1)]
            let query = TrendQuery(filter, in: time, measure: measure, grouping: grouping)
            let answer = try await environment.store.trend(query)
            #expect(answer.series == Self.expected(query, wanted, by: by), "\(query)")
        }
    }
}
