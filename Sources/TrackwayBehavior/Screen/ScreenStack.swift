// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Which of the screens that lie over one another is shown, as the platform reports that they appear and disappear.
///
/// One stack holds the screens of every kind of interface in one scene. When the screen in front disappears, the one beneath is shown,
/// though nothing reports it: a sheet that is pulled down, say. But while one screen is pushed over another, the first may
/// disappear before the second appears; so what lies beneath counts only when nothing else appears for ``delay``.
///
/// UIKit reports that a screen appeared at the end of a transition. SwiftUI reports it at the beginning, also for a screen that a
/// swipe back uncovers and covers again, and in either order with the disappearing of the other screen. So a named screen that
/// disappears is remembered where it lay, and when it appears again beneath another one, it is shown only once that one went.
package struct ScreenStack: Sendable, Hashable {
    /// An order to the caller.
    package enum Action: Sendable, Hashable {
        /// This screen is shown now.
        case show(ScreenView)
        /// Call ``ScreenStack/timeCame(for:)`` with this number after ``ScreenStack/delay``.
        case wait(number: Int)
    }

    private struct Entry: Sendable, Hashable {
        enum State: Sendable, Hashable {
            case visible
            /// Visible again, while a screen that lay over it has not gone yet.
            case returning
            /// Gone, or covered by another one: nothing says which.
            case covered
        }

        var id: Int
        var view: ScreenView
        var state = State.visible

        var isVisible: Bool { state != .covered }
    }

    /// A screen whose appearance has begun and was not reported as finished.
    private struct Upcoming: Sendable, Hashable {
        var id: Int
        var uniqueID: String
    }

    /// How long the screen beneath waits to be taken for the one that is shown.
    package static let delay = Duration.milliseconds(400)
    /// The maximum number of screens over one another; beyond it the lowest are forgotten.
    package static let maxDepth = 64

    private var entries: [Entry] = []
    private var upcoming: [Upcoming] = []
    /// Whether a screen that the app named was shown, and went, since the last one was.
    private var hasNamedGone = false
    /// Whether the platform has found any screen.
    private var hasFound = false
    private var waiting: Int?
    private var numbers = 0
    /// The screen that was shown last, by whatever means.
    package private(set) var lastShown: ScreenView?

    /// Nothing is shown.
    package init() {}

    /// The number of screens over one another.
    package var depth: Int { entries.count { $0.isVisible } }

    /// Whether a screen appeared and did not disappear since.
    package func isShowing(_ id: Int) -> Bool { entries.contains { $0.id == id && $0.isVisible } }

    /// Whether the stack knows a screen.
    func has(_ id: Int) -> Bool { entries.contains { $0.id == id } || upcoming.contains { $0.id == id } }

    /// Whether a screen is about to appear.
    package var isChanging: Bool { !upcoming.isEmpty }

    // MARK: Inputs

    /// A screen that the platform finds begins to appear. It may never finish, if the person changes their mind.
    ///
    /// - Parameters:
    ///   - id: Identifies it until it disappears.
    ///   - uniqueID: The unique id of its views.
    package mutating func willAppear(_ id: Int, uniqueID: String) {
        upcoming.removeAll { $0.id == id }
        if upcoming.count >= Self.maxDepth { upcoming.removeFirst() }
        upcoming.append(Upcoming(id: id, uniqueID: uniqueID))
    }

    /// A screen appeared.
    ///
    /// - Parameter id: Identifies it until it disappears.
    package mutating func appeared(_ id: Int, _ view: ScreenView) -> [Action] {
        waiting = nil
        var view = view
        if view.isManual {
            if view.standsFor == .lastFound { view.standsFor = upcoming.last.map { .screen($0.uniqueID) } ?? .nothing }
        } else if let index = upcoming.firstIndex(where: { $0.id == id }) {
            // Those that began before it and were not finished are not going to be.
            upcoming.removeSubrange(...index)
        }
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return put(id, view) }
        if view.isManual { return appearedAgain(index, view) }
        // Its own content is named, and it appears once more after a swipe that was given up.
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
        // Reported again at each appearing: whether that is a view is decided where views are.
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

    /// Shows a screen that nothing lies over. What lay over it was closed.
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

    /// What a visible screen is called, or what is known about it, changed while it is visible.
    ///
    /// Another name or id is another screen; other attributes count when the screen is shown the next time.
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

    /// The app named the screen that is shown, by a call.
    ///
    /// - Returns: The view with the screen of the platform's that it stands for: the one that is about to appear, else the one in front.
    package mutating func named(_ view: ScreenView) -> ScreenView {
        var view = view
        if view.standsFor == .lastFound {
            if let next = upcoming.last {
                view.standsFor = .screen(next.uniqueID)
            } else if let front = entries.last(where: \.isVisible)?.view, !front.isManual {
                if let uniqueID = front.screen.uniqueID { view.standsFor = .screen(uniqueID) }
            } else if hasFound {
                // What was found is not in front any more, so the name is of something else.
                view.standsFor = .nothing
            }
        }
        hasNamedGone = false
        lastShown = view
        return view
    }

    /// A screen disappeared. One that was never reported changes nothing.
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

    /// The time is over that was asked for with this number.
    package mutating func timeCame(for number: Int) -> [Action] {
        guard waiting == number, let top = entries.lastIndex(where: \.isVisible) else { return [] }
        waiting = nil
        return show(top)
    }

    /// Nothing reports these screens any more, so they are beneath no other one.
    package mutating func forget(_ ids: Set<Int>) {
        entries.removeAll { ids.contains($0.id) }
        upcoming.removeAll { ids.contains($0.id) }
        if !entries.contains(where: \.isVisible) { waiting = nil }
    }
}
