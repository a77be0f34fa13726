// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayEvents

@testable internal import SparkChamberCompatibility

/// A view, a control, a cell or a scroll view that is what a test says.
final class PlayedView: NSObject, SparkElement {
    weak var parent: PlayedView?
    var isCell = false
    var isInteractionEnabled = true
    var isTracking = false

    var parentElement: (any TriggerElement)? { parent }
}

/// A touch that is what a test says.
@MainActor
final class PlayedTouch: NSObject, TriggerTouch {
    nonisolated(unsafe) var view: PlayedView?
    nonisolated(unsafe) var hasEnded = true
    nonisolated(unsafe) var isInside = true
    var timestamp: Double { 1 }
    var element: (any TriggerElement)? { view }
}

@MainActor
func touch(_ view: PlayedView?, hasEnded: Bool = true, isInside: Bool = true) -> PlayedTouch {
    let touch = PlayedTouch()
    (touch.view, touch.hasEnded, touch.isInside) = (view, hasEnded, isInside)
    return touch
}

@MainActor
func view(_ events: [SparkEvent]?) -> PlayedView {
    let view = PlayedView()
    view.sparkEvents = events
    return view
}

/// What actions did, in order.
final class Notes: Sendable {
    private let list = Locked<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func add(_ note: String) {
        list.withLock { $0.append(note) }
    }
}

/// Returns when every action that was decided before has run.
@MainActor
func untilDone() async {
    await withCheckedContinuation { done in
        _ = SparkEvent(trigger: .none) { _ in done.resume() }.send()
    }
}
