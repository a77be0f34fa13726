// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Declares the names that Swift blocks in documents and doc comments use without declaring them; see
// Scripts/check-snippets. This code is type-checked, and never run.

import Foundation
import SiftCompatibility
import Trackway
import TrackwayDestinations
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

func made<Value>() -> Value { fatalError("This code is never run.") }

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

/// A file that events are written to.
struct EventFile: Sendable { func write(_ event: RecordedEvent) throws {} }
@MainActor var file: EventFile { made() }

/// Provides the value of an attribute.
final class Wallet: Sendable { var balance: Int64 { made() } }
let wallet = Wallet()
@MainActor var cart: [String] { made() }

typealias MyStorage = MemoryStorage

@MainActor var myLocation: any LocationSource { made() }

/// Device properties that an app provides.
struct MyProperties: DevicePropertiesSource { func deviceProperties() -> DeviceProperties { made() } }

/// The model under test in an app's tests.
struct CheckoutModel {
    var analytics: Analytics
    func buy(_ sku: String) {}
}

/// An event type as `trackway plan` generates it.
struct Purchase: TypedEvent {
    enum Currency: String, Codable { case cny = "CNY" }
    static let name = "purchase"
    var total: Double
    var currency: Currency
}

#if canImport(SAPUsageCompatibility)
@MainActor var settings: SAPcpmsSettingsParameters { made() }

/// The app that a UI test launches; XCTest declares it on platforms with a user interface.
@MainActor final class XCUIApplication {
    var launchEnvironment: [String: String] = [:]
    var buttons: Buttons { made() }
    func launch() {}

    @MainActor struct Buttons { subscript(name: String) -> Button { made() } }
    @MainActor struct Button { func tap() {} }
}
#else
extension EncryptionKey {
    // The Keychain is not simulated; this is the declaration for Apple platforms.
    static func inKeychain(named name: String = "", accessGroup: String? = nil) throws -> EncryptionKey { made() }
}

extension FileManager {
    func containerURL(forSecurityApplicationGroupIdentifier name: String) -> URL? { made() }
}

/// A background task.
final class BackgroundTask {
    var expirationHandler: (() -> Void)?
    func setTaskCompleted(success: Bool) {}
}
@MainActor var task: BackgroundTask { made() }
@MainActor var work: Task<Void, Never> { made() }
@MainActor var view: UIView { made() }
@MainActor var cell: UITableViewCell { made() }
@MainActor var offer: UIView { made() }

/// Records that an offer was seen.
@MainActor final class Offers { func seen(at moment: DualTimestamp) {} }
@MainActor var offers: Offers { made() }

@MainActor var sift: Sift { made() }
@MainActor var detector: Detector { made() }

/// Views that the blocks show.
struct Home: View { var body: some View { Text("Home") } }
struct ProductList: View { var body: some View { Text("Products") } }
struct Offer: View { var body: some View { Text("Offer") } }

/// The same in UIKit.
struct Product { var sku: String }
final class ProductViewController: UIViewController { var product: Product { made() } }
final class RootViewController: UIViewController {}
#endif
