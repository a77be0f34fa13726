// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorStream
internal import TrackwayEvents

/// What is told of an engine, for people and for programs.
enum EngineText {
    /// A line for the stream, one for each server, and one for each thing that is wrong.
    static func lines(_ report: EngineReport, style: Style) -> [String] {
        var lines: [String] = []
        if let stream = report.stream {
            let most = stream.longest > 0 ? " of \(size(stream.longest))" : ""
            lines.append(
                "\(stream.name)  \(stream.copies) copies, \(stream.lastSequence.grouped) records taken, "
                    + "\(size(stream.bytes))\(most)"
            )
        }
        if !report.nodes.isEmpty {
            var table = Table([("server", .left), ("role", .left), ("version", .left), ("disk", .left)])
            for node in report.nodes {
                table.append([node.name, node.isLeader ? "leader" : "copy", node.version, words(node)])
            }
            lines += table.lines(style: style)
        }
        lines += report.faults
        if report.isDurable { lines.append("What it acknowledges is on the disks of a majority.") }
        return lines
    }

    private static func words(_ node: EngineReport.Node) -> String {
        switch node.syncsAlways {
        case true?: "syncs always"
        case false?: "does not sync always"
        case nil: node.isGone ? "is not there" : "did not say how it syncs"
        }
    }

    private static func size(_ bytes: Int64) -> String {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] as [(String, Int64)] where bytes >= (1 << shift) {
            let tenths = (bytes * 10) >> shift
            return tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
        }
        return "\(bytes) bytes"
    }

    /// The same as a value.
    static func json(_ report: EngineReport) -> JSONValue {
        .members(
            ("durable", .boolean(report.isDurable)),
            ("stream", report.stream.map(json) ?? .null),
            ("servers", .array(report.nodes.map(json))),
            ("faults", .array(report.faults.map { .string($0) }))
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
            ("leader", .boolean(node.isLeader)),
            ("version", .string(node.version)),
            ("syncs_always", node.syncsAlways.map { .boolean($0) } ?? .null),
            ("gone", .boolean(node.isGone))
        )
    }
}
