// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Stage
internal import Testing
internal import TrackwayEvents

/// Where the simulated phone's lives are played: a collector, a network before it, and devices whose disks outlive processes.
struct PhoneStage {
    let collector: Collector
    let network: FlakyServer
    private let folder: TemporaryFolder

    init() throws {
        collector = try Collector()
        network = try FlakyServer(before: collector.port) { _ in .forward }
        folder = try TemporaryFolder()
    }

    /// Starts the app; see `PhoneProcess`.
    func start(
        _ launch: String,
        on device: String = "a",
        version: String = "1.0",
        isLocked: Bool = false,
        findsScreens: Bool = false
    ) throws -> PhoneProcess {
        try PhoneProcess(
            launch,
            data: folder.path("\(device)/shop"),
            to: network.url,
            version: version,
            isLocked: isLocked,
            findsScreens: findsScreens
        )
    }

    /// Makes a device of what a back-up of another one holds: not the folder, but the small file beside it.
    func restore(_ device: String, from backup: String) throws {
        try FileManager.default.createDirectory(atPath: folder.path(device), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: folder.path("\(backup)/shop.installation"),
            toPath: folder.path("\(device)/shop.installation")
        )
    }

    // MARK: Comparing

    /// Compares what came with texts that a person has read; with `TRACKWAY_GOLDEN=write` in the environment they are written
    /// instead.
    ///
    /// - Parameter story: the folder of the texts.
    func expectGolden(_ traffic: PhoneTraffic, _ story: String) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(story)
        for format in PhoneTraffic.Format.allCases {
            let file = folder.appendingPathComponent("\(format).txt")
            let lines = traffic.lines(format)
            if ProcessInfo.processInfo.environment["TRACKWAY_GOLDEN"] == "write" {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
            }
            let golden = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
            let difference = lines.difference(from: golden).map { "\($0)" }.joined(separator: "\n")
            #expect(lines == golden, "\(format):\n\(difference)")
        }
    }

    /// Everything that was sent is in the collector, in one row. An event that came natively and as Clickstream has one id, and
    /// is one event to the collector.
    func expectOnce(_ traffic: PhoneTraffic) throws {
        try collector.settle()
        var rows: [String: [String]] = [:]
        for document in try collector.documents() where document["event"]?["name"]?.string != "marker" {
            let app = document["context"]?["app"]
            let account = app?["project"]?.string ?? app?["id"]?.string ?? "?"
            rows[account, default: []].append(document["id"]?.string ?? "")
        }
        #expect(Set(rows.keys).isSubset(of: PhoneTraffic.Format.allCases.map(\.rawValue)))
        for format in [PhoneTraffic.Format.sensors, .sift, .sap] {
            #expect(rows[format.rawValue]?.count == traffic.events[format]?.count, "\(format)")
        }
        let ids = (rows["shop-app"] ?? []) + (rows["shop-clickstream"] ?? [])
        let sent = [PhoneTraffic.Format.native, .clickstream].flatMap { (traffic.events[$0] ?? []).map(\.id) }
        #expect(ids.count == Set(ids).count)
        #expect(Set(ids) == Set(sent))
    }
}
