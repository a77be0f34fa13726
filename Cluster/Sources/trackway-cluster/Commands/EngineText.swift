// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import CollectorJetStream
internal import TrackwayCommand
internal import TrackwayEvents

/// The state of the tables that a stream is forwarded into.
struct TableStatus: Sendable {
    /// The tables' address.
    var address: String
    /// The sequence of the stream's last record.
    var last: UInt64
    /// The contents; nil if the tables cannot be used.
    var report: ColumnReport?
    /// Why the tables cannot be used, one sentence each.
    var faults: [String] = []
    /// The number of erased records listed for deletion, and of blocks left; nil if unknown.
    ///
    /// The latter are blocks still to search or delete from.
    var erased: (listed: UInt64, left: Int)?

    /// Whether the tables can be used.
    var isGood: Bool { faults.isEmpty && report != nil }

    /// The number of the stream's records that are not in the tables.
    var behind: UInt64 { last - min(last, report?.last ?? 0) }
}

/// Formats the state of a NATS cluster for people and for programs.
enum EngineText {
    /// Returns a line for each open stream, for each server, and for each problem.
    static func lines(_ report: ClusterReport, style: Style) -> [String] {
        var lines: [String] = []
        for stream in report.streams {
            let most = stream.longest > 0 ? " of \(size(stream.longest))" : ""
            lines.append(
                "\(stream.name)  \(stream.copies) copies, \(stream.lastSequence.grouped) records received, "
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
            let waiting = order.waiting == 0 ? "" : ", \(order.waiting.grouped) waiting"
            lines.append(
                """
                \(OrderStream.name)  orders \(order.records.grouped) records\(waiting), \
                \(order.entries.grouped) entries
                """
            )
        }
        lines += report.faults + report.warnings.filter { !report.faults.contains($0) }
        if report.isDurable { lines.append("Acknowledged records are on the disks of a majority.") }
        return lines
    }

    private static func role(_ node: ClusterReport.Node, of streams: Int) -> String {
        if streams > 1 { return node.leads == 0 ? "copy" : "leads \(node.leads) of \(streams)" }
        return node.leads > 0 ? "leader" : "copy"
    }

    private static func words(_ node: ClusterReport.Node) -> String {
        switch node.state {
        case .proven: "syncs always"
        case .notSynced: "does not sync always"
        case .off: "stores nothing: JetStream is off"
        case .gone: "is unreachable"
        case .unknown: "did not report how it syncs"
        }
    }

    /// Returns the exit status of a check; nil if all is well.
    static func status(_ report: ClusterReport, _ look: TableStatus?) -> CommandStatus? {
        if !report.isDurable || look?.isGood == false { return .negative }
        return report.isDegraded ? .degraded : nil
    }

    /// Returns a line for the tables, and one for each of their problems.
    static func lines(_ look: TableStatus) -> [String] {
        guard let report = look.report else { return look.faults }
        let behind = look.behind
        return [
            "\(look.address)  ClickHouse \(report.version), \(report.blocks.grouped) blocks, \(report.events.grouped) events, "
                + (behind == 0 ? "up to date" : "\(behind.grouped) records behind")
        ] + erasing(look)
    }

    private static func erasing(_ look: TableStatus) -> [String] {
        guard let (listed, left) = look.erased, listed > 0 || left > 0 else { return [] }
        return [ErasingText.line(listed: listed, left: left)]
    }

    /// Formats a size, such as `2.5 GiB`.
    static func size(_ bytes: Int64) -> String {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] as [(String, Int64)] where bytes >= (1 << shift) {
            let tenths = (bytes * 10) >> shift
            return tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
        }
        return "\(bytes) bytes"
    }

    /// Returns the state as JSON.
    static func json(_ report: ClusterReport, _ look: TableStatus? = nil) -> JSONValue {
        guard let look else { return json(report) }
        guard case .object(let members) = json(report) else { return .null }
        return .object(JSONValue.Object(members.members + [.init(key: "columns", value: json(look))]))
    }

    private static func json(_ look: TableStatus) -> JSONValue {
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

    private static func json(_ report: ClusterReport) -> JSONValue {
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

    private static func json(_ order: ClusterReport.Order) -> JSONValue {
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

    private static func json(_ node: ClusterReport.Node) -> JSONValue {
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
