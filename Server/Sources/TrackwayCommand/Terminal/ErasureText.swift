// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Formats erasures for the terminal.
enum ErasureText {
    /// Returns what the erasure of a user would remove.
    static func preview(_ preview: JSONValue) -> [String] {
        let user = preview["user"]?.string ?? ""
        var lines = ["Erasing \(user) would remove \(count(preview["events"], "event"))."]
        let users = (preview["users"]?.array ?? []).compactMap { $0.string.map(EventLineFormat.plain) }
        if users.count > 1 { lines.append("  merged users, erased together: \(users.joined(separator: ", "))") }
        for installation in preview["installations"]?.array ?? [] {
            let id = installation["installation"]?.string ?? ""
            let scope = installation["shared"]?.boolean == true ? "shared with other users" : "erased completely"
            lines.append("  installation \(id): \(count(installation["events"], "event")), \(scope)")
        }
        if let others = preview["events_without_installation"], others.integer ?? 0 > 0 {
            lines.append("  without an installation: \(count(others, "event"))")
        }
        return lines + ["Nothing was changed. To erase this data permanently, add --yes."]
    }

    /// Returns a complete or pending erasure.
    static func erasure(_ erasure: JSONValue) -> [String] {
        let id = erasure["erasure"]?.string ?? ""
        let log = erasure["log"]
        guard erasure["completed"]?.integer != nil else {
            return [
                "The request is stored. New events are refused from now on; stored ones are still being removed.",
                "Show the progress: trackway erasures show \(id)",
            ]
        }
        var lines = [
            "Erased \(count(log?["events"], "event")) and \(count(log?["rejected"], "rejected event")) "
                + "in \(count(log?["records"], "record")) of the log.",
            "Removed \(count(erasure["index"]?["events"], "event")) from the index.",
            "Installations: \(number(erasure["installations"])) erased, "
                + "\(number(erasure["shared_installations"])) shared with other users.",
        ]
        if let uninspected = log?["uninspected"], uninspected.integer ?? 0 > 0 {
            lines.append("Not inspected, because they cannot be read: \(count(uninspected, "record")).")
        }
        return lines + ["Receipt: trackway erasures show \(id) > receipt.json"]
    }

    /// Returns the lines of a list of erasures.
    static func list(_ list: JSONValue, style: Style) -> [String] {
        let pending = list["pending"]?.array ?? []
        let complete = list["erasures"]?.array ?? []
        let problem = list["problem"]?.string.map { [$0] } ?? []
        guard !pending.isEmpty || !complete.isEmpty else { return ["No erasures."] + problem }
        var table = Table([
            ("ERASURE", .left), ("SUBJECT", .left), ("REQUESTED", .left), ("BY", .left), ("STATE", .left),
            ("EVENTS", .right),
        ])
        for erasure in pending + complete {
            let isComplete = erasure["completed"]?.integer != nil
            table.append([
                erasure["erasure"]?.string ?? "",
                erasure["subject"]?.string ?? "",
                EventLineFormat(style: style).date(Timestamp(milliseconds: erasure["requested"]?.integer ?? 0)),
                erasure["by"]?.string ?? "",
                isComplete ? "complete" : "pending",
                number(erasure["log"]?["events"]),
            ])
        }
        return table.lines(style: style) + problem
    }

    private static func number(_ value: JSONValue?) -> String { (value?.integer ?? 0).grouped }

    private static func count(_ value: JSONValue?, _ noun: String) -> String {
        let number = value?.integer ?? 0
        return "\(number.grouped) \(noun)\(number == 1 ? "" : "s")"
    }
}
