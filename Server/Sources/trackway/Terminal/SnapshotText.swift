// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A snapshot for a person: a table for each of its events.
struct SnapshotText: Sendable {
    /// Colours.
    var style: Style

    /// Values longer than this are cut.
    private static let longestValue = 96

    /// The tables, one below the other.
    func lines(_ events: [JSONValue]) -> [String] {
        let properties = attributes("_device_properties", in: events)
        let state = attributes("_app_state", in: events)
        return section("Device properties", properties) + [""] + section("App state", state)
    }

    private func section(_ title: String, _ attributes: [(name: String, value: JSONValue)]) -> [String] {
        guard !attributes.isEmpty else { return [style.bold(title), "nothing is known"] }
        var table = Table([("name", .left), ("value", .left)])
        for (name, value) in attributes { table.append([EventLineFormat.plain(name), text(value)]) }
        return [style.bold(title) + style.faint(" (\(attributes.count))")] + table.lines(style: style)
    }

    private func attributes(_ name: String, in events: [JSONValue]) -> [(name: String, value: JSONValue)] {
        let event = events.last { $0["name"]?.string == name }
        return event?["attributes"]?.object?.members.map { ($0.key, $0.value) } ?? []
    }

    private func text(_ value: JSONValue) -> String {
        switch value {
        case .array(let values) where values.contains(where: { $0.object != nil }):
            let last = values.last.map { ", the last: " + whole($0) } ?? ""
            return (values.count == 1 ? "1 reading" : "\(values.count) readings") + last
        case .array(let values):
            return values.isEmpty ? "none" : values.map(whole).joined(separator: ", ")
        default:
            return whole(value)
        }
    }

    private func whole(_ value: JSONValue) -> String {
        if let object = value.object {
            return object.members.map { "\($0.key) \(whole($0.value))" }.joined(separator: ", ")
        }
        let text = value.string ?? String(decoding: value.json(), as: UTF8.self)
        let plain = EventLineFormat.plain(text)
        return plain.count > Self.longestValue ? plain.prefix(Self.longestValue - 1) + "…" : plain
    }
}
