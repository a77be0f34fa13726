// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayLifecycle
internal import TrackwayPlatform

/// One process of the app on a ``SimulatedDevice``.
///
/// The process connects the real analytics to the device.
final class SimulatedProcess: Sendable {
    /// The app's analytics.
    let analytics: Analytics
    private let post: @Sendable ([LifecycleChange], GracePeriod?) -> Void
    private let isAlive: Locked<Bool>

    /// Starts the SDK, as the app does.
    ///
    /// - Parameters:
    ///   - environment: All dependencies except the lifecycle and the network.
    ///   - network: The device's network.
    ///   - adapt: Applies the device's other changes to the app's configuration.
    ///   - making: Creates the app's analytics.
    init(
        in environment: Dependencies,
        _ network: SimulatedNetwork,
        adapt: @escaping @Sendable (inout Configuration) -> Void,
        making: SimulatedDevice.Making
    ) throws(TrackwayError) {
        let observer = Locked<Dependencies.LifecycleObserver?>(nil)
        let isAlive = Locked(true)
        var environment = environment
        environment.observeLifecycle = { report in
            observer.withLock { $0 = report }
            return nil
        }
        let source = ProcessEnvironment(environment)
        let made = try making { configuration in
            configuration.dependencySource = source
            configuration.delivery.transport = SimulatedTransport(network: network, isAlive: isAlive)
            adapt(&configuration)
        }
        guard let made else { throw TrackwayError(.storageUnavailable, "The app has not created its Analytics.") }
        analytics = made
        self.isAlive = isAlive
        post = { changes, gracePeriod in
            let report = observer.withLock { $0 }
            report?(changes, gracePeriod)
        }
    }

    /// Reports a lifecycle change.
    func post(_ change: LifecycleChange) {
        post([change], nil)
    }

    /// Reports a change that grants background time, and waits until that time ends.
    func postWithGracePeriod(_ change: LifecycleChange) async {
        await withCheckedContinuation { over in
            post([change], GracePeriod(limit: Self.gracePeriodLimit) { over.resume() })
        }
    }

    /// Ends the process: any work that it still performs has no effect.
    func kill() {
        isAlive.withLock { $0 = false }
        // A test may still hold the analytics, but they no longer run anything.
        analytics.lifecycle.snapshots?.abandon()
    }

    /// The background time that the system grants.
    ///
    /// The simulated clock stands still, so work that does not have to wait completes within this time. Work that would
    /// have to wait, for example for a retry, gives up immediately.
    private static let gracePeriodLimit = Duration.milliseconds(2)
}

/// The dependencies of one process, shared by everything created in it.
private final class ProcessEnvironment: DependencySource {
    private let environment: Dependencies

    init(_ environment: Dependencies) {
        self.environment = environment
    }

    func dependencies(for configuration: Configuration) throws(TrackwayError) -> Dependencies { environment }
}

/// The network of one process of a ``SimulatedDevice``.
///
/// Requests reach the device's network only while the device is connected and the process is alive.
private struct SimulatedTransport: Transport {
    let network: SimulatedNetwork
    let isAlive: Locked<Bool>

    func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        try check()
        guard network.hasReception.withLock({ $0 }) else {
            throw TransportError(.offline, "the device has no network")
        }
        let response = try await network.backEnd.send(request, timeout: timeout)
        // A process that was killed during the request does not get the response.
        try check()
        return response
    }

    private func check() throws(TransportError) {
        guard isAlive.withLock({ $0 }) else { throw TransportError(.cancelled, "the process was killed") }
    }
}

/// The network between a ``SimulatedDevice`` and the back ends.
struct SimulatedNetwork: Sendable {
    /// Whether the device is connected.
    let hasReception = Locked(true)
    /// The back ends.
    let backEnd: ScriptedTransport
}
