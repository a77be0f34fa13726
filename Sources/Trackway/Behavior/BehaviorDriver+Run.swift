// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
internal import TrackwayEvents

extension BehaviorDriver {
    /// How long the start waits for the app to say more about itself.
    package static let startDelay = Duration.milliseconds(100)
    /// How often the last moment the app was seen alive is kept.
    package static let heartbeatInterval = Duration.seconds(30)

    /// Lets time do its part: the start, should nothing else bring it about, heartbeats in the foreground, and sending
    /// when the app leaves. Returns when cancelled.
    func run(_ sleeper: any DeliverySleeper, flush: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await self.beginLater(sleeper)
                for await _ in self.beats { await self.beat(sleeper) }
            }
            group.addTask {
                for await _ in self.flushes { await flush() }
            }
        }
    }

    private func beginLater(_ sleeper: any DeliverySleeper) async {
        guard case .pending(let noted?) = current.phase else { return }
        await sleeper.sleep(until: noted.monotonic.advanced(by: Self.startDelay))
        if !Task.isCancelled { begin() }
    }

    private func beat(_ sleeper: any DeliverySleeper) async {
        while current.isBeating, !Task.isCancelled {
            await sleeper.sleep(until: now.monotonic.advanced(by: Self.heartbeatInterval))
            if !Task.isCancelled { heartbeat() }
        }
    }
}
