// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Formats merges of users for the terminal.
enum MergeText {
    /// Returns what a merge would change.
    static func preview(_ preview: JSONValue) -> [String] {
        let (user, target, person) = (text(preview["user"]), text(preview["into"]), text(preview["person"]))
        switch preview["outcome"]?.string {
        case "repeated": return ["\(user) is already counted as \(person)."]
        case "conflict":
            return [
                "\(user) is already counted as \(person), so it cannot be merged into \(target).",
                "To undo that merge first: trackway users unmerge \(user) --yes",
            ]
        case "cycle":
            return ["\(target) is already counted as \(user), so merging them in this direction would form a cycle."]
        default: break
        }
        var lines = ["\(user) would be counted as \(person), with \(events(preview))."]
        for other in preview["merged"]?.array ?? [] {
            lines.append("  \(text(other)) is counted as \(user), and would be, too")
        }
        return lines + ["Nothing was changed. To merge the users, add --yes."]
    }

    /// Returns the result of a merge.
    static func merged(_ preview: JSONValue) -> [String] {
        let (user, person) = (text(preview["user"]), text(preview["person"]))
        return [
            "\(user) is now counted as \(person), with \(events(preview)).",
            "To undo this: trackway users unmerge \(user) --yes",
        ]
    }

    /// Returns what undoing a merge would change.
    static func undoPreview(_ user: String, _ person: JSONValue) -> [String] {
        let user = EventLineFormat.plain(user)
        guard let merge = (person["merges"]?.array ?? []).first(where: { isInForce($0, of: user) }) else {
            return ["\(user) is not merged into another user."]
        }
        return [
            "\(user) is counted as \(text(person["id"])): \(statement(merge)).",
            "Nothing was changed. To undo the merge, add --yes.",
        ]
    }

    private static func isInForce(_ merge: JSONValue, of user: String) -> Bool {
        merge["outcome"]?.string == "merged" && text(merge["user"]) == user
    }

    /// Returns the statements about merges in a profile, with warnings about those without an effect.
    static func statements(_ person: JSONValue, moment: (JSONValue) -> String) -> [String] {
        let merges = person["merges"]?.array ?? []
        guard !merges.isEmpty else { return [] }
        return ["", "Merges"] + merges.map { merge in "  \(moment(merge))  \(statement(merge))" }
    }

    private static func statement(_ merge: JSONValue) -> String {
        let (user, target) = (text(merge["user"]), text(merge["into"]))
        let source =
            merge["by"]?.string == "operator"
            ? "by an operator (key \(text(merge["key"])))" : "by the app on \(text(merge["installation"]))"
        switch merge["outcome"]?.string {
        case "merged": return "\(user) counted as \(target), \(source)"
        case "undone": return "\(user) counted as \(target), \(source); undone"
        case "undoes": return "\(user) separated again, \(source)"
        case "repeated": return "\(user) counted as \(target), \(source); already in effect"
        case "conflict": return "warning: \(user) to \(target) ignored, \(source): \(user) was already merged"
        case "cycle": return "warning: \(user) to \(target) ignored, \(source): it would form a cycle"
        case "overruled":
            return "warning: \(user) to \(target) ignored, \(source): an operator undid a merge of \(user)"
        case "nothing": return "\(user) separated, \(source); it was not merged"
        default: return "warning: \(user) to \(target) ignored, \(source): an id is invalid"
        }
    }

    private static func events(_ preview: JSONValue) -> String {
        let count = preview["events"]?.integer ?? 0
        return count == 1 ? "1 event" : "\(count.grouped) events"
    }

    private static func text(_ value: JSONValue?) -> String { EventLineFormat.plain(value?.string ?? "") }
}
