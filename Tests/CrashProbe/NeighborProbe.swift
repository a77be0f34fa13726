// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinations
internal import TrackwayLifecycle

/// A host of the SDK that forks.
enum NeighborProbe {
    /// The number of events recorded before the forks, and again after them.
    private static let events = 40
    /// The number of children of the busy parent.
    private static let children = 40

    /// Runs a program and returns its exit status, or nil for an unknown program.
    ///
    /// The status is 0 if the SDK met its guarantees.
    static func run(_ name: String, _ folder: String) throws -> Int32? {
        switch name {
        case "forking": try forking(folder, children: 1, isBusy: false, child: { exit(0) })
        case "forking-quickly": try forking(folder, children: 1, isBusy: false, child: { _exit(0) })
        case "forking-busily": try forking(folder, children: children, isBusy: true, child: { _exit(0) })
        default: nil
        }
    }

    private static func analytics(_ folder: String) throws -> Analytics {
        guard let unreachableURL = URL(string: "http://localhost:9") else { throw CrashProbe.ProbeError() }
        var configuration = Configuration(
            appID: "probe",
            destinations: [.collector(unreachableURL, writeKey: "key")],
            consent: .granted
        )
        configuration.storage.folder = URL(fileURLWithPath: folder)
        configuration.onDiagnostic = { _ in }
        configuration.snapshots = SnapshotOptions()
        return try Analytics(configuration)
    }

    /// - Parameters:
    ///   - children: The number of forks.
    ///   - isBusy: Whether other threads of the parent call the SDK during the forks, so that the forks find locks
    ///     held.
    ///   - child: Ends a child.
    private static func forking(
        _ folder: String,
        children: Int,
        isBusy: Bool,
        child: () -> Never
    ) throws -> Int32 {
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = dlsym(nil, "fork") else { return 3 }
        let fork = unsafeBitCast(symbol, to: Fork.self)
        var analytics: Analytics? = try Self.analytics(folder)
        let calls = Calls()
        for number in 0..<events { analytics?.record("parent", ["n": .integer(Int64(number))]) }
        if let analytics { calls.prepare(analytics) }
        if isBusy, let analytics { callContinuously(analytics, calls) }
        for _ in 0..<children {
            let process = fork()
            guard process >= 0 else { return 4 }
            if process == 0 {
                // If a child waits for a lock, the alarm ends it and the test fails.
                alarm(60)
                if let analytics, calls.make(analytics) > 0 { _exit(1) }
                // Releasing it must not harm the parent, either.
                analytics = nil
                child()
            }
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            guard status == 0 else { return 5 }
        }
        for number in 0..<events { analytics?.record("parent", ["n": .integer(Int64(events + number))]) }
        // Ends like a killed process.
        _exit(0)
    }

    /// Calls the SDK from other threads until the process ends.
    private static func callContinuously(_ analytics: Analytics, _ calls: Calls) {
        for number in 0..<3 {
            Thread.detachNewThread {
                for round in 0... {
                    analytics.setGlobalAttributes(["busy": .integer(Int64(round))])
                    analytics.identify("user-\(number)-\(round)")
                    analytics.screen("Busy")
                    analytics.startTimer("busy")
                    analytics.endTimer("busy")
                    analytics.addIdentifier("id", type: "kind")
                    _ = analytics.ledger()
                    _ = analytics.isEnabled
                }
            }
        }
    }

    /// Every SDK call that does not wait, with arguments created before the fork.
    ///
    /// The parent makes hardly any of these calls on the thread that forks, so a child makes them for the first time.
    /// Only the probe's own typed event is recorded beforehand: the SDK is not responsible for the parts of Swift's
    /// runtime that the app's code needs in a child.
    private struct Calls {
        private let attributes: Attributes = ["child": true]
        private let event = ProbeEvent(child: 1)
        private let destination: DestinationConfiguration
        private let id = DestinationID("child")
        private let names = ["child"]
        private let policy = CollectionPolicy()

        init() {
            destination = .local("child")
        }

        /// Records the probe's typed event, so that Swift's runtime has set up what the app's code needs in a child.
        func prepare(_ analytics: Analytics) {
            analytics.record(event)
        }

        /// Makes the calls and returns the number that report success.
        func make(_ analytics: Analytics) -> Int {
            var claimed = 0
            func check(_ isClaimed: Bool) { if isClaimed { claimed += 1 } }
            for _ in 0..<3 { check(analytics.record("child", attributes).durability != .none) }
            check(analytics.record(event).durability != .none)
            analytics.screen("Child")
            analytics.trackTap("child", attributes)
            analytics.setGlobalAttributes(attributes)
            analytics.removeGlobalAttributes(names)
            analytics.setGlobalAttributesProvider { [:] }
            analytics.identify("child")
            analytics.setUserAttributes(attributes)
            analytics.removeUserAttributes(names)
            analytics.setAnonymousID("child")
            analytics.resetAnonymousID()
            analytics.addIdentifier("child", type: "child")
            analytics.group("child", id: "child", traits: attributes)
            analytics.leaveGroup("child")
            analytics.options.logEvents = true
            analytics.removeIdentifier("child", type: "child")
            analytics.signOut()
            analytics.setConsent(.denied)
            analytics.setConsent(.denied, category: .analytics)
            analytics.setCollectionPolicy(policy)
            analytics.isEnabled = false
            analytics.isEnabled = true
            analytics.options.logEvents = true
            analytics.collectSnapshot()
            analytics.startTimer("child")
            analytics.pauseTimer("child")
            analytics.resumeTimer("child")
            check(analytics.endTimer("child").durability != .none)
            analytics.removeTimer("child")
            analytics.clearTimers()
            check(analytics.requestUpload())
            check(analytics.removeDestination(id))
            check(analytics.hasDestination(id))
            check(analytics.pendingCount(for: id) != 0)
            check((try? analytics.addDestination(destination)) != nil)  // An error is expected.
            check((try? analytics.replaceDestination(destination)) != nil)  // As above.
            check(analytics.isEnabled)
            check(analytics.consent != .denied)
            check(!analytics.ledger().destinations.isEmpty)
            return claimed
        }
    }

    private struct ProbeEvent: TypedEvent {
        static let name = "typed"
        var child: Int
    }
}
