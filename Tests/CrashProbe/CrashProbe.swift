// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import Trackway
internal import TrackwayCore
internal import TrackwayPlatform

/// A process that crashes on request.
///
/// The first argument is the preparation, the second the kind of crash. The third is the folder for reports, or the
/// storage folder if a complete SDK runs.
@main
struct CrashProbe {
    /// The preparation before the crash.
    enum Preparation: String {
        /// Captures reports.
        case capture
        /// Does nothing, to show how the process dies without the SDK.
        case bare
        /// The host handles the signals, reports them and lets the default action follow.
        case handler
        /// The host handles them once.
        case handlerOnce = "handler-once"
        /// The host repairs the fault and continues.
        case repair
        /// Captures reports and then stops capturing.
        case ended
        /// A complete SDK captures reports and has recorded a few events.
        case analytics
        /// A complete SDK captures reports while other threads record events.
        case recording
        /// A complete SDK starts again, records an event and exits.
        case start
        /// Captures reports; after that, no file may grow.
        case limited
        /// Starts a complete SDK; after that, no file may grow beyond half of the journal's reservation.
        case limitedAnalytics = "limited-analytics"
        /// Sets the limit before the SDK starts.
        case limitedStart = "limited-start"
        /// Another reporter starts after ours, reports and calls ours.
        case otherChains = "other-chains"
        /// Another reporter restores the handlers that it found and lets the fault happen again.
        case otherRestores = "other-restores"
        /// Another reporter does not call any other handler.
        case otherEnds = "other-ends"
        /// Another reporter installs its handlers and removes them again.
        case otherRemoved = "other-removed"
        /// Our capture ends while a later reporter still calls our handler.
        case endedBelow = "ended-below"
        /// The same, and then our capture starts again.
        case restartedBelow = "restarted-below"
        /// Another reporter receives faults before any signal, as reporters with a Mach port do.
        ///
        /// It restores the handlers that it found: none, because it started first.
        case portBefore = "port-before"
        /// The same, but it started after ours.
        case portAfter = "port-after"
        /// One reporter starts before ours and one after it; each calls the handler that it found.
        case between
    }

    struct ProbeError: Error {}

    nonisolated(unsafe) private static var capture: CrashCapture?
    nonisolated(unsafe) private static var analytics: Analytics?

    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 4, let status = try NeighborProbe.run(arguments[1], arguments[3]) { exit(status) }
        guard arguments.count == 4, let preparation = Preparation(rawValue: arguments[1]) else { exit(64) }
        try prepare(preparation, folder: arguments[3])
        if preparation == .start { return }
        try crash(arguments[2])
    }

    private static func prepare(_ preparation: Preparation, folder: String) throws {
        switch preparation {
        case .bare: break
        case .capture: try begin(folder)
        case .handler:
            handle(flags: 0)
            try begin(folder)
        case .limited:
            try begin(folder)
            limitFiles(to: 0)
        case .limitedAnalytics:
            analytics = try makeAnalytics(folder)
            recordAndPrint()
            limitFiles(to: 500_000)
            for _ in 0..<3_000 { recordAndPrint(isQuiet: true) }
            recordAndPrint()
        case .limitedStart:
            limitFiles(to: 4_096)
            do {
                analytics = try makeAnalytics(folder)
                recordAndPrint()
            } catch {
                printLine("refused")
            }
        case .handlerOnce:
            handle(flags: Int32(bitPattern: UInt32(SA_RESETHAND)))
            try begin(folder)
        case .repair:
            installRepairingHandler()
            try begin(folder)
        case .ended:
            try begin(folder)
            capture = nil
        case .otherChains:
            try begin(folder)
            report(.chains)
        case .otherRestores:
            try begin(folder)
            report(.restores)
        case .otherEnds:
            try begin(folder)
            report(.ends)
        case .otherRemoved:
            try begin(folder)
            report(.chains)
            restoreHandlers()
        case .endedBelow, .restartedBelow:
            try begin(folder)
            report(.chains)
            capture = nil
            if preparation == .restartedBelow { try begin(folder) }
        case .portBefore:
            saveHandlers()
            try begin(folder)
            restoreHandlers()
        case .portAfter:
            try begin(folder)
            saveHandlers()
            restoreHandlers()
        case .between:
            handle(flags: 0)
            try begin(folder)
            report(.chains)
        case .analytics, .recording, .start:
            let analytics = try makeAnalytics(folder)
            Self.analytics = analytics
            if preparation != .start {
                analytics.screen("Checkout", path: "checkout-1")
                analytics.record("before", ["n": 1])
            } else {
                // Starts the SDK, which reads the crash's report.
                analytics.record("after")
            }
            if preparation == .recording { recordIndefinitely(analytics) }
        }
    }

    private static func begin(_ folder: String) throws {
        capture = try CrashCapture(in: folder, boot: BootIdentity.current(), at: SystemClock().now())
    }

    private static func makeAnalytics(_ folder: String) throws -> Analytics {
        // This port has no listener.
        var configuration = Configuration(
            appID: "probe",
            destinations: [.collector(try Self.unreachableURL(), writeKey: "key")],
            consent: .granted
        )
        configuration.storage.folder = URL(fileURLWithPath: folder)
        configuration.capture = [.standard, .crashes]
        return try Analytics(configuration)
    }

    private static func unreachableURL() throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:9") else { throw ProbeError() }
        return url
    }

    private static func recordIndefinitely(_ analytics: Analytics) {
        for _ in 0..<3 {
            inThread {
                while true { Self.analytics?.record("during", ["text": "some text to be encoded", "n": 42]) }
            }
        }
        // Wait until the threads record events.
        while analytics.ledger().recorded < 1_000 { sched_yield() }
    }

    private static func inThread(_ body: @escaping @convention(c) () -> Void) {
        let work = UnsafeMutablePointer<@convention(c) () -> Void>.allocate(capacity: 1)
        work.initialize(to: body)
        var thread = pthread_t()
        pthread_create(
            &thread,
            nil,
            { work in
                work?.assumingMemoryBound(to: (@convention(c) () -> Void).self).pointee()
                return nil
            },
            work
        )
    }

    // MARK: File size limits

    private static func limitFiles(to bytes: rlim_t) {
        var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    private static func recordAndPrint(isQuiet: Bool = false) {
        let text = String(repeating: "x", count: 1_000)
        let receipt = analytics?.record("limited", ["text": .string(text)])
        if !isQuiet { printLine(receipt?.dropped.map { "dropped \($0)" } ?? "kept") }
    }

    private static func printLine(_ line: String) {
        var text = line + "\n"
        text.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    // MARK: The host's own handlers

    private static let fatal = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP]

    private static func handle(flags: Int32) {
        for number in fatal {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in
                _ = write(STDOUT_FILENO, "handled\n", 8)
                signal(number, SIG_DFL)
            }
            action.sa_flags = flags
            sigaction(number, &action, nil)
        }
    }

    nonisolated(unsafe) private static var page: UnsafeMutableRawPointer?

    /// Makes the page writable when it is written to.
    private static func installRepairingHandler() {
        page = mmap(nil, 4_096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            mprotect(CrashProbe.page, 4_096, PROT_READ | PROT_WRITE)
            _ = write(STDOUT_FILENO, "repaired\n", 9)
        }
        sigaction(SIGSEGV, &action, nil)
    }

    // MARK: Another reporter

    /// The reporter's action after it writes its report.
    private enum ReporterBehavior {
        case chains, restores, ends
    }

    /// The handlers that the reporter found, by signal.
    nonisolated(unsafe) private static let previousHandlers = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)

    private static func saveHandlers() {
        for number in fatal { sigaction(number, nil, previousHandlers + Int(number)) }
    }

    private static func restoreHandlers() {
        for number in fatal { sigaction(number, previousHandlers + Int(number), nil) }
    }

    private static func report(_ behavior: ReporterBehavior) {
        saveHandlers()
        for number in fatal {
            var action = sigaction()
            action.sa_flags = SA_SIGINFO | SA_ONSTACK
            switch behavior {
            case .chains:
                action.__sigaction_handler.sa_sigaction = { number, information, machine in
                    _ = write(STDOUT_FILENO, "other\n", 6)
                    CrashProbe.previousHandlers[Int(number)].__sigaction_handler.sa_sigaction?(
                        number,
                        information,
                        machine
                    )
                }
            case .restores:
                action.__sigaction_handler.sa_sigaction = { number, _, _ in
                    _ = write(STDOUT_FILENO, "other\n", 6)
                    CrashProbe.restoreHandlers()
                    // A signal that is not a fault does not repeat automatically.
                    if number == SIGABRT { raise(number) }
                }
            case .ends:
                action.__sigaction_handler.sa_sigaction = { number, _, _ in
                    _ = write(STDOUT_FILENO, "other\n", 6)
                    signal(number, SIG_DFL)
                    raise(number)
                }
            }
            sigaction(number, &action, nil)
        }
    }

    // MARK: Crashes

    private static func crash(_ kind: String) throws {
        switch kind {
        case "nil":
            let nothing: Int? = CommandLine.arguments.count > 50 ? 1 : nil
            print(nothing!)
        case "fatal-error": fatalError("the worst of all errors")
        case "index": print([1, 2, 3][CommandLine.arguments.count])
        case "overflow": print(Int8(CommandLine.arguments.count) + Int8.max)
        case "edge": abortNearModuleEdge()
        case "null": touchNull()
        case "call": call(0x10)
        case "stack": print(recurse(CommandLine.arguments.count))
        case "abort": abort()
        case "exception": throwException()
        case "exception-elsewhere":
            inThread { CrashProbe.throwException(isUncaught: false) }
            while !isThrown { sched_yield() }
            abort()
        case "thrown": throw ProbeError()
        case "thread":
            inThread { CrashProbe.touchNull() }
            while true { pause() }
        case "threads":
            for _ in 0..<8 { inThread { CrashProbe.touchNull() } }
            while true { pause() }
        case "divide": raise(SIGFPE)
        case "trap": raise(SIGTRAP)
        case "bus": raise(SIGBUS)
        case "child": crashInForkedChild()
        case "repair":
            page?.storeBytes(of: 1, as: Int.self)
            _ = write(STDOUT_FILENO, "alive\n", 6)
        case "none": break
        default: exit(64)
        }
    }

    nonisolated(unsafe) private static var isThrown = false

    /// Records an exception as a handler for uncaught exceptions does on Apple's systems.
    ///
    /// On those systems, the runtime aborts afterward.
    private static func throwException(isUncaught: Bool = true) {
        let here: @convention(c) () -> Void = { CrashProbe.touchNull() }
        let address = UInt64(UInt(bitPattern: unsafeBitCast(here, to: UnsafeRawPointer.self)))
        CrashCapture.note(exception: "NSRangeException: index 5\nbeyond bounds", thrownAt: [address, address + 4])
        isThrown = true
        if isUncaught { abort() }
        while true { pause() }
    }

    @inline(never)
    private static func touchNull() {
        UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
    }

    private static func call(_ address: Int) {
        unsafeBitCast(address, to: (@convention(c) () -> Void).self)()
    }

    /// Aborts with words on the stack that look like return addresses.
    ///
    /// The words point to the first bytes of a module without readable memory before it.
    private static func abortNearModuleEdge() {
        // The kernel maps its vDSO after pages that only the kernel can read.
        var maps = [UInt8](repeating: 0, count: 1 << 18)
        let file = open("/proc/self/maps", O_RDONLY)
        var count = 0
        while case let got = read(file, &maps[count], maps.count - count), got > 0 { count += got }
        let lines = String(decoding: maps.prefix(count), as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasSuffix("[vdso]") } ?? ""
        guard let first = UInt(line.prefix { $0 != "-" }, radix: 16) else { exit(70) }
        withUnsafeTemporaryAllocation(of: UInt.self, capacity: 100) { words in
            words.initialize(repeating: first)
            withExtendedLifetime(words.baseAddress) { abort() }
        }
    }

    @inline(never)
    private static func recurse(_ depth: Int) -> Int {
        depth < 0 ? 0 : recurse(depth + 1) + recurse(depth + 2) + depth
    }

    private static func crashInForkedChild() {
        // Fork as a C library would, because Swift provides no call for it.
        let child = spawnCopy()
        if child == 0 { touchNull() }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        print("child \(status & 0x7f)")
    }

    private static func spawnCopy() -> pid_t {
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = dlsym(nil, "fork") else { return -1 }
        return unsafeBitCast(symbol, to: Fork.self)()
    }
}
