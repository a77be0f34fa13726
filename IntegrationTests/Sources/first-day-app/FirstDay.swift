// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayTriggers

/// The parts of the day.
@MainActor
struct FirstDay {
    let analytics: Analytics
    private let options: Options

    init(_ options: Options) throws {
        self.options = options
        analytics = try Analytics(try Self.configuration(options))
    }

    func live(_ part: Options.Part) async throws {
        switch part {
        case .undecided: await recordWithoutConsent()
        case .morning: try await liveMorning()
        case .evening: try await liveEvening()
        case .copied: await recordInCopy()
        case .quiet: await recordAlmostNothing()
        }
    }

    // MARK: Parts

    /// The user has not decided yet.
    private func recordWithoutConsent() async {
        analytics.screen("own_Welcome")
        analytics.record("own_opened", ["own_number": 1])
        analytics.identify("own-user-1", traits: ["own_plan": "pro"])
        analytics.collectSnapshot()
        _ = await analytics.flush(timeout: .seconds(1))
        await analytics.shutdown(timeout: .seconds(1))
    }

    /// The app records a single event.
    private func recordAlmostNothing() async {
        analytics.record("own_only")
        await deliver()
    }

    /// The user decides, looks around, signs in and buys, until the app crashes.
    private func liveMorning() async throws {
        analytics.setConsent(.granted, source: "own_banner", version: "own-2026-05")
        analytics.setConsent(.granted, category: "own_ads")
        analytics.setGlobalAttributes(["own_channel": "own store", "own_motto": "2023-11-14T22:13:20.000Z"])
        analytics.screen("own_Home", path: "own/home", instanceID: "own-1", ["own_position": 1])
        recordEvents()
        recordSnapshot()
        // Less time on a screen is not engagement.
        try await Task.sleep(for: .milliseconds(1_100))
        analytics.screen("own_Product", path: "own/product", instanceID: "own-2")
        await leaveAndReturn()
        signIn()
        // The consent of a person differs from that of the device.
        analytics.setConsent(.granted, scope: .person)
        analytics.record("own_known")
        await deliver()
        // What is pending when the user refuses is dropped, and the next batch reports it.
        analytics.record("own_dropped")
        analytics.setConsent(.denied, scope: .person)
        _ = await analytics.flush(timeout: .milliseconds(200))
        analytics.setConsent(.granted, scope: .person)
        analytics.record("own_internal", to: ["own-local"])
        analytics.record("own_granted_again")
        await deliver()
        // The crash leaves the current screen without a notification.
        try await Task.sleep(for: .milliseconds(1_100))
        abort()
    }

    /// The user returns after an update of the app and the system, signs out, and has all data erased.
    private func liveEvening() async throws {
        analytics.screen("own_Home", path: "own/home", instanceID: "own-3")
        await recordTriggers()
        await deliver()
        analytics.signOut()
        analytics.record("own_anonymous")
        await deliver()
        try await analytics.erase()
        analytics.record("own_afterwards")
        await deliver()
    }

    /// The folder is a copy of another installation's.
    private func recordInCopy() async {
        analytics.record("own_copied")
        await deliver()
    }

    // MARK: Steps

    private func recordEvents() {
        analytics.record(
            "own_view_item",
            ["own_value": 99.9, "own_tags": ["own_a", "own_b"], "own_detail": .object(["own_size": 38])],
            items: [Item(id: "own-item-1", name: "own name", ["own_publisher": "own press"])]
        )
        analytics.trackTap("own_buy", ["own_color": "own red"])
        analytics.startTimer("own_checkout")
        analytics.endTimer("own_checkout", ["own_steps": 3])
        analytics.record(
            "own_sap",
            [
                "element": "own", "action": "own", "behavior": "own", "cases": "own", "category": "own",
                "result": "own",
                "unit": "own", "measurement": "own",
            ],
            to: ["sap-mobile-services"]
        )
        // An attribute beyond a limit is left out, and the event reports it.
        analytics.record("own_long", [String(repeating: "own", count: 100): 1, "own_short": 2])
    }

    private func recordSnapshot() {
        guard !options.without.contains("snapshots") else { return }
        if !options.without.contains("snapshots.allowsMotion") { Sensors.addReadings(to: analytics) }
        analytics.collectSnapshot(title: "own_Home")
    }

    private func leaveAndReturn() async {
        for change in [LifecycleChange.willResignActive, .didEnterBackground] { analytics.lifecycleChanged(to: change) }
        await deliver()
        for change in [LifecycleChange.willEnterForeground, .didBecomeActive] { analytics.lifecycleChanged(to: change) }
    }

    private func signIn() {
        analytics.identify("own-user-1", traits: ["own_plan": "pro", "own_note": "2023-11-14T22:13:20.000Z"])
        analytics.setUserAttributes(["own_age": 21, "own_city": "own town"])
        analytics.removeUserAttributes(["own_city"])
        analytics.addIdentifier("own-555", type: "own_mobile")
        analytics.addIdentifier("own-mail", type: "own_email")
        analytics.alias("own-former-user", to: "own-user")
        analytics.removeIdentifier("own-mail", type: "own_email")
        analytics.group("own_company", id: "own-acme", traits: ["own_seats": 12])
        analytics.group("own_team", id: "own-blue")
        analytics.leaveGroup("own_team")
    }

    private func recordTriggers() async {
        let trace = TriggerTrace(.everything)
        let detector = Detector(trace: trace)
        let recording = trace.record(with: analytics)
        let element = Button(analytics)
        detector.track(.didEndTouch, for: element)
        detector.track(.didAppear, for: element)
        // Actions run in later turns of the main actor.
        for _ in 0..<10 { await Task.yield() }
        recording.cancel()
    }

    /// Sends everything, regardless of the number of attempts.
    private func deliver() async {
        for _ in 0..<20 {
            let report = await analytics.flush(timeout: .seconds(5))
            if report.destinations.allSatisfy({ $0.key == "own-local" || $0.value.pending == 0 }) { return }
        }
        print("failed: some events could not be sent")
    }
}

/// An element with an event that is recorded once.
@MainActor
private final class Button: TriggerElement {
    let triggerEvents: [TriggerEvent]?
    let elementID: String? = "own_button"

    init(_ analytics: Analytics) {
        let disarmed = TriggerEvent(.didAppear, trace: "own second", identifier: "own_second") { _ in }
        triggerEvents = [
            TriggerEvent(.didEndTouch, trace: "own touched", identifier: "own_touch"),
            .record("own_seen", on: .didAppear, with: analytics, once: "own_seen", trace: "own seen"), disarmed,
            TriggerEvent(.didAppear, on: .caller) { _ in disarmed.trigger = .never },
        ]
    }
}
