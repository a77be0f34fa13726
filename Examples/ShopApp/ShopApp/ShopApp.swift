// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SwiftUI
import Trackway

/// A small shop in SwiftUI, with one page in UIKit, and what it records about its use.
@main
struct ShopApp: App {
    @State private var shop = Shop(analytics: Shop.startedAnalytics())
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup {
            ShopView(shop: shop)
                .onChange(of: phase) { shop.phaseChanged(to: $0) }
        }
    }
}
