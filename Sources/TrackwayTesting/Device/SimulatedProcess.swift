// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayPlatform

/// One run of the app on a ``SimulatedDevice``: the real analytics, and what connects them with the device.
final class SimulatedProcess: Sendable {
    /// What the app works with.
    let analytics: Analytics
    private let post: @Sendable ([LifeCycleChange], LifeCycleMoment?) -> Void
    private let isAlive: Locked<Bool>

    /// Starts the SDK, as the app does.
    ///
    /// - Parameters:
    ///   - configuration: the app's.
    ///   - world: all of the world but the life cycle and the network.
    ///   - air: the network as the device has it.
    init(_ configuration: Configuration, in world: World, _ air: SimulatedAir) throws(TrackwayError) {
        let observer = Locked<World.LifeCycleObserver?>(nil)
        let isAlive = Locked(true)
        var configuration = configuration
        configuration.transport = SimulatedTransport(air: air, isAlive: isAlive)
        var world = world
        world.observeLifeCycle = { tell in
            observer.withLock { $0 = tell }
            return nil
        }
        analytics = try Analytics(configuration, in: world)
        self.isAlive = isAlive
        post = { changes, moment in
            let tell = observer.withLock { $0 }
            tell?(changes, moment)
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
        analytics.snapshots?.abandon()
    }

    /// A moment by a clock that stands still. All the work that takes no time fits into it; whoever would have to wait, for
    /// a second attempt say, does not begin to.
    private static let moment = Duration.milliseconds(2)
}
