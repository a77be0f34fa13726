// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import Foundation
internal import TrackwayEvents

/// What every command has that asks about many events: when, and how the answer is printed.
struct QuestionOptions: ParsableArguments {
    @Option(help: "How far back, such as 30d, 12h or 90m. Default: 30d.")
    var last: String?

    @Option(help: "The earliest time, inclusive. Dates and times without a zone are those of --zone.")
    var from: String?

    @Option(help: "The latest time, exclusive. Default: now.")
    var to: String?

    @Option(help: "The time zone, such as Europe/Berlin. Default: this machine's.")
    var zone: String?

    @Flag(help: "Print the collector's JSON.")
    var json = false

    @Flag(help: "Print comma-separated values.")
    var csv = false

    /// Sees that the options fit together.
    func validate() throws {
        guard !json || !csv else { throw ValidationError("choose --json or --csv") }
        guard last == nil || (from == nil && to == nil) else {
            throw ValidationError("choose --last, or --from and --to")
        }
    }

    /// The zone's name.
    var zoneName: String { zone ?? SystemZones.current }

    /// From when until when, as parameters.
    ///
    /// - Parameter now: the moment that `--last` counts back from, and the end if none is given.
    func range(now: Timestamp) throws(CommandFailure) -> [(name: String, value: String)] {
        let to = try to.map { text throws(CommandFailure) in try moment(text, now: now) } ?? now
        var begin = to.advanced(by: .seconds(-30 * 86_400))
        if let from {
            begin = try moment(from, now: now)
        } else if let last {
            guard let unit = last.last, "smhd".contains(unit) else {
                throw CommandFailure(.usage, "“\(last)” is not a length of time", remedy: "write 30s, 15m, 2h or 7d")
            }
            begin = try PointInTime(last, now: now).timestamp
        }
        return [("from", String(begin.milliseconds)), ("to", String(to.milliseconds))]
    }

    /// A point in time; of a date, or a time without a zone, in the question's.
    private func moment(_ text: String, now: Timestamp) throws(CommandFailure) -> Timestamp {
        let point = try PointInTime(text, now: now).timestamp
        guard text.contains("-"), !text.hasPrefix("-"), !text.hasSuffix("Z") else { return point }
        // What was read as if it were UTC is what the zone's clocks show.
        let around = point.advanced(by: .seconds(-2 * 86_400))..<point.advanced(by: .seconds(2 * 86_400))
        guard let offsets = SystemZones.offsets(zoneName, around) else {
            throw CommandFailure(
                .usage,
                "“\(zoneName)” is not the name of a time zone",
                remedy: "write --zone Europe/Berlin, or --zone UTC"
            )
        }
        return offsets.instant(local: point.milliseconds)
    }

    /// Asks the collector and prints the answer: its JSON, comma-separated values, or a table.
    func ask(
        _ path: String,
        _ query: [(name: String, value: String)],
        of collector: CollectorOptions,
        _ report: (JSONValue, DateLabels) -> AnswerTable
    ) async throws {
        let answer = try await CollectorClient(try collector.address()).get(path, query: query)
        if json { return Console.standard.write(json: answer) }
        let style = Console.standard.style
        let zone = TimeZone(identifier: answer["zone"]?.string ?? zoneName) ?? .gmt
        let table = report(answer, DateLabels(style: style, zone: zone))
        if csv { Console.standard.write(csv: table.csv) } else { Console.standard.write(table.lines(style: style)) }
        answer.noteWhatIsKept()
    }
}

extension JSONValue {
    /// Says on standard error from when on events are kept, if the answer reaches further back.
    func noteWhatIsKept() {
        guard let kept = self["kept_from"]?.integer else { return }
        let date = Timestamp(milliseconds: kept).iso8601.prefix(10)
        Console.standard.note("Events that arrived before \(date) are not kept any more, and are missing here.")
    }
}
