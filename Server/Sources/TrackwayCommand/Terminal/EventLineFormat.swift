// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayEvents

/// How an event looks as one line in a terminal.
struct EventLineFormat: Sendable {
    /// Colours.
    var style: Style
    /// The zone in which times are shown.
    var zone: TimeZone

    /// A format; times are shown in the machine's own zone unless another is given.
    init(style: Style, zone: TimeZone = .current) {
        self.style = style
        self.zone = zone
    }

    /// Names shorter than this are filled up, so that attributes stand below each other.
    private static let nameWidth = 18
    /// Values longer than this are cut.
    private static let longestValue = 60

    /// The line.
    func line(_ event: StoredEventSummary) -> String {
        let filling = String(repeating: " ", count: max(0, Self.nameWidth - event.name.count))
        var parts = [style.faint(dateAndClock(event.time)), style.byName(Self.plain(event.name)) + filling]
        let (sentence, attributes) = told(event)
        parts += sentence
        parts += attributes.map { key, value in
            style.faint(Self.plain(key) + "=") + cut(Self.plain(value))
        }
        if event.items > 0 { parts.append(style.faint(event.items == 1 ? "1 item" : "\(event.items) items")) }
        if let user = event.user { parts.append(style.faint("· " + cut(Self.plain(user)))) }
        return parts.joined(separator: "  ")
    }

    /// What a click or a trigger was, in words, and the attributes that the words do not say: all of them for any other event.
    private func told(_ event: StoredEventSummary) -> (words: [String], rest: [(key: String, value: String)]) {
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
        var words = [take(CapturedKey.trigger), element.isEmpty ? nil : element].compactMap(\.self)
        if let content = take(CapturedKey.elementContent) { words.append("“\(content)”") }
        if let position = take(CapturedKey.elementPosition) { words.append(style.faint(position)) }
        if let trace = take(CapturedKey.trace) { words.append("“\(trace)”") }
        if let outcome = take(CapturedKey.triggerOutcome) { words.append(style.faint(outcome)) }
        return (words, rest)
    }

    /// Day and hours to milliseconds in the zone: `2026-11-21 06:38:00.123`.
    func dateAndClock(_ time: Timestamp) -> String {
        let seconds = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
        let text = time.advanced(by: .seconds(seconds)).iso8601
        return "\(text.prefix(10)) \(text.dropFirst(11).dropLast())"
    }

    /// The zone of the times below it: `times in Europe/Berlin (UTC+01:00)`.
    ///
    /// - Parameter now: the moment whose distance from UTC is told.
    func zoneHeading(now: Timestamp = SystemClock().now().wall) -> String {
        style.faint("times in \(Self.zoneName(zone, now: now))")
    }

    /// A zone's name and its distance from UTC: `Europe/Berlin (UTC+01:00)`; `UTC` alone.
    static func zoneName(_ zone: TimeZone, now: Timestamp) -> String {
        let seconds = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(now.milliseconds) / 1000))
        let minutes = abs(seconds) / 60
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let distance = "UTC" + (seconds < 0 ? "-" : "+") + "\(two(minutes / 60)):\(two(minutes % 60))"
        if ["GMT", "UTC", "Etc/UTC"].contains(zone.identifier) { return "UTC" }
        // A zone without a name is called after its distance.
        return zone.identifier.hasPrefix("GMT") ? distance : "\(zone.identifier) (\(distance))"
    }

    /// Day, hours, minutes and seconds in the zone: `2026-11-21 06:38:00`.
    func date(_ time: Timestamp) -> String {
        let seconds = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))
        let text = time.advanced(by: .seconds(seconds)).iso8601
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
    }

    private func cut(_ value: String) -> String {
        value.count > Self.longestValue ? value.prefix(Self.longestValue - 1) + "…" : value
    }

    /// Text from outside that cannot steer the terminal.
    static func plain(_ text: String) -> String { TerminalText.escaped(text) }
}

/// What a line about a stored event shows.
struct StoredEventSummary: Sendable, Hashable {
    /// The event's name.
    var name: String
    /// The device's wall time, corrected where the device's clock was off.
    var time: Timestamp
    /// Its user; nil when nobody was signed in.
    var user: String?
    /// The installation that recorded it; nil for a client that does not say.
    var installation: String?
    /// Its attributes in order, values as JSON but strings bare.
    var attributes: [(key: String, value: String)]
    /// How many items it has.
    var items: Int

    /// Reads the collector's JSON of a stored event; nil when it is not one.
    init?(_ json: [UInt8]) {
        // What is not JSON is not a stored event; the caller shows the line as it is.
        guard let value = try? JSONValue.parse(json) else { return nil }
        self.init(value)
    }

    /// Reads the collector's JSON of a stored event; nil when it is not one.
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
