// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The screens of one session with their engagement times.
///
/// Screens are added in order of arrival. A screen's engagement time is reported by a later event. The time belongs to
/// the screen that is latest by device time among those that arrived before that event.
public struct ScreenViews: Sendable {
    /// One view of a screen.
    public struct View: Sendable, Hashable {
        /// The screen, with its engagement time so far.
        public var screen: StoredScreen
        /// The position of the view's event.
        public let position: Int64
    }

    /// The views in time order.
    ///
    /// Views with the same time are in order of arrival.
    public private(set) var views: [View] = []

    /// Creates an empty list.
    public init() {}

    /// Adds a view of a screen.
    ///
    /// - Parameter position: The position of the view's event, greater than all positions added before.
    /// - Complexity: O(screens that are later by device time).
    public mutating func show(_ screen: StoredScreen, at position: Int64) {
        views.insert(View(screen: screen, position: position), at: end(of: screen.time))
    }

    /// Adds engagement time to the latest view at or before a time.
    ///
    /// - Parameters:
    ///   - name: The screen's name; nil for any screen.
    ///   - onlyUnreported: Whether to add the time only if the view has no engagement time yet.
    /// - Returns: Whether the time was added.
    /// - Complexity: O(log screens), plus the number of later views skipped because of their names.
    @discardableResult
    public mutating func engage(
        _ name: String?,
        _ engagement: Int64,
        upTo time: Timestamp,
        onlyUnreported: Bool
    ) -> Bool {
        var place = end(of: time) - 1
        if let name {
            while place >= 0, !views[place].screen.name.utf8.elementsEqual(name.utf8) { place -= 1 }
        }
        guard place >= 0, !onlyUnreported || views[place].screen.engagement == 0 else { return false }
        let (sum, isOver) = views[place].screen.engagement.addingReportingOverflow(engagement)
        views[place].screen.engagement = isOver ? .max : sum
        return true
    }

    /// Returns the index after the last view at or before a time.
    private func end(of time: Timestamp) -> Int {
        var (low, high) = (0, views.count)
        while low < high {
            let middle = (low + high) / 2
            if views[middle].screen.time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
