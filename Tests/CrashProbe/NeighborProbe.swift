// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import Trackway
internal import TrackwayEvents

/// A host of the SDK that forks.
enum NeighborProbe {
    /// The number of events that the parent and the child record each.
    private static let events = 40

    /// Runs a program; its exit status says whether the SDK kept its promises. nil for an unknown one.
    static func run(_ name: String, _ folder: String) throws -> Int32? {
        switch name {
        case "forking": try forking(folder, child: { exit(0) })
        case "forking-quickly": try forking(folder, child: { _exit(0) })
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
        // The language's runtime has locks that a child of fork finds as other threads held them: those that have just started look types up.
        poll(nil, 0, 1_000)
        let process = fork()
        guard process >= 0 else { return 4 }
        if process == 0 {
            // Should it wait for such a lock all the same, it ends, and the test fails.
            alarm(60)
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
}
