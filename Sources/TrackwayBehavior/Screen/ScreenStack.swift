// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Which of the screens that lie over one another is shown, as the platform tells of their appearing and disappearing.
///
/// One stack holds the screens of every kind of interface. What disappears in front leaves the screen beneath it shown,
/// though nobody says so: a sheet that is pulled down, say. But while one screen is pushed over another, the first may
/// disappear before the second appears; so what lies beneath counts only when nothing else appears for ``delay``.
package struct ScreenStack: Sendable, Hashable {
    /// An order to whoever tells of screens.
    package enum Action: Sendable, Hashable {
        /// This screen is shown now.
        case show(ScreenView)
        /// Call ``ScreenStack/timeCame(for:)`` with this number after ``ScreenStack/delay``.
        case wait(number: Int)
    }

    private struct Entry: Sendable, Hashable {
        var id: Int
        var view: ScreenView
    }

    /// How long the screen beneath waits to be taken for the one that is shown.
    package static let delay = Duration.milliseconds(400)
    /// More screens than anybody puts over one another; beyond it the lowest are forgotten.
    package static let maxDepth = 64

    private var entries: [Entry] = []
    /// Whether a screen that the app named was shown, and went, since the last one was.
    private var hasNamedGone = false
    private var waiting: Int?
    private var numbers = 0

    /// Nothing is shown.
    package init() {}

    /// How many screens lie over one another.
    package var depth: Int { entries.count }

    // MARK: Inputs

    /// A screen appeared.
    ///
    /// - Parameter id: Which one; the same until it disappears.
    package mutating func appeared(_ id: Int, _ view: ScreenView) -> [Action] {
        waiting = nil
        entries.removeAll { $0.id == id }
        if entries.count >= Self.maxDepth { entries.removeFirst() }
        entries.append(Entry(id: id, view: view))
        // Told again at each appearing: whether that is a view is decided where views are.
        return [shown(view)]
    }

    private mutating func shown(_ view: ScreenView) -> Action {
        var view = view
        view.endsNamed = hasNamedGone && !view.isManual
        hasNamedGone = false
        return .show(view)
    }

    /// A screen disappeared. One that was never told of changes nothing.
    package mutating func disappeared(_ id: Int) -> [Action] {
        guard let index = entries.lastIndex(where: { $0.id == id }) else { return [] }
        let wasShown = index == entries.count - 1
        if entries.remove(at: index).view.isManual, wasShown { hasNamedGone = true }
        guard wasShown, !entries.isEmpty else { return [] }
        numbers += 1
        waiting = numbers
        return [.wait(number: numbers)]
    }

    /// The time is over that was asked for with this number.
    package mutating func timeCame(for number: Int) -> [Action] {
        guard waiting == number, let last = entries.last else { return [] }
        waiting = nil
        return [shown(last.view)]
    }

    /// Nobody tells of these screens any more, so they are beneath no other one.
    package mutating func forget(_ ids: Set<Int>) {
        entries.removeAll { ids.contains($0.id) }
        if entries.isEmpty { waiting = nil }
    }
}
