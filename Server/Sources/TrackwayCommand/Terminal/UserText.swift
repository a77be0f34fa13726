// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Formats users as text or CSV.
struct UserText: Sendable {
    /// The text style.
    var style: Style
    /// The time zone for displayed times.
    var zone: TimeZone

    private static let longestValue = 80
    static let longestName = 48

    /// Creates a formatter, by default with the machine's time zone.
    init(style: Style, zone: TimeZone = .current) {
        self.style = style
        self.zone = zone
    }

    // MARK: List

    /// Returns a table of users.
    ///
    /// - Parameters:
    ///   - searched: The numbers of searched users and of all users; nil without a search.
    ///   - hasMore: Whether there may be more users.
    func list(_ users: [JSONValue], searched: (Int64, of: Int64)?, hasMore: Bool) -> [String] {
        var lines: [String] = []
        if users.isEmpty {
            lines = [searched == nil ? "No users yet." : "No users found."]
        } else {
            var table = Table([
                ("user", .left), ("events", .right), ("sessions", .right), ("first seen", .left), ("last seen", .left),
                ("attributes", .left),
            ])
            for user in users {
                table.append([
                    userLabel(user), count(user, "events"), count(user, "sessions"), moment(user, "first"),
                    moment(user, "last"), attributes(user),
                ])
            }
            lines = table.lines(style: style)
        }
        if let searched, hasMore {
            lines += ["", "Searched \(searched.0.grouped) of \(searched.of.grouped) users; increase --limit for more."]
        }
        return lines
    }

    /// Returns users as CSV lines.
    ///
    /// Times are UTC.
    func listCSV(_ users: [JSONValue]) -> [String] {
        ["id,unique_id,installation,first,last,events,sessions,attributes"]
            + users.map { user in
                let values = (user["attributes"]?.object?.members ?? []).map {
                    JSONValue.Object.Member(key: $0.key, value: $0.value["value"] ?? .null)
                }
                return [
                    quoted(user["id"]), quoted(user["unique_id"]), quoted(user["installations"]?.array?.first),
                    iso(user["first"]), iso(user["last"]), plain(user["events"]), plain(user["sessions"]),
                    UsageReportRow.quoted(String(decoding: JSONValue.object(.init(values)).json(), as: UTF8.self)),
                ].joined(separator: ",")
            }
    }

    // MARK: Profile

    /// Returns the profile: ids, attributes, and devices.
    func profile(_ person: JSONValue) -> [String] {
        var lines = [style.bold(userLabel(person))]
        for (label, key) in [("unique id", "unique_id"), ("anonymous id", "anonymous_id")] {
            guard let text = person[key]?.string else { continue }
            lines.append(style.faint(label + "  ") + EventLineFormat.plain(text))
        }
        lines.append(
            "Events \(count(person, "events")), sessions \(count(person, "sessions")), "
                + "first seen \(moment(person, "first")), last seen \(moment(person, "last"))"
        )
        let facts = [
            ("version", "first_version"), ("platform", "first_platform"), ("country", "first_country"),
            ("referrer", "first_referrer"), ("link", "first_link"),
        ].compactMap { label, key in person[key].map { "\(label) \(cut(text($0), Self.longestValue))" } }
        if !facts.isEmpty { lines.append("At first " + facts.joined(separator: ", ")) }
        let merged = (person["merged"]?.array ?? []).compactMap { $0.string.map(EventLineFormat.plain) }
        if !merged.isEmpty { lines.append("Also known as " + merged.joined(separator: ", ")) }
        lines += attributeTable(person) + deviceTable(person)
        lines += MergeText.statements(person) { moment($0, "time") }
        return lines
    }

    private func attributeTable(_ person: JSONValue) -> [String] {
        let members = person["attributes"]?.object?.members ?? []
        guard !members.isEmpty else { return [] }
        var table = Table([("attribute", .left), ("value", .left), ("set", .left), ("on", .left)])
        for member in members {
            let value = member.value["value"] ?? .null
            table.append([
                cut(member.key, Self.longestName), cut(text(value), Self.longestValue),
                (member.value["set"]?.integer ?? 0) > 0 ? moment(member.value, "set") : "–",
                member.value["installation"]?.string ?? "–",
            ])
        }
        return [""] + table.lines(style: style)
            + (person["more_attributes"]?.boolean == true ? ["and more attributes"] : [])
    }

    private func deviceTable(_ person: JSONValue) -> [String] {
        let devices = person["devices"]?.array ?? []
        guard !devices.isEmpty else { return [] }
        var table = Table([
            ("device", .left), ("model", .left), ("system", .left), ("app", .left), ("events", .right),
            ("sessions", .right), ("last seen", .left),
        ])
        for device in devices {
            let app = [device["app"]?.string, device["version"]?.string].compactMap(\.self).joined(separator: " ")
            table.append([
                device["installation"]?.string ?? "", cut(device["model"]?.string ?? "–", Self.longestName),
                cut(device["system"]?.string ?? "–", Self.longestName), app.isEmpty ? "–" : cut(app, Self.longestName),
                count(device, "events"), count(device, "sessions"), moment(device, "last"),
            ])
        }
        return [""] + table.lines(style: style)
            + (person["more_devices"]?.boolean == true ? ["and more devices"] : [])
    }

    // MARK: Events

    /// Returns a heading if the event begins another session; otherwise nil.
    func heading(_ event: JSONValue, after before: JSONValue?) -> String? {
        let (session, installation) = (event["session"]?.string, event["installation"]?.string)
        let isVisit = event["visit"]?.boolean == true
        if let before, before["session"]?.string == session, before["installation"]?.string == installation,
            (before["visit"]?.boolean == true) == isVisit
        {
            return nil
        }
        let context = event["context"]
        var parts = [format.date(time(event))]
        parts.append(
            context?["session"]?["number"]?.integer.map { "session \($0)" }
                ?? (session == nil ? "no session" : "session")
        )
        let device = context?["device"]
        let system = [device?["os_name"]?.string ?? device?["platform"]?.string, device?["os_version"]?.string]
            .compactMap(\.self).joined(separator: " ")
        let app = [context?["app"]?["id"]?.string, context?["app"]?["version"]?.string].compactMap(\.self)
            .joined(separator: " ")
        for part in [device?["model"]?.string ?? "", system, app] where !part.isEmpty {
            parts.append(cut(part, Self.longestName))
        }
        if isVisit { parts.append("not signed in yet") }
        return style.faint("— " + parts.joined(separator: " · "))
    }

    /// Returns events as CSV lines, without the heading.
    ///
    /// Times are UTC.
    func eventsCSV(_ events: [JSONValue]) -> [String] {
        events.map { event in
            let context = event["context"]
            let attributes = event["event"]?["attributes"].map { String(decoding: $0.json(), as: UTF8.self) } ?? ""
            return [
                time(event).iso8601, quoted(event["event"]?["name"]), quoted(event["id"]),
                event["visit"]?.boolean == true ? "true" : "false", quoted(event["session"]),
                quoted(event["installation"]), quoted(context?["device"]?["model"]),
                quoted(context?["app"]?["version"]), UsageReportRow.quoted(attributes),
            ].joined(separator: ",")
        }
    }

    /// The heading of ``eventsCSV(_:)``.
    static let eventsHeading = "time,name,id,visit,session,installation,model,app_version,attributes"

    // MARK: Parts

    private var format: EventLineFormat { EventLineFormat(style: style, zone: zone) }

    private func time(_ event: JSONValue) -> Timestamp {
        let time = event["time"]?.integer ?? event["event"]?["time"]?.integer
        return Timestamp(milliseconds: time ?? event["received"]?.integer ?? 0)
    }

    private func userLabel(_ user: JSONValue) -> String {
        if let id = user["id"]?.string { return cut(id, Self.longestName) }
        return "visitor of " + (user["installations"]?.array?.first?.string ?? user["unique_id"]?.string ?? "–")
    }

    private func attributes(_ user: JSONValue) -> String {
        let members = user["attributes"]?.object?.members ?? []
        let shown = members.prefix(3).map { cut($0.key, 24) + "=" + cut(text($0.value["value"] ?? .null), 24) }
        return (shown + (members.count > 3 ? ["+\(members.count - 3)"] : [])).joined(separator: " ")
    }

    private func text(_ value: JSONValue) -> String { value.string ?? String(decoding: value.json(), as: UTF8.self) }

    func cut(_ text: String, _ longest: Int) -> String { ResultTable.name(text, longest: longest) }

    private func count(_ value: JSONValue, _ key: String) -> String {
        UInt64(clamping: value[key]?.integer ?? 0).grouped
    }

    func moment(_ value: JSONValue, _ key: String) -> String {
        value[key]?.integer.map { DateLabels(style: style, zone: zone).moment(Timestamp(milliseconds: $0)) } ?? "–"
    }

    private func iso(_ value: JSONValue?) -> String {
        value?.integer.map { Timestamp(milliseconds: $0).iso8601 } ?? ""
    }

    private func plain(_ value: JSONValue?) -> String {
        value.map { String(decoding: $0.json(), as: UTF8.self) } ?? ""
    }

    private func quoted(_ value: JSONValue?) -> String { UsageReportRow.quoted(value?.string ?? "") }
}
