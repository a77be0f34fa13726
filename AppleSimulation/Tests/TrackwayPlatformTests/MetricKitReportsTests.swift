// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import MetricKit
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle

@testable import TrackwayPlatform

/// MetricKit's payloads, as the adapter stores them.
@Suite("MetricKit reports", .serialized)
struct MetricKitReportsTests {
    /// A folder that is removed at the end of the test.
    private final class Folder: Sendable {
        let path = NSTemporaryDirectory() + "trackway-metrickit-\(UUID().uuidString)"
        var reports: CrashReports { CrashReports(in: path, storage: DiskStorage()) }

        deinit {
            // A folder that is left in the system's temporary folder does no harm.
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private static let stacks = """
        {"callStacks":[{"threadAttributed":true,"callStackRootFrames":[{"binaryUUID":"AAAA0000-0000-0000-0000-000000000000",
        "binaryName":"Shop","address":4352,"offsetIntoBinaryTextSegment":256,"sampleCount":1,"subFrames":[
        {"binaryUUID":"BBBB0000-0000-0000-0000-000000000000","binaryName":"UIKitCore","address":8704,
        "offsetIntoBinaryTextSegment":512,"sampleCount":1}]}]}],"callStackPerThread":true}
        """

    private static func payload(crashes: [MXCrashDiagnostic] = [], hangs: [MXHangDiagnostic] = [])
        -> MXDiagnosticPayload
    {
        .simulated(
            crashes: crashes,
            hangs: hangs,
            from: Date(timeIntervalSince1970: 1_700_000_000),
            to: Date(timeIntervalSince1970: 1_700_000_060)
        )
    }

    private static var crash: MXCrashDiagnostic {
        .simulated(signal: 11, exceptionType: 1, terminationReason: "Namespace SIGNAL, Code 11", callStack: stacks)
    }

    @Test
    func `crashes and hangs are stored as reports while an observer exists`() throws {
        let folder = Folder()
        let reportCount = Locked(0)
        let before = MXMetricManager.shared.simulatedSubscribers
        var observer = SystemReportObserver.observe(into: folder.reports) { result in
            if case .success = result { reportCount.withLock { $0 += 1 } }
        }
        #expect(observer != nil)
        #expect(MXMetricManager.shared.simulatedSubscribers == before + 1)
        let hang = MXHangDiagnostic.simulated(seconds: 2.5, callStack: Self.stacks)
        MXMetricManager.shared.simulate([Self.payload(crashes: [Self.crash], hangs: [hang])])
        #expect(reportCount.withLock { $0 } == 1)
        let reports = try folder.reports.pending()
        #expect(
            Set(reports.map(\.message)) == ["SIGSEGV: Namespace SIGNAL, Code 11", "hang of 2500 ms"]
        )
        let crash = try #require(reports.first { $0.message.hasPrefix("SIGSEGV") })
        #expect(
            crash.stack == """
                0 Shop + 0x100
                1 UIKitCore + 0x200
                Shop is Shop, build AAAA0000-0000-0000-0000-000000000000, arm64e, at 0x1000
                UIKitCore is UIKitCore, build BBBB0000-0000-0000-0000-000000000000, arm64e, at 0x2000
                reported by MetricKit
                """
        )
        #expect(crash.at.wall == Timestamp(milliseconds: 1_700_000_060_000))
        observer = nil
        #expect(MXMetricManager.shared.simulatedSubscribers == before)
    }

    @Test
    func `repeated payloads result in one report, and empty payloads in no report`() throws {
        let folder = Folder()
        let observer = SystemReportObserver.observe(into: folder.reports) { _ in }
        MXMetricManager.shared.simulate([Self.payload(crashes: [Self.crash])])
        MXMetricManager.shared.simulate([Self.payload(crashes: [Self.crash]), Self.payload()])
        #expect(try folder.reports.pending().count == 1)
        withExtendedLifetime(observer) {}
    }

    @Test
    func `a crash that the process itself reported is reported once`() throws {
        let folder = Folder()
        try DiskStorage().makeFolder(folder.path + "/crashes")
        let ownReport = """
            trackway-crash 1
            process 42
            boot boot-1
            signal 11 SIGSEGV
            wall 1700000030000
            monotonic 5
            module 1000 1000 2000 AAAA0000-0000-0000-0000-000000000000 /Shop.app/Shop
            image 1000 arm64e executable
            frame 1100
            end

            """
        try DiskStorage().replace(folder.path + "/crashes/own", with: Array(ownReport.utf8), durably: false)
        let observer = SystemReportObserver.observe(into: folder.reports) { _ in }
        MXMetricManager.shared.simulate([Self.payload(crashes: [Self.crash])])
        #expect(try folder.reports.pending().map(\.isOwn) == [true])
        withExtendedLifetime(observer) {}
    }

    @Test
    func `a report contains the process id and the exception message if the system provides them`() throws {
        let folder = Folder()
        let observer = SystemReportObserver.observe(into: folder.reports) { _ in }
        let crash = MXCrashDiagnostic.simulated(
            signal: 6,
            exception: (name: "NSRangeException", message: "index 5 beyond bounds"),
            process: 42,
            callStack: Self.stacks
        )
        MXMetricManager.shared.simulate([Self.payload(crashes: [crash])])
        let report = try #require(try folder.reports.pending().first)
        #expect(report.message == "SIGABRT: NSRangeException: index 5 beyond bounds")
        #expect(report.fingerprint.process == 42)
        withExtendedLifetime(observer) {}
    }

    @Test
    func `a report that cannot be stored is reported as a failure`() throws {
        let folder = Folder()
        try Data().write(to: URL(fileURLWithPath: folder.path))
        let failures = Locked(0)
        let observer = SystemReportObserver.observe(into: folder.reports) { result in
            if case .failure = result { failures.withLock { $0 += 1 } }
        }
        MXMetricManager.shared.simulate([Self.payload(crashes: [Self.crash])])
        #expect(failures.withLock { $0 } == 1)
        withExtendedLifetime(observer) {}
    }
}
