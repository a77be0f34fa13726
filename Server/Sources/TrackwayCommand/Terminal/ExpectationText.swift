// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Formats the response to an expectation for a terminal or test log.
struct ExpectationText: Sendable {
    private let expectation: EventExpectation
    private let style: Style
    private let format: EventLineFormat

    /// - Parameters:
    ///   - expectation: The expectation.
    ///   - zone: The time zone for displayed times.
    init(_ expectation: EventExpectation, style: Style, zone: TimeZone = .current) {
        self.expectation = expectation
        self.style = style
        format = EventLineFormat(style: style, zone: zone)
    }

    /// Returns the expectation, the result, the events, and the reasons for a failure.
    func lines(_ answer: JSONValue) -> [String] {
        let holds = answer["holds"]?.boolean == true
        let found = answer["found"]?.integer ?? 0
        let read = answer["read"]?.integer ?? 0
        var lines = [
            (holds ? style.colored("✓ ", .green) : style.colored("✗ ", .red)) + sentence,
            "  found \(found.grouped); checked \(read.grouped) \(read == 1 ? "event" : "events")",
        ]
        lines += events(answer["events"]).map { "  " + $0 }
        guard !holds else { return lines }
        let closest = answer["closest"]?.array ?? []
        if !closest.isEmpty { lines.append("  closest:") }
        for miss in closest {
            lines += events(.array([miss])).map { "    " + $0 }
            lines += (miss["missed"]?.array ?? []).map { "      " + Self.sentence(missed: $0) }
        }
        let refused = answer["refused"]?.array ?? []
        if !refused.isEmpty { lines.append("  rejected:") }
        for event in refused {
            let (code, message) = (event["code"]?.string ?? "", event["message"]?.string ?? "")
            lines.append("    \(EventLineFormat.plain(code)): \(EventLineFormat.plain(message))")
        }
        let others = (answer["others"]?.array ?? []).map { other in
            let count = other["events"]?.integer ?? 0
            return EventLineFormat.plain(other["name"]?.string ?? "?") + (count > 1 ? " ×\(count.grouped)" : "")
        }
        if !others.isEmpty { lines.append("  other events: " + others.joined(separator: ", ")) }
        return lines
    }

    /// The expectation as text: `purchase where total=12.5: at least 1 within 5 s`.
    private var sentence: String {
        var text = expectation.filter.names.map(EventLineFormat.plain).joined(separator: " or ")
        var conditions = expectation.conditions
        if let user = expectation.filter.user { conditions.append("user=" + user) }
        if let installation = expectation.filter.installation { conditions.append("installation=\(installation)") }
        if !conditions.isEmpty {
            text += " where " + conditions.map(EventLineFormat.plain).joined(separator: " and ")
        }
        return text + ": \(number) within \(TimeSpan(milliseconds: Int64(expectation.within / .milliseconds(1))).text)"
    }

    private var number: String {
        switch (expectation.atLeast, expectation.atMost) {
        case (0, 0?): "none"
        case (let least, nil): "at least \(least)"
        case (let least, let most?) where least == most: "exactly \(least)"
        case (0, let most?): "at most \(most)"
        case (let least, let most?): "\(least) to \(most)"
        }
    }

    private static func sentence(missed reason: JSONValue) -> String {
        let condition = EventLineFormat.plain(reason["condition"]?.string ?? "")
        switch reason["actual"] {
        case nil, .null?: return "\(condition) fails: the value is missing"
        case .string(let text)?: return "\(condition) fails: the value is “\(EventLineFormat.plain(text))”"
        case let value?: return "\(condition) fails: the value is \(String(decoding: value.json(), as: UTF8.self))"
        }
    }

    private func events(_ list: JSONValue?) -> [String] {
        (list?.array ?? []).compactMap { row in
            // A miss contains the stored event; a match is the event itself.
            let event = row["missed"] == nil ? row : row["event"] ?? row
            return StoredEventSummary(event).map { format.line($0) }
        }
    }
}
