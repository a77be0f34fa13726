// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What Swift blocks in documents and doc comments name without declaring it; see Scripts/check-snippets. Nothing here is run.

import Foundation
import SiftCompatibility
import Trackway
import TrackwayEvents
import TrackwayTesting
import TrackwayWire

#if canImport(SAPUsageCompatibility)
import SAPUsageCompatibility
#else
import SwiftUI
import TrackwayTriggers
import TrackwayUIKit
import UIKit
#endif

func made<Value>() -> Value { fatalError("Nothing here is run.") }

@MainActor var analytics: Analytics { made() }
@MainActor var configuration: Configuration {
    get { made() }
    set {}
}
@MainActor var destination: CollectorDestination { made() }
@MainActor var snapshot: PendingEvents { made() }
@MainActor var rules: DestinationRules { made() }
@MainActor var interceptors: [Interceptor] { made() }
@MainActor var memory: InMemoryAnalytics { made() }
@MainActor var url: URL { made() }
@MainActor var key: String { made() }
@MainActor var token: String { made() }
@MainActor var sku: String { made() }
@MainActor var coupon: String? { made() }
@MainActor var dictionary: [String: Any] { made() }
@MainActor var price: Double { made() }
@MainActor var person: UUID { made() }
@MainActor var now: Timestamp { made() }
@MainActor var bytes: [UInt8] { made() }
@MainActor var text: UnsafeRawBufferPointer { made() }
@MainActor var fresh: [UInt8] { made() }
@MainActor var name: String {
    get { made() }
    set {}
}
@MainActor var answer: [String: Any] { made() }

func log(_ text: String) {}
func post(_ request: WireRequest) throws -> Bool { made() }
func upload(_ request: WireRequest) throws -> Bool { made() }
func upload(_ name: String, _ attributes: Attributes, of user: String?) throws {}

/// What is written to.
struct EventFile: Sendable { func write(_ event: RecordedEvent) throws {} }
@MainActor var file: EventFile { made() }

/// What computes an attribute.
final class Wallet: Sendable { var balance: Int64 { made() } }
let wallet = Wallet()
@MainActor var cart: [String] { made() }

typealias MyStorage = MemoryStorage

@MainActor var myLocation: any LocationSource { made() }

/// What an app knows of the device.
struct MyProperties: DevicePropertiesSource { func deviceProperties() -> DeviceProperties { made() } }

/// What an app's test tests.
struct CheckoutModel {
    var analytics: Analytics
    func buy(_ sku: String) {}
}

/// What `trackway plan` generates.
struct Purchase: TypedEvent {
    enum Currency: String, Codable { case cny = "CNY" }
    static let name = "purchase"
    var total: Double
    var currency: Currency
}

#if canImport(SAPUsageCompatibility)
@MainActor var settings: SAPcpmsSettingsParameters { made() }

/// What a test of an interface starts; XCTest has it where there are interfaces.
@MainActor final class XCUIApplication {
    var launchEnvironment: [String: String] = [:]
    var buttons: Buttons { made() }
    func launch() {}

    @MainActor struct Buttons { subscript(name: String) -> Button { made() } }
    @MainActor struct Button { func tap() {} }
}
#else
extension EncryptionKey {
    // The Keychain is not simulated; this is the declaration for Apple's systems.
    static func inKeychain(named name: String = "", accessGroup: String? = nil) throws -> EncryptionKey { made() }
}

extension FileManager {
    func containerURL(forSecurityApplicationGroupIdentifier name: String) -> URL? { made() }
}

/// A task of the background.
final class BackgroundTask {
    var expirationHandler: (() -> Void)?
    func setTaskCompleted(success: Bool) {}
}
@MainActor var task: BackgroundTask { made() }
@MainActor var work: Task<Void, Never> { made() }
@MainActor var view: UIView { made() }
@MainActor var cell: UITableViewCell { made() }
@MainActor var offer: UIView { made() }

/// What an app does when an offer was seen.
@MainActor final class Offers { func seen(at moment: Moment) {} }
@MainActor var offers: Offers { made() }

@MainActor var sift: Sift { made() }
@MainActor var detector: Detector { made() }

/// What is shown.
struct Home: View { var body: some View { Text("Home") } }
struct ProductList: View { var body: some View { Text("Products") } }
struct Offer: View { var body: some View { Text("Offer") } }

/// What shows it in UIKit.
struct Product { var sku: String }
final class ProductViewController: UIViewController { var product: Product { made() } }
final class RootViewController: UIViewController {}
#endif
