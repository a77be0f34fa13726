// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
internal import Glibc
internal import Trackway
internal import TrackwayEvents

/// Programs that a host of the SDK may be: one that forks, and one that was started without standard streams.
enum NeighborProbe {
    /// The number of events that the parent and the child record each.
    private static let events = 40

    /// Runs a program; its exit status says whether the SDK kept its promises. nil for an unknown one.
    static func run(_ name: String, _ folder: String) throws -> Int32? {
        switch name {
        case "forking": try forking(folder, child: { exit(0) })
        case "forking-quickly": try forking(folder, child: { _exit(0) })
        case "without-streams": try withoutStreams(folder)
        default: nil
        }
    }

    private static func analytics(_ folder: String) throws -> Analytics {
        guard let nowhere = URL(string: "http://localhost:9") else { throw CrashProbe.Mishap() }
        var configuration = Configuration(appID: "probe", destinations: [.collector(nowhere, writeKey: "key")])
        configuration.storageFolder = URL(fileURLWithPath: folder)
        configuration.onDiagnostic = { _ in }
        return try Analytics(configuration)
    }

    /// - Parameter child: how the child ends.
    private static func forking(_ folder: String, child: () -> Never) throws -> Int32 {
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = dlsym(nil, "fork") else { return 3 }
        let fork = unsafeBitCast(symbol, to: Fork.self)
        var analytics: Analytics? = try Self.analytics(folder)
        for number in 0..<events { analytics?.record("parent", ["n": .integer(Int64(number))]) }
        let process = fork()
        guard process >= 0 else { return 4 }
        if process == 0 {
            var claimed = 0
            for number in 0..<events {
                if analytics?.record("child", ["n": .integer(Int64(number))]).durability != Receipt.Durability.none {
                    claimed += 1
                }
            }
            analytics?.screen("Child")
            analytics?.setGlobalAttributes(["child": true])
            if claimed > 0 { _exit(1) }
            // Releasing it must not harm the parent either.
            analytics = nil
            child()
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { return 5 }
        for number in 0..<events { analytics?.record("parent", ["n": .integer(Int64(events + number))]) }
        // Ends as a killed process does.
        _exit(0)
    }

    private static func withoutStreams(_ folder: String) throws -> Int32 {
        // What the language's own threads open is not the SDK's.
        wait { try? await Task.sleep(nanoseconds: 1_000_000) }
        for stream in 0..<3 as Range<Int32> { close(stream) }
        let analytics = try Self.analytics(folder)
        guard areClosed else { return 1 }
        for number in 0..<2_000 { analytics.record("event", ["n": .integer(Int64(number))]) }
        guard areClosed else { return 2 }
        wait {
            _ = try? await analytics.recordDurably("durable")
            _ = await analytics.flush(timeout: .seconds(2))
        }
        _ = analytics.ledger()
        guard areClosed else { return 3 }
        return 0
    }

    /// Whether all standard streams are closed, as they were.
    private static var areClosed: Bool {
        (0..<3 as Range<Int32>).allSatisfy { fcntl($0, F_GETFD) < 0 && errno == EBADF }
    }

    private static func wait(_ work: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task {
            await work()
            done.signal()
        }
        done.wait()
    }
}
