// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import CollectorJetStream
internal import TrackwayCommand
internal import TrackwayEvents

/// What there is to tell of the tables that an engine's stream is forwarded into.
struct ColumnLook: Sendable {
    /// Where they are.
    var address: String
    /// The sequence that the stream has come to.
    var last: UInt64
    /// What they have; nil when they cannot be used.
    var report: ColumnReport?
    /// Why they cannot be used, a sentence each.
    var faults: [String] = []
    /// How many records of erased installations are listed for deletion from the stream, and in how many blocks some are still to be looked
    /// for or deleted; nil when that is not known.
    var erased: (listed: UInt64, left: Int)?

    /// Whether they can be used.
    var isGood: Bool { faults.isEmpty && report != nil }

    /// How many records of the stream are not in them.
    var behind: UInt64 { last - min(last, report?.last ?? 0) }
}

/// What is told of an engine, for people and for programs.
enum EngineText {
    /// A line for each stream that takes records, one for each server, and one for each thing that is wrong.
    static func lines(_ report: EngineReport, style: Style) -> [String] {
        var lines: [String] = []
        for stream in report.streams {
            let most = stream.longest > 0 ? " of \(size(stream.longest))" : ""
            lines.append(
                "\(stream.name)  \(stream.copies) copies, \(stream.lastSequence.grouped) records taken, "
                    + "\(size(stream.bytes))\(most)"
            )
        }
        if !report.nodes.isEmpty {
            var table = Table([("server", .left), ("role", .left), ("version", .left), ("disk", .left)])
            for node in report.nodes {
                table.append([node.name, role(node, of: report.streams.count), node.version, words(node)])
            }
            lines += table.lines(style: style)
        }
        if let order = report.order {
            let waiting = order.waiting == 0 ? "" : ", and \(order.waiting.grouped) that follow"
            lines.append(
                "\(OrderStream.name)  the order of \(order.records.grouped) records\(waiting), entries: \(order.entries.grouped)"
            )
        }
        lines += report.faults + report.warnings.filter { !report.faults.contains($0) }
        if report.isDurable { lines.append("What it acknowledges is on the disks of a majority.") }
        return lines
    }

    private static func role(_ node: EngineReport.Node, of streams: Int) -> String {
        if streams > 1 { return node.leads == 0 ? "copy" : "leads \(node.leads) of \(streams)" }
        return node.leads > 0 ? "leader" : "copy"
    }

    private static func words(_ node: EngineReport.Node) -> String {
        switch node.state {
        case .proven: "syncs always"
        case .notSynced: "does not sync always"
        case .off: "stores nothing: JetStream is off"
        case .gone: "is not there"
        case .unknown: "did not say how it syncs"
        }
    }

    /// The exit status of a look; nil when all is well.
    static func status(_ report: EngineReport, _ look: ColumnLook?) -> CommandStatus? {
        if !report.isDurable || look?.isGood == false { return .negative }
        return report.isDegraded ? .degraded : nil
    }

    /// A line for the tables, and one for each thing that is wrong with them.
    static func lines(_ look: ColumnLook) -> [String] {
        guard let report = look.report else { return look.faults }
        let behind = look.behind
        return [
            "\(look.address)  ClickHouse \(report.version), \(report.blocks.grouped) blocks, \(report.events.grouped) events, "
                + (behind == 0 ? "everything there is" : "\(behind.grouped) records behind")
        ] + erasing(look)
    }

    private static func erasing(_ look: ColumnLook) -> [String] {
        guard let (listed, left) = look.erased, listed > 0 || left > 0 else { return [] }
        return [ErasingText.line(listed: listed, left: left)]
    }

    /// `2.5 GiB`.
    static func size(_ bytes: Int64) -> String {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] as [(String, Int64)] where bytes >= (1 << shift) {
            let tenths = (bytes * 10) >> shift
            return tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
        }
        return "\(bytes) bytes"
    }

    /// The same as a value.
    static func json(_ report: EngineReport, _ look: ColumnLook? = nil) -> JSONValue {
        guard let look else { return json(report) }
        guard case .object(let members) = json(report) else { return .null }
        return .object(JSONValue.Object(members.members + [.init(key: "columns", value: json(look))]))
    }

    private static func json(_ look: ColumnLook) -> JSONValue {
        .members(
            ("address", .string(look.address)),
            ("version", look.report.map { .string($0.version) } ?? .null),
            ("blocks", look.report.map { .integer(Int64(clamping: $0.blocks)) } ?? .null),
            ("events", look.report.map { .integer(Int64(clamping: $0.events)) } ?? .null),
            ("last", look.report.map { .integer(Int64(clamping: $0.last)) } ?? .null),
            ("behind", look.report.map { _ in .integer(Int64(clamping: look.behind)) } ?? .null),
            ("faults", .array(look.faults.map { .string($0) })),
            ("erased_records", look.erased.map { .integer(Int64(clamping: $0.listed)) } ?? .null),
            ("erasing_blocks", look.erased.map { .integer(Int64($0.left)) } ?? .null)
        )
    }

    private static func json(_ report: EngineReport) -> JSONValue {
        .members(
            ("durable", .boolean(report.isDurable)),
            ("degraded", .boolean(report.isDegraded)),
            ("stream", report.streams.first.map(json) ?? .null),
            ("streams", .array(report.streams.map(json))),
            ("order", report.order.map(json) ?? .null),
            ("servers", .array(report.nodes.map(json))),
            ("faults", .array(report.faults.map { .string($0) })),
            ("warnings", .array(report.warnings.map { .string($0) }))
        )
    }

    private static func json(_ order: EngineReport.Order) -> JSONValue {
        .members(
            ("entries", .integer(Int64(clamping: order.entries))),
            ("records", .integer(Int64(clamping: order.records))),
            ("waiting", .integer(Int64(clamping: order.waiting)))
        )
    }

    private static func json(_ stream: StreamFacts) -> JSONValue {
        .members(
            ("name", .string(stream.name)),
            ("created", .string(stream.created)),
            ("copies", .integer(Int64(stream.copies))),
            ("last", .integer(Int64(clamping: stream.lastSequence))),
            ("bytes", .integer(stream.bytes)),
            ("max_bytes", .integer(stream.longest))
        )
    }

    private static func json(_ node: EngineReport.Node) -> JSONValue {
        .members(
            ("name", .string(node.name)),
            ("leader", .boolean(node.leads > 0)),
            ("leads", .integer(Int64(node.leads))),
            ("version", .string(node.version)),
            ("state", .string(node.state.rawValue)),
            ("syncs_always", node.syncsAlways.map { .boolean($0) } ?? .null),
            ("gone", .boolean(node.isGone))
        )
    }
}
