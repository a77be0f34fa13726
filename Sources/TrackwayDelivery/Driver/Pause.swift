// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension DeliverySleeper {
    /// Waits for a time or a signal, whichever comes first; without a time, for the signal alone.
    package func sleep(until time: MonotonicTime?, or signal: WakeSignal) async {
        guard let time else { return await signal.wait() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await sleep(until: time) }
            group.addTask { await signal.wait() }
            await group.next()
            group.cancelAll()
        }
    }
}
