// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Glibc
import Testing
import Trackway
import TrackwayCore
import TrackwayJournal
import TrackwayPlatform
import TrackwayTesting

/// A crash report of one process becomes an event of the next.
@Suite("Crashes")
struct CrashTests {
    private static func report(wall: Int64, monotonic: Int64 = 1_000_500) -> [UInt8] {
        Array(
            """
            trackway-crash 1
            process 42
            boot memory
            module 1000 2000 3000 - /opt/shop/bin/shop
            ready
            signal 4 SIGILL
            wall \(wall)
            monotonic \(monotonic)
            thread 42
            message shop.swift:6: Fatal error: no shoes
            frame 2345
            end

            """.utf8
        )
    }

    private static var configuration: Configuration {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = [.standard, .crashes]
        return configuration
    }

    /// The storage of a run that recorded an event on a screen and crashed, leaving a report.
    private static func crashed(_ clock: ManualClock) throws -> FaultyStorage {
        let first = try InMemoryAnalytics(configuration, clock: clock)
        first.analytics.screen("Checkout", path: "checkout-1")
        first.analytics.record("before")
        clock.advance(by: .seconds(5))
        let now = clock.now()
        let storage = first.storageAfterKill()
        try storage.makeFolder(first.folder + "/crashes")
        try storage.replace(
            first.folder + "/crashes/1-42-0",
            with: report(wall: now.wall.milliseconds, monotonic: now.monotonic.milliseconds),
            durably: false
        )
        clock.advance(by: .seconds(60))
        return storage
    }

    private static func reports(_ storage: any JournalStorage) throws -> [String] {
        try storage.names(in: InMemoryAnalytics.usualFolder + "/crashes").filter { !$0.hasSuffix(".new") }
    }

    @Test
    func `a crash is recorded with its time, session and screen, before the recovered exit`() throws {
        let clock = ManualClock()
        let storage = try Self.crashed(clock)
        let before = clock.now().wall
        let second = try InMemoryAnalytics(Self.configuration, storage: storage, clock: clock)
        second.analytics.record("after")
        let events = second.recorded
        let crash = try #require(events.first { $0.event.name == "_app_exception" })
        #expect(crash.event.attributes["_exception_message"] == "SIGILL: shop.swift:6: Fatal error: no shoes")
        #expect(crash.event.attributes["_exception_stack"]?.string?.hasPrefix("0 shop + 0x1345") == true)
        #expect(crash.event.time.duration(to: before) == .seconds(60))
        let own = events.filter { $0.writer == crash.writer }.map(\.event.name)
        let crashPlace = try #require(own.firstIndex(of: "_app_exception"))
        let exitPlace = try #require(own.firstIndex(of: "_app_end"))
        #expect(crashPlace < exitPlace)
        let exit = try #require(events.first { $0.event.name == "_app_end" })
        // The process ran at least until it crashed.
        #expect(exit.event.attributes["_foreground_duration_msec"] == 5_000)
        #expect(try Self.reports(storage) == [])
    }

    @Test
    func `a report that is recorded twice, because the process died before removing it, has one event id`() throws {
        let clock = ManualClock()
        let storage = try Self.crashed(clock)
        storage.fail(.remove, with: .denied)
        let second = try InMemoryAnalytics(Self.configuration, storage: storage, clock: clock)
        second.analytics.record("after")
        storage.clearFaults()
        let afterKill = second.storageAfterKill()
        #expect(try Self.reports(afterKill) == ["1-42-0"])
        let third = try InMemoryAnalytics(Self.configuration, storage: afterKill, clock: clock)
        third.analytics.record("again")
        let crashes = third.events(named: "_app_exception")
        #expect(crashes.count == 2)
        #expect(Set(crashes.map(\.event.id)).count == 1)
        #expect(try Self.reports(afterKill) == [])
    }

    @Test
    func `without the option, no crash is recorded, and the report stays in its folder`() throws {
        let clock = ManualClock()
        let storage = try Self.crashed(clock)
        var configuration = Self.configuration
        configuration.capture = .standard
        let second = try InMemoryAnalytics(configuration, storage: storage, clock: clock)
        second.analytics.record("after")
        #expect(second.events(named: "_app_exception").isEmpty)
        #expect(try Self.reports(storage) == ["1-42-0"])
    }

    @Test
    func `with crash capture alone, nothing else is recorded automatically`() throws {
        let clock = ManualClock()
        let storage = try Self.crashed(clock)
        var configuration = Self.configuration
        configuration.capture = .crashes
        let known = try InMemoryAnalytics(configuration, storage: storage, clock: clock)
        let earlier = Set(known.recorded.map(\.event.id))
        known.analytics.record("after")
        let newNames = known.recorded.filter { !earlier.contains($0.event.id) }.map(\.event.name)
        #expect(newNames == ["_app_exception", "after"])
    }

    @Test
    func `erasing the installation erases its crash reports`() async throws {
        let clock = ManualClock()
        let storage = try Self.crashed(clock)
        var configuration = Self.configuration
        configuration.capture = []
        let second = try InMemoryAnalytics(configuration, storage: storage, clock: clock)
        try await second.analytics.erase()
        #expect(try Self.reports(storage) == [])
    }

    @Test(arguments: ["analytics", "recording"])
    func `a real process that crashes while recording is reported by the next one, and no event is lost`(
        _ preparation: String
    ) throws {
        let folder = NSTemporaryDirectory() + "trackway-crash-\(UUID().uuidString)"
        // A file left in the temporary folder does no harm.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let status = try Self.run("CrashProbe", [preparation, "fatal-error", folder])
        // The process was killed by a signal and did not exit.
        #expect(status & 0x7f != 0)
        let storage = FaultyStorage(DiskStorage())
        var configuration = Self.configuration
        // Delivery would remove events from the disk, so it is prevented.
        configuration.privacy.consent = .pending
        let next = try InMemoryAnalytics(configuration, storage: storage, folder: folder)
        next.analytics.record("after")
        let crash = try #require(next.events(named: "_app_exception").first)
        #expect(
            crash.event.attributes["_exception_message"]?.string?.contains("Fatal error: the worst of all errors")
                == true
        )
        #expect(next.events(named: "before").count == 1)
        #expect(next.events(named: "_app_end").first?.event.attributes["_is_recovered"] == true)
        if preparation == "recording" { #expect(next.events(named: "during").count >= 900) }
        #expect(next.analytics.ledger().isBalanced)
        #expect(try storage.names(in: folder + "/crashes") == [])
    }

    @Test(arguments: ["forking", "forking-quickly", "forking-busily"])
    func `a forked child records nothing, never waits, and leaves its parent's folder alone`(program: String) throws {
        let folder = NSTemporaryDirectory() + "trackway-fork-\(UUID().uuidString)"
        // A file left in the temporary folder does no harm.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let status = try Self.run("CrashProbe", [program, "-", folder])
        #expect(status == 0)
        var configuration = Self.configuration
        configuration.privacy.consent = .pending
        let next = try InMemoryAnalytics(configuration, storage: FaultyStorage(DiskStorage()), folder: folder)
        let numbers = next.events(named: "parent").map { $0.event.attributes["n"]?.integer }
        #expect(numbers == (0..<80).map { Int64($0) })
        #expect(next.events(named: "child").isEmpty)
        #expect(next.events(named: "typed").count == 1)
        #expect(next.events(named: "_screen_view").allSatisfy { $0.event.attributes["_screen_name"] == "Busy" })
        #expect(next.events(named: "_click").isEmpty)
        #expect(next.analytics.consent == .pending)
        #expect(next.recorded.allSatisfy { $0.global("child") == nil })
        let ledger = next.analytics.ledger()
        #expect(ledger.isBalanced)
        #expect(ledger.destinations["collector"]?.dropped.isEmpty == true)
    }

    /// Runs a program from the tests' folder without standard error, and returns its wait status.
    private static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
        let here = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let path = here.appendingPathComponent(program).path
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        // The runtime's own backtrace would take too long.
        var settings = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
        defer { for word in words + settings { free(word) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, path, &actions, nil, &words, &settings)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    @Test
    func `crash capture enabled later records an earlier crash with its screen and session, and changes nothing else`()
        throws
    {
        let clock = ManualClock()
        let storage = try Self.crashed(clock)
        var configuration = Self.configuration
        configuration.capture = .standard
        let second = try InMemoryAnalytics(configuration, storage: storage, clock: clock)
        second.analytics.screen("Home")
        #expect(second.events(named: "_app_exception").isEmpty)
        second.analytics.options.capture.insert(.crashes)
        second.analytics.record("after")
        let crash = try #require(second.events(named: "_app_exception").first)
        #expect(crash.screen == "Checkout")
        #expect(crash.session == second.events(named: "before").first?.session)
        #expect(second.events(named: "after").first?.screen == "Home")
        #expect(try Self.reports(storage) == [])
        second.analytics.options.capture.remove(.crashes)
        second.analytics.options.capture.insert(.crashes)
        #expect(second.events(named: "_app_exception").count == 1)
    }

    // MARK: System reports

    private static func systemReport(at time: Timestamp, signal: Int = 4) -> SystemReport {
        SystemReport(
            source: "MetricKit",
            kind: .crash(signal: signal, exception: 6),
            began: time,
            ended: time,
            process: 42,
            message: "Namespace SIGNAL, Code 4"
        )
    }

    private static var systemConfiguration: Configuration {
        var configuration = Self.configuration
        configuration.capture = [.standard, .crashes, .systemReports]
        return configuration
    }

    @Test
    func `a system report at run time is recorded immediately, without session and screen`() throws {
        let clock = ManualClock()
        let memory = try InMemoryAnalytics(Self.systemConfiguration, clock: clock)
        memory.analytics.screen("Home")
        let reports = CrashReports(in: memory.folder, storage: memory.storage)
        var hang = Self.systemReport(at: clock.now().wall)
        hang.kind = .hang(.seconds(3))
        try reports.store(Self.systemReport(at: clock.now().wall))
        try reports.store(hang)
        memory.analytics.lifecycle.controller.systemReportsArrived()
        memory.analytics.lifecycle.controller.systemReportsArrived()
        let crashEvents = memory.events(named: "_app_exception")
        #expect(crashEvents.count == 2)
        #expect(
            Set(crashEvents.compactMap { $0.event.attributes["_exception_message"]?.string }) == [
                "SIGILL: Namespace SIGNAL, Code 4", "hang of 3000 ms: Namespace SIGNAL, Code 4",
            ]
        )
        #expect(crashEvents.allSatisfy { $0.session == nil && $0.screen == nil })
        memory.analytics.record("after")
        #expect(memory.events(named: "after").first?.screen == "Home")
        #expect(try Self.reports(memory.storage) == [])
    }

    @Test
    func `a crash reported by the process and by the system is one event, even if one report arrives later`() throws {
        for isLater in [false, true] {
            let clock = ManualClock()
            let storage = try Self.crashed(clock)
            let crashTime = clock.now().wall.advanced(by: .seconds(-60))
            let reports = CrashReports(in: InMemoryAnalytics.usualFolder, storage: storage)
            if !isLater { try reports.store(Self.systemReport(at: crashTime)) }
            let second = try InMemoryAnalytics(Self.systemConfiguration, storage: storage, clock: clock)
            second.analytics.record("after")
            if isLater { try reports.store(Self.systemReport(at: crashTime)) }
            second.analytics.lifecycle.controller.systemReportsArrived()
            let crashEvents = second.events(named: "_app_exception")
            let messages = crashEvents.map { $0.event.attributes["_exception_message"] }
            #expect(messages == ["SIGILL: shop.swift:6: Fatal error: no shoes"])
            #expect(crashEvents.first?.screen == "Checkout")
            #expect(try Self.reports(storage) == [])
            // Another crash in the same minute that only the system reports.
            try reports.store(Self.systemReport(at: crashTime, signal: 9))
            second.analytics.lifecycle.controller.systemReportsArrived()
            #expect(second.events(named: "_app_exception").count == 2)
        }
    }

    @Test
    func `a system report from before the start is recorded at the first start with capture on`() throws {
        let clock = ManualClock()
        let storage = FaultyStorage()
        let reports = CrashReports(in: InMemoryAnalytics.usualFolder, storage: storage)
        try reports.store(Self.systemReport(at: clock.now().wall))
        var unasked = Self.configuration
        unasked.capture = .standard
        let first = try InMemoryAnalytics(unasked, storage: storage, clock: clock)
        first.analytics.record("before")
        first.analytics.lifecycle.controller.systemReportsArrived()
        #expect(first.events(named: "_app_exception").isEmpty)
        let second = try InMemoryAnalytics(Self.systemConfiguration, storage: first.storageAfterKill(), clock: clock)
        second.analytics.lifecycle.controller.systemReportsArrived()
        second.analytics.record("after")
        #expect(second.events(named: "_app_exception").count == 1)
    }

    @Test
    func `crash handlers can be installed and removed at run time, repeatedly and from several threads`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("crash-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.storage.folder = folder
        configuration.delivery.transport = ScriptedTransport()
        configuration.lifecycle.isObserved = false
        let analytics = try Analytics(configuration)
        func files() -> Int {
            let names = try? FileManager.default.contentsOfDirectory(
                atPath: folder.appendingPathComponent("crashes").path
            )
            return (names ?? []).count
        }
        #expect(files() == 0)
        analytics.options.capture = .crashes
        analytics.options.logEvents = false
        #expect(files() == 1)
        analytics.options.capture = []
        #expect(files() == 0)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for _ in 0..<5 {
                        analytics.options.capture = number.isMultiple(of: 2) ? .crashes : []
                    }
                }
            }
        }
        #expect(files() <= 1)
        analytics.options.capture = .crashes
        #expect(files() == 1)
        await analytics.shutdown()
    }
}
