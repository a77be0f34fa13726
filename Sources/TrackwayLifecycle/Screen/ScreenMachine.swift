// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The state machine that decides which reported screens are screen views.
///
/// It also decides what each view contains. A view also describes the previous one.
package struct ScreenMachine: Sendable, Equatable, Codable {
    /// An action for the coordinator.
    package enum Action: Sendable, Equatable {
        /// Report a view, after the events for the view that it ends.
        case view(View)
    }

    /// A screen view as reported.
    package struct View: Sendable, Equatable {
        /// The current screen.
        package var screen: RecordedContext.Screen
        /// The attributes that the app set for the view.
        package var attributes: Attributes
        /// The previous screen.
        package var previous: RecordedContext.Screen?
        /// The time of the previous view, even across restarts.
        package var previousTimestamp: Timestamp?
        /// Whether this is the first view of a session.
        package var isEntrance: Bool
    }

    private struct Waiting: Sendable, Equatable, Codable {
        var view: ScreenView
        var at: DeviceTime
    }

    /// The maximum number of pending screens while in the background.
    ///
    /// Beyond this limit, the oldest pending screen is dropped.
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
    /// The time of the last view and whether the session has had a view are kept.
    package mutating func processStarted() {
        shown = nil
        named = nil
        precedence = ScreenPrecedence()
        waiting = []
    }

    /// Handles a screen reported in the foreground.
    ///
    /// - Parameter shouldRecord: False if screens of this origin are not recorded.
    package mutating func screenReported(_ view: ScreenView, shouldRecord: Bool, at now: DeviceTime) -> [Action] {
        decide(view, shouldRecord: shouldRecord, at: now)
    }

    /// Handles a screen reported in the background.
    ///
    /// The screen is pending until the app enters the foreground.
    package mutating func screenReportedInBackground(_ view: ScreenView, at now: DeviceTime) {
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

    /// Handles the user's arrival; pending screens are shown in order.
    ///
    /// - Parameter shouldRecord: Returns whether to record a screen.
    package mutating func userArrived(at now: DeviceTime, shouldRecord: (ScreenView) -> Bool) -> [Action] {
        let arrived = waiting
        waiting = []
        return arrived.flatMap { decide($0.view, shouldRecord: shouldRecord($0.view), at: now) }
    }

    // MARK: Decisions

    private mutating func decide(_ view: ScreenView, shouldRecord: Bool, at now: DeviceTime) -> [Action] {
        var screen = view.screen
        if view.endsNamedScreen { precedence.namedScreenDisappeared() }
        guard shouldRecord else {
            if !view.isManual { precedence.noteUnrecorded(screen) }
            return []
        }
        if view.isManual {
            // A named screen without a unique id takes the id of the detected screen that it stands for.
            if case .screen(let uniqueID) = view.standsFor { screen.uniqueID = screen.uniqueID ?? uniqueID }
            screen.uniqueID = screen.uniqueID ?? precedence.uniqueIDOfLastFound ?? shown?.uniqueID
            if isShown(screen), !hasNewContent(view) {
                // If it is named again without new data, the screen keeps its detected screen, unless a better match
                // is now known.
                if view.standsFor != .lastFound { precedence.screenNamed(replacing: view.standsFor) }
                return []
            }
            precedence.screenNamed(replacing: view.standsFor)
        } else if !precedence.screenDetected(screen) || isShown(screen) {
            return []
        }
        defer { if view.isManual { named = view } }
        return [self.view(of: screen, attributes: view.attributes, at: now)]
    }

    /// Returns whether the app provides a new id or new attributes.
    private func hasNewContent(_ view: ScreenView) -> Bool {
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
