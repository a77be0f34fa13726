// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Formats the event catalog as text or CSV.
struct CatalogText: Sendable {
    /// The text style.
    var style: Style
    /// The time zone for displayed times.
    var zone: TimeZone

    private static let longestValue = 24
    private static let shownValues = 3

    /// Returns a table of the names.
    func names(_ answer: JSONValue) -> [String] {
        let events = answer["events"]?.array ?? []
        let others = answer["others"]?.integer ?? 0
        guard !events.isEmpty else {
            return ["No events found. Send one with: trackway send hello"]
        }
        var table = Table([
            ("event", .left), ("events", .right), ("today", .right), ("30 days", .right), ("first", .left),
            ("last", .left), ("remarks", .left),
        ])
        for event in events {
            let codes = (event["remarks"]?.array ?? []).compactMap { remark(code: $0) }
            table.append([
                short(event["name"]?.string ?? "", 48), count(event, "events"), count(event, "today"),
                count(event, "days_30"), moment(event, "first"), moment(event, "last"), codes.joined(separator: ", "),
            ])
        }
        var lines = table.lines(style: style)
        let names = answer["names"]?.integer ?? 0
        if names > events.count {
            lines += ["", "\(events.count.grouped) of \(names.grouped) names; see --limit and --search"]
        }
        if others > 0 {
            lines += ["", "\(others.grouped) events have unlisted names, because there are too many names."]
        }
        return lines
    }

    /// Returns the names as CSV lines.
    ///
    /// Times are UTC.
    func namesCSV(_ answer: JSONValue) -> [String] {
        ["name,events,today,days_30,first,last,remarks"]
            + (answer["events"]?.array ?? []).map { event in
                let codes = (event["remarks"]?.array ?? []).compactMap { remark(code: $0) }
                return [
                    UsageReportRow.quoted(event["name"]?.string ?? ""), plain(event["events"]), plain(event["today"]),
                    plain(event["days_30"]), iso(event["first"]), iso(event["last"]),
                    UsageReportRow.quoted(codes.joined(separator: " ")),
                ].joined(separator: ",")
            }
    }

    /// Returns the description of one event.
    func description(_ answer: JSONValue) -> [String] {
        let name = answer["name"]?.string ?? ""
        var lines = [style.bold(name) + heading(answer)]
        let read = answer["read"]?.integer ?? 0
        let all = answer["events"]?.integer
        lines.append(
            all == read
                ? "The following covers all \(read.grouped) events."
                : "The following covers the latest \(read.grouped) events, received since \(moment(answer, "since"))."
        )
        for (key, title) in [("app_versions", "versions"), ("platforms", "platforms")] {
            let values = (answer[key]?.array ?? []).map { "\(value($0)) (\(count($0, "events")))" }
            if !values.isEmpty { lines.append("\(title): " + values.joined(separator: ", ")) }
        }
        let items = answer["items"]
        if let events = items?["events"]?.integer, events > 0 {
            lines.append("items: in \(events.grouped) events, at most \(items?["max"]?.integer ?? 0)")
        }
        let attributes = answer["attributes"]?.array ?? []
        if !attributes.isEmpty { lines += [""] + table(attributes).lines(style: style) }
        let omitted = answer["omitted"]?.integer ?? 0
        if omitted > 0 { lines += ["", "\(omitted.grouped) values of other attributes are omitted (too many)."] }
        return lines + remarks(answer, attributes)
    }

    /// Returns the attributes as CSV lines.
    func attributesCSV(_ answer: JSONValue) -> [String] {
        ["name,scope,events,fill,types,conflict,min,max,distinct,more,values"]
            + (answer["attributes"]?.array ?? []).map { attribute in
                [
                    UsageReportRow.quoted(attribute["name"]?.string ?? ""), attribute["scope"]?.string ?? "",
                    plain(attribute["events"]), plain(attribute["fill"]),
                    UsageReportRow.quoted(types(attribute).joined(separator: " ")), plain(attribute["conflict"]),
                    plain(attribute["min"]), plain(attribute["max"]), plain(attribute["distinct"]),
                    plain(attribute["more"]), UsageReportRow.quoted(values(attribute, all: true)),
                ].joined(separator: ",")
            }
    }

    private func heading(_ answer: JSONValue) -> String {
        guard answer["events"] != nil else { return ", one of many names that are not counted separately" }
        return ": \(count(answer, "events")) events, \(count(answer, "today")) today, "
            + "\(count(answer, "days_30")) in 30 days, from \(moment(answer, "first")) to \(moment(answer, "last"))"
    }

    private func table(_ attributes: [JSONValue]) -> Table {
        var table = Table([
            ("attribute", .left), ("type", .left), ("in events", .right), ("min", .right), ("max", .right),
            ("values", .right), ("most frequent", .left),
        ])
        for attribute in attributes {
            let isGlobal = attribute["scope"]?.string == "global"
            let types = types(attribute).joined(separator: " ")
            table.append([
                short(attribute["name"]?.string ?? "", 48) + (isGlobal ? " (global)" : ""),
                attribute["conflict"]?.boolean == true ? style.colored(types, .yellow) : types,
                percent(attribute["fill"]?.double ?? 0), plain(attribute["min"]), plain(attribute["max"]),
                count(attribute, "distinct") + (attribute["more"]?.boolean == true ? "+" : ""),
                values(attribute, all: false),
            ])
        }
        return table
    }

    private func remarks(_ answer: JSONValue, _ attributes: [JSONValue]) -> [String] {
        var lines: [String] = []
        for (owner, list) in [("", answer)] + attributes.map({ ($0["name"]?.string ?? "", $0) }) {
            for remark in list["remarks"]?.array ?? [] {
                guard let code = self.remark(code: remark), let message = remark["message"]?.string else { continue }
                lines.append(
                    style.colored("! ", .yellow) + (owner.isEmpty ? "" : short(owner, 48) + ": ")
                        + "\(message) [\(code)]"
                )
            }
        }
        return lines.isEmpty ? [] : [""] + lines
    }

    private func remark(code remark: JSONValue) -> String? {
        guard let code = remark["code"]?.string, let format = remark["format"]?.string else { return nil }
        return format == "trackway" ? code : "\(format) \(code)"
    }

    private func types(_ attribute: JSONValue) -> [String] {
        let types = attribute["types"]?.object?.members ?? []
        return types.count == 1 ? [types[0].key] : types.map { "\($0.key):\($0.value.integer ?? 0)" }
    }

    private func values(_ attribute: JSONValue, all: Bool) -> String {
        let values = attribute["values"]?.array ?? []
        return values.prefix(all ? values.count : Self.shownValues)
            .map { "\(all ? plainText($0["value"]) : short(value($0), Self.longestValue)) (\(plain($0["events"])))" }
            .joined(separator: ", ")
    }

    private func value(_ count: JSONValue) -> String { EventLineFormat.plain(plainText(count["value"])) }

    private func plainText(_ value: JSONValue?) -> String {
        guard let value else { return "" }
        return value.string ?? String(decoding: value.json(), as: UTF8.self)
    }

    private func plain(_ value: JSONValue?) -> String {
        guard let value, value != .null else { return "" }
        return String(decoding: value.json(), as: UTF8.self)
    }

    private func count(_ value: JSONValue, _ key: String) -> String { (value[key]?.integer ?? 0).grouped }

    private func short(_ text: String, _ length: Int) -> String {
        let text = EventLineFormat.plain(text)
        return text.count > length ? text.prefix(length - 1) + "…" : text
    }

    private func percent(_ share: Double) -> String {
        // Never round a partial share to 0% or 100%.
        let percent = share >= 1 ? 100 : min(99, Int((share * 100).rounded()))
        return share > 0 && percent == 0 ? "<1%" : "\(percent)%"
    }

    private func moment(_ value: JSONValue, _ key: String) -> String {
        guard let time = value[key]?.integer else { return "" }
        let text = EventLineFormat(style: style, zone: zone).date(Timestamp(milliseconds: time))
        return String(text.prefix(16))
    }

    private func iso(_ value: JSONValue?) -> String {
        value?.integer.map { Timestamp(milliseconds: $0).iso8601 } ?? ""
    }
}
