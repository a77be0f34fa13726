// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
internal import TrackwayEvents
internal import TrackwayJournal

extension SimulatedDevice {
    // MARK: The app

    /// What the app is doing.
    public var app: SimulatedAppState { state.withLock { $0.app } }

    /// What the running app works with; nil while it does not run, or has not made it yet.
    public var analytics: Analytics? { state.withLock { $0.process?.analytics } }

    // MARK: What was recorded

    /// Everything recorded so far, process after process, each in its own order: what waits, what was delivered or dropped
    /// since, and what a power loss or the app's removal took.
    ///
    /// - Complexity: O(size of the journal).
    public var events: [RecordedEvent] {
        look()
        return state.withLock { $0.history.all }
    }

    /// Everything recorded so far, each event in a few words; see ``RecordedEvent/story``.
    public var story: [String] { events.map(\.story) }

    /// The recorded events with this name.
    public func events(named name: String) -> [RecordedEvent] {
        events.filter { $0.event.name == name }
    }

    /// Every event that back-ends in Trackway's own format have taken, in order, as often as it came.
    public var delivered: [DeliveredEvent] { network.delivered }

    /// Every diagnostic so far.
    public var diagnostics: [Diagnostic] { state.withLock { $0.diagnostics } }

    // MARK: The device

    /// The clock of the present boot.
    public var clock: ManualClock { state.withLock { $0.clock } }

    /// The disk as the present process sees it, with faults to order. Another one after the app's process ended.
    public var storage: FaultyStorage { state.withLock { $0.storage } }

    /// Takes into the history what the disk holds.
    func look() {
        guard let disk = storage.base as? MemoryStorage else { return }
        // A disk that was damaged on purpose has nothing to show, and before the first start there is no journal.
        guard let recorded = try? RecordedEvents.read(in: Self.folder, of: disk.includingRemoved()) else { return }
        state.withLock { $0.history.keep(recorded) }
    }
}
