// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The state machine that detects the first opening and new versions.
///
/// It detects new versions of the app and of the system.
package struct UpdateMachine: Sendable, Equatable, Codable {
    /// An action for the coordinator.
    package enum Action: Sendable, Equatable {
        /// The app's version has changed.
        case appUpdated(from: String)
        /// The system's version has changed.
        case systemUpdated(from: String)
        /// The user opened the app for the first time.
        case firstOpened
    }

    private var appVersion: String?
    private var systemVersion: String?
    private var wasOpened = false

    /// Creates a machine for a new installation.
    package init() {}

    /// Creates a machine for a new installation that follows an older SDK.
    init(continuing former: LegacyLifecycle) {
        appVersion = former.appVersion
        systemVersion = former.systemVersion
        wasOpened = former.wasOpened
    }

    // MARK: Inputs

    /// Handles a process that began with these versions.
    ///
    /// A version is nil or empty if unknown.
    package mutating func processStarted(appVersion: String?, systemVersion: String?) -> [Action] {
        var actions: [Action] = []
        if let previous = Self.recordVersion(appVersion, in: &self.appVersion) {
            actions.append(.appUpdated(from: previous))
        }
        if let previous = Self.recordVersion(systemVersion, in: &self.systemVersion) {
            actions.append(.systemUpdated(from: previous))
        }
        return actions
    }

    /// Handles the opening of the app by the user.
    ///
    /// Background starts do not count.
    package mutating func appOpened() -> [Action] {
        guard !wasOpened else { return [] }
        wasOpened = true
        return [.firstOpened]
    }

    /// Stores a version, unless it is unknown.
    ///
    /// - Returns: The previous version if it differs.
    private static func recordVersion(_ version: String?, in kept: inout String?) -> String? {
        guard let version, !version.isEmpty else { return nil }
        defer { kept = version }
        return kept == version ? nil : kept
    }
}
