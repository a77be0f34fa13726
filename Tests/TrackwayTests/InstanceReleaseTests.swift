// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayJournal
import TrackwayTesting

@testable import Trackway

@Suite("Releasing analytics")
struct InstanceReleaseTests {
    /// The parts of one instance that must be released with it.
    private struct Parts {
        weak var journal: Journal?
        weak var consents: ConsentController?
        weak var control: PipelineController?

        var areReleased: Bool { journal == nil && consents == nil && control == nil }
    }

    private func live(_ folder: String, _ transport: ScriptedTransport) -> Configuration {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.storage.folder = URL(fileURLWithPath: folder)
        configuration.delivery.transport = transport
        // The test handles signals itself.
        configuration.lifecycle.isObserved = false
        configuration.onDiagnostic = { _ in }
        return configuration
    }

    @Test(arguments: [true, false])
    func `releasing an instance releases all its parts, with or without a shutdown`(isShutDown: Bool) async throws {
        let storage = FaultyStorage()
        func use() async throws -> Parts {
            let memory = try InMemoryAnalytics(storage: storage)
            let analytics = memory.analytics
            analytics.record("event")
            analytics.setConsent(.granted)
            try analytics.addDestination(
                DestinationConfiguration(CollectorDestination(id: "late", url: "http://late.test", writeKey: "k"))
            )
            _ = await analytics.flush()
            if isShutDown { await analytics.shutdown() }
            return Parts(
                journal: analytics.storage.journal,
                consents: analytics.delivery.consents,
                control: analytics.delivery.control
            )
        }
        let parts = try await use()
        try await Deadline.wait(while: !parts.areReleased)
        // The next writer finds that this one is dead, and its segment takes no more space than its content.
        let next = try InMemoryAnalytics(storage: storage)
        _ = await next.analytics.flush()
        let segments = (storage.base as? MemoryStorage)?.paths.filter { $0.hasSuffix(".segment") } ?? []
        #expect(
            segments.allSatisfy { path in
                path.contains("\(next.analytics.storage.journal.writer)") || size(storage, path) < 8_192
            }
        )
    }

    private func size(_ storage: FaultyStorage, _ path: String) -> Int {
        (try? storage.size(of: path)) ?? 0  // A missing file is not too large.
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/maps")))
    func `hundreds of instances on a real disk leave no descriptors, mappings, memory or reserved space behind`()
        async throws
    {
        let root = NSTemporaryDirectory() + "trackway-let-go-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        // If this fails, the system clears its temporary folder.
        defer { try? FileManager.default.removeItem(atPath: root) }
        let transport = ScriptedTransport()
        // One-time allocations are made before the measurement.
        try await createAndRelease(0..<20, in: root, transport)
        try await Deadline.wait(while: Usage.descriptors(in: root) + Usage.mappings(in: root) > 0)
        let before = Usage(of: root)
        try await createAndRelease(20..<TestScale.count(320, full: 2_020), in: root, transport)
        try await Deadline.wait(while: Usage.descriptors(in: root) + Usage.mappings(in: root) > 0)
        let after = Usage(of: root)
        #expect(before.descriptors == 0)
        #expect(after.descriptors == 0)
        #expect(after.mappings == 0)
        // Other tests run at the same time. The segments of 300 instances, if leaked, would take 300 MiB.
        #expect(after.resident - before.resident < 256 << 20)
        #expect(after.bytesOnDisk < 64 << 20)
    }

    /// Creates and releases analytics.
    ///
    /// Every ten instances share a folder. Every third one is released without a shutdown.
    private func createAndRelease(_ numbers: Range<Int>, in root: String, _ transport: ScriptedTransport) async throws {
        for number in numbers {
            let analytics = try Analytics(live(root + "/\(number / 10)", transport))
            analytics.record("event")
            if number % 3 > 0 { await analytics.shutdown(timeout: number % 2 == 0 ? .zero : .seconds(5)) }
        }
    }
}

/// The system resources that this process uses for the files in a folder.
private struct Usage {
    let descriptors: Int
    let mappings: Int
    let resident: Int
    let bytesOnDisk: Int

    init(of folder: String) {
        descriptors = Self.descriptors(in: folder)
        mappings = Self.mappings(in: folder)
        resident = Self.residentBytes
        bytesOnDisk = Self.bytes(in: folder)
    }

    static func descriptors(in folder: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count { name in
            // A descriptor that has been closed since it was listed has no target.
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target?.hasPrefix(folder) ?? false
        }
    }

    static func mappings(in folder: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").count { $0.contains(folder) }
    }

    static var residentBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The total size of the files, including reserved space.
    static func bytes(in folder: String) -> Int {
        let files = FileManager.default.enumerator(atPath: folder)
        var total = 0
        while let name = files?.nextObject() as? String {
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            total += (attributes?[.size] as? Int) ?? 0
        }
        return total
    }
}
