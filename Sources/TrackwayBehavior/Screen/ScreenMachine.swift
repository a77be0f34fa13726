// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides which reported screens are views, and what each view contains.
///
/// A view also describes the one before.
package struct ScreenMachine: Sendable, Hashable, Codable {
    /// An action for the coordinator.
    package enum Action: Sendable, Hashable {
        /// Report a view, after the events for the view it ends.
        case view(View)
    }

    /// A view as it is reported.
    package struct View: Sendable, Hashable {
        /// The current screen.
        package var screen: RecordedContext.Screen
        /// The app's attributes of the view.
        package var attributes: Attributes
        /// The previous screen.
        package var previous: RecordedContext.Screen?
        /// The time of the previous view, even across restarts.
        package var previousTimestamp: Timestamp?
        /// Whether this is the first view of a session.
        package var isEntrance: Bool
    }

    private struct Waiting: Sendable, Hashable, Codable {
        var view: ScreenView
        var at: DeviceTime
    }

    /// The maximum number of pending screens while in the background.
    ///
    /// Beyond it, the first is dropped.
    package static let maxWaiting = 64

    private var shown: RecordedContext.Screen?
    /// The view named by the app while its screen is shown.
    private var named: ScreenView?
    private var lastView: Timestamp?
    private var isEntranceDue = false
    private var precedence = ScreenPrecedence()
    private var waiting: [Waiting] = []

    /// Creates a machine without screens.
    package init() {}

    /// The current screen.
    package var current: RecordedContext.Screen? { shown }

    // MARK: Inputs

    /// Begins a process without a screen.
    ///
    /// The time of the last view is kept, and whether the session has had a view.
    package mutating func processStarted() {
        shown = nil
        named = nil
        precedence = ScreenPrecedence()
        waiting = []
    }

    /// Handles a screen reported in the foreground.
    ///
    /// - Parameter isWanted: False if screens of this origin are not recorded.
    package mutating func announced(_ view: ScreenView, isWanted: Bool, at now: DeviceTime) -> [Action] {
        decide(view, isWanted: isWanted, at: now)
    }

    /// Handles a screen reported in the background.
    ///
    /// It is pending until the user arrives.
    package mutating func announcedUnseen(_ view: ScreenView, at now: DeviceTime) {
        if waiting.last?.view == view { return }
        if waiting.count >= Self.maxWaiting { waiting.removeFirst() }
        waiting.append(Waiting(view: view, at: now))
    }

    /// Removes the previous user's screen attributes.
    package mutating func personChanged() {
        named = nil
        for index in waiting.indices { waiting[index].view.attributes = [:] }
    }

    /// Handles the beginning of a session.
    ///
    /// The current screen becomes the session's first view, unless other screens are pending.
    package mutating func sessionBegan(at now: DeviceTime) -> [Action] {
        isEntranceDue = true
        guard let screen = shown else { return [] }
        shown = nil
        return waiting.isEmpty ? [view(of: screen, attributes: [:], at: now)] : []
    }

    /// Handles the user's arrival; pending screens are shown in their order.
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
        if view.endsNamed { precedence.namedScreenDisappeared() }
        guard isWanted else {
            if !view.isManual { precedence.noted(screen) }
            return []
        }
        if view.isManual {
            // A named screen without a unique id takes the one of the detected screen it stands for.
            if case .screen(let uniqueID) = view.standsFor { screen.uniqueID = screen.uniqueID ?? uniqueID }
            screen.uniqueID = screen.uniqueID ?? precedence.uniqueIDOfLastFound ?? shown?.uniqueID
            if isShown(screen), !isNews(view) {
                // Named again without new data, the screen keeps its detected screen, unless a better match is known
                // now.
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

    /// Whether the app provides a new id or new attributes.
    ///
    /// A call with neither provides nothing new.
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
