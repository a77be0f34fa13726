// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SparkChamberCompatibility
import SparkChamberSamples
import Testing
import TrackwayTesting
import UIKit

/// The samples from the documentation, unchanged, on views of screens that a user sees and touches.
@MainActor
@Suite(.serialized)
struct DocumentOnViewsTests {
    private let phone = SimulatedPhone.new()
    private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))
    private let screen = SparkViewController()
    private let button = SparkButton(frame: CGRect(x: 20, y: 100, width: 200, height: 50))
    private let navigation: UINavigationController

    init() {
        phone.launch()
        screen.view.addSubview(button)
        navigation = UINavigationController(rootViewController: screen)
    }

    private func appear() {
        window.rootViewController = navigation
        window.makeKeyAndVisible()
        window.layoutIfNeeded()
    }

    private func leave() {
        navigation.pushViewController(UIViewController(), animated: false)
    }

    private func comeBack() {
        navigation.popViewController(animated: false)
    }

    private func output(_ body: () -> Void) async -> [String] {
        SparkChamberSamples.output = []
        body()
        await waitForPendingActions()
        return SparkChamberSamples.output
    }

    @Test func aSingleEvent() async {
        documentAttachesASingleEventOnTheMainActor(button)
        let output = await output {
            appear()
            phone.tap(button)
            leave()
        }
        #expect(output == ["appeared"])
    }

    @Test func multipleEvents() async {
        documentAttachesMultipleEventsOnTheMainActor(button)
        let output = await output {
            appear()
            phone.tap(button)
            phone.drag(from: button, to: CGPoint(x: 380, y: 800))
            leave()
        }
        #expect(output == ["appeared", "touched"])
    }

    @Test func aSingleFireEvent() async {
        documentFiresASingleTimeOnTheMainActor(button)
        // The trigger occurs twice before the action has run, and once more.
        #expect(
            await output {
                appear()
                leave()
                comeBack()
            } == ["appeared once"]
        )
        #expect(
            await output {
                leave()
                comeBack()
            } == []
        )
    }

    @Test func viewingTimeToTheMillisecond() async {
        let clock = ManualClock()
        SparkDetector.useClock(clock)
        defer { SparkDetector.useClock(SystemClock()) }
        documentMeasuresViewingTimeOnTheMainActor(button)
        let output = await output {
            appear()
            clock.advance(by: .milliseconds(1500))
            leave()
            clock.advance(by: .seconds(10))
            comeBack()
            clock.advance(by: .milliseconds(1))
            leave()
            comeBack()
            clock.advance(by: .milliseconds(3_600_250))
            leave()
        }
        let prefix = "Time on screen: "
        #expect(output.allSatisfy { $0.hasPrefix(prefix) })
        // The difference of two dates is a binary floating-point number.
        let milliseconds = output.map { Double($0.dropFirst(prefix.count)).map { Int(($0 * 1000).rounded()) } }
        #expect(milliseconds == [1500, 1, 3_600_250])
    }
}
