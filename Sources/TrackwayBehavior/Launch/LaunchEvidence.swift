// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// For whom the system started the process.
package enum LaunchReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// The person opens the app.
    case user
    /// The app was in front before anybody asked: the SDK was made late.
    case late
    /// The system needs the app: a message arrived, a download ended, the device moved.
    case background
    /// The system started the process ahead of time. The person may open the app, hours later or never.
    case prewarmed
    /// The device is locked, so hardly anybody opened the app.
    case locked
    /// Nobody can tell. The system calls every app unseen until its first scene is connected.
    case unknown

    /// Whether the start is told only when the app is in front, or when that was waited for in vain.
    package var isPending: Bool {
        switch self {
        case .user, .late, .background: false
        case .prewarmed, .locked, .unknown: true
        }
    }

    /// Whether the app's not coming to the front for ``limit`` tells that nobody opened it. A prewarmed process waits for
    /// the person as long as it takes.
    package var isDecidedByTime: Bool { self == .unknown || self == .locked }

    /// How long a launch by a person takes at most until the app is in front.
    package static let limit = Duration.seconds(5)
}

/// What the system says about a process that begins, each thing as it is and none of them to be trusted alone.
package struct LaunchEvidence: Sendable, Hashable {
    /// What the system's scheduler takes the process for.
    package enum Role: Sendable, Hashable, CaseIterable {
        /// An app that a person looks at.
        case foreground
        /// An app that works unseen.
        case background
        /// One that is being prewarmed.
        case prewarming
        /// It does not say: simulators, and systems on which it must not be asked.
        case unknown
    }

    /// The scheduler's word. It is right from the process's first instruction on.
    package var role: Role
    /// Whether the system announced in the environment that it prewarms. It says so only until the launch has finished.
    package var isAnnouncedPrewarmed: Bool
    /// Whether the device is locked, so that protected files cannot be read.
    package var isLocked: Bool
    /// The app's own state; nil where nobody can be asked, on another thread than the main one. Apps with scenes are
    /// called unseen until the first one is connected.
    package var app: AppState?
    /// Whether a person sees what an extension does; nil in an app.
    package var isSeenExtension: Bool?

    /// Evidence of these parts.
    package init(
        role: Role = .unknown,
        isAnnouncedPrewarmed: Bool = false,
        isLocked: Bool = false,
        app: AppState? = nil,
        isSeenExtension: Bool? = nil
    ) {
        self.role = role
        self.isAnnouncedPrewarmed = isAnnouncedPrewarmed
        self.isLocked = isLocked
        self.app = app
        self.isSeenExtension = isSeenExtension
    }

    /// What it amounts to.
    package var reading: LaunchReading {
        if let isSeenExtension {
            return isSeenExtension
                ? LaunchReading(.user, in: .active) : LaunchReading(.background, in: .background)
        }
        // Nobody calls an app seen that is not: the opposite is the usual mistake.
        if app == .active { return LaunchReading(.late, in: .active) }
        if app == .inactive { return LaunchReading(.user, in: .inactive) }
        switch role {
        case .foreground:
            // Prewarmed once, perhaps, but the person opens it now.
            return LaunchReading(.user, in: .inactive)
        case .prewarming:
            return LaunchReading(.prewarmed, in: .background)
        case .background:
            return LaunchReading(isAnnouncedPrewarmed ? .prewarmed : .background, in: .background)
        case .unknown:
            // On a locked device nobody opens an app; but files may be locked while a person looks at the app already.
            return LaunchReading(isAnnouncedPrewarmed ? .prewarmed : isLocked ? .locked : .unknown, in: .background)
        }
    }

    /// Whether a person sees what an extension of this kind does.
    ///
    /// - Parameter point: `NSExtensionPointIdentifier` of its property list.
    package static func isSeen(extensionPoint point: String) -> Bool {
        // Those that work for the system; every other kind has an interface of its own.
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

/// How a process begins.
package struct LaunchReading: Sendable, Hashable {
    /// For whom.
    package var reason: LaunchReason
    /// The state of the app; background while nobody can tell.
    package var state: AppState

    /// A reading of these parts.
    package init(_ reason: LaunchReason, in state: AppState) {
        self.reason = reason
        self.state = state
    }
}
