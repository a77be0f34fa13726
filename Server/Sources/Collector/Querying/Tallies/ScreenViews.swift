// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// The screens of one session, and how long each was used, told of them in the order of arrival.
///
/// How long is told by a later event, and belongs to the latest screen by the device's time, of those that had arrived before it.
public struct ScreenViews: Sendable {
    /// A screen as it was shown.
    public struct View: Sendable, Hashable {
        /// The screen, with how long it was used so far.
        public var screen: StoredScreen
        /// Where its event lies.
        public let position: Int64
    }

    /// In the order of time; of one moment the one that arrived later is behind.
    public private(set) var views: [View] = []

    /// No screens.
    public init() {}

    /// A screen was shown.
    ///
    /// - Parameter position: Where its event lies: behind all that were told before.
    /// - Complexity: O(screens that are later by the device's time).
    public mutating func show(_ screen: StoredScreen, at position: Int64) {
        views.insert(View(screen: screen, position: position), at: end(of: screen.time))
    }

    /// The latest screen up to a moment was used for so long.
    ///
    /// - Parameters:
    ///   - name: The screen's name; nil for whichever it was.
    ///   - isOnlyUntold: Only when nothing was told about that view of the screen before.
    /// - Returns: Whether there was such a screen.
    /// - Complexity: O(log screens), and the screens of other names in between.
    @discardableResult
    public mutating func engage(
        _ name: String?,
        _ engagement: Int64,
        upTo time: Timestamp,
        isOnlyUntold: Bool
    ) -> Bool {
        var place = end(of: time) - 1
        if let name {
            while place >= 0, !views[place].screen.name.utf8.elementsEqual(name.utf8) { place -= 1 }
        }
        guard place >= 0, !isOnlyUntold || views[place].screen.engagement == 0 else { return false }
        let (sum, isOver) = views[place].screen.engagement.addingReportingOverflow(engagement)
        views[place].screen.engagement = isOver ? .max : sum
        return true
    }

    /// The place behind the last one of a moment or before.
    private func end(of time: Timestamp) -> Int {
        var (low, high) = (0, views.count)
        while low < high {
            let middle = (low + high) / 2
            if views[middle].screen.time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
