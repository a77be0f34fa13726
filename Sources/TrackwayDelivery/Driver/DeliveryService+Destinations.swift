// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension DeliveryService {
    /// Delivers to one more destination from now on, whatever the service is doing. Does nothing when one of its name is
    /// there already.
    ///
    /// The journal must know the destination. One that was removed a moment ago is taken up again once its last request is
    /// settled.
    package func add(_ route: DeliveryRoute) {
        let worker = DestinationWorker(route, equipment: equipment)
        let isNew = state.withLock { state -> Bool in
            guard !state.workers.contains(where: { $0.id == worker.id }) else { return false }
            // What is asked of it before `run` has taken it up counts already.
            if let source = state.source { worker.prepare(source) }
            state.workers.append(worker)
            return true
        }
        guard isNew else { return worker.retire() }
        changed.signal()
        wakeObservers()
    }

    /// Delivers to a destination no more. A request on its way is still settled by its answer; what waits stays in the
    /// journal. Does nothing when there is none of that name.
    package func remove(_ id: DestinationID) {
        let worker = state.withLock { state -> DestinationWorker? in
            guard let index = state.workers.firstIndex(where: { $0.id == id }) else { return nil }
            return state.workers.remove(at: index)
        }
        guard let worker else { return }
        worker.retire()
        changed.signal()
        // A flush does not wait for it any more.
        wakeObservers()
    }

    /// Whether this process delivers: only then it counts what all writers have left.
    package var isDelivering: Bool { state.withLock { $0.isElected } }

    /// Who serves the destinations that are present.
    var workers: [DestinationWorker] { state.withLock { $0.workers } }

    func worker(of id: DestinationID) -> DestinationWorker? {
        state.withLock { state in state.workers.first { $0.id == id } }
    }
}
