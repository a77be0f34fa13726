// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior

@Suite("Reason for a process launch")
struct LaunchEvidenceTests {
    typealias Row = (String, LaunchContext, LaunchConclusion)

    static let table: [Row] = [
        (
            "an app with scenes, opened by the user",
            LaunchContext(role: .foreground, app: .background), LaunchConclusion(.user, in: .inactive)
        ),
        (
            "an app without scenes, opened by the user", LaunchContext(app: .inactive),
            LaunchConclusion(.user, in: .inactive)
        ),
        (
            "an SDK that is initialized late", LaunchContext(role: .foreground, app: .active),
            LaunchConclusion(.late, in: .active)
        ),
        (
            "late and off the main thread, where the app's state is unavailable",
            LaunchContext(), LaunchConclusion(.unknown, in: .background)
        ),
        (
            "the same on a device",
            LaunchContext(role: .foreground), LaunchConclusion(.user, in: .inactive)
        ),
        (
            "a push message",
            LaunchContext(role: .background, app: .background), LaunchConclusion(.background, in: .background)
        ),
        (
            "a push message while the device is locked",
            LaunchContext(role: .background, isLocked: true, app: .background),
            LaunchConclusion(.background, in: .background)
        ),
        (
            "prewarmed, according to the scheduler",
            LaunchContext(role: .prewarming, app: .background), LaunchConclusion(.prewarmed, in: .background)
        ),
        (
            "prewarmed, according to the environment",
            LaunchContext(isAnnouncedPrewarmed: true, app: .background), LaunchConclusion(.prewarmed, in: .background)
        ),
        (
            "prewarmed, and reported as background work",
            LaunchContext(role: .background, isAnnouncedPrewarmed: true, app: .background),
            LaunchConclusion(.prewarmed, in: .background)
        ),
        (
            "prewarmed a while ago, and now opened by the user",
            LaunchContext(role: .foreground, isAnnouncedPrewarmed: true, app: .background),
            LaunchConclusion(.user, in: .inactive)
        ),
        (
            "a simulator, where the scheduler reports nothing",
            LaunchContext(app: .background), LaunchConclusion(.unknown, in: .background)
        ),
        (
            "a locked device, where the scheduler reports nothing",
            LaunchContext(isLocked: true, app: .background), LaunchConclusion(.locked, in: .background)
        ),
        (
            "an app in use while files are still locked",
            LaunchContext(isLocked: true, app: .active), LaunchConclusion(.late, in: .active)
        ),
        ("a keyboard", LaunchContext(isSeenExtension: true), LaunchConclusion(.user, in: .active)),
        (
            "an extension that modifies messages",
            LaunchContext(role: .foreground, isSeenExtension: false), LaunchConclusion(.background, in: .background)
        ),
    ]

    @Test("the launch reason follows from the system's evidence", arguments: table.map(\.0))
    func reading(name: String) throws {
        let row = try #require(Self.table.first { $0.0 == name })
        #expect(row.1.reading == row.2)
    }

    @Test("uncertain launches are pending, and only launches by the user are in the foreground")
    func pending() {
        for role in LaunchContext.Role.allCases {
            for isAnnounced in [false, true] {
                for isLocked in [false, true] {
                    for app in [nil, AppState.background, .inactive, .active] {
                        let evidence = LaunchContext(
                            role: role,
                            isAnnouncedPrewarmed: isAnnounced,
                            isLocked: isLocked,
                            app: app
                        )
                        let reading = evidence.reading
                        let isSeen = app == .active || app == .inactive || role == .foreground
                        #expect((reading.state != .background) == isSeen)
                        if isSeen { #expect(!reading.reason.isPending) }
                        if !isSeen { #expect(reading.reason.isPending || reading.reason == .background) }
                    }
                }
            }
        }
    }

    @Test("a timeout decides only launches that the user would have opened immediately")
    func time() {
        #expect(LaunchReason.allCases.filter(\.isDecidedByTime) == [.locked, .unknown])
        #expect(LaunchReason.allCases.filter(\.isPending) == [.prewarmed, .locked, .unknown])
    }

    @Test("extensions that work for the system are not visible to the user")
    func extensions() {
        #expect(!LaunchContext.isSeen(extensionPoint: "com.apple.usernotifications.service"))
        #expect(!LaunchContext.isSeen(extensionPoint: "com.apple.widgetkit-extension"))
        #expect(LaunchContext.isSeen(extensionPoint: "com.apple.share-services"))
        #expect(LaunchContext.isSeen(extensionPoint: "com.apple.keyboard-service"))
    }
}
