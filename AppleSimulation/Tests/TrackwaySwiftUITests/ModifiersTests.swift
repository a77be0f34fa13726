// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SwiftUI
import Testing
import Trackway
import TrackwayCore
import TrackwaySwiftUI
import TrackwayTesting
import TrackwayTriggers
import TrackwayUIKit
import UIKit

/// The events that the modifiers of TrackwaySwiftUI record while their views appear, disappear and are tapped.
@MainActor
@Suite(.serialized)
struct ModifiersTests {
    private let memory: InMemoryAnalytics
    private let detector: Detector

    init() throws {
        SimulatedPhone.new().launch()
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = [.screens]
        memory = try InMemoryAnalytics(configuration)
        detector = Detector(clock: memory.clock)
    }

    private var screens: [String] {
        memory.events(named: CapturedName.screenView).compactMap { $0.event.attributes[CapturedKey.screenName]?.string }
    }

    /// Advances the clock until an event that depends on a pause is recorded.
    private func wait(_ isThere: () -> Bool) async {
        for _ in 0..<10_000 where !isThere() {
            memory.clock.advance(by: .milliseconds(400))
            await Task.yield()
        }
    }

    @Test func aScreenIsRecordedOnAppearanceAndAttachedToEvents() throws {
        struct Product: View {
            let sku: String
            @Environment(\.analytics) private var analytics
            @State private var count = 0

            var body: some View {
                Button("Add \(count)") {
                    count += 1
                    analytics?.record("added")
                }
                .trackScreen("Product", id: "shop/product", ["sku": .string(sku)])
            }
        }
        let screen = SimulatedScreen(Product(sku: "A-1").analytics(memory.analytics))
        screen.appear()
        // The body is evaluated again after each change, and the screen stays the same.
        #expect(screen.tap("Add 0"))
        #expect(screen.tap("Add 1"))
        #expect(screens == ["Product"])
        let view = try #require(memory.events(named: CapturedName.screenView).first)
        #expect(view.event.attributes["sku"] == "A-1")
        #expect(view.event.attributes[CapturedKey.screenID] == "shop/product")
        let added = memory.events(named: "added")
        #expect(added.map { $0.context["screen"]?["name"]?.string } == ["Product", "Product"])
    }

    @Test func aPushedScreenIsRecordedAndTheFirstAgainAfterThePop() async {
        struct Shop: View {
            var body: some View {
                NavigationStack {
                    NavigationLink("Shoes") { Text("page").trackScreen("Shoes") }.trackScreen("Shop")
                }
            }
        }
        let screen = SimulatedScreen(Shop().analytics(memory.analytics))
        screen.appear()
        screen.tap("Shoes")
        #expect(screens == ["Shop", "Shoes"])
        screen.goBack()
        #expect(screens == ["Shop", "Shoes", "Shop"])
    }

    @Test func dismissingASheetRecordsTheScreenBelowAgain() async {
        struct Shop: View {
            @State private var isOpen = false
            var body: some View {
                Button("Open") { isOpen = true }
                    .trackScreen("Shop")
                    .sheet(isPresented: $isOpen) { Text("cart").trackScreen("Cart") }
            }
        }
        let screen = SimulatedScreen(Shop().analytics(memory.analytics))
        screen.appear()
        screen.tap("Open")
        screen.goBack()
        await wait { screens.count == 3 }
        #expect(screens == ["Shop", "Cart", "Shop"])
    }

    @Test(arguments: [UIModalPresentationStyle.pageSheet, .fullScreen])
    func UIKitAndSwiftUIScreensShareOneStack(style: UIModalPresentationStyle) async {
        let capture = memory.analytics.captureUIKit(clicks: nil)
        defer { capture.stop() }
        let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))
        let home = HomeViewController()
        window.rootViewController = home
        window.makeKeyAndVisible()
        let host = UIHostingController(rootView: Text("cart").trackScreen("Cart").analytics(memory.analytics))
        memory.clock.advance(by: .seconds(5))
        host.modalPresentationStyle = style
        home.present(host, animated: false)
        #expect(screens == ["Home", "Cart"], "the host is not a separate screen")
        memory.clock.advance(by: .seconds(5))
        home.dismiss(animated: false)
        await wait { screens.count == 3 }
        #expect(screens == ["Home", "Cart", "Home"])
    }

    @Test func screensWithoutNameOrAnalyticsAreNotRecorded() {
        SimulatedScreen(Text("a").trackScreen("").analytics(memory.analytics)).appear()
        SimulatedScreen(Text("a").trackScreen("Lost").trackTap("lost")).appear()
        #expect(memory.recorded.isEmpty)
    }

    @Test func theInnermostAnalyticsIsUsed() throws {
        let other = try InMemoryAnalytics()
        let view = VStack {
            Text("a").trackTap("a")
            Text("b").trackTap("b").analytics(other.analytics)
            Text("c").trackTap("c").analytics(nil)
        }
        let screen = SimulatedScreen(view.analytics(memory.analytics))
        screen.appear()
        for name in ["a", "b", "c"] { #expect(screen.tap(name)) }
        #expect(memory.events(named: CapturedName.click).map { $0.event.attributes[CapturedKey.elementID] } == ["a"])
        #expect(other.events(named: CapturedName.click).map { $0.event.attributes[CapturedKey.elementID] } == ["b"])
    }

    @Test func aTapIsAClickInAdditionToItsAction() {
        struct Shop: View {
            @State private var count = 0
            var body: some View {
                Text("shoes \(count)").onTapGesture { count += 1 }.trackTap("shoes", ["kind": "running"])
            }
        }
        let screen = SimulatedScreen(Shop().analytics(memory.analytics))
        screen.appear()
        #expect(screen.tap("shoes 0"))
        #expect(screen.texts == ["shoes 1"])
        let clicks = memory.events(named: CapturedName.click)
        #expect(clicks.count == 1)
        #expect(clicks.first?.event.attributes[CapturedKey.elementID] == "shoes")
        #expect(clicks.first?.event.attributes["kind"] == "running")
        SimulatedScreen(Text("x").trackTap("").analytics(memory.analytics)).appear()
    }

    @Test func triggersFireOnAppearanceDisappearanceAndTap() {
        let notes = Locked<[String]>([])
        let note: (Trigger) -> TriggerEvent = { trigger in
            TriggerEvent(trigger, on: .caller) { _ in notes.withLock { $0.append("\(trigger)") } }
        }
        let list = [note(.didAppear), note(.didDisappear), note(.didEndTouch)]
        let screen = SimulatedScreen(Text("offer").trigger(list).analytics(nil, detector: detector))
        screen.appear()
        #expect(screen.tap("offer"))
        screen.disappear()
        #expect(notes.withLock { $0 } == ["didAppear", "didEndTouch", "didDisappear"])
        // Without a touch trigger the view cannot be tapped, and without a detector nothing fires.
        let silent = SimulatedScreen(Text("offer").trigger(note(.didAppear), note(.didDisappear)))
        silent.appear()
        #expect(!silent.tap("offer"))
        silent.disappear()
        #expect(notes.withLock { $0 }.count == 3)
    }

    @Test func aPairOfTriggersMeasuresTheTimeOnScreen() {
        let pair = TriggerEvent.timeOnScreen(recording: "offer_time", with: memory.analytics)
        let screen = SimulatedScreen(Text("offer").trigger(pair).analytics(memory.analytics, detector: detector))
        screen.appear()
        memory.clock.advance(by: .milliseconds(1234))
        screen.disappear()
        #expect(memory.events(named: "offer_time").map { $0.event.attributes["event_duration"] } == [1.234])
    }

    @Test func scenePhaseIsUsedWithoutOtherLifecycleObservers() async throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = .launches
        configuration.lifecycle.isObserved = false
        let memory = try InMemoryAnalytics(configuration)
        let screen = SimulatedScreen(Text("a").followScenePhase().analytics(memory.analytics))
        screen.appear()
        screen.scenePhase = .inactive
        screen.scenePhase = .active
        await memory.analytics.lifecycle.dispatcher.waitUntilSettled()
        #expect(memory.recorded.map(\.story).suffix(1) == ["_app_start cold"])
        memory.clock.advance(by: .seconds(5))
        screen.scenePhase = .inactive
        screen.scenePhase = .background
        memory.clock.advance(by: .seconds(5))
        screen.scenePhase = .inactive
        screen.scenePhase = .active
        await memory.analytics.lifecycle.dispatcher.waitUntilSettled()
        #expect(memory.recorded.map(\.story).suffix(3) == ["_app_start cold", "_app_end 5s", "_app_start hot"])
    }
}

private final class HomeViewController: UIViewController {}
