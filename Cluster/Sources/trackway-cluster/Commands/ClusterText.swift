// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorJetStream
internal import TrackwayCommand
internal import TrackwayCore

/// The state of the tables that a stream is forwarded to.
struct TableStatus: Sendable {
    /// The tables' address.
    var address: String
    /// The sequence of the stream's last record.
    var lastSequence: UInt64
    /// The report about the tables; nil if they cannot be used.
    var report: ColumnReport?
    /// Why the tables cannot be used, one sentence each.
    var faults: [String] = []
    /// The number of records listed for deletion, and of remaining blocks.
    ///
    /// The value is nil if the numbers are unknown.
    ///
    /// The remaining blocks must still be searched, or still contain records to delete.
    var pendingDeletion: (listed: UInt64, remainingBlocks: Int)?

    /// Whether the tables can be used.
    var isUsable: Bool { faults.isEmpty && report != nil }

    /// The number of the stream's records that are not in the tables.
    var recordsBehind: UInt64 { lastSequence - min(lastSequence, report?.last ?? 0) }
}

/// Formats the state of a NATS cluster for people and for programs.
enum ClusterText {
    /// Returns a line for each open stream, for each server, and for each problem.
    static func lines(_ report: ClusterReport, style: Style) -> [String] {
        var lines: [String] = []
        for stream in report.streams {
            let limit = stream.maxBytes > 0 ? " of \(size(stream.maxBytes))" : ""
            lines.append(
                "\(stream.name)  \(stream.copies) copies, \(stream.lastSequence.grouped) records received, "
                    + "\(size(stream.bytes))\(limit)"
            )
        }
        if !report.nodes.isEmpty {
            var table = Table([("server", .left), ("role", .left), ("version", .left), ("disk", .left)])
            for node in report.nodes {
                table.append([node.name, role(node, of: report.streams.count), node.version, syncDescription(node)])
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
        if report.isDurable { lines.append("Acknowledged records are on the disks of a majority of the servers.") }
        return lines
    }

    private static func role(_ node: ClusterReport.Node, of streams: Int) -> String {
        if streams > 1 { return node.leads == 0 ? "copy" : "leads \(node.leads) of \(streams)" }
        return node.leads > 0 ? "leader" : "copy"
    }

    private static func syncDescription(_ node: ClusterReport.Node) -> String {
        switch node.state {
        case .proven: "syncs every write"
        case .notSynced: "does not sync every write"
        case .off: "stores nothing: JetStream is off"
        case .unreachable: "is unreachable"
        case .unknown: "did not report how it syncs"
        }
    }

    /// Returns the exit status of a check; nil if there are no problems.
    static func status(_ report: ClusterReport, _ tables: TableStatus?) -> CommandStatus? {
        if !report.isDurable || tables?.isUsable == false { return .negative }
        return report.isDegraded ? .degraded : nil
    }

    /// Returns a line for the tables, and one for each of their problems.
    static func lines(_ tables: TableStatus) -> [String] {
        guard let report = tables.report else { return tables.faults }
        let behind = tables.recordsBehind
        return [
            "\(tables.address)  ClickHouse \(report.version), \(report.blocks.grouped) blocks, \(report.events.grouped) events, "
                + (behind == 0 ? "up to date" : "\(behind.grouped) records behind")
        ] + deletionLines(tables)
    }

    private static func deletionLines(_ tables: TableStatus) -> [String] {
        guard let (listed, remainingBlocks) = tables.pendingDeletion, listed > 0 || remainingBlocks > 0 else {
            return []
        }
        return [RecordDeletionText.line(listed: listed, remainingBlocks: remainingBlocks)]
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
    static func json(_ report: ClusterReport, _ tables: TableStatus? = nil) -> JSONValue {
        guard let tables else { return json(report) }
        guard case .object(let members) = json(report) else { return .null }
        return .object(JSONValue.Object(members.members + [.init(key: "columns", value: json(tables))]))
    }

    private static func json(_ tables: TableStatus) -> JSONValue {
        .members(
            ("address", .string(tables.address)),
            ("version", tables.report.map { .string($0.version) } ?? .null),
            ("blocks", tables.report.map { .integer(Int64(clamping: $0.blocks)) } ?? .null),
            ("events", tables.report.map { .integer(Int64(clamping: $0.events)) } ?? .null),
            ("last", tables.report.map { .integer(Int64(clamping: $0.last)) } ?? .null),
            ("behind", tables.report.map { _ in .integer(Int64(clamping: tables.recordsBehind)) } ?? .null),
            ("faults", .array(tables.faults.map { .string($0) })),
            ("erased_records", tables.pendingDeletion.map { .integer(Int64(clamping: $0.listed)) } ?? .null),
            ("erasing_blocks", tables.pendingDeletion.map { .integer(Int64($0.remainingBlocks)) } ?? .null)
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
            ("max_bytes", .integer(stream.maxBytes))
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
            ("gone", .boolean(node.isUnreachable))
        )
    }
}
