// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayTesting
internal import TrackwayWire

/// One device with an app that uses the compatibility module: memory for a disk, a clock that stands still, a network that takes everything.
final class SiftApp: Sendable {
    let network = ScriptedTransport()
    let clock: ManualClock
    let sensors = SimulatedSensors()
    /// Whether no process can use its directory.
    let isDiskGone = Locked(false)
    private let device: Attributes
    private let present = Locked<InMemoryEnvironment?>(nil)
    private let collects: Bool
    private let configure: @Sendable (inout Configuration) -> Void

    /// A device whose app was never started.
    ///
    /// - Parameters:
    ///   - collects: whether device properties and app state are recorded; most tests count what they append.
    ///   - clock: tells the time.
    ///   - device: what events say about the device.
    ///   - configure: what the app changes in the configuration.
    init(
        collects: Bool = false,
        clock: ManualClock = ManualClock(),
        device: Attributes = ["platform": "Memory"],
        configure: @escaping @Sendable (inout Configuration) -> Void = { _ in }
    ) {
        self.collects = collects
        self.clock = clock
        self.device = device
        self.configure = configure
    }

    /// The compatibility module in a new process of the same installation; the one before is killed.
    func launch() async throws -> Sift {
        let core = nextCore()
        let analytics = try #require(core.analytics())
        let blocked: Set<String> = collects ? [] : [CapturedName.appState, CapturedName.deviceProperties]
        analytics.setCollectionPolicy(CollectionPolicy(blockedEvents: blocked))
        // Only who delivers can look into queues.
        try await Deadline.wait(while: !analytics.delivery.service.isDelivering)
        return Sift(core)
    }

    /// What stands behind the compatibility module in a new process of the same installation; the one before is killed.
    func nextCore() -> SiftCore {
        let environment = present.withLock { present -> InMemoryEnvironment in
            let next =
                present?.nextProcess()
                ?? InMemoryEnvironment(clock: clock, transport: network, sensors: sensors, device: device)
            present = next
            return next
        }
        // Processes come in the order in which they were started.
        clock.advance(by: .milliseconds(1))
        var configuration = SiftCore.configuration(rootDirPath: InMemoryEnvironment.usualFolder)
        configure(&configuration)
        configuration.run(in: environment)
        configuration.dependencySource = Disk(environment) { self.isDiskGone.withLock { $0 } }
        return SiftCore(configuration)
    }

    /// A disk that may not answer.
    private final class Disk: DependencySource {
        private let environment: InMemoryEnvironment
        private let isGone: @Sendable () -> Bool

        init(_ environment: InMemoryEnvironment, isGone: @escaping @Sendable () -> Bool) {
            self.environment = environment
            self.isGone = isGone
        }

        func dependencies(for configuration: Configuration) throws(TrackwayError) -> Dependencies {
            if isGone() { throw TrackwayError(.storageUnavailable, "the disk is gone") }
            return try environment.dependencies(for: configuration)
        }
    }

    /// The compatibility module in a new process, with an account.
    func launchWithAccount() async throws -> Sift {
        let sift = try await launch()
        sift.accountId = "acct_1"
        sift.beaconKey = "beacon123"
        return sift
    }

    /// Lets time pass until so many requests have come. A retry is planned only after the answer before it was read: time
    /// that passed sooner would not count for it.
    func passTime(untilRequested count: Int) async throws {
        try await Deadline.wait(while: network.requests.count < count) {
            clock.advance(by: .seconds(60))
            for _ in 0..<100 { await Task.yield() }
        }
    }

    /// What the SDK had to say since the last launch.
    var diagnostics: [Diagnostic] { present.withLock { $0 }?.diagnostics ?? [] }

    /// The disk of the present process.
    var storage: FaultyStorage? { present.withLock { $0 }?.storage }

    /// Every body the back-end received so far, unpacked.
    var bodies: [String] {
        get throws {
            // Test texts repeat themselves more than honest ones.
            let limits = InflateLimits(inflatedBytes: 64 << 20, ratio: 2_000)
            return try network.requests.map {
                String(decoding: try Gzip.inflate($0.body, limits: limits), as: UTF8.self)
            }
        }
    }

    /// Every event the back-end received so far, as often as it came.
    var received: [JSONValue] {
        get throws {
            try bodies.flatMap { try #require(try JSONValue.parse(Array($0.utf8))["data"]?.array) }
        }
    }

    /// The types of the events the back-end received so far.
    var types: [String] { get throws { try received.map { $0["mobile_event_type"]?.string ?? "-" } } }

    /// The same, each type once: a process that was killed may have sent what the next one sends again.
    var distinctTypes: [String] {
        get throws {
            var seen: Set<String> = []
            return try types.filter { seen.insert($0).inserted }
        }
    }
}

extension Sift {
    /// Returns when everything that was handed over, and what waits, has arrived.
    func settle() async {
        _ = await analytics?.flush()
    }
}
