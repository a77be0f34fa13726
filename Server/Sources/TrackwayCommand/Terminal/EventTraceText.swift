// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore

/// Formats the trace of an event, one line per step.
struct EventTraceText: Sendable {
    private let style: Style
    private let format: EventLineFormat

    /// - Parameter zone: The time zone for displayed times.
    init(style: Style, zone: TimeZone = .current) {
        self.style = style
        format = EventLineFormat(style: style, zone: zone)
    }

    /// Returns the lines for a response.
    func lines(_ trace: JSONValue) -> [String] {
        let (recorded, batch, received) = (trace["recorded"], trace["batch"], trace["received"])
        let durations = trace["durations"]
        var lines = [style.bold(plain(trace["name"])) + "  " + style.faint(plain(trace["id"]))]
        lines.append(
            line(
                "recorded",
                recorded?["at"],
                ["mono": recorded?["mono"], "boot": recorded?["boot"], "session": recorded?["session"]]
            )
        )
        lines.append(
            line(
                "sent",
                batch?["sent"],
                [
                    "sequence": batch?["sequence"], "events": batch?["events"], "batch": batch?["id"],
                    "sdk": batch?["sdk"],
                ],
                after: durations?["recorded_to_sent"]
            )
        )
        lines.append(
            line(
                "received",
                received?["at"],
                ["key": received?["key"], "format": received?["format"], "bytes": received?["bytes"]],
                after: durations?[batch?["sent"]?.integer == nil ? "recorded_to_received" : "sent_to_received"]
            )
        )
        let durable = trace["durable"]
        lines.append(line("durable", nil, ["position": durable?["position"], "in": durable?["durability"]]))
        lines.append(line("indexed", nil, ["up to": trace["indexed"]?["position"]]))
        lines += (trace["unknown"]?.array ?? []).map { style.faint("unknown: " + plain($0)) }
        return lines
    }

    private func line(
        _ step: String,
        _ time: JSONValue?,
        _ facts: KeyValuePairs<String, JSONValue?>,
        after wait: JSONValue? = nil
    ) -> String {
        let moment = time?.integer.map { moment in
            let time = Timestamp(milliseconds: moment)
            return format.dateAndClock(time)
        }
        var parts = [step.padding(toLength: 8, withPad: " ", startingAt: 0), moment ?? "–"]
        if let wait = wait?.integer {
            // The times come from two machines; the device's clock may be ahead.
            let text = TimeSpan(milliseconds: Int64(clamping: wait.magnitude)).text
            parts.append(style.faint((wait < 0 ? "−" : "+") + text))
        }
        for (name, value) in facts {
            guard let value, value != .null else { continue }
            parts.append(style.faint(name + " ") + plain(value))
        }
        return parts.joined(separator: "  ")
    }

    /// Returns a value as text that cannot control the terminal.
    private func plain(_ value: JSONValue?) -> String {
        guard let value else { return "" }
        return EventLineFormat.plain(value.string ?? String(decoding: value.json(), as: UTF8.self))
    }
}
