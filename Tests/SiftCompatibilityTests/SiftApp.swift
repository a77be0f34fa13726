// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayLifecycle
internal import TrackwayTesting

/// A device with an app that uses the compatibility module.
///
/// Its storage is in memory, its clock does not advance, and its network accepts everything.
final class SiftApp: Sendable {
    let network = ScriptedTransport()
    let clock: ManualClock
    let sensors = SimulatedSensors()
    /// Whether the processes' directory is unusable.
    let isDiskUnavailable = Locked(false)
    private let device: Attributes
    private let currentEnvironment = Locked<InMemoryEnvironment?>(nil)
    private let collects: Bool
    private let configure: @Sendable (inout Configuration) -> Void

    /// Creates a device whose app has never been started.
    ///
    /// - Parameters:
    ///   - collects: Whether device properties and app state are recorded; most tests count only the events they
    ///     append.
    ///   - clock: Provides the time.
    ///   - device: The device's properties in events.
    ///   - configure: Changes the app's configuration.
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

    /// Returns the module in a new process of the same installation.
    ///
    /// Kills the current process.
    func launch() async throws -> Sift {
        let core = nextCore()
        let analytics = try #require(core.analytics())
        let blocked: Set<String> = collects ? [] : [CapturedName.appState, CapturedName.deviceProperties]
        analytics.setCollectionPolicy(CollectionPolicy(blockedEvents: blocked))
        // Only the delivering process can read queues.
        try await Deadline.wait(while: !analytics.delivery.service.isDelivering)
        return Sift(core)
    }

    /// Returns the module's core in a new process of the same installation.
    ///
    /// Kills the current process.
    func nextCore() -> SiftCore {
        let environment = currentEnvironment.withLock { currentEnvironment -> InMemoryEnvironment in
            let next =
                currentEnvironment?.nextProcess()
                ?? InMemoryEnvironment(clock: clock, transport: network, sensors: sensors, device: device)
            currentEnvironment = next
            return next
        }
        // Processes are ordered by their start time.
        clock.advance(by: .milliseconds(1))
        var configuration = SiftCore.configuration(rootDirPath: InMemoryEnvironment.usualFolder)
        configure(&configuration)
        configuration.run(in: environment)
        configuration.dependencySource = Disk(environment) { self.isDiskUnavailable.withLock { $0 } }
        return SiftCore(configuration)
    }

    /// A disk that may be unavailable.
    private final class Disk: DependencySource {
        private let environment: InMemoryEnvironment
        private let isUnavailable: @Sendable () -> Bool

        init(_ environment: InMemoryEnvironment, isUnavailable: @escaping @Sendable () -> Bool) {
            self.environment = environment
            self.isUnavailable = isUnavailable
        }

        func dependencies(for configuration: Configuration) throws(TrackwayError) -> Dependencies {
            if isUnavailable() { throw TrackwayError(.storageUnavailable, "the disk is unavailable") }
            return try environment.dependencies(for: configuration)
        }
    }

    /// Returns the module in a new process, with an account.
    func launchWithAccount() async throws -> Sift {
        let sift = try await launch()
        sift.accountId = "acct_1"
        sift.beaconKey = "beacon123"
        return sift
    }

    /// Advances the clock until this number of requests has arrived.
    ///
    /// A retry is scheduled only after the previous response was read, so time that passes earlier does not count
    /// toward it.
    func advanceTime(untilRequestCount count: Int) async throws {
        try await Deadline.wait(while: network.requests.count < count) {
            clock.advance(by: .seconds(60))
            for _ in 0..<100 { await Task.yield() }
        }
    }

    /// The diagnostics since the last launch.
    var diagnostics: [Diagnostic] { currentEnvironment.withLock { $0 }?.diagnostics ?? [] }

    /// The disk of the current process.
    var storage: FaultyStorage? { currentEnvironment.withLock { $0 }?.storage }

    /// All bodies that the back end has received, decompressed.
    var bodies: [String] {
        get throws {
            // Test texts are more repetitive than real ones.
            let limits = InflateLimits(inflatedBytes: 64 << 20, ratio: 2_000)
            return try network.requests.map {
                String(decoding: try Gzip.inflate($0.body, limits: limits), as: UTF8.self)
            }
        }
    }

    /// All events that the back end has received, including duplicates.
    var received: [JSONValue] {
        get throws {
            try bodies.flatMap { try #require(try JSONValue.parse(Array($0.utf8))["data"]?.array) }
        }
    }

    /// The types of all events that the back end has received.
    var types: [String] { get throws { try received.map { $0["mobile_event_type"]?.string ?? "-" } } }

    /// The same types without duplicates.
    ///
    /// A killed process may have sent events that the next one sends again.
    var distinctTypes: [String] {
        get throws {
            var seen: Set<String> = []
            return try types.filter { seen.insert($0).inserted }
        }
    }
}

extension Sift {
    /// Waits until all handed-over and pending events have arrived.
    func deliverAll() async {
        _ = await analytics?.flush()
    }
}
