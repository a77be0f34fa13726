// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SwiftUI
import Trackway
import TrackwaySwiftUI

@main
struct ShopApp: App {
    @State private var analytics = try? Analytics(
        Configuration(
            appID: "shop",
            destinations: [.collector(URL(string: "http://127.0.0.1:8787")!, writeKey: "dev")],
            consent: .granted
        )
    )

    var body: some Scene {
        WindowGroup {
            ProductPage().analytics(analytics)
        }
    }
}

struct ProductPage: View {
    @Environment(\.analytics) private var analytics

    var body: some View {
        Button("Buy") {
            analytics?.record("purchase", ["total": 12.5, "currency": "EUR"])
        }
        .trackScreen("Product")
    }
}
