// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Tracks which of several stacked screens is shown.
///
/// The platform reports that screens appear and disappear. One stack holds the screens of every kind of interface in
/// one scene. When the front screen disappears, the one underneath is shown although this is not reported, for example
/// after a sheet is pulled down. But when one screen is pushed over another, the first may disappear before the second
/// appears. So the screen underneath counts as shown only if no other screen appears for ``delay``.
///
/// UIKit reports an appearance at the end of a transition. SwiftUI reports it at the beginning, even for a screen that
/// a swipe back uncovers and covers again, and before or after the disappearance of the other screen. So the position
/// of a named screen that disappears is kept. If it appears again underneath another screen, it is shown only after
/// that screen has disappeared.
package struct ScreenStack: Sendable, Hashable {
    /// An action for the caller.
    package enum Action: Sendable, Hashable {
        /// This screen is now shown.
        case show(ScreenView)
        /// Call ``ScreenStack/timeCame(for:)`` with this number after ``ScreenStack/delay``.
        case wait(number: Int)
    }

    private struct Entry: Sendable, Hashable {
        enum State: Sendable, Hashable {
            case visible
            /// Visible again, but a screen above it has not disappeared yet.
            case returning
            /// Removed or covered by another screen; the reports do not distinguish these.
            case covered
        }

        var id: Int
        var view: ScreenView
        var state = State.visible

        var isVisible: Bool { state != .covered }
    }

    /// A screen whose appearance has begun but not finished.
    private struct Upcoming: Sendable, Hashable {
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
    private var hasNamedGone = false
    /// Whether the platform has detected any screen.
    private var hasFound = false
    private var waiting: Int?
    private var numbers = 0
    /// The last screen shown, detected or named.
    package private(set) var lastShown: ScreenView?

    /// Creates an empty stack.
    package init() {}

    /// The number of stacked screens.
    package var depth: Int { entries.count { $0.isVisible } }

    /// Whether a screen has appeared and not disappeared since.
    package func isShowing(_ id: Int) -> Bool { entries.contains { $0.id == id && $0.isVisible } }

    /// Whether the stack contains a screen.
    func has(_ id: Int) -> Bool { entries.contains { $0.id == id } || upcoming.contains { $0.id == id } }

    /// Whether a screen is about to appear.
    package var isChanging: Bool { !upcoming.isEmpty }

    // MARK: Inputs

    /// Handles a detected screen that begins to appear.
    ///
    /// The appearance may never finish, for example after a canceled swipe.
    ///
    /// - Parameters:
    ///   - id: Identifies the screen until it disappears.
    ///   - uniqueID: The unique id of its views.
    package mutating func willAppear(_ id: Int, uniqueID: String) {
        upcoming.removeAll { $0.id == id }
        if upcoming.count >= Self.maxDepth { upcoming.removeFirst() }
        upcoming.append(Upcoming(id: id, uniqueID: uniqueID))
    }

    /// Handles a screen that appeared.
    ///
    /// - Parameter id: Identifies the screen until it disappears.
    package mutating func appeared(_ id: Int, _ view: ScreenView) -> [Action] {
        waiting = nil
        var view = view
        if view.isManual {
            if view.standsFor == .lastFound { view.standsFor = upcoming.last.map { .screen($0.uniqueID) } ?? .nothing }
        } else if let index = upcoming.firstIndex(where: { $0.id == id }) {
            // Appearances that began earlier and have not finished never will.
            upcoming.removeSubrange(...index)
        }
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return put(id, view) }
        if view.isManual { return appearedAgain(index, view) }
        // The screens above are its own named content, and it appears again after a canceled swipe back.
        let above = entries[(index + 1)...].filter(\.isVisible)
        if !above.isEmpty, above.allSatisfy(\.view.isManual) {
            entries[index].view = view
            return []
        }
        entries.remove(at: index)
        return put(id, view)
    }

    private mutating func put(_ id: Int, _ view: ScreenView) -> [Action] {
        if !view.isManual { hasFound = true }
        if entries.count >= Self.maxDepth {
            entries.remove(at: entries.firstIndex { !$0.isVisible } ?? 0)
        }
        entries.append(Entry(id: id, view: view))
        // Report every appearance; `ScreenMachine` decides whether it is a view.
        return [shown(view)]
    }

    private mutating func appearedAgain(_ index: Int, _ view: ScreenView) -> [Action] {
        let wasVisible = entries[index].isVisible
        entries[index].view = view
        if entries[(index + 1)...].contains(where: \.isVisible) {
            if !wasVisible { entries[index].state = .returning }
            return []
        }
        return show(index)
    }

    /// Shows a screen that is not covered; those above it were closed.
    private mutating func show(_ index: Int) -> [Action] {
        entries[index].state = .visible
        entries.removeSubrange((index + 1)...)
        return [shown(entries[index].view)]
    }

    private mutating func shown(_ view: ScreenView) -> Action {
        var view = view
        view.endsNamed = hasNamedGone && !view.isManual
        hasNamedGone = false
        lastShown = view
        lastShown?.endsNamed = !view.isManual
        return .show(view)
    }

    /// Handles a visible screen whose name or description changed.
    ///
    /// A different name or id makes it another screen. Different attributes take effect when the screen is shown again.
    package mutating func changed(_ id: Int, to view: ScreenView) -> [Action] {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return [] }
        let isOther = entries[index].view.screen != view.screen
        var view = view
        view.standsFor = entries[index].view.standsFor
        entries[index].view = view
        guard isOther, index == entries.lastIndex(where: \.isVisible), entries[index].state == .visible else {
            return []
        }
        return [shown(view)]
    }

    /// Handles a call in which the app names the current screen.
    ///
    /// - Returns: The view with the detected screen it stands for: the one that is about to appear, otherwise the one
    ///   in front.
    package mutating func named(_ view: ScreenView) -> ScreenView {
        var view = view
        if view.standsFor == .lastFound {
            if let next = upcoming.last {
                view.standsFor = .screen(next.uniqueID)
            } else if let front = entries.last(where: \.isVisible)?.view, !front.isManual {
                if let uniqueID = front.screen.uniqueID { view.standsFor = .screen(uniqueID) }
            } else if hasFound {
                // The detected screen is no longer in front, so the name refers to something else.
                view.standsFor = .nothing
            }
        }
        hasNamedGone = false
        lastShown = view
        return view
    }

    /// Handles a screen that disappeared; unknown screens are ignored.
    package mutating func disappeared(_ id: Int) -> [Action] {
        upcoming.removeAll { $0.id == id }
        guard let index = entries.lastIndex(where: { $0.id == id }), entries[index].isVisible else { return [] }
        let wasShown = index == entries.lastIndex(where: \.isVisible)
        if entries[index].view.isManual {
            entries[index].state = .covered
            if wasShown { hasNamedGone = true }
        } else {
            entries.remove(at: index)
        }
        guard wasShown, let top = entries.lastIndex(where: \.isVisible) else { return [] }
        if entries[top].state == .returning {
            waiting = nil
            return show(top)
        }
        numbers += 1
        waiting = numbers
        return [.wait(number: numbers)]
    }

    /// Handles the end of the requested delay with this number.
    package mutating func timeCame(for number: Int) -> [Action] {
        guard waiting == number, let top = entries.lastIndex(where: \.isVisible) else { return [] }
        waiting = nil
        return show(top)
    }

    /// Removes screens that are no longer reported.
    ///
    /// They can no longer be revealed by another screen.
    package mutating func forget(_ ids: Set<Int>) {
        entries.removeAll { ids.contains($0.id) }
        upcoming.removeAll { ids.contains($0.id) }
        if !entries.contains(where: \.isVisible) { waiting = nil }
    }
}
