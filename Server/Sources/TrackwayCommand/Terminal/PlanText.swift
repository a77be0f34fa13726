// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Formats plans and violations as text or CSV.
struct PlanText: Sendable {
    /// The text style.
    var style: Style
    /// The time zone for displayed times.
    var zone: TimeZone

    /// Returns the mistakes in a file, one per line.
    static func faults(_ reading: PlanParseResult, of file: String) -> [String] {
        let count = reading.faults.count + reading.omitted
        var lines = ["\(plain(file)): \(count.grouped) \(count == 1 ? "mistake" : "mistakes")"]
        lines += reading.faults.map { "  " + plain($0.description) + " [\($0.code)]" }
        if reading.omitted > 0 { lines.append("  … and \(reading.omitted.grouped) more") }
        return lines
    }

    /// Returns the summary of a valid file and its warnings.
    func validationSummary(_ reading: PlanParseResult, _ plan: TrackingPlan, _ file: String) -> [String] {
        let remarks = reading.warnings.map { remark in
            style.colored("! ", .yellow) + Self.plain(remark.description) + " [\(remark.code)]"
        }
        return ["\(Self.plain(file)): \(plan.events.count.grouped) events, valid (\(plan.digest))"] + remarks
    }

    /// Returns the result of comparing a collector's events with a plan.
    func comparison(_ comparison: PlanComparison) -> [String] {
        let basis = comparison.isCounted ? "counted by the collector" : "the latest of each name"
        var lines = ["", "\(comparison.address): \(comparison.checkedEvents.grouped) planned events checked, \(basis)"]
        if !comparison.missing.isEmpty {
            lines.append("Never received: " + list(comparison.missing))
        }
        if !comparison.unplanned.isEmpty {
            let names = comparison.unplanned.map { "\(ResultTable.name($0.name, longest: 48)) (\($0.events.grouped))" }
            lines.append(style.colored("Not planned: ", .red) + list(names))
        }
        if comparison.others > 0 {
            lines.append(style.colored("Not planned: ", .red) + "\(comparison.others.grouped) events with other names")
        }
        let violations = comparison.violations
        if !violations.isEmpty {
            var table = Table([
                ("events", .right), ("event", .left), ("location", .left), ("kind", .left), ("expected", .left),
                ("version", .left), ("sample", .left),
            ])
            for violation in violations {
                table.append([
                    violation.events.grouped, ResultTable.name(violation.name, longest: 48),
                    ResultTable.name(violation.path, longest: 48), violation.code,
                    ResultTable.name(violation.expected, longest: 40), ResultTable.name(violation.version),
                    violation.sample,
                ])
            }
            lines += [""] + table.lines(style: style)
        }
        lines += ["", comparison.isClean ? "All events conform to the plan." : "Some events violate the plan."]
        return lines
    }

    /// Returns a table of the events in the current plan.
    func events(_ answer: JSONValue) -> ResultTable {
        var table = ResultTable(heading: heading(answer))
        table.nothing = "No events match."
        table.columns = [
            ("event", .left), ("plan", .left), ("events", .right), ("faulty", .right), ("violations", .right),
            ("owner", .left), ("sample", .left),
        ]
        table.csv = ["name,planned,deprecated,events,faulty,violations,owner,sample"]
        for event in answer["events"]?.array ?? [] {
            let isPlanned = event["planned"]?.boolean == true
            let isDeprecated = event["deprecated"]?.boolean == true
            let numbers = ["events", "faulty", "violations"].map { event[$0]?.integer ?? 0 }
            let (name, owner) = (event["name"]?.string ?? "", event["owner"]?.string ?? "")
            let sample = event["sample"]?.string ?? ""
            let state = isPlanned ? isDeprecated ? "deprecated" : "planned" : style.colored("not planned", .red)
            var row = [ResultTable.name(name, longest: 48), state]
            row += numbers.map(\.grouped)
            row += [ResultTable.name(owner), sample]
            table.rows.append(row)
            var line = [UsageReportRow.quoted(name), String(isPlanned), String(isDeprecated)]
            line += numbers.map { String($0) }
            line += [UsageReportRow.quoted(owner), sample]
            table.csv.append(line.joined(separator: ","))
        }
        return table
    }

    private func heading(_ answer: JSONValue) -> String {
        guard let plan = answer["plan"], plan != .null else {
            return "This collector has no plan; start it with `trackway serve --plan plan.json`."
        }
        let title = plan["title"]?.string.map { ResultTable.name($0, longest: 64) + ", " } ?? ""
        let since = answer["counted"]?["since"]?.integer.map { "counted since \(moment($0))" } ?? "nothing counted yet"
        return "\(title)\((plan["events"]?.integer ?? 0).grouped) events (\(plan["digest"]?.string ?? "")), \(since)"
    }

    /// Returns a table of violations.
    func violations(_ answer: JSONValue) -> ResultTable {
        var table = ResultTable(
            heading: answer["since"]?.integer.map { "Counted since \(moment($0))" }
                ?? "Violations are not counted; see `trackway plan show`."
        )
        table.nothing = "All events conform to the plan."
        table.columns = [
            ("events", .right), ("event", .left), ("location", .left), ("kind", .left), ("expected", .left),
            ("version", .left), ("last", .left), ("sample", .left),
        ]
        table.csv = ["day,name,path,code,version,events,sample"]
        for group in answer["violations"]?.array ?? [] {
            let texts = ["name", "path", "code", "version"].map { group[$0]?.string ?? "" }
            let sample = group["sample"]?.string ?? ""
            table.rows.append([
                (group["events"]?.integer ?? 0).grouped, ResultTable.name(texts[0], longest: 48),
                ResultTable.name(texts[1], longest: 48), texts[2],
                ResultTable.name(group["expected"]?.string ?? "", longest: 40), ResultTable.name(texts[3]),
                group["last"]?.integer.map { moment($0) } ?? "", sample,
            ])
            for day in group["days"]?.array ?? [] {
                let date = Timestamp(milliseconds: day.array?.first?.integer ?? 0).iso8601.prefix(10)
                var line = [String(date)]
                line += texts.map { UsageReportRow.quoted($0) }
                line += [String(day.array?.last?.integer ?? 0), sample]
                table.csv.append(line.joined(separator: ","))
            }
        }
        return table
    }

    /// Returns a note about groups that are not shown.
    func more(_ answer: JSONValue) -> [String] {
        let groups = answer["more"]?["groups"]?.integer ?? 0
        guard groups > 0 else { return [] }
        return [
            "",
            "\((answer["more"]?["events"]?.integer ?? 0).grouped) more in \(groups.grouped) groups; see --limit and --name",
        ]
    }

    private func list(_ names: [String]) -> String {
        let shown = names.prefix(20).map { ResultTable.name($0, longest: 64) }.joined(separator: ", ")
        return names.count > 20 ? "\(shown) and \((names.count - 20).grouped) more" : shown
    }

    private func moment(_ milliseconds: Int64) -> String {
        DateLabels(style: style, zone: zone).moment(Timestamp(milliseconds: milliseconds))
    }

    private static func plain(_ text: String) -> String { EventLineFormat.plain(text) }
}
