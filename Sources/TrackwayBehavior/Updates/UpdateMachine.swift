// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Notices the first opening of an installation, and new versions of the app and of the system.
package struct UpdateMachine: Sendable, Hashable, Codable {
    /// An order to the coordinator.
    package enum Action: Sendable, Hashable {
        /// The app has another version than before.
        case appUpdated(from: String)
        /// The system has another version than before.
        case systemUpdated(from: String)
        /// The user opened the app for the first time.
        case firstOpened
    }

    private var appVersion: String?
    private var systemVersion: String?
    private var wasOpened = false

    /// An installation that never ran.
    package init() {}

    /// An installation of ours that never ran, of an app that an older SDK saw.
    init(continuing former: FormerBehavior) {
        appVersion = former.appVersion
        systemVersion = former.systemVersion
        wasOpened = former.wasOpened
    }

    // MARK: Inputs

    /// A process began, with these versions; nil or nothing when they are unknown.
    package mutating func processStarted(appVersion: String?, systemVersion: String?) -> [Action] {
        var actions: [Action] = []
        if let previous = Self.note(appVersion, in: &self.appVersion) { actions.append(.appUpdated(from: previous)) }
        if let previous = Self.note(systemVersion, in: &self.systemVersion) {
            actions.append(.systemUpdated(from: previous))
        }
        return actions
    }

    /// The user opened the app. A start in the background is none.
    package mutating func opened() -> [Action] {
        guard !wasOpened else { return [] }
        wasOpened = true
        return [.firstOpened]
    }

    /// Keeps a version. An unknown one says nothing about the one that is kept.
    ///
    /// - Returns: The version before, when it was another.
    private static func note(_ version: String?, in kept: inout String?) -> String? {
        guard let version, !version.isEmpty else { return nil }
        defer { kept = version }
        return kept == version ? nil : kept
    }
}
