// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A tracker for which of several stacked screens is shown.
///
/// The platform reports that screens appear and disappear. One stack holds the screens of every kind of interface in
/// one scene. When the front screen disappears, the one underneath is shown although this is not reported, for example
/// after a sheet is pulled down. But when one screen is pushed over another, the first may disappear before the second
/// appears. So the screen underneath counts as shown only if no other screen appears for ``delay``.
///
/// UIKit reports an appearance at the end of a transition. SwiftUI reports it at the beginning, even for a screen that
/// is uncovered and covered again by an unfinished swipe back. SwiftUI's report may come before or after the
/// disappearance of the other screen. So the position of a named screen that disappears is kept. If the named screen
/// appears again underneath another screen, it counts as shown only after that screen has disappeared.
package struct ScreenStack: Sendable, Equatable {
    /// An action for the caller.
    package enum Action: Sendable, Equatable {
        /// This screen is now shown.
        case show(ScreenView)
        /// Call ``ScreenStack/timerFired(for:)`` with this number after ``ScreenStack/delay``.
        case wait(number: Int)
    }

    private struct Entry: Sendable, Equatable {
        enum State: Sendable, Hashable {
            case visible
            /// The screen is visible again, but one above has not disappeared yet.
            case returning
            /// The screen was removed or covered, which the reports do not distinguish.
            case covered
        }

        var id: Int
        var view: ScreenView
        var state = State.visible

        var isVisible: Bool { state != .covered }
    }

    /// A screen whose appearance has begun but not finished.
    private struct Upcoming: Sendable, Equatable {
        var id: Int
        var uniqueID: String
    }

    /// The delay after which the screen underneath counts as shown.
    package static let delay = Duration.milliseconds(400)
    /// The maximum number of stacked screens; the lowest are dropped first.
    package static let maxDepth = 64

    private var entries: [Entry] = []
    private var upcoming: [Upcoming] = []
    /// Whether a named screen disappeared after the last screen was shown.
    private var hasNamedScreenDisappeared = false
    /// Whether the platform has detected any screen.
    private var hasDetectedScreen = false
    private var waiting: Int?
    private var lastNumber = 0
    /// The last screen shown, detected or named.
    package private(set) var lastShown: ScreenView?

    /// Creates an empty stack.
    package init() {}

    /// The number of stacked screens.
    package var depth: Int { entries.count { $0.isVisible } }

    /// Returns whether a screen has appeared and not disappeared since.
    package func isShowing(_ id: Int) -> Bool { entries.contains { $0.id == id && $0.isVisible } }

    /// Returns whether the stack contains a screen.
    func has(_ id: Int) -> Bool { entries.contains { $0.id == id } || upcoming.contains { $0.id == id } }

    /// Whether a screen is about to appear.
    package var isChanging: Bool { !upcoming.isEmpty }

    // MARK: Inputs

    /// Handles a detected screen that begins to appear.
    ///
    /// The appearance may never finish, for example after a canceled swipe.
    ///
    /// - Parameters:
    ///   - id: The identifier of the screen until it disappears.
    ///   - uniqueID: The unique id of the screen's views.
    package mutating func willAppear(_ id: Int, uniqueID: String) {
        upcoming.removeAll { $0.id == id }
        if upcoming.count >= Self.maxDepth { upcoming.removeFirst() }
        upcoming.append(Upcoming(id: id, uniqueID: uniqueID))
    }

    /// Handles a screen that appeared.
    ///
    /// - Parameter id: The identifier of the screen until it disappears.
    package mutating func screenAppeared(_ id: Int, _ view: ScreenView) -> [Action] {
        waiting = nil
        var view = view
        if view.isManual {
            if view.standsFor == .lastFound { view.standsFor = upcoming.last.map { .screen($0.uniqueID) } ?? .nothing }
        } else if let index = upcoming.firstIndex(where: { $0.id == id }) {
            // Appearances that began earlier and have not finished will never finish.
            upcoming.removeSubrange(...index)
        }
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return put(id, view) }
        if view.isManual { return reappear(index, view) }
        // The screens above are named content of this screen, which appears again after a canceled swipe back.
        let above = entries[(index + 1)...].filter(\.isVisible)
        if !above.isEmpty, above.allSatisfy(\.view.isManual) {
            entries[index].view = view
            return []
        }
        entries.remove(at: index)
        return put(id, view)
    }

    private mutating func put(_ id: Int, _ view: ScreenView) -> [Action] {
        if !view.isManual { hasDetectedScreen = true }
        if entries.count >= Self.maxDepth {
            entries.remove(at: entries.firstIndex { !$0.isVisible } ?? 0)
        }
        entries.append(Entry(id: id, view: view))
        // Report every appearance; `ScreenMachine` decides whether it is a view.
        return [makeCurrent(view)]
    }

    private mutating func reappear(_ index: Int, _ view: ScreenView) -> [Action] {
        let wasVisible = entries[index].isVisible
        entries[index].view = view
        if entries[(index + 1)...].contains(where: \.isVisible) {
            if !wasVisible { entries[index].state = .returning }
            return []
        }
        return show(index)
    }

    /// Shows an uncovered screen; the screens above it were closed.
    private mutating func show(_ index: Int) -> [Action] {
        entries[index].state = .visible
        entries.removeSubrange((index + 1)...)
        return [makeCurrent(entries[index].view)]
    }

    private mutating func makeCurrent(_ view: ScreenView) -> Action {
        var view = view
        view.endsNamedScreen = hasNamedScreenDisappeared && !view.isManual
        hasNamedScreenDisappeared = false
        lastShown = view
        lastShown?.endsNamedScreen = !view.isManual
        return .show(view)
    }

    /// Handles a visible screen whose name or description changed.
    ///
    /// With a different name or id, it becomes another screen. Different attributes take effect when the screen is
    /// shown again.
    package mutating func screenChanged(_ id: Int, to view: ScreenView) -> [Action] {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return [] }
        let isOther = entries[index].view.screen != view.screen
        var view = view
        view.standsFor = entries[index].view.standsFor
        entries[index].view = view
        guard isOther, index == entries.lastIndex(where: \.isVisible), entries[index].state == .visible else {
            return []
        }
        return [makeCurrent(view)]
    }

    /// Handles a name that the app gave to the current screen.
    ///
    /// - Returns: The view with the detected screen that it stands for: the screen that is about to appear, otherwise
    ///   the screen in front.
    package mutating func screenNamed(_ view: ScreenView) -> ScreenView {
        var view = view
        if view.standsFor == .lastFound {
            if let next = upcoming.last {
                view.standsFor = .screen(next.uniqueID)
            } else if let front = entries.last(where: \.isVisible)?.view, !front.isManual {
                if let uniqueID = front.screen.uniqueID { view.standsFor = .screen(uniqueID) }
            } else if hasDetectedScreen {
                // The detected screen is no longer in front, so the name refers to something else.
                view.standsFor = .nothing
            }
        }
        hasNamedScreenDisappeared = false
        lastShown = view
        return view
    }

    /// Handles a screen that disappeared; unknown screens are ignored.
    package mutating func screenDisappeared(_ id: Int) -> [Action] {
        upcoming.removeAll { $0.id == id }
        guard let index = entries.lastIndex(where: { $0.id == id }), entries[index].isVisible else { return [] }
        let wasShown = index == entries.lastIndex(where: \.isVisible)
        if entries[index].view.isManual {
            entries[index].state = .covered
            if wasShown { hasNamedScreenDisappeared = true }
        } else {
            entries.remove(at: index)
        }
        guard wasShown, let top = entries.lastIndex(where: \.isVisible) else { return [] }
        if entries[top].state == .returning {
            waiting = nil
            return show(top)
        }
        lastNumber += 1
        waiting = lastNumber
        return [.wait(number: lastNumber)]
    }

    /// Handles the end of the requested delay with this number.
    package mutating func timerFired(for number: Int) -> [Action] {
        guard waiting == number, let top = entries.lastIndex(where: \.isVisible) else { return [] }
        waiting = nil
        return show(top)
    }

    /// Removes screens that are no longer reported.
    ///
    /// Such screens are not shown when another screen disappears.
    package mutating func forget(_ ids: Set<Int>) {
        entries.removeAll { ids.contains($0.id) }
        upcoming.removeAll { ids.contains($0.id) }
        if !entries.contains(where: \.isVisible) { waiting = nil }
    }
}
