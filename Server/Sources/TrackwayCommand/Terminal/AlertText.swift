// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Formats alerts as text.
enum AlertText {
    /// Returns a table with a row for each alert.
    static func table(_ answer: JSONValue) -> ResultTable {
        var table = ResultTable(heading: "Alerts")
        table.columns = [
            ("id", .left), ("title", .left), ("state", .left), ("value", .right), ("condition", .left),
            ("since", .left), ("delivery", .left),
        ]
        table.nothing = "No alerts yet; `trackway alerts add` creates one."
        for alert in answer["alerts"]?.array ?? [] {
            table.rows.append([
                alert["id"]?.string ?? "", ResultTable.name(alert["title"]?.string ?? "", longest: 40), state(alert),
                ResultTable.number(alert["value"]), ResultTable.name(condition(alert["condition"]), longest: 60),
                time(alert["since"]), deliveryStatus(alert),
            ])
        }
        return table
    }

    /// Returns the lines of one alert.
    static func lines(_ alert: JSONValue, style: Style) -> [String] {
        func text(_ name: String) -> String { alert[name]?.string.map(EventLineFormat.plain) ?? "–" }
        var lines = [
            style.bold(text("title")), "id         \(text("id"))",
            "state      \(state(alert)) since \(time(alert["since"]))",
            "value      \(ResultTable.number(alert["value"]))  evaluated \(time(alert["evaluated"]))",
            "condition  \(EventLineFormat.plain(condition(alert["condition"])))",
            """
            every      \(text("every")), notify after \(text("for")), resolve after \(text("keep_firing_for")), \
            repeat after \(text("repeat"))
            """,
            "webhook    \(text("webhook"))  \(deliveryStatus(alert))",
        ]
        if let problem = alert["trouble"]?.string { lines.append("problem    \(EventLineFormat.plain(problem))") }
        if let waiting = alert["waiting"] {
            lines.append(
                """
                pending    \(waiting["kind"]?.string ?? "") \(waiting["id"]?.string ?? ""), \
                \(ResultTable.number(waiting["failures"])) attempts failed, next \(time(waiting["next"]))
                """
            )
        }
        if let secret = alert["secret"]?.string { lines.append("secret     \(secret)  (shown only once)") }
        return lines
    }

    /// Returns a table with a row for each delivery attempt.
    static func deliveries(_ answer: JSONValue) -> ResultTable {
        var table = ResultTable(heading: "Delivery attempts")
        table.columns = [
            ("time", .left), ("message", .left), ("kind", .left), ("attempt", .right), ("outcome", .left),
            ("response", .left), ("ms", .right),
        ]
        table.nothing = "None yet."
        for attempt in answer["deliveries"]?.array ?? [] {
            table.rows.append([
                time(attempt["time"]), attempt["id"]?.string ?? "", attempt["kind"]?.string ?? "",
                ResultTable.number(attempt["number"]), attempt["outcome"]?.string ?? "",
                ResultTable.name(response(attempt), longest: 80), ResultTable.number(attempt["took"]),
            ])
        }
        return table
    }

    /// Returns one attempt as a line.
    static func attempt(_ attempt: JSONValue) -> String {
        let milliseconds = ResultTable.number(attempt["took"])
        return
            "\(attempt["outcome"]?.string ?? "–"): \(EventLineFormat.plain(response(attempt))) after \(milliseconds) ms"
    }

    /// Returns a condition as text.
    static func condition(_ condition: JSONValue?) -> String {
        guard let condition else { return "–" }
        let threshold = threshold(condition["threshold"])
        let within = condition["within"]?.string ?? ""
        switch condition["kind"]?.string {
        case "missing": return "missing > \(threshold)"
        case "failed":
            return "rejected > \(threshold)% within \(within) (min. \(ResultTable.number(condition["at_least"])))"
        case "silence": return "no events within \(within)"
        case "disk": return "free space < \(threshold)\(condition["of"]?.string == "bytes" ? " bytes" : "%")"
        case "lag": return "index lag > \(threshold) s"
        default:
            let unit = condition["of"]?.string == "change" || condition["kind"]?.string == "funnels" ? "%" : ""
            let change = condition["of"]?.string == "change" ? "change of " : ""
            let question = "\(condition["kind"]?.string ?? "")?\(condition["query"]?.string ?? "")"
            return "\(change)\(question) \(condition["operator"]?.string ?? "") \(threshold)\(unit)"
        }
    }

    /// Formats a threshold, without decimals if it is an integer.
    private static func threshold(_ value: JSONValue?) -> String {
        guard let whole = value?.double.flatMap({ Int64(exactly: $0) }) else { return ResultTable.number(value) }
        return whole.grouped
    }

    private static func state(_ alert: JSONValue) -> String {
        let state = alert["state"]?.string ?? "–"
        return alert["paused"]?.boolean == true ? "\(state) (paused)" : state
    }

    private static func deliveryStatus(_ alert: JSONValue) -> String {
        if alert["webhook_gone"] != nil { return "gone: the receiver rejects messages" }
        if alert["waiting"] != nil { return "not delivered yet" }
        return alert["last_attempt"]?["outcome"]?.string ?? ""
    }

    private static func response(_ attempt: JSONValue) -> String {
        attempt["status"]?.integer.map { "status \($0)" } ?? attempt["message"]?.string ?? ""
    }

    private static func time(_ value: JSONValue?) -> String {
        guard let milliseconds = value?.integer else { return "–" }
        return String(Timestamp(milliseconds: milliseconds).description.prefix(19)) + "Z"
    }
}
