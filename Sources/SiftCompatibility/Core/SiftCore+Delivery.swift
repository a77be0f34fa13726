// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayBehavior
internal import TrackwayEvents

extension SiftCore {
    /// Hands over what is ready, or everything.
    ///
    /// - Parameter ids: the queues that this is about; all when nil.
    /// - Returns: Whether there was anything to hand over, and it can be sent.
    func upload(_ ids: [DestinationID]? = nil, force: Bool) -> Bool {
        guard let analytics = working("upload") else { return false }
        let (settings, queues) = state.withLock { ($0.settings, $0.queues) }
        let faults = settings.faults
        guard faults.isEmpty else {
            tell(faults, .accountIncomplete)
            return false
        }
        let ids = ids ?? queues.destinations
        // No queue at all: to the front door an empty list would mean every destination.
        guard !ids.isEmpty else { return false }
        return analytics.requestUpload(of: ids, force: force)
    }

    /// Collects device properties and app state now.
    func collect(title: String? = nil) {
        guard let analytics = working("collect") else { return }
        state.withLock { $0.queues.propertiesAppeared() }
        analytics.collectSnapshot(title: title)
    }

    /// Hands over a reading that the app made itself.
    func feed(_ reading: MotionReading) {
        working("update")?.feed(reading)
    }

    func pause() {
        analytics()?.pause()
    }

    func resume() {
        analytics()?.resume()
    }

    /// Lets what was appended survive power loss, soon: that it survives the process is so already.
    func archive() {
        guard let analytics = analytics() else { return }
        // Nobody waits for it; a disk that fails is told by the journal.
        Task { try? await analytics.commits.commit() }
    }
}
