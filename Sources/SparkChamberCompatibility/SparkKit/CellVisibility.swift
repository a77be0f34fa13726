// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

/// The visibility of a list cell, combined from several sources.
///
/// The list's delegate (if it reports visibility) and the cell itself each have only part of the information. A
/// cell's appearances and disappearances alternate; repeated reports are ignored.
struct CellVisibility {
    /// The result of an observation.
    enum Change: Hashable {
        case appeared
        case disappeared
    }

    private enum State {
        /// The cell is not visible; it appears when found to be visible.
        case hidden
        case visible
        /// The delegate reported that the cell is no longer shown, but it is still in place.
        ///
        /// A list leaves cells in place for some time.
        case ending
    }

    private var state = State.hidden
    /// Whether the last reported change was a disappearance.
    private var hasDisappeared = false

    /// Handles the delegate's notification that the cell will be shown.
    mutating func willDisplay() -> Change? {
        defer { state = .visible }
        return state == .visible ? nil : markAppeared()
    }

    /// Handles the delegate's notification that the cell is no longer shown.
    mutating func didEndDisplaying() -> Change? {
        guard state == .visible else { return nil }
        state = .ending
        return markDisappeared()
    }

    /// Handles the app's report that the cell is no longer shown.
    ///
    /// The report also counts for a cell in an unknown state, but not if the cell's disappearance was already
    /// detected.
    mutating func didEndByCall() -> Change? {
        if state == .visible { return didEndDisplaying() }
        return hasDisappeared ? nil : markDisappeared()
    }

    /// Handles the cell's layout, after the app has set its content.
    ///
    /// - Parameter isVisible: whether the cell is in a window and not hidden.
    mutating func didLayOut(isVisible: Bool) -> Change? {
        guard isVisible else { return didBecomeInvisible() }
        guard state == .hidden else { return nil }
        state = .visible
        return markAppeared()
    }

    /// Handles the end of the cell's visibility.
    ///
    /// The cell left its window, was hidden, or is about to be reused.
    mutating func didBecomeInvisible() -> Change? {
        defer { state = .hidden }
        return state == .visible ? markDisappeared() : nil
    }

    private mutating func markAppeared() -> Change {
        hasDisappeared = false
        return .appeared
    }

    private mutating func markDisappeared() -> Change {
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
    /// Whether the cell is in a window and not hidden.
    var isVisibleInWindow: Bool { window != nil && !isHidden }

    /// Reports the result of an observation to the detector.
    func updateVisibility(_ observation: (inout CellVisibility) -> CellVisibility.Change?) {
        if let change = observation(&visibility) { SparkDetector.track(change, of: self) }
    }
}
#endif
