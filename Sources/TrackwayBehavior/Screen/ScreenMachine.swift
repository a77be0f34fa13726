// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides which announcements of screens are views, and what each view says about the one before.
package struct ScreenMachine: Sendable, Hashable, Codable {
    /// An order to the coordinator.
    package enum Action: Sendable, Hashable {
        /// Tell of a view, after what it ends.
        case view(View)
    }

    /// A view as it is told.
    package struct View: Sendable, Hashable {
        /// The screen.
        package var screen: RecordedContext.Screen
        /// What the app said about it.
        package var attributes: Attributes
        /// The screen before.
        package var previous: RecordedContext.Screen?
        /// When that was shown; known across restarts.
        package var previousTimestamp: Timestamp?
        /// True for the first view of a session.
        package var isEntrance: Bool
    }

    private struct Waiting: Sendable, Hashable, Codable {
        var view: ScreenView
        var at: DeviceTime
    }

    /// How many screens a process that nobody sees can announce before the first is forgotten.
    package static let maxWaiting = 64

    private var shown: RecordedContext.Screen?
    /// The view that the app named, while its screen is shown.
    private var named: ScreenView?
    private var lastView: Timestamp?
    private var isEntranceDue = false
    private var precedence = ScreenPrecedence()
    private var waiting: [Waiting] = []

    /// Nothing was shown yet.
    package init() {}

    /// The screen that is shown.
    package var current: RecordedContext.Screen? { shown }

    // MARK: Inputs

    /// A process began: nothing is shown. When the last view was, and whether the session had one, is still known.
    package mutating func processStarted() {
        shown = nil
        named = nil
        precedence = ScreenPrecedence()
        waiting = []
    }

    /// A screen was announced while the user sees the app.
    ///
    /// - Parameter isWanted: False when screens of this origin are not to be recorded.
    package mutating func announced(_ view: ScreenView, isWanted: Bool, at now: DeviceTime) -> [Action] {
        decide(view, isWanted: isWanted, at: now)
    }

    /// A screen was announced while nobody sees the app: it waits until somebody does.
    package mutating func announcedUnseen(_ view: ScreenView, at now: DeviceTime) {
        if waiting.last?.view == view { return }
        if waiting.count >= Self.maxWaiting { waiting.removeFirst() }
        waiting.append(Waiting(view: view, at: now))
    }

    /// The person who used the app left: what the app said about screens is that one's.
    package mutating func personChanged() {
        named = nil
        for index in waiting.indices { waiting[index].view.attributes = [:] }
    }

    /// A session began. What was shown is forgotten, and shown again as the session's first view, unless other screens wait.
    package mutating func sessionBegan(at now: DeviceTime) -> [Action] {
        isEntranceDue = true
        guard let screen = shown else { return [] }
        shown = nil
        return waiting.isEmpty ? [view(of: screen, attributes: [:], at: now)] : []
    }

    /// The user sees the app: what waited is shown now, in its order.
    ///
    /// - Parameter isWanted: Whether to record a screen.
    package mutating func userArrived(at now: DeviceTime, isWanted: (ScreenView) -> Bool) -> [Action] {
        let arrived = waiting
        waiting = []
        return arrived.flatMap { decide($0.view, isWanted: isWanted($0.view), at: now) }
    }

    // MARK: Decisions

    private mutating func decide(_ view: ScreenView, isWanted: Bool, at now: DeviceTime) -> [Action] {
        var screen = view.screen
        if view.endsNamed { precedence.namedWent() }
        guard isWanted else {
            if !view.isManual { precedence.noted(screen) }
            return []
        }
        if view.isManual {
            // What the app does not tell apart is told apart by where it happens.
            if case .screen(let uniqueID) = view.standsFor { screen.uniqueID = screen.uniqueID ?? uniqueID }
            screen.uniqueID = screen.uniqueID ?? precedence.uniqueIDOfLastFound ?? shown?.uniqueID
            if isShown(screen), !isNews(view) {
                // Named once more with nothing new, it stands for what it stood for, unless it is known better by now.
                if view.standsFor != .lastFound { precedence.named(standingFor: view.standsFor) }
                return []
            }
            precedence.named(standingFor: view.standsFor)
        } else if !precedence.found(screen) || isShown(screen) {
            return []
        }
        defer { if view.isManual { named = view } }
        return [self.view(of: screen, attributes: view.attributes, at: now)]
    }

    /// Whether the app says something about the screen that it did not say before: another id, or other attributes.
    /// A call that gives neither says nothing new.
    private func isNews(_ view: ScreenView) -> Bool {
        view.screen.id != nil && view.screen.id != shown?.id
            || !view.attributes.isEmpty && view.attributes != named?.attributes
    }

    private func isShown(_ screen: RecordedContext.Screen) -> Bool {
        shown?.isSame(as: screen) ?? false
    }

    private mutating func view(of screen: RecordedContext.Screen, attributes: Attributes, at now: DeviceTime) -> Action
    {
        let view = View(
            screen: screen,
            attributes: attributes,
            previous: shown,
            previousTimestamp: lastView,
            isEntrance: isEntranceDue
        )
        shown = screen
        named = nil
        lastView = now.wall
        isEntranceDue = false
        return .view(view)
    }
}
