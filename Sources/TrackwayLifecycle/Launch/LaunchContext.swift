// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The reason the system started the process.
package enum LaunchReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// The user opened the app.
    case user
    /// The SDK was initialized late, when the app was already active.
    case late
    /// The system launched the app in the background.
    ///
    /// For example, a message arrived, a download ended, or the device moved.
    case background
    /// The system started the process ahead of time.
    ///
    /// The user may open the app hours later or never.
    case prewarmed
    /// The device is locked, so a launch by the user is unlikely.
    case locked
    /// The reason is unknown.
    ///
    /// The system reports every app as invisible until its first scene is connected.
    case unknown

    /// Whether the start is reported only after a wait.
    ///
    /// The start is reported when the app reaches the foreground or the wait times out.
    package var isPending: Bool {
        switch self {
        case .user, .late, .background: false
        case .prewarmed, .locked, .unknown: true
        }
    }

    /// Whether the reason counts as known once ``limit`` has passed.
    ///
    /// If the app has not reached the foreground by then, the user did not open it. A prewarmed process waits for the
    /// user indefinitely.
    package var isDecidedByTime: Bool { self == .unknown || self == .locked }

    /// The maximum time from a user's launch to the foreground.
    package static let limit = Duration.seconds(5)
}

/// The system's information about a starting process.
///
/// No single value is reliable.
package struct LaunchContext: Sendable, Equatable {
    /// The process role reported by the system's scheduler.
    package enum Role: Sendable, Hashable, CaseIterable {
        /// An app that is visible to the user.
        case foreground
        /// An app that runs in the background.
        case background
        /// A process that is being prewarmed.
        case prewarming
        /// An unknown role, on simulators or where querying it is not allowed.
        case unknown
    }

    /// The scheduler's role; correct from the process's first instruction on.
    package var role: Role
    /// Whether the environment indicates prewarming.
    ///
    /// The system indicates it only until the launch has finished.
    package var isMarkedPrewarmed: Bool
    /// Whether the device is locked and protected files cannot be read.
    package var isLocked: Bool
    /// The app's state; nil off the main thread, where it is unavailable.
    ///
    /// Apps with scenes are reported as invisible until the first scene is connected.
    package var app: AppState?
    /// Whether an extension has a visible interface; nil in an app.
    package var isVisibleExtension: Bool?

    /// Creates a context.
    package init(
        role: Role = .unknown,
        isMarkedPrewarmed: Bool = false,
        isLocked: Bool = false,
        app: AppState? = nil,
        isVisibleExtension: Bool? = nil
    ) {
        self.role = role
        self.isMarkedPrewarmed = isMarkedPrewarmed
        self.isLocked = isLocked
        self.app = app
        self.isVisibleExtension = isVisibleExtension
    }

    /// The conclusion drawn from this information.
    package var conclusion: LaunchConclusion {
        if let isVisibleExtension {
            return isVisibleExtension
                ? LaunchConclusion(.user, in: .active) : LaunchConclusion(.background, in: .background)
        }
        // A report that the app is active is reliable; the usual error is the opposite.
        if app == .active { return LaunchConclusion(.late, in: .active) }
        if app == .inactive { return LaunchConclusion(.user, in: .inactive) }
        switch role {
        case .foreground:
            // The process may have been prewarmed earlier, but the user is opening the app now.
            return LaunchConclusion(.user, in: .inactive)
        case .prewarming:
            return LaunchConclusion(.prewarmed, in: .background)
        case .background:
            return LaunchConclusion(isMarkedPrewarmed ? .prewarmed : .background, in: .background)
        case .unknown:
            // Users do not open apps on a locked device, but files may still be locked while the user already sees the
            // app.
            return LaunchConclusion(isMarkedPrewarmed ? .prewarmed : isLocked ? .locked : .unknown, in: .background)
        }
    }

    /// Returns whether an extension of this type has a visible interface.
    ///
    /// - Parameter point: The `NSExtensionPointIdentifier` of its property list.
    package static func hasVisibleInterface(extensionPoint point: String) -> Bool {
        // These extension types run for the system and have no interface of their own; all other types have one.
        let unseen: Set<String> = [
            "com.apple.usernotifications.service", "com.apple.widgetkit-extension", "com.apple.intents-service",
            "com.apple.networkextension.packet-tunnel", "com.apple.networkextension.filter-data",
            "com.apple.networkextension.filter-control", "com.apple.networkextension.app-proxy",
            "com.apple.networkextension.dns-proxy", "com.apple.fileprovider-nonui", "com.apple.spotlight.index",
            "com.apple.Safari.content-blocker", "com.apple.callkit.call-directory",
            "com.apple.background-asset-downloader-extension", "com.apple.deviceactivity.monitor-extension",
            "com.apple.broadcast-services-upload", "com.apple.location.push.service",
        ]
        return !unseen.contains(point)
    }
}

/// The conclusion about the launch of a process.
package struct LaunchConclusion: Sendable, Equatable {
    /// The reason for the launch.
    package var reason: LaunchReason
    /// The app's state; background while the state is unknown.
    package var state: AppState

    /// Creates a conclusion.
    package init(_ reason: LaunchReason, in state: AppState) {
        self.reason = reason
        self.state = state
    }
}
