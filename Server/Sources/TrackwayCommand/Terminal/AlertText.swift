// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Alerts as lines for a person.
enum AlertText {
    /// A row for each alert.
    static func table(_ answer: JSONValue) -> AnswerTable {
        var table = AnswerTable(heading: "Alerts")
        table.columns = [
            ("id", .left), ("title", .left), ("state", .left), ("value", .right), ("condition", .left),
            ("since", .left), ("told", .left),
        ]
        table.nothing = "None yet; `trackway alert add` makes one."
        for alert in answer["alerts"]?.array ?? [] {
            table.rows.append([
                alert["id"]?.string ?? "", AnswerTable.name(alert["title"]?.string ?? "", longest: 40), state(alert),
                AnswerTable.number(alert["value"]), AnswerTable.name(condition(alert["condition"]), longest: 60),
                time(alert["since"]), told(alert),
            ])
        }
        return table
    }

    /// An alert, a line for each thing that is known about it.
    static func lines(_ alert: JSONValue, style: Style) -> [String] {
        func text(_ name: String) -> String { alert[name]?.string.map(EventLineFormat.plain) ?? "–" }
        var lines = [
            style.bold(text("title")), "id         \(text("id"))",
            "state      \(state(alert)) since \(time(alert["since"]))",
            "value      \(AnswerTable.number(alert["value"]))  looked at \(time(alert["evaluated"]))",
            "condition  \(EventLineFormat.plain(condition(alert["condition"])))",
            "every      \(text("every")), holds for \(text("for")), over for \(text("keep_firing_for")), again after \(text("repeat"))",
            "webhook    \(text("webhook"))  \(told(alert))",
        ]
        if let trouble = alert["trouble"]?.string { lines.append("trouble    \(EventLineFormat.plain(trouble))") }
        if let waiting = alert["waiting"] {
            lines.append(
                "waiting    \(waiting["kind"]?.string ?? "") \(waiting["id"]?.string ?? ""), \(AnswerTable.number(waiting["failures"])) attempts failed, next \(time(waiting["next"]))"
            )
        }
        if let secret = alert["secret"]?.string { lines.append("secret     \(secret)  (shown this once)") }
        return lines
    }

    /// A row for each attempt to tell.
    static func deliveries(_ answer: JSONValue) -> AnswerTable {
        var table = AnswerTable(heading: "Attempts to tell")
        table.columns = [
            ("time", .left), ("message", .left), ("kind", .left), ("attempt", .right), ("outcome", .left),
            ("answer", .left), ("ms", .right),
        ]
        table.nothing = "None yet."
        for attempt in answer["deliveries"]?.array ?? [] {
            table.rows.append([
                time(attempt["time"]), attempt["id"]?.string ?? "", attempt["kind"]?.string ?? "",
                AnswerTable.number(attempt["number"]), attempt["outcome"]?.string ?? "",
                AnswerTable.name(said(attempt), longest: 80), AnswerTable.number(attempt["took"]),
            ])
        }
        return table
    }

    /// One attempt in a line.
    static func attempt(_ attempt: JSONValue) -> String {
        let took = AnswerTable.number(attempt["took"])
        return "\(attempt["outcome"]?.string ?? "–"): \(EventLineFormat.plain(said(attempt))) after \(took) ms"
    }

    /// A condition in words.
    static func condition(_ condition: JSONValue?) -> String {
        guard let condition else { return "–" }
        let threshold = threshold(condition["threshold"])
        let within = condition["within"]?.string ?? ""
        switch condition["kind"]?.string {
        case "missing": return "missing > \(threshold)"
        case "failed":
            return "refused > \(threshold) % within \(within), of \(AnswerTable.number(condition["at_least"])) at least"
        case "silence": return "no events within \(within)"
        case "disk": return "free space < \(threshold) \(condition["of"]?.string == "bytes" ? "bytes" : "%")"
        case "lag": return "index lag > \(threshold) s"
        default:
            let unit = condition["of"]?.string == "change" || condition["kind"]?.string == "funnels" ? " %" : ""
            let change = condition["of"]?.string == "change" ? "change of " : ""
            let question = "\(condition["kind"]?.string ?? "")?\(condition["query"]?.string ?? "")"
            return "\(change)\(question) \(condition["operator"]?.string ?? "") \(threshold)\(unit)"
        }
    }

    /// A threshold, without hundredths if it is whole.
    private static func threshold(_ value: JSONValue?) -> String {
        guard let whole = value?.double.flatMap({ Int64(exactly: $0) }) else { return AnswerTable.number(value) }
        return whole.grouped
    }

    private static func state(_ alert: JSONValue) -> String {
        let state = alert["state"]?.string ?? "–"
        return alert["paused"]?.boolean == true ? "\(state) (paused)" : state
    }

    private static func told(_ alert: JSONValue) -> String {
        if alert["webhook_gone"] != nil { return "gone: the receiver wants no messages" }
        if alert["waiting"] != nil { return "not delivered yet" }
        return alert["last_attempt"]?["outcome"]?.string ?? ""
    }

    private static func said(_ attempt: JSONValue) -> String {
        attempt["status"]?.integer.map { "status \($0)" } ?? attempt["message"]?.string ?? ""
    }

    private static func time(_ value: JSONValue?) -> String {
        guard let milliseconds = value?.integer else { return "–" }
        return String(Timestamp(milliseconds: milliseconds).description.prefix(19)) + "Z"
    }
}
