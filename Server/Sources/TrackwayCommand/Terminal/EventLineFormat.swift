// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore

/// Formats an event as one line.
struct EventLineFormat: Sendable {
    /// The text style.
    var style: Style
    /// The time zone for displayed times.
    var zone: TimeZone

    /// Creates a format, by default with the machine's time zone.
    init(style: Style, zone: TimeZone = .current) {
        self.style = style
        self.zone = zone
    }

    /// The minimum width of names, so that attributes align.
    private static let nameWidth = 18
    /// The maximum length of a value; longer values are truncated.
    private static let longestValue = 60

    /// Returns the event's line.
    func line(_ event: StoredEventSummary) -> String {
        let filling = String(repeating: " ", count: max(0, Self.nameWidth - event.name.count))
        var parts = [style.faint(dateAndClock(event.time)), style.byName(Self.plain(event.name)) + filling]
        let (summary, attributes) = interactionSummary(of: event)
        parts += summary
        parts += attributes.map { key, value in
            style.faint(Self.plain(key) + "=") + cut(Self.plain(value))
        }
        if event.items > 0 { parts.append(style.faint(event.items == 1 ? "1 item" : "\(event.items) items")) }
        if let user = event.user { parts.append(style.faint("· " + cut(Self.plain(user)))) }
        return parts.joined(separator: "  ")
    }

    /// Returns a description of a click or trigger, and the other attributes.
    ///
    /// For any other event, the description is empty, and all attributes are returned.
    private func interactionSummary(
        of event: StoredEventSummary
    ) -> (summary: [String], rest: [(key: String, value: String)]) {
        guard event.name == CapturedName.click || event.name == CapturedName.trigger else {
            return ([], event.attributes)
        }
        var rest = event.attributes
        func take(_ key: String) -> String? {
            guard let place = rest.firstIndex(where: { $0.key == key }) else { return nil }
            let value = rest.remove(at: place).value
            return value.isEmpty ? nil : cut(Self.plain(value))
        }
        let (id, type) = (take(CapturedKey.elementID), take(CapturedKey.elementType))
        let element = [type, id.map { "#" + style.bold($0) }].compactMap(\.self).joined()
        var summary = [take(CapturedKey.trigger), element.isEmpty ? nil : element].compactMap(\.self)
        if let content = take(CapturedKey.elementContent) { summary.append("“\(content)”") }
        if let position = take(CapturedKey.elementPosition) { summary.append(style.faint(position)) }
        if let trace = take(CapturedKey.trace) { summary.append("“\(trace)”") }
        if let outcome = take(CapturedKey.triggerOutcome) { summary.append(style.faint(outcome)) }
        return (summary, rest)
    }

    /// Formats a time to milliseconds in the zone: `2026-11-21 06:38:00.123`.
    func dateAndClock(_ time: Timestamp) -> String {
        let seconds = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
        let text = time.advanced(by: .seconds(seconds)).iso8601
        return "\(text.prefix(10)) \(text.dropFirst(11).dropLast())"
    }

    /// Returns the heading for displayed times: `times in Europe/Berlin (UTC+01:00)`.
    ///
    /// - Parameter now: The time whose offset from UTC is shown.
    func zoneHeading(now: Timestamp = SystemClock().now().wall) -> String {
        style.faint("times in \(Self.zoneName(zone, now: now))")
    }

    /// Returns a zone's name and UTC offset: `Europe/Berlin (UTC+01:00)`, or `UTC`.
    static func zoneName(_ zone: TimeZone, now: Timestamp) -> String {
        let seconds = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(now.milliseconds) / 1000))
        let minutes = abs(seconds) / 60
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let distance = "UTC" + (seconds < 0 ? "-" : "+") + "\(twoDigits(minutes / 60)):\(twoDigits(minutes % 60))"
        if ["GMT", "UTC", "Etc/UTC"].contains(zone.identifier) { return "UTC" }
        // A zone without a name is identified by its offset.
        return zone.identifier.hasPrefix("GMT") ? distance : "\(zone.identifier) (\(distance))"
    }

    /// Formats a time to seconds in the zone: `2026-11-21 06:38:00`.
    func date(_ time: Timestamp) -> String {
        let seconds = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
        let text = time.advanced(by: .seconds(seconds)).iso8601
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
    }

    private func cut(_ value: String) -> String {
        value.count > Self.longestValue ? value.prefix(Self.longestValue - 1) + "…" : value
    }

    /// Escapes external text, so that it cannot control the terminal.
    static func plain(_ text: String) -> String { TerminalText.escaped(text) }
}

/// The parts of a stored event that a line shows.
struct StoredEventSummary: Sendable, Hashable {
    /// The event's name.
    var name: String
    /// The device's wall time, corrected if the device's clock was wrong.
    var time: Timestamp
    /// The user; nil if no user was signed in.
    var user: String?
    /// The installation that recorded the event; nil if the client reports none.
    var installation: String?
    /// The attributes in order; values are JSON, except strings.
    var attributes: [(key: String, value: String)]
    /// The number of items.
    var items: Int

    /// Decodes the collector's JSON of a stored event; nil for other input.
    init?(_ json: [UInt8]) {
        // Input that is not JSON is not a stored event; the caller shows the line unchanged.
        guard let value = try? JSONValue.parse(json) else { return nil }
        self.init(value)
    }

    /// Decodes the collector's JSON of a stored event; nil for other input.
    init?(_ json: JSONValue) {
        guard let event = json["event"], let name = event["name"]?.string else { return nil }
        self.name = name
        time = Timestamp(
            milliseconds: json["time"]?.integer ?? event["time"]?.integer ?? json["received"]?.integer ?? 0
        )
        user = json["user"]?.string
        installation = json["installation"]?.string
        attributes = (event["attributes"]?.object?.members ?? []).map { member in
            (member.key, member.value.string ?? String(decoding: member.value.json(), as: UTF8.self))
        }
        items = event["items"]?.array?.count ?? 0
    }

    static func == (left: Self, right: Self) -> Bool {
        left.name == right.name && left.time == right.time && left.user == right.user
            && left.installation == right.installation && left.items == right.items
            && left.attributes.elementsEqual(right.attributes) { $0 == $1 }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(time)
        hasher.combine(user)
    }
}
