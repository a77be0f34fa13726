// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore

@testable internal import SparkChamberCompatibility

/// A view, control, cell or scroll view whose properties the test sets.
final class FakeView: NSObject, SparkElement {
    weak var parent: FakeView?
    var isCell = false
    var isInteractionEnabled = true
    var isTracking = false

    var parentElement: (any TriggerElement)? { parent }
}

/// A touch whose properties the test sets.
@MainActor
final class FakeTouch: NSObject, TriggerTouch {
    nonisolated(unsafe) var view: FakeView?
    nonisolated(unsafe) var hasEnded = true
    nonisolated(unsafe) var isInside = true
    var timestamp: Double { 1 }
    var element: (any TriggerElement)? { view }
}

@MainActor
func touch(_ view: FakeView?, hasEnded: Bool = true, isInside: Bool = true) -> FakeTouch {
    let touch = FakeTouch()
    (touch.view, touch.hasEnded, touch.isInside) = (view, hasEnded, isInside)
    return touch
}

@MainActor
func view(_ events: [SparkEvent]?) -> FakeView {
    let view = FakeView()
    view.sparkEvents = events
    return view
}

/// The names of the actions that ran, in order.
final class ActionLog: Sendable {
    private let list = Locked<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func add(_ note: String) {
        list.withLock { $0.append(note) }
    }
}

/// Waits until all actions triggered so far have run.
@MainActor
func waitForActions() async {
    await withCheckedContinuation { done in
        _ = SparkEvent(trigger: .none) { _ in done.resume() }.send()
    }
}
