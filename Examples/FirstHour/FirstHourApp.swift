// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SwiftUI
import Trackway
import TrackwayDestinations
import TrackwaySwiftUI
import TrackwayUIKit

@main
struct FirstHourApp: App {
    @State private var analytics = FirstHourApp.start(ProcessInfo.processInfo.environment)
    var body: some Scene { WindowGroup { FirstPage().analytics(analytics) } }

    @MainActor static func start(_ environment: [String: String]) -> Analytics {
        let test = environment["TRACKWAY_URL"].flatMap { URL(string: $0) }
        let collector = test ?? URL(string: "https://events.example.com")!
        var configuration = Configuration(
            appID: "shop",
            destinations: [.collector(collector, writeKey: "tw_your_key")],
            consent: test == nil ? .pending : .granted
        )
        if test == nil {
            let clickstream = URL(string: "https://clickstream.example.com/collect")!
            configuration.destinations.append(.clickstream(appID: "shop", endpoint: clickstream))
        }
        if test != nil { configuration.delivery.policy.flushInterval = .seconds(1) }
        configuration.onDiagnostic = { print("Trackway:", $0) }
        let analytics = Analytics.start(configuration)
        analytics.captureUIKit()
        if let run = environment["TRACKWAY_RUN"] { analytics.setGlobalAttributes(["_run": run]) }
        return analytics
    }
}

struct FirstPage: View {
    @Environment(\.analytics) private var analytics
    @State private var isAsking = false
    var body: some View {
        NavigationStack {
            List {
                NavigationLink("Shoes") { Text("Shoes").trackScreen("Product", id: "shoes") }
                Button("Buy") { analytics?.record("purchase", ["total": 12.5, "currency": "EUR"]) }
            }
            .trackScreen("Products")
        }
        .onAppear { isAsking = analytics?.consent == .pending }
        .sheet(isPresented: $isAsking) {
            VStack {
                Text("May we collect data about how you use the shop?")
                Button("Allow") { decide(.granted) }
                Button("Don't allow") { decide(.denied) }
            }
            .trackScreen("Consent")
        }
    }

    private func decide(_ consent: Consent) {
        analytics?.setConsent(consent, source: "first_launch", version: "privacy-2026-05")
        isAsking = false
    }
}
