// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Declares the names that Swift blocks in documents and doc comments use but do not declare; see
// Scripts/check-snippets. This code is type-checked but never run.

import Foundation
import SiftCompatibility
import Trackway
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations
import TrackwayTesting

#if canImport(SAPUsageCompatibility)
import SAPUsageCompatibility
#else
import SwiftUI
import TrackwayTriggers
import TrackwayUIKit
import UIKit
#endif

func placeholder<Value>() -> Value { fatalError("This code is never run.") }

@MainActor var analytics: Analytics { placeholder() }
@MainActor var configuration: Configuration {
    get { placeholder() }
    set {}
}
@MainActor var destination: CollectorDestination { placeholder() }
@MainActor var snapshot: PendingEvents { placeholder() }
@MainActor var rules: DestinationRules { placeholder() }
@MainActor var interceptors: [Interceptor] { placeholder() }
@MainActor var memory: InMemoryAnalytics { placeholder() }
@MainActor var url: URL { placeholder() }
@MainActor var key: String { placeholder() }
@MainActor var token: String { placeholder() }
@MainActor var sku: String { placeholder() }
@MainActor var coupon: String? { placeholder() }
@MainActor var dictionary: [String: Any] { placeholder() }
@MainActor var price: Double { placeholder() }
@MainActor var userID: UUID { placeholder() }
@MainActor var now: Timestamp { placeholder() }
@MainActor var bytes: [UInt8] { placeholder() }
@MainActor var text: UnsafeRawBufferPointer { placeholder() }
@MainActor var newKeyBytes: [UInt8] { placeholder() }
@MainActor var name: String {
    get { placeholder() }
    set {}
}
@MainActor var responseFields: [String: Any] { placeholder() }

func log(_ text: String) {}
func post(_ request: WireRequest) throws -> Bool { placeholder() }
func upload(_ request: WireRequest) throws -> Bool { placeholder() }
func upload(_ name: String, _ attributes: Attributes, of user: String?) throws {}

/// A file that events are written to.
struct EventFile: Sendable { func write(_ event: RecordedEvent) throws {} }
@MainActor var file: EventFile { placeholder() }

/// Provides the value of an attribute.
final class Wallet: Sendable { var balance: Int64 { placeholder() } }
let wallet = Wallet()
@MainActor var cart: [String] { placeholder() }

typealias MyStorage = MemoryStorage

@MainActor var myLocation: any LocationSource { placeholder() }

/// Device properties that an app provides.
struct MyProperties: DevicePropertiesSource { func deviceProperties() -> DeviceProperties { placeholder() } }

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
@MainActor var settings: SAPcpmsSettingsParameters { placeholder() }

/// The app that a UI test launches; XCTest declares it on platforms with a user interface.
@MainActor final class XCUIApplication {
    var launchEnvironment: [String: String] = [:]
    var buttons: Buttons { placeholder() }
    func launch() {}

    @MainActor struct Buttons { subscript(name: String) -> Button { placeholder() } }
    @MainActor struct Button { func tap() {} }
}
#else
extension EncryptionKey {
    // The Keychain is not simulated; this is the declaration for Apple platforms.
    static func inKeychain(named name: String = "", accessGroup: String? = nil) throws -> EncryptionKey {
        placeholder()
    }
}

extension FileManager {
    func containerURL(forSecurityApplicationGroupIdentifier name: String) -> URL? { placeholder() }
}

/// A background task.
final class BackgroundTask {
    var expirationHandler: (() -> Void)?
    func setTaskCompleted(success: Bool) {}
}
@MainActor var task: BackgroundTask { placeholder() }
@MainActor var work: Task<Void, Never> { placeholder() }
@MainActor var view: UIView { placeholder() }
@MainActor var cell: UITableViewCell { placeholder() }
@MainActor var offer: UIView { placeholder() }

/// Records that an offer was seen.
@MainActor final class OfferTracker { func recordImpression(at timestamp: DualTimestamp) {} }
@MainActor var offers: OfferTracker { placeholder() }

@MainActor var sift: Sift { placeholder() }
@MainActor var detector: Detector { placeholder() }

/// Views that the blocks show.
struct Home: View { var body: some View { Text("Home") } }
struct ProductList: View { var body: some View { Text("Products") } }
struct Offer: View { var body: some View { Text("Offer") } }

/// The same screens in UIKit.
struct Product { var sku: String }
final class ProductViewController: UIViewController { var product: Product { placeholder() } }
final class RootViewController: UIViewController {}
#endif
