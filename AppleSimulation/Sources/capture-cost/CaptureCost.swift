// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Trackway
import TrackwayTriggers
import TrackwayUIKit
import UIKit

/// Measures what automatic capture costs the main thread for appearing screens and touches: with no exchanged methods,
/// with the exchanged methods, and with screens, clicks and triggers.
///
/// UIKit is simulated here and costs almost nothing, so the difference is the SDK's cost. It does not include the
/// Objective-C runtime's overhead of exchanged methods.
@MainActor
@main
struct CaptureCost {
    let count: Int
    let analytics: Analytics
    let phone = SimulatedPhone.new()
    let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))
    let screens = [FirstController(), SecondController()]
    let button = UIButton(type: .system)

    static func main() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("capture-cost-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        guard let nowhere = URL(string: "http://127.0.0.1:9") else { return }
        var configuration = Configuration(
            appID: "cost",
            destinations: [.collector(nowhere, writeKey: "none")],
            consent: .granted
        )
        configuration.storage.folder = folder
        // Events are not sent during the measurement.
        configuration.privacy.consent = .pending
        configuration.storage.maximumBytes = 4 << 30
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
        let cost = CaptureCost(count: count, analytics: try Analytics(configuration))
        cost.run()
    }

    private init(count: Int, analytics: Analytics) {
        self.count = count
        self.analytics = analytics
        phone.launch()
        button.frame = CGRect(x: 20, y: 100, width: 200, height: 50)
        screens[0].view.addSubview(button)
        window.rootViewController = screens[0]
        window.makeKeyAndVisible()
    }

    private func run() {
        measure("nothing exchanged")

        var handlers = UIKitHooks.Handlers()
        handlers.viewDidAppear = { _ in }
        handlers.willSendEvent = { _ in }
        handlers.willSendAction = { _, _ in }
        let observation = UIKitHooks.observe(handlers)
        measure("methods exchanged")
        observation.cancel()

        let capture = analytics.captureUIKit()
        measure("screens and clicks")
        capture.stop()

        let detector = Detector()
        button.triggerEvents = [TriggerEvent(.didEndTouch, on: .caller) { _ in }]
        let triggers = analytics.captureUIKit(screens: nil, clicks: nil, detector: detector)
        measure("triggers")
        triggers.stop()
    }

    private func measure(_ what: String) {
        report("\(what), viewDidAppear") { screens[$0 % 2].viewDidAppear(false) }
        let (inside, outside) = (CGPoint(x: 60, y: 120), CGPoint(x: 300, y: 700))
        report("\(what), a tap on a button") { _ in phone.tap(at: inside, in: window) }
        report("\(what), a tap next to it") { _ in phone.tap(at: outside, in: window) }
    }

    private func report(_ what: String, _ body: (Int) -> Void) {
        for index in 0..<1000 { body(index) }
        var durations = [UInt64](repeating: 0, count: count)
        for index in 0..<count {
            let start = DispatchTime.now().uptimeNanoseconds
            body(index)
            durations[index] = DispatchTime.now().uptimeNanoseconds - start
        }
        durations.sort()
        let (p50, p99, max) = (durations[count / 2], durations[count * 99 / 100], durations[count - 1])
        print("\(what): p50 \(p50) ns, p99 \(p99), max \(max)")
    }
}

final class FirstController: UIViewController {}
final class SecondController: UIViewController {}
