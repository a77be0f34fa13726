// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

/// The visibility of a list's cell, combined from several observers.
///
/// The list's delegate, if it is one that reports, and the cell itself each have only part of the information. A cell
/// appears once until it disappears, and vice versa.
struct CellVisibility {
    /// The result of an observation.
    enum Change: Hashable {
        case appeared
        case disappeared
    }

    private enum State {
        /// Not visible; it appears when it is found visible.
        case away
        case shown
        /// The delegate reported it as not visible, but it is in place.
        ///
        /// A list leaves cells in place for a while.
        case leaving
    }

    private var state = State.away
    /// Whether the last reported change was a disappearance.
    private var hasDisappeared = false

    /// Handles the delegate's notification that the cell will be shown.
    mutating func willDisplay() -> Change? {
        defer { state = .shown }
        return state == .shown ? nil : appeared()
    }

    /// Handles the delegate's notification that the cell is no longer shown.
    mutating func didEndDisplaying() -> Change? {
        guard state == .shown else { return nil }
        state = .leaving
        return disappeared()
    }

    /// Handles the app's report that the cell is no longer shown.
    ///
    /// It also counts for a cell in an unknown state, but not for one that was found to disappear before.
    mutating func didEndByCall() -> Change? {
        if state == .shown { return didEndDisplaying() }
        return hasDisappeared ? nil : disappeared()
    }

    /// Handles the cell's layout, after the app has set its content.
    ///
    /// - Parameter isInSight: whether it is in a window and not hidden.
    mutating func laidOut(isInSight: Bool) -> Change? {
        guard isInSight else { return left() }
        guard state == .away else { return nil }
        state = .shown
        return appeared()
    }

    /// Handles the cell when it is no longer visible.
    ///
    /// It left its window, was hidden, or is about to be reused.
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
/// A cell that observes its own appearance and disappearance.
@MainActor
protocol SelfObservingCell: UIView {
    var visibility: CellVisibility { get set }
}

extension SelfObservingCell {
    /// Whether it is in a window and not hidden.
    var isInSight: Bool { window != nil && !isHidden }

    /// Reports the result of an observation to the detector.
    func notice(_ observation: (inout CellVisibility) -> CellVisibility.Change?) {
        if let change = observation(&visibility) { SparkDetector.noticed(change, of: self) }
    }
}
#endif
