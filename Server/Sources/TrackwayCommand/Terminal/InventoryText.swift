// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore

/// Formats what a collector holds about people.
struct InventoryText: Sendable {
    /// The text style.
    var style: Style

    private static let maximumNames = 40

    /// Returns the lines of an inventory.
    ///
    /// - Parameters:
    ///   - attributes: The attributes of events that may be personal.
    ///   - names: The number of event names whose attributes were checked.
    ///   - total: The number of event names.
    func lines(_ inventory: JSONValue, eventAttributes attributes: [String], names: Int, of total: Int) -> [String] {
        var lines = [
            "People         \(count(inventory["users"])) users, \(count(inventory["visitors"])) visitors",
            "Installations  \(count(inventory["installations"]))",
            "Events         \(count(inventory["events"])), and \(count(inventory["rejected"])) rejected",
            "Period         \(period(inventory))",
            "Addresses      \(addresses(inventory["client_addresses"]?.string))",
        ]
        lines += list(
            "Attributes of users",
            (inventory["user_attributes"]?.array ?? []).map { attribute in
                "\(EventLineFormat.plain(attribute["name"]?.string ?? "")) (\(count(attribute["people"])))"
            }
        )
        let contexts = inventory["contexts"]?.object?.members ?? []
        let searched = contexts.first { $0.key == "searched" }?.value.integer ?? 0
        lines += list(
            "Identifiers in the latest \(UInt64(clamping: searched).grouped) contexts",
            contexts.filter { $0.key != "searched" && ($0.value.integer ?? 0) > 0 }.map { member in
                "\(member.key) (\(count(member.value)))"
            }
        )
        lines += list(
            "Attributes of events that may be personal (\(names) of \(total) names checked)",
            attributes.map(EventLineFormat.plain)
        )
        lines += list(
            "Keys",
            (inventory["keys"]?.array ?? []).map { key in
                let scopes = (key["scopes"]?.array ?? []).compactMap(\.string).joined(separator: "+")
                return "\(EventLineFormat.plain(key["name"]?.string ?? "")) (\(scopes))"
            }
        )
        return lines
    }

    private func list(_ title: String, _ items: [String]) -> [String] {
        let shown = items.prefix(Self.maximumNames).map { "  " + $0 }
        let more = items.count > shown.count ? ["  and \(items.count - shown.count) more; see --json"] : []
        return ["", style.bold(title)] + (items.isEmpty ? ["  none"] : shown + more)
    }

    private func count(_ value: JSONValue?) -> String { UInt64(clamping: value?.integer ?? 0).grouped }

    private func period(_ inventory: JSONValue) -> String {
        guard let first = inventory["first"]?.integer, let last = inventory["last"]?.integer else { return "no events" }
        return [first, last].map { String(Timestamp(milliseconds: $0).iso8601.prefix(10)) }.joined(separator: " to ")
    }

    private func addresses(_ policy: String?) -> String {
        switch policy {
        case "drop": "not stored (--client-addresses drop)"
        case "truncate": "stored without the last part (--client-addresses truncate)"
        case "keep": "stored (--client-addresses keep)"
        default: "unknown"
        }
    }
}
