// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension DeliveryService {
    /// Begins nothing new from now on: no batch is read and no request is sent, but what is on its way gets its answer, and
    /// that is settled. Until `release()`, or the end of the run and the next `resume()`.
    package func hold() {
        equipment.isHeld.withLock { $0 = true }
    }

    /// Ends `hold()`.
    package func release() {
        equipment.isHeld.withLock { $0 = false }
        for worker in workers { worker.signal.signal() }
        wakeObservers()
    }

    /// Returns when nothing is on its way any more, or the hold is over.
    package func untilHeld() async {
        let (key, signal) = beginObserving()
        defer { endObserving(key) }
        while !Task.isCancelled, equipment.isHeld.withLock({ $0 }), workers.contains(where: \.isUnderWay) {
            await signal.wait()
        }
    }
}
