// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle

@testable import TrackwayPlatform

/// Real processes that crash.
@Suite("Crash capture")
struct CrashCaptureTests {
    /// A folder that is deleted after its test.
    private final class Folder {
        let path: String

        init() throws {
            path = NSTemporaryDirectory() + "trackway-crash-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit {
            // Files left in the temporary folder do no harm.
            try? FileManager.default.removeItem(atPath: path)
        }

        var reports: CrashReports { CrashReports(in: path, storage: DiskStorage()) }
        var files: [String] {
            // A missing folder contains no files.
            (try? FileManager.default.contentsOfDirectory(atPath: path + "/crashes")) ?? []
        }
    }

    private static func run(_ preparation: String, _ kind: String, in folder: Folder) throws -> (
        status: ProbeProcess.Status, lines: [String]
    ) {
        let probe = try ProbeProcess(preparation, kind, folder.path, program: "CrashProbe", standardError: .discarded)
        var lines: [String] = []
        while let line = probe.line() { lines.append(line) }
        return (probe.status(), lines)
    }

    struct Crash: Sendable, CustomTestStringConvertible {
        let name: String
        let signal: Int32
        let message: String
        let isInProbe: Bool

        init(_ name: String, _ signal: Int32, _ message: String, isInProbe: Bool = true) {
            self.name = name
            self.signal = signal
            self.message = message
            self.isInProbe = isInProbe
        }

        var testDescription: String { name }
    }

    /// The signal of Swift's traps on this hardware.
    #if arch(x86_64)
    private static let trap = SIGILL
    private static let trapName = "SIGILL"
    #else
    private static let trap = SIGTRAP
    private static let trapName = "SIGTRAP"
    #endif

    private static let crashes = [
        Crash("nil", trap, "Fatal error: Unexpectedly found nil while unwrapping an Optional value"),
        Crash("fatal-error", trap, "Fatal error: the worst of all errors"),
        Crash("index", trap, "Fatal error: Index out of range"),
        Crash("overflow", trap, trapName),
        Crash("thrown", trap, "Fatal error: Error raised at top level"),
        Crash("null", SIGSEGV, "SIGSEGV at 0x8"),
        Crash("call", SIGSEGV, "SIGSEGV at 0x10"),
        Crash("stack", SIGSEGV, "SIGSEGV at 0x"),
        Crash("abort", SIGABRT, "SIGABRT"),
        Crash("divide", SIGFPE, "SIGFPE"),
        Crash("trap", SIGTRAP, "SIGTRAP"),
        Crash("bus", SIGBUS, "SIGBUS"),
        Crash("thread", SIGSEGV, "SIGSEGV at 0x8"),
        Crash("threads", SIGSEGV, "SIGSEGV at 0x8"),
    ]

    @Test(arguments: crashes)
    func `every kind of crash leaves a report and the same wait status as without the SDK`(_ kind: Crash) throws {
        let folder = try Folder()
        #expect(try Self.run("bare", kind.name, in: folder).status == .signaled(kind.signal))
        #expect(try folder.reports.pending().isEmpty)
        #expect(try Self.run("capture", kind.name, in: folder).status == .signaled(kind.signal))
        let reports = try folder.reports.pending()
        #expect(reports.count == 1)
        let report = try #require(reports.first)
        #expect(report.message.contains(kind.message), "\(report.message)")
        #expect(report.stack.contains("CrashProbe + 0x"), "\(report.stack)")
        #expect(report.stack.contains("\nin thread ") == kind.name.hasPrefix("thread"))
        #expect(report.at.boot == BootIdentity.current())
        let age = report.at.monotonic.duration(to: SystemClock().now().monotonic)
        #expect(age >= .zero && age < .seconds(600))
        try folder.reports.remove(report)
        #expect(folder.files.isEmpty)
    }

    @Test
    func `a report held without a lock is kept while its process lives`() throws {
        let boot = BootIdentity.current()
        for marker in [CrashCapture.LivenessMarker.exclusiveProcessID, .processID] {
            let folder = try Folder()
            do {
                let capture = try CrashCapture(in: folder.path, boot: boot, at: SystemClock().now(), liveness: marker)
                let file = try #require(folder.files.first)
                let lock = try DiskStorage().lock(folder.path + "/crashes/" + file)
                #expect(lock != nil)
                lock?.release()
                #expect(try folder.reports.pending().isEmpty)
                #expect(folder.files == [file], "a file without a holder would be removed")
                withExtendedLifetime(capture) {}
            }
            #expect(folder.files.isEmpty)
        }
    }

    @Test(arguments: [
        ("hold process", 4711, true, true, 0), ("hold process", 4711, true, false, 1),
        ("hold process", 4711, false, true, 1), ("hold alone", 4711, true, true, 1),
        ("also x", 4711, true, true, 1),
    ])
    func `a report held without a lock is returned once its process has ended`(
        hold: String,
        process: Int,
        isThisBoot: Bool,
        isAlive: Bool,
        reported: Int
    ) throws {
        let folder = try Folder()
        let boot = isThisBoot ? BootIdentity.current() : "another"
        try FileManager.default.createDirectory(atPath: folder.path + "/crashes", withIntermediateDirectories: true)
        let lines = "trackway-crash 1\nprocess \(process)\nboot \(boot)\n\(hold)\nsignal 11 SIGSEGV\nwall 5\n"
        try Data(lines.utf8).write(to: URL(fileURLWithPath: folder.path + "/crashes/5-\(process)-1"))
        let reports = CrashReports(in: folder.path, storage: DiskStorage(), isAlive: { $0 == process && isAlive })
        #expect(try reports.pending().count == reported)
        #expect(folder.files.count == 1)
    }

    @Test
    func `stack words that look like return addresses at a module's first bytes do not cut a report short`() throws {
        let folder = try Folder()
        #expect(try Self.run("capture", "edge", in: folder).status == .signaled(SIGABRT))
        let file = try #require(folder.files.first)
        let text = try String(contentsOfFile: folder.path + "/crashes/" + file, encoding: .utf8)
        #expect(text.hasSuffix("\nend\n"), "\(text.suffix(400))")
    }

    @Test(arguments: ["null", "abort"])
    func `at the file size limit, a crash keeps its own signal`(_ kind: String) throws {
        let folder = try Folder()
        #expect(try Self.run("limited", kind, in: folder).status == .signaled(kind == "null" ? SIGSEGV : SIGABRT))
    }

    @Test
    func `at the file size limit, events are dropped and counted, and the process continues`() throws {
        let folder = try Folder()
        let (status, lines) = try Self.run("limited-analytics", "none", in: folder)
        #expect(status == .exited(0))
        #expect(lines.first == "kept")
        #expect(lines.last == "dropped storage_full")
    }

    @Test
    func `a file size limit too small for a journal does not end the process`() throws {
        let folder = try Folder()
        let (status, lines) = try Self.run("limited-start", "none", in: folder)
        #expect(status == .exited(0))
        #expect(lines.count == 1)
    }

    @Test
    func `a deep recursion's report is bounded`() throws {
        let folder = try Folder()
        _ = try Self.run("capture", "stack", in: folder)
        let report = try #require(try folder.reports.pending().first)
        #expect(report.stack.contains("and deeper"))
        #expect(report.stack.utf8.count < 16_384)
    }

    @Test(arguments: ["handler", "handler-once"])
    func `the host's own handler still runs and decides how its process dies`(_ preparation: String) throws {
        for kind in ["null", "abort", "fatal-error"] {
            let folder = try Folder()
            let (status, lines) = try Self.run(preparation, kind, in: folder)
            #expect(lines == ["handled"], "\(kind)")
            #expect(status == .signaled(kind == "null" ? SIGSEGV : kind == "abort" ? SIGABRT : Self.trap))
            #expect(try folder.reports.pending().count == 1)
        }
    }

    struct OtherReporter: Sendable, CustomTestStringConvertible {
        let preparation: String
        let lines: [String]
        let reports: Int

        var testDescription: String { preparation }
    }

    @Test(
        arguments: [
            OtherReporter(preparation: "other-chains", lines: ["other"], reports: 1),
            OtherReporter(preparation: "other-restores", lines: ["other"], reports: 1),
            // A later handler that does not chain prevents our report.
            OtherReporter(preparation: "other-ends", lines: ["other"], reports: 0),
            OtherReporter(preparation: "other-removed", lines: [], reports: 1),
            OtherReporter(preparation: "ended-below", lines: ["other"], reports: 0),
            OtherReporter(preparation: "restarted-below", lines: ["other"], reports: 1),
            // A reporter with its own Mach port restores the handlers that it found, so it must start after ours.
            OtherReporter(preparation: "port-before", lines: [], reports: 0),
            OtherReporter(preparation: "port-after", lines: [], reports: 1),
            OtherReporter(preparation: "between", lines: ["other", "handled"], reports: 1),
        ],
        ["null", "abort", "fatal-error"]
    )
    func `another reporter's order and chaining decide which ones report, and the crash keeps its signal`(
        _ reporter: OtherReporter,
        _ kind: String
    ) throws {
        let folder = try Folder()
        let (status, lines) = try Self.run(reporter.preparation, kind, in: folder)
        #expect(lines == reporter.lines)
        #expect(status == .signaled(kind == "null" ? SIGSEGV : kind == "abort" ? SIGABRT : Self.trap))
        #expect(try folder.reports.pending().count == reporter.reports)
    }

    @Test
    func `an uncaught exception's message and return addresses are in the report of its abort`() throws {
        let folder = try Folder()
        #expect(try Self.run("capture", "exception", in: folder).status == .signaled(SIGABRT))
        let report = try #require(try folder.reports.pending().first)
        #expect(report.message == "SIGABRT: NSRangeException: index 5 beyond bounds")
        let lines = report.stack.split(separator: "\n")
        #expect(lines.count > 4)
        #expect(lines.prefix(2).allSatisfy { $0.contains(" CrashProbe + 0x") })
        #expect(lines.dropFirst(2).first == "uncaught, and ended in")
    }

    @Test
    func `an exception caught on another thread does not appear in the report of an abort`() throws {
        let folder = try Folder()
        #expect(try Self.run("capture", "exception-elsewhere", in: folder).status == .signaled(SIGABRT))
        let report = try #require(try folder.reports.pending().first)
        #expect(report.message == "SIGABRT")
        #expect(!report.stack.contains("uncaught"))
    }

    @Test
    func `a fault that the host repairs is not a crash`() throws {
        let folder = try Folder()
        let (status, lines) = try Self.run("repair", "repair", in: folder)
        #expect(lines == ["repaired", "alive"])
        #expect(status == .exited(0))
        #expect(try folder.reports.pending().isEmpty)
    }

    @Test
    func `after capturing ends, a crash leaves no report and no file`() throws {
        let folder = try Folder()
        #expect(try Self.run("ended", "null", in: folder).status == .signaled(SIGSEGV))
        #expect(folder.files.isEmpty)
    }

    @Test
    func `a normal exit leaves a file without a report, which the next read deletes`() throws {
        let folder = try Folder()
        #expect(try Self.run("capture", "none", in: folder).status == .exited(0))
        #expect(try folder.reports.pending().isEmpty)
        #expect(folder.files.isEmpty)
    }

    @Test
    func `a crash in a forked child leaves no report for its parent`() throws {
        let folder = try Folder()
        let (status, lines) = try Self.run("capture", "child", in: folder)
        #expect(lines == ["child \(SIGSEGV)"])
        #expect(status == .exited(0))
        #expect(try folder.reports.pending().isEmpty)
    }

    @Test
    func `a live process's file is kept`() throws {
        let folder = try Folder()
        let capture = try CrashCapture(in: folder.path, boot: "boot-1", at: SystemClock().now())
        #expect(try folder.reports.pending().isEmpty)
        #expect(folder.files.count == 1)
        withExtendedLifetime(capture) {}
    }

    @Test
    func `an unwritable folder throws an error`() throws {
        let folder = try Folder()
        try Data().write(to: URL(fileURLWithPath: folder.path + "/crashes"))
        #expect(throws: CrashCaptureError.self) {
            _ = try CrashCapture(in: folder.path, boot: "boot-1", at: SystemClock().now())
        }
    }

    @Test
    func `files without a report are deleted regardless of their size, except empty ones`() throws {
        let folder = try Folder()
        let crashes = folder.path + "/crashes"
        try FileManager.default.createDirectory(atPath: crashes, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 2 << 20).write(to: URL(fileURLWithPath: crashes + "/large"))
        try Data("hello".utf8).write(to: URL(fileURLWithPath: crashes + "/text"))
        try Data().write(to: URL(fileURLWithPath: crashes + "/starting"))
        #expect(try folder.reports.pending().isEmpty)
        #expect(folder.files == ["starting"])
    }
}
