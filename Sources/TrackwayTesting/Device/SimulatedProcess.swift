// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayPlatform
internal import TrackwayWire

/// One run of the app on a ``SimulatedDevice``: the real analytics, and what connects them with the device.
final class SimulatedProcess: Sendable {
    /// What the app works with.
    let analytics: Analytics
    private let post: @Sendable ([LifeCycleChange], LifeCycleMoment?) -> Void
    private let isAlive: Locked<Bool>

    /// Starts the SDK, as the app does.
    ///
    /// - Parameters:
    ///   - environment: all of the environment but the life cycle and the network.
    ///   - air: the network as the device has it.
    ///   - adapt: what else the device has to say about the app's configuration.
    ///   - making: how the app makes its analytics.
    init(
        in environment: Dependencies,
        _ air: SimulatedAir,
        adapt: @escaping @Sendable (inout Configuration) -> Void,
        making: SimulatedDevice.Making
    ) throws(TrackwayError) {
        let observer = Locked<Dependencies.LifeCycleObserver?>(nil)
        let isAlive = Locked(true)
        var environment = environment
        environment.observeLifeCycle = { report in
            observer.withLock { $0 = report }
            return nil
        }
        let source = ProcessEnvironment(environment)
        let made = try making { configuration in
            configuration.dependencySource = source
            configuration.delivery.transport = SimulatedTransport(air: air, isAlive: isAlive)
            adapt(&configuration)
        }
        guard let made else { throw TrackwayError(.storageUnavailable, "The app has not created its Analytics.") }
        analytics = made
        self.isAlive = isAlive
        post = { changes, moment in
            let report = observer.withLock { $0 }
            report?(changes, moment)
        }
    }

    /// The system says this.
    func post(_ change: LifeCycleChange) {
        post([change], nil)
    }

    /// The system says this, and gives the process a moment; returns when the process has had it.
    func postWithMoment(_ change: LifeCycleChange) async {
        await withCheckedContinuation { over in
            post([change], LifeCycleMoment(limit: Self.moment) { over.resume() })
        }
    }

    /// The process is gone: nothing it still tries reaches anybody.
    func die() {
        isAlive.withLock { $0 = false }
        // Whoever holds the analytics still, as a test may, holds nothing that runs.
        analytics.lifecycle.snapshots?.abandon()
    }

    /// A moment by a clock that stands still. All the work that takes no time fits into it; whoever would have to wait, for
    /// a second attempt say, does not begin to.
    private static let moment = Duration.milliseconds(2)
}

/// The environment of one process: the same for everything that the app makes in it.
private final class ProcessEnvironment: DependencySource {
    private let environment: Dependencies

    init(_ environment: Dependencies) {
        self.environment = environment
    }

    func dependencies(for configuration: Configuration) throws(TrackwayError) -> Dependencies { environment }
}

/// The network of one process of a ``SimulatedDevice``: the device's, as long as there is reception and the process lives.
private struct SimulatedTransport: Transport {
    let air: SimulatedAir
    let isAlive: Locked<Bool>

    func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        try check()
        guard air.hasReception.withLock({ $0 }) else {
            throw TransportError(.offline, "the device has no network")
        }
        let response = try await air.backEnd.send(request, timeout: timeout)
        // Who was killed while the request was under way never hears the answer.
        try check()
        return response
    }

    private func check() throws(TransportError) {
        guard isAlive.withLock({ $0 }) else { throw TransportError(.cancelled, "the process was killed") }
    }
}

/// What lies between a ``SimulatedDevice`` and the back-ends.
struct SimulatedAir: Sendable {
    /// Whether the device has a network.
    let hasReception = Locked(true)
    /// The back-ends.
    let backEnd: ScriptedTransport
}
