// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayTriggers

/// An element whose properties the test sets.
@MainActor
final class FakeElement: TriggerElement {
    var triggerEvents: [TriggerEvent]?
    weak var parent: FakeElement?
    var isCell = false
    var isInteractionEnabled = true
    var isTracking = false
    var elementID: String?

    init(_ events: [TriggerEvent]? = nil, in parent: FakeElement? = nil, isCell: Bool = false) {
        triggerEvents = events
        self.parent = parent
        self.isCell = isCell
    }

    var parentElement: (any TriggerElement)? { parent }
}

/// A touch whose properties the test sets.
@MainActor
final class FakeTouch: TriggerTouch {
    var timestamp = 1.0
    var hasEnded = true
    var isInside = true
    var element: (any TriggerElement)?

    init(_ element: FakeElement?, hasEnded: Bool = true, isInside: Bool = true) {
        self.element = element
        self.hasEnded = hasEnded
        self.isInside = isInside
    }
}

/// The names of the actions that ran, in order.
final class ActionLog: Sendable {
    private let list = Locked<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func add(_ note: String) {
        list.withLock { $0.append(note) }
    }
}

/// Turns that run when the test requests them.
final class ManualTurns: Sendable {
    private let waiting = Locked<[@Sendable () -> Void]>([])

    var executor: TriggerExecutor {
        TriggerExecutor { [self] turn in waiting.withLock { $0.append(turn) } }
    }

    var count: Int { waiting.withLock { $0.count } }

    /// Runs the turns requested so far.
    func run() {
        let turns = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for turn in turns { turn() }
    }
}

extension Detector {
    /// Waits until the main actor has run all actions triggered so far.
    nonisolated func waitForActions() async {
        await withCheckedContinuation { done in
            _ = send([TriggerEvent(.custom("done")) { _ in done.resume() }])
        }
    }
}
