// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Glibc
internal import TrackwayDestinationKit
internal import TrackwayPlatform

/// Measures leaks of transports, and their behavior when resources run out, in a separate process.
enum TransportProbe {
    /// Sends through a new transport.
    private static func send(_ url: String) async -> Bool {
        do {
            let transport = CurlTransport(settings: NetworkSettings())
            return try await transport.send(WireRequest(url: url, body: [1]), timeout: .seconds(60)).status == 200
        } catch {
            return false
        }
    }

    private static func wait<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value? {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var value: Value?
        Task {
            value = await work()
            done.signal()
        }
        done.wait()
        return value
    }

    private static func count(_ folder: String) -> Int {
        guard let entries = opendir(folder) else { return -1 }
        defer { closedir(entries) }
        var count = 0
        while readdir(entries) != nil { count += 1 }
        return count
    }

    /// Creates two thousand transports one after another and counts what they leak.
    static func transports(_ url: String) {
        // Let the libraries open the descriptors that they open only once.
        for _ in 0..<8 { _ = wait { await send(url) } }
        settle()
        let (descriptors, threads) = (count("/proc/self/fd"), count("/proc/self/task"))
        let answered = wait {
            var answered = 0
            for _ in 0..<2_000 where await send(url) { answered += 1 }
            return answered
        }
        LifecycleProbe.printLine("answered \(answered ?? 0)")
        // Threads end soon after the last transport is released.
        var turns = 0
        while turns < 2_000_000, count("/proc/self/task") > threads || count("/proc/self/fd") > descriptors {
            sched_yield()
            turns += 1
        }
        let remaining = (count("/proc/self/fd") - descriptors, count("/proc/self/task") - threads)
        LifecycleProbe.printLine("descriptors \(max(0, remaining.0)) threads \(max(0, remaining.1))")
        exit(0)
    }

    /// Waits until the threads of all transports have ended.
    private static func settle() {
        var last = (0, 0)
        var unchanged = 0
        while unchanged < 20_000 {
            let now = (count("/proc/self/fd"), count("/proc/self/task"))
            unchanged = now == last ? unchanged + 1 : 0
            last = now
            sched_yield()
        }
    }

    /// Sends with one more free descriptor each time, starting with none.
    static func starved(_ url: String) {
        // Start Swift's own threads before descriptors run out.
        _ = wait { true }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let whole = limit
        let used = count("/proc/self/fd") - 3
        for spare in 0...12 {
            limit.rlim_cur = rlim_t(used + spare)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let isAnswered = wait { await send(url) } ?? false
            LifecycleProbe.printLine(isAnswered ? "answer" : "error")
        }
        limit = whole
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        LifecycleProbe.printLine(wait { await send(url) } ?? false ? "answer" : "error")
        exit(0)
    }

    /// Reports the names of the SDK's threads while a request waits.
    ///
    /// Also reports whether each thread blocks the host's signals and receives faults.
    static func threads(_ url: String) {
        let observation = try? LifecycleSignals.process.observe { _, _ in }
        let transport = CurlTransport(settings: NetworkSettings())
        // The server sends no response; the process ends first.
        Task { _ = try? await transport.send(WireRequest(url: url), timeout: .seconds(600)) }
        // This request gets a response and uses the same thread, whether it runs before or after the first one.
        _ = wait { try? await transport.send(WireRequest(url: url + "/answered"), timeout: .seconds(60)).status }
        var lines: [String] = []
        for thread in names(in: "/proc/self/task") {
            let name = text("/proc/self/task/\(thread)/comm").prefix { $0 != "\n" }
            guard name.hasPrefix("trackway."), let mask = blocked(thread) else { continue }
            let leavesHosts = [SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT, SIGPIPE, SIGUSR1, SIGCHLD, SIGALRM]
                .allSatisfy { mask >> UInt64($0 - 1) & 1 == 1 }
            let hearsFaults = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP]
                .allSatisfy { mask >> UInt64($0 - 1) & 1 == 0 }
            lines.append("\(name) \(leavesHosts) \(hearsFaults)")
        }
        LifecycleProbe.printLine(lines.sorted().joined(separator: ", "))
        withExtendedLifetime(observation) { exit(0) }
    }

    private static func blocked(_ thread: String) -> UInt64? {
        let line = text("/proc/self/task/\(thread)/status").split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
        return line.flatMap { UInt64($0.drop { $0 != "\t" }.dropFirst(), radix: 16) }
    }

    private static func names(in folder: String) -> [String] {
        guard let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if Int(name) != nil { names.append(name) }
        }
        return names
    }

    private static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Exits during requests.
    static func exiting(_ url: String) {
        let transport = CurlTransport(settings: NetworkSettings())
        let began = DispatchSemaphore(value: 0)
        for _ in 0..<4 {
            Task {
                while true {
                    // Ignore the outcome: the process is about to end.
                    _ = try? await transport.send(WireRequest(url: url, body: [1]), timeout: .seconds(60))
                    began.signal()
                }
            }
        }
        for _ in 0..<20 { began.wait() }
        exit(3)
    }
}
