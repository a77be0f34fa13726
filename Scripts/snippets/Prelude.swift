// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What Swift blocks in documents and doc comments name without declaring it; see Scripts/check-snippets. Nothing here is run.

import Foundation
import SAPUsageCompatibility
import SiftCompatibility
import SwiftUI
import Trackway
import TrackwayEvents
import TrackwayTesting
import TrackwayTriggers
import TrackwayUIKit
import TrackwayWire
import UIKit

func made<Value>() -> Value { fatalError("Nothing here is run.") }

@MainActor var analytics: Analytics { made() }
@MainActor var configuration: Configuration {
    get { made() }
    set {}
}
@MainActor var destination: CollectorDestination { made() }
@MainActor var snapshot: TargetSnapshot { made() }
@MainActor var rules: DestinationRules { made() }
@MainActor var interceptors: [Interceptor] { made() }
@MainActor var memory: InMemoryAnalytics { made() }
@MainActor var url: URL { made() }
@MainActor var key: String { made() }
@MainActor var token: String { made() }
@MainActor var sku: String { made() }
@MainActor var price: Double { made() }
@MainActor var person: String { made() }
@MainActor var now: Timestamp { made() }
@MainActor var bytes: [UInt8] { made() }
@MainActor var fresh: [UInt8] { made() }
@MainActor var name: String {
    get { made() }
    set {}
}
@MainActor var answer: Data { made() }
@MainActor var writer: JSONWriter {
    get { made() }
    set {}
}

func log(_ text: String) {}
func post(_ request: WireRequest) throws -> Bool { made() }
func upload(_ request: WireRequest) throws -> Bool { made() }
func upload(_ name: String, _ attributes: Attributes, of user: UserContext?) throws {}

/// What is written to.
struct EventFile: Sendable { func write(_ event: Event) throws {} }
@MainActor var file: EventFile { made() }

/// What computes an attribute.
final class Wallet: Sendable { var balance: Int64 { made() } }
let wallet = Wallet()
@MainActor var cart: [String] { made() }
