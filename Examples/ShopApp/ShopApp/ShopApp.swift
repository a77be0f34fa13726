// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SwiftUI
import Trackway

/// A small shop in SwiftUI with one UIKit page that records how it is used.
@main
struct ShopApp: App {
    @State private var shop = Shop(analytics: Shop.makeAnalytics())
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup {
            ShopView(shop: shop)
                .onChange(of: phase) { shop.scenePhaseChanged(to: $0) }
        }
    }
}
