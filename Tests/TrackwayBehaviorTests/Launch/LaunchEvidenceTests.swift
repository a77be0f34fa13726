// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior

@Suite("For whom the system started the process")
struct LaunchEvidenceTests {
    typealias Row = (String, LaunchEvidence, LaunchReading)

    static let table: [Row] = [
        (
            "an app with scenes that a person opens",
            LaunchEvidence(role: .foreground, app: .background), LaunchReading(.user, in: .inactive)
        ),
        (
            "an app without scenes that a person opens", LaunchEvidence(app: .inactive),
            LaunchReading(.user, in: .inactive)
        ),
        (
            "an SDK that is made late", LaunchEvidence(role: .foreground, app: .active),
            LaunchReading(.late, in: .active)
        ),
        (
            "late on another thread than the main one, where nobody can be asked",
            LaunchEvidence(), LaunchReading(.unknown, in: .background)
        ),
        (
            "the same on a device",
            LaunchEvidence(role: .foreground), LaunchReading(.user, in: .inactive)
        ),
        (
            "a push message",
            LaunchEvidence(role: .background, app: .background), LaunchReading(.background, in: .background)
        ),
        (
            "a push message while the device is locked",
            LaunchEvidence(role: .background, isLocked: true, app: .background),
            LaunchReading(.background, in: .background)
        ),
        (
            "prewarmed, as the scheduler says",
            LaunchEvidence(role: .prewarming, app: .background), LaunchReading(.prewarmed, in: .background)
        ),
        (
            "prewarmed, as the environment says",
            LaunchEvidence(isAnnouncedPrewarmed: true, app: .background), LaunchReading(.prewarmed, in: .background)
        ),
        (
            "prewarmed, and taken for an app that works unseen",
            LaunchEvidence(role: .background, isAnnouncedPrewarmed: true, app: .background),
            LaunchReading(.prewarmed, in: .background)
        ),
        (
            "prewarmed a while ago, and opened by the person now",
            LaunchEvidence(role: .foreground, isAnnouncedPrewarmed: true, app: .background),
            LaunchReading(.user, in: .inactive)
        ),
        (
            "a simulator, where the scheduler says nothing",
            LaunchEvidence(app: .background), LaunchReading(.unknown, in: .background)
        ),
        (
            "a locked device on which the scheduler says nothing",
            LaunchEvidence(isLocked: true, app: .background), LaunchReading(.locked, in: .background)
        ),
        (
            "a person who looks at the app while files are still locked",
            LaunchEvidence(isLocked: true, app: .active), LaunchReading(.late, in: .active)
        ),
        ("a keyboard", LaunchEvidence(isSeenExtension: true), LaunchReading(.user, in: .active)),
        (
            "an extension that changes messages",
            LaunchEvidence(role: .foreground, isSeenExtension: false), LaunchReading(.background, in: .background)
        ),
    ]

    @Test("What the system says amounts to this", arguments: table.map(\.0))
    func reading(name: String) throws {
        let row = try #require(Self.table.first { $0.0 == name })
        #expect(row.1.reading == row.2)
    }

    @Test("Nothing that nobody can be sure of is a start at once, and only what the person opened is in front")
    func pending() {
        for role in LaunchEvidence.Role.allCases {
            for isAnnounced in [false, true] {
                for isLocked in [false, true] {
                    for app in [nil, AppState.background, .inactive, .active] {
                        let evidence = LaunchEvidence(
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

    @Test("Time decides where the person would have come at once")
    func time() {
        #expect(LaunchReason.allCases.filter(\.isDecidedByTime) == [.locked, .unknown])
        #expect(LaunchReason.allCases.filter(\.isPending) == [.prewarmed, .locked, .unknown])
    }

    @Test("Extensions that work for the system are unseen")
    func extensions() {
        #expect(!LaunchEvidence.isSeen(extensionPoint: "com.apple.usernotifications.service"))
        #expect(!LaunchEvidence.isSeen(extensionPoint: "com.apple.widgetkit-extension"))
        #expect(LaunchEvidence.isSeen(extensionPoint: "com.apple.share-services"))
        #expect(LaunchEvidence.isSeen(extensionPoint: "com.apple.keyboard-service"))
    }
}
