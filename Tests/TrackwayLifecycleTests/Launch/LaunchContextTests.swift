// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayLifecycle

@Suite("Reason for a process launch")
struct LaunchContextTests {
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
            LaunchContext(isMarkedPrewarmed: true, app: .background), LaunchConclusion(.prewarmed, in: .background)
        ),
        (
            "prewarmed, and reported as background work",
            LaunchContext(role: .background, isMarkedPrewarmed: true, app: .background),
            LaunchConclusion(.prewarmed, in: .background)
        ),
        (
            "prewarmed a while ago, and now opened by the user",
            LaunchContext(role: .foreground, isMarkedPrewarmed: true, app: .background),
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
        ("a keyboard", LaunchContext(isVisibleExtension: true), LaunchConclusion(.user, in: .active)),
        (
            "an extension that modifies messages",
            LaunchContext(role: .foreground, isVisibleExtension: false), LaunchConclusion(.background, in: .background)
        ),
    ]

    @Test(arguments: table.map(\.0))
    func `the launch reason follows from the system's evidence`(name: String) throws {
        let row = try #require(Self.table.first { $0.0 == name })
        #expect(row.1.conclusion == row.2)
    }

    @Test
    func `uncertain launches are pending, and only launches by the user are in the foreground`() {
        for role in LaunchContext.Role.allCases {
            for isAnnounced in [false, true] {
                for isLocked in [false, true] {
                    for app in [nil, AppState.background, .inactive, .active] {
                        let evidence = LaunchContext(
                            role: role,
                            isMarkedPrewarmed: isAnnounced,
                            isLocked: isLocked,
                            app: app
                        )
                        let reading = evidence.conclusion
                        let isSeen = app == .active || app == .inactive || role == .foreground
                        #expect((reading.state != .background) == isSeen)
                        if isSeen { #expect(!reading.reason.isPending) }
                        if !isSeen { #expect(reading.reason.isPending || reading.reason == .background) }
                    }
                }
            }
        }
    }

    @Test
    func `a timeout decides only launches that would be in the foreground at once if the user had caused them`() {
        #expect(LaunchReason.allCases.filter(\.isDecidedByTime) == [.locked, .unknown])
        #expect(LaunchReason.allCases.filter(\.isPending) == [.prewarmed, .locked, .unknown])
    }

    @Test
    func `extensions that run on behalf of the system are not visible to the user`() {
        #expect(!LaunchContext.hasVisibleInterface(extensionPoint: "com.apple.usernotifications.service"))
        #expect(!LaunchContext.hasVisibleInterface(extensionPoint: "com.apple.widgetkit-extension"))
        #expect(LaunchContext.hasVisibleInterface(extensionPoint: "com.apple.share-services"))
        #expect(LaunchContext.hasVisibleInterface(extensionPoint: "com.apple.keyboard-service"))
    }
}
