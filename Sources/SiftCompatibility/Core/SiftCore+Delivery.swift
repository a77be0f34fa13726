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
    @discardableResult
    func upload(_ ids: [DestinationID]? = nil, force: Bool) -> Bool {
        guard let analytics = working("upload"), canUpload() else { return false }
        letGo(analytics)
        let ids = ids ?? state.withLock { $0.queues.destinations }
        // No queue at all: to the front door an empty list would mean every destination.
        guard !ids.isEmpty else { return false }
        if force { analytics.wakeParked() }
        return analytics.requestUpload(of: ids, force: force)
    }

    /// Whether events can be sent, as far as the app's settings go. What stands in the way is told.
    func canUpload() -> Bool {
        let faults = state.withLock { $0.settings }.faults
        report(faults, .accountIncomplete)
        return faults.isEmpty
    }

    /// Collects device properties and app state now.
    func collect() {
        guard let analytics = working("collect") else { return }
        state.withLock { $0.queues.propertiesAppeared() }
        analytics.collectSnapshot()
    }

    /// Collects device properties now.
    func collectProperties() {
        guard let analytics = working("collect") else { return }
        state.withLock { $0.queues.propertiesAppeared() }
        analytics.collectDeviceProperties()
    }

    /// Collects app state now.
    ///
    /// - Parameter time: what the event says about when it happened; now when nil.
    func collectState(title: String?, at time: Timestamp?) {
        working("collectWithTitle")?.collectAppState(title: title, at: time)
    }

    /// Hands over a reading that the app made itself.
    func feed(_ reading: MotionReading) {
        working("update")?.feed(reading)
    }

    /// Collects and sends nothing until ``resume()``; what is appended is kept.
    func pause() {
        rest(true) { $0.pause() }
    }

    /// Ends ``pause()``.
    func resume() {
        rest(false) { $0.resume() }
    }

    private func rest(_ isPaused: Bool, _ change: (Analytics) -> Void) {
        // Kept while the analytics cannot be made: they rest from their beginning then.
        if let analytics = madeAnalytics(orElse: { $0.isPaused = isPaused }) { change(analytics) }
    }

    /// Lets what was appended survive power loss, soon: that it survives the process is so already.
    func archive() {
        guard let analytics = analytics() else { return }
        // Nobody waits for it; a disk that fails is told by the journal.
        Task { try? await analytics.commits.commit() }
    }
}
