// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

/// Whether a cell of a list is in sight, told by several observers of which none knows everything: the list's delegate, if it is one
/// that tells, and the cell itself. A cell is found to appear once until it disappeared, and the other way round.
struct CellVisibility {
    /// What an observation comes to.
    enum Change: Hashable {
        case appeared
        case disappeared
    }

    private enum State {
        /// Not in sight; it appears when it is found in sight.
        case away
        case shown
        /// The delegate said that it is out of sight, and it has not gone yet: a list leaves cells where they are for a while.
        case leaving
    }

    private var state = State.away
    /// Whether its disappearing was the last that was told of it.
    private var hasDisappeared = false

    /// The list's delegate is told that the cell will be shown.
    mutating func willDisplay() -> Change? {
        defer { state = .shown }
        return state == .shown ? nil : appeared()
    }

    /// The list's delegate is told that the cell is not shown any more.
    mutating func didEndDisplaying() -> Change? {
        guard state == .shown else { return nil }
        state = .leaving
        return disappeared()
    }

    /// The app tells by a call of its own that the cell is not shown any more. That counts also for a cell of which nothing was known, but
    /// not for one that was found to disappear before.
    mutating func didEndByCall() -> Change? {
        if state == .shown { return didEndDisplaying() }
        return hasDisappeared ? nil : disappeared()
    }

    /// The cell was laid out: by then the app has said what it shows.
    ///
    /// - Parameter isInSight: whether it lies in a window and is not hidden.
    mutating func laidOut(isInSight: Bool) -> Change? {
        guard isInSight else { return left() }
        guard state == .away else { return nil }
        state = .shown
        return appeared()
    }

    /// The cell left its window, was hidden, or is about to be used for something else.
    mutating func left() -> Change? {
        defer { state = .away }
        return state == .shown ? disappeared() : nil
    }

    private mutating func appeared() -> Change {
        hasDisappeared = false
        return .appeared
    }

    private mutating func disappeared() -> Change {
        hasDisappeared = true
        return .disappeared
    }
}

#if canImport(UIKit) && !os(watchOS)
/// A cell that notices by itself when it appears and disappears.
@MainActor
protocol SelfNoticingCell: UIView {
    var visibility: CellVisibility { get set }
}

extension SelfNoticingCell {
    /// Whether it lies in a window and is not hidden.
    var isInSight: Bool { window != nil && !isHidden }

    /// Tells the detector what an observation comes to.
    func notice(_ observation: (inout CellVisibility) -> CellVisibility.Change?) {
        if let change = observation(&visibility) { SparkDetector.noticed(change, of: self) }
    }
}
#endif
