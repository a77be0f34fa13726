// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import Testing
internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal

@testable import TrackwayPlatform

/// Real processes that crash.
@Suite("Crash capture")
struct CrashCaptureTests {
    /// A folder that is deleted with its test.
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
            // No files exist without a folder.
            (try? FileManager.default.contentsOfDirectory(atPath: path + "/crashes")) ?? []
        }
    }

    private static func run(_ preparation: String, _ way: String, in folder: Folder) throws -> (
        status: ProbeProcess.Status, lines: [String]
    ) {
        let probe = try ProbeProcess(preparation, way, folder.path, program: "CrashProbe", standardError: .discarded)
        var lines: [String] = []
        while let line = probe.line() { lines.append(line) }
        return (probe.status(), lines)
    }

    struct Way: Sendable, CustomTestStringConvertible {
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

    private static let ways = [
        Way("nil", trap, "Fatal error: Unexpectedly found nil while unwrapping an Optional value"),
        Way("fatal-error", trap, "Fatal error: the worst of all errors"),
        Way("index", trap, "Fatal error: Index out of range"),
        Way("overflow", trap, trapName),
        Way("thrown", trap, "Fatal error: Error raised at top level"),
        Way("null", SIGSEGV, "SIGSEGV at 0x8"),
        Way("call", SIGSEGV, "SIGSEGV at 0x10"),
        Way("stack", SIGSEGV, "SIGSEGV at 0x"),
        Way("abort", SIGABRT, "SIGABRT"),
        Way("divide", SIGFPE, "SIGFPE"),
        Way("trap", SIGTRAP, "SIGTRAP"),
        Way("bus", SIGBUS, "SIGBUS"),
        Way("thread", SIGSEGV, "SIGSEGV at 0x8"),
        Way("threads", SIGSEGV, "SIGSEGV at 0x8"),
    ]

    @Test("every kind of crash leaves a report and the same wait status as without the SDK", arguments: ways)
    func leavesReport(_ way: Way) throws {
        let folder = try Folder()
        #expect(try Self.run("bare", way.name, in: folder).status == .signalled(way.signal))
        #expect(try folder.reports.pending().isEmpty)
        #expect(try Self.run("capture", way.name, in: folder).status == .signalled(way.signal))
        let reports = try folder.reports.pending()
        #expect(reports.count == 1)
        let report = try #require(reports.first)
        #expect(report.message.contains(way.message), "\(report.message)")
        #expect(report.stack.contains("CrashProbe + 0x"), "\(report.stack)")
        #expect(report.stack.contains("\nin thread ") == way.name.hasPrefix("thread"))
        #expect(report.at.boot == BootIdentity.current())
        let age = report.at.monotonic.duration(to: SystemClock().now().monotonic)
        #expect(age >= .zero && age < .seconds(600))
        try folder.reports.remove(report)
        #expect(folder.files.isEmpty)
    }

    @Test("a report held without a lock is kept while its process lives")
    func withoutLock() throws {
        let boot = BootIdentity.current()
        for hold in [CrashCapture.Hold.alone, .amongProcesses] {
            let folder = try Folder()
            do {
                let capture = try CrashCapture(in: folder.path, boot: boot, at: SystemClock().now(), hold: hold)
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

    @Test(
        "a report held without a lock is returned once its process has ended",
        arguments: [
            ("hold process", 4711, true, true, 0), ("hold process", 4711, true, false, 1),
            ("hold process", 4711, false, true, 1), ("hold alone", 4711, true, true, 1),
            ("also x", 4711, true, true, 1),
        ]
    )
    func unlocked(hold: String, process: Int, isThisBoot: Bool, isAlive: Bool, told: Int) throws {
        let folder = try Folder()
        let boot = isThisBoot ? BootIdentity.current() : "another"
        try FileManager.default.createDirectory(atPath: folder.path + "/crashes", withIntermediateDirectories: true)
        let lines = "trackway-crash 1\nprocess \(process)\nboot \(boot)\n\(hold)\nsignal 11 SIGSEGV\nwall 5\n"
        try Data(lines.utf8).write(to: URL(fileURLWithPath: folder.path + "/crashes/5-\(process)-1"))
        let reports = CrashReports(in: folder.path, storage: DiskStorage(), isAlive: { $0 == process && isAlive })
        #expect(try reports.pending().count == told)
        #expect(folder.files.count == 1)
    }

    @Test(
        "stack words that look like return addresses at a module's first bytes do not cut a report short"
    )
    func besideAnEdge() throws {
        let folder = try Folder()
        #expect(try Self.run("capture", "edge", in: folder).status == .signalled(SIGABRT))
        let file = try #require(folder.files.first)
        let text = try String(contentsOfFile: folder.path + "/crashes/" + file, encoding: .utf8)
        #expect(text.hasSuffix("\nend\n"), "\(text.suffix(400))")
    }

    @Test(
        "at the file size limit a crash keeps its own signal",
        arguments: ["null", "abort"]
    )
    func limited(_ way: String) throws {
        let folder = try Folder()
        #expect(try Self.run("limited", way, in: folder).status == .signalled(way == "null" ? SIGSEGV : SIGABRT))
    }

    @Test("at the file size limit events are dropped and counted, and the process continues")
    func limitedJournal() throws {
        let folder = try Folder()
        let (status, lines) = try Self.run("limited-analytics", "none", in: folder)
        #expect(status == .exited(0))
        #expect(lines.first == "kept")
        #expect(lines.last == "dropped storage_full")
    }

    @Test("a file size limit too small for a journal does not end the process")
    func limitedStart() throws {
        let folder = try Folder()
        let (status, lines) = try Self.run("limited-start", "none", in: folder)
        #expect(status == .exited(0))
        #expect(lines.count == 1)
    }

    @Test("a deep recursion's report is bounded")
    func bounded() throws {
        let folder = try Folder()
        _ = try Self.run("capture", "stack", in: folder)
        let report = try #require(try folder.reports.pending().first)
        #expect(report.stack.contains("and deeper"))
        #expect(report.stack.utf8.count < 16_384)
    }

    @Test(
        "the host's own handler still runs and decides how its process dies",
        arguments: ["handler", "handler-once"]
    )
    func chained(_ preparation: String) throws {
        for way in ["null", "abort", "fatal-error"] {
            let folder = try Folder()
            let (status, lines) = try Self.run(preparation, way, in: folder)
            #expect(lines == ["handled"], "\(way)")
            #expect(status == .signalled(way == "null" ? SIGSEGV : way == "abort" ? SIGABRT : Self.trap))
            #expect(try folder.reports.pending().count == 1)
        }
    }

    struct Neighbour: Sendable, CustomTestStringConvertible {
        let preparation: String
        let says: [String]
        let reports: Int

        var testDescription: String { preparation }
    }

    @Test(
        "another reporter's order and chaining decide which ones report, and the crash keeps its signal",
        arguments: [
            Neighbour(preparation: "other-chains", says: ["other"], reports: 1),
            Neighbour(preparation: "other-restores", says: ["other"], reports: 1),
            // A later handler that does not chain prevents our report.
            Neighbour(preparation: "other-ends", says: ["other"], reports: 0),
            Neighbour(preparation: "other-gone", says: [], reports: 1),
            Neighbour(preparation: "ended-beneath", says: ["other"], reports: 0),
            Neighbour(preparation: "again-beneath", says: ["other"], reports: 1),
            // A reporter with its own Mach port restores the handlers that it found, so it must start after ours.
            Neighbour(preparation: "port-before", says: [], reports: 0),
            Neighbour(preparation: "port-after", says: [], reports: 1),
            Neighbour(preparation: "between", says: ["other", "handled"], reports: 1),
        ],
        ["null", "abort", "fatal-error"]
    )
    func neighbours(_ neighbour: Neighbour, _ way: String) throws {
        let folder = try Folder()
        let (status, lines) = try Self.run(neighbour.preparation, way, in: folder)
        #expect(lines == neighbour.says)
        #expect(status == .signalled(way == "null" ? SIGSEGV : way == "abort" ? SIGABRT : Self.trap))
        #expect(try folder.reports.pending().count == neighbour.reports)
    }

    @Test("an uncaught exception's message and return addresses are in the report of its abort")
    func exception() throws {
        let folder = try Folder()
        #expect(try Self.run("capture", "exception", in: folder).status == .signalled(SIGABRT))
        let report = try #require(try folder.reports.pending().first)
        #expect(report.message == "SIGABRT: NSRangeException: index 5 beyond bounds")
        let lines = report.stack.split(separator: "\n")
        #expect(lines.count > 4)
        #expect(lines.prefix(2).allSatisfy { $0.contains(" CrashProbe + 0x") })
        #expect(lines.dropFirst(2).first == "uncaught, and ended in")
    }

    @Test("an exception caught on another thread does not appear in the report of an abort")
    func exceptionElsewhere() throws {
        let folder = try Folder()
        #expect(try Self.run("capture", "exception-elsewhere", in: folder).status == .signalled(SIGABRT))
        let report = try #require(try folder.reports.pending().first)
        #expect(report.message == "SIGABRT")
        #expect(!report.stack.contains("uncaught"))
    }

    @Test("a fault that the host repairs is not a crash")
    func mended() throws {
        let folder = try Folder()
        let (status, lines) = try Self.run("mend", "mend", in: folder)
        #expect(lines == ["mended", "alive"])
        #expect(status == .exited(0))
        #expect(try folder.reports.pending().isEmpty)
    }

    @Test("after capturing ends, a crash leaves no report and no file")
    func ended() throws {
        let folder = try Folder()
        #expect(try Self.run("ended", "null", in: folder).status == .signalled(SIGSEGV))
        #expect(folder.files.isEmpty)
    }

    @Test("a normal exit leaves a file without a report, which the next read deletes")
    func normalEnd() throws {
        let folder = try Folder()
        #expect(try Self.run("capture", "none", in: folder).status == .exited(0))
        #expect(try folder.reports.pending().isEmpty)
        #expect(folder.files.isEmpty)
    }

    @Test("a crash in a forked child leaves no report for its parent")
    func child() throws {
        let folder = try Folder()
        let (status, lines) = try Self.run("capture", "child", in: folder)
        #expect(lines == ["child \(SIGSEGV)"])
        #expect(status == .exited(0))
        #expect(try folder.reports.pending().isEmpty)
    }

    @Test("a live process's file is kept")
    func living() throws {
        let folder = try Folder()
        let capture = try CrashCapture(in: folder.path, boot: "boot-1", at: SystemClock().now())
        #expect(try folder.reports.pending().isEmpty)
        #expect(folder.files.count == 1)
        withExtendedLifetime(capture) {}
    }

    @Test("an unwritable folder throws an error")
    func noFolder() throws {
        let folder = try Folder()
        try Data().write(to: URL(fileURLWithPath: folder.path + "/crashes"))
        #expect(throws: CrashCaptureError.self) {
            _ = try CrashCapture(in: folder.path, boot: "boot-1", at: SystemClock().now())
        }
    }

    @Test("files without a report are deleted regardless of their size, except empty ones")
    func strangers() throws {
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
