// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle

@testable import TrackwayPlatform

/// The system's reports, stored as files next to those of processes.
@Suite("System reports")
struct SystemReportTests {
    private static let stacks = """
        {
          "callStacks" : [
            { "threadAttributed" : false, "callStackRootFrames" : [
              { "binaryUUID" : "cccc0000-0000-0000-0000-000000000000", "binaryName" : "libsystem_kernel.dylib",
                "address" : 99, "offsetIntoBinaryTextSegment" : 9, "sampleCount" : 1 } ] },
            { "threadAttributed" : true, "callStackRootFrames" : [
              { "binaryUUID" : "aaaa0000-0000-0000-0000-000000000000", "binaryName" : "Shop \\"A\\" {1}", "address" : 4352,
                "offsetIntoBinaryTextSegment" : 256, "sampleCount" : 1, "subFrames" : [
                  { "binaryUUID" : "BBBB0000-0000-0000-0000-000000000000", "binaryName" : "UIKitCore", "address" : 8704,
                    "offsetIntoBinaryTextSegment" : 512, "sampleCount" : 1, "subFrames" : [
                      { "binaryUUID" : "aaaa0000-0000-0000-0000-000000000000", "binaryName" : "Shop \\"A\\" {1}",
                        "address" : 4608, "offsetIntoBinaryTextSegment" : 512, "sampleCount" : 1 } ] } ] } ] }
          ],
          "callStackPerThread" : true
        }
        """

    private static func crash(_ stacks: String = stacks) -> SystemReport {
        SystemReport(
            source: "MetricKit",
            kind: .crash(signal: 11, exception: 1),
            began: Timestamp(milliseconds: 1_700_000_000_000),
            ended: Timestamp(milliseconds: 1_700_000_060_000),
            process: 42,
            message: "Namespace SIGNAL, Code 11\nSegmentation fault",
            architecture: "arm64e",
            stacks: Array(stacks.utf8)
        )
    }

    private static func read(_ report: SystemReport) throws -> CrashReport {
        try #require(CrashReport(report.lines, name: report.fileName))
    }

    @Test
    func `a crash is reported like our own, with message, calls innermost first, and data to symbolicate them`() throws
    {
        let report = try Self.read(Self.crash())
        #expect(report.message == "SIGSEGV: Namespace SIGNAL, Code 11 Segmentation fault")
        #expect(
            report.stack == """
                0 Shop "A" {1} + 0x100
                1 UIKitCore + 0x200
                2 Shop "A" {1} + 0x200
                Shop "A" {1} is Shop "A" {1}, build AAAA0000-0000-0000-0000-000000000000, arm64e, at 0x1000
                UIKitCore is UIKitCore, build BBBB0000-0000-0000-0000-000000000000, arm64e, at 0x2000
                reported by MetricKit
                """
        )
        #expect(!report.isOwn)
        #expect(report.at.wall == Timestamp(milliseconds: 1_700_000_060_000))
        #expect(report.at.boot == "")
        #expect(report.fingerprint.signal == 11 && report.fingerprint.process == 42)
        #expect(report.fingerprint.began == 1_700_000_000_000 && report.fingerprint.ended == 1_700_000_060_000)
        #expect(report.fingerprint.images.count == 3)
    }

    @Test
    func `a hang has a duration, no signal, and the most sampled branch, innermost first`() throws {
        var hang = Self.crash(
            """
            {"callStacks":[{"callStackRootFrames":[{"binaryName":"dyld","address":1,"sampleCount":10,"subFrames":[
            {"binaryName":"Rare","address":2,"sampleCount":3},
            {"binaryName":"Often","address":3,"sampleCount":7,"subFrames":[{"binaryName":"Leaf","address":4,"sampleCount":7}]}]}]}],
            "callStackPerThread":false}
            """
        )
        hang.kind = .hang(.milliseconds(2_500))
        hang.message = nil
        let report = try Self.read(hang)
        #expect(report.message == "hang of 2500 ms")
        #expect(report.stack.hasPrefix("0 Leaf + 0x0\n1 Often + 0x0\n2 dyld + 0x0\n"))
        #expect(report.fingerprint.signal == nil)
    }

    @Test(
        arguments: [
            (9, 10, "SIGKILL"), (nil, 12, "EXC_GUARD"), (77, nil, "signal-77"), (nil, 99, "crash"), (nil, nil, "crash"),
        ] as [(Int?, Int?, String)]
    )
    func `a crash has the most specific known name of its cause`(signal: Int?, exception: Int?, name: String) throws {
        var report = Self.crash()
        report.kind = .crash(signal: signal, exception: exception)
        #expect(try Self.read(report).message.hasPrefix(name + ": "))
    }

    @Test
    func `an exception's message takes precedence over the system's`() throws {
        var report = Self.crash()
        report.exception = "NSRangeException: index 5 beyond bounds"
        #expect(try Self.read(report).message == "SIGSEGV: NSRangeException: index 5 beyond bounds")
    }

    @Test
    func `stacks deeper than a JSON parser's limit are read, up to 128 frames`() {
        let frame = #"{"binaryName":"Deep","address":1,"subFrames":["#
        let text =
            #"{"callStacks":[{"callStackRootFrames":["# + String(repeating: frame, count: 5_000) + #"{"address":2}"#
            + String(repeating: "]}", count: 5_000) + #"]}],"callStackPerThread":true}"#
        #expect(CallStackTree(json: Array(text.utf8)).frames.count == 128)
    }

    @Test(arguments: [
        "", "[]", "{}", "null", #"{"callStacks":[]}"#, #"{"callStacks":[{}]}"#, #"{"a":"#, "}", #"{"a":"\q"}"#,
        "{\"", "{}{}",
    ])
    func `JSON without a call stack yields no frames`(text: String) throws {
        #expect(CallStackTree(json: Array(text.utf8)).frames.isEmpty)
        #expect(try Self.read(Self.crash(text)).stack == "reported by MetricKit")
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `a damaged call stack is parsed as far as possible, without a trap`(seed: UInt64) {
        var bytes = Array(Self.stacks.utf8)
        var state = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        for _ in 0..<20 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes[Int(state >> 33) % bytes.count] = Array(#"{}[]",:9\ a"#.utf8)[Int(state >> 20) % 11]
        }
        #expect(CallStackTree(json: bytes).frames.count <= 128)
        var report = Self.crash()
        report.stacks = bytes
        _ = CrashReport(report.lines, name: "damaged")
    }

    // MARK: Together with the reports of processes

    /// A folder that is deleted after its test.
    private final class Folder {
        let path = NSTemporaryDirectory() + "trackway-system-\(UUID().uuidString)"
        var reports: CrashReports { CrashReports(in: path, storage: DiskStorage()) }
        // A missing folder contains no files.
        var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path + "/crashes").sorted()) ?? [] }

        deinit {
            // Files left in the temporary folder do no harm.
            try? FileManager.default.removeItem(atPath: path)
        }

        /// Stores a process's report of a crash at the system's reported time.
        func writeOwnReport(
            signal: Int = 11,
            at wall: Int64 = 1_700_000_030_000,
            executable: String = "AAAA0000-0000-0000-0000-000000000000"
        ) throws {
            let text = """
                trackway-crash 1
                process 42
                boot boot-1
                signal \(signal) SIGSEGV
                wall \(wall)
                monotonic 5
                module 1000 1000 2000 \(executable) /Shop.app/Shop
                image 1000 arm64e executable
                frame 1100
                end

                """
            try DiskStorage().makeFolder(path + "/crashes")
            try DiskStorage().replace("\(path)/crashes/\(wall)-42-1", with: Array(text.utf8), durably: false)
        }
    }

    @Test
    func `a repeated system report replaces its file and stays until it is recorded`() throws {
        let folder = Folder()
        try folder.reports.store(Self.crash())
        try folder.reports.store(Self.crash())
        #expect(folder.files.count == 1)
        let report = try #require(try folder.reports.pending().first)
        #expect(try folder.reports.pending() == [report])
        try folder.reports.remove(report, remembering: true)
        #expect(try folder.reports.pending().isEmpty)
    }

    @Test
    func `a crash with reports from both sources is returned once, from the process`() throws {
        let folder = Folder()
        try folder.reports.store(Self.crash())
        try folder.writeOwnReport()
        let reports = try folder.reports.pending()
        #expect(reports.map(\.isOwn) == [true])
        #expect(folder.files.count == 1)
        try folder.reports.remove(try #require(reports.first), remembering: true)
        // Its duplicate was matched, so the system's next report is of another crash.
        try folder.reports.store(Self.crash())
        #expect(try folder.reports.pending().count == 1)
    }

    @Test(arguments: [true, false])
    func `a recorded crash is not returned when the other source reports it later`(isOwnFirst: Bool) throws {
        let folder = Folder()
        if isOwnFirst { try folder.writeOwnReport() } else { try folder.reports.store(Self.crash()) }
        try folder.reports.remove(try #require(try folder.reports.pending().first), remembering: true)
        if isOwnFirst { try folder.reports.store(Self.crash()) } else { try folder.writeOwnReport() }
        #expect(try folder.reports.pending().isEmpty)
        #expect(folder.files.isEmpty)
        // A recorded crash suppresses only one later report.
        if isOwnFirst { try folder.reports.store(Self.crash()) } else { try folder.writeOwnReport() }
        #expect(try folder.reports.pending().count == 1)
    }

    @Test
    func `reports of different crashes are both returned`() throws {
        let folder = Folder()
        try folder.writeOwnReport(signal: 6)
        try folder.reports.store(Self.crash())
        #expect(try folder.reports.pending().map(\.isOwn) == [true, false])
        let elsewhere = Folder()
        try elsewhere.writeOwnReport(executable: "DDDD0000-0000-0000-0000-000000000000")
        try elsewhere.reports.store(Self.crash())
        #expect(try elsewhere.reports.pending().count == 2)
    }

    @Test
    func `removing all reports also removes the list of recorded crashes`() throws {
        let folder = Folder()
        try folder.writeOwnReport()
        try folder.reports.remove(try #require(try folder.reports.pending().first), remembering: true)
        try folder.reports.removeAll()
        try folder.reports.store(Self.crash())
        #expect(try folder.reports.pending().count == 1)
    }
}
