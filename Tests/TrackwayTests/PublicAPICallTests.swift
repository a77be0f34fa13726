// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Imports only what an app imports, which tests the re-exports.
import Foundation
import Testing
import Trackway

struct AddToCart: TypedEvent {
    static let name = "add_to_cart"
    var sku: String
    var price: Double
}

/// The documented calls, as an app makes them.
///
/// They only have to compile. Other tests cover their behavior.
func documentedCalls() async throws {
    let analytics = try Analytics(
        Configuration(
            appID: "shopping",
            destinations: [.collector(URL(string: "http://127.0.0.1:8787")!, writeKey: "dev")]
        )
    )

    let (sku, price, count, isFirst, coupon) = ("A-1", 12.5, 3, true, String?.none)
    let (bought, tags, link) = (Date(timeIntervalSince1970: 1), ["new"], URL(string: "https://example.com/a")!)
    let dictionary: [String: Any] = ["rows": 3, "file": "a.csv"]
    analytics.record("button_click")
    analytics.record("add_to_cart", ["sku": sku, "price": price, "count": count, "first": isFirst])
    analytics.record("purchase", ["coupon": coupon, "at": bought, "tags": tags, "link": link])
    analytics.record("imported", Attributes(dictionary))
    analytics.record(
        "button_click",
        ["category": "shoes", "currency": "CNY", "value": 279.9, "first": true, "count": 3]
    )
    analytics.record(
        "view_item",
        ["value": 99.9],
        items: [Item(id: "123", name: "Nature", ["publisher": "Nature Research"])]
    )
    analytics.record(AddToCart(sku: sku, price: price))
    analytics.record("internal_metric", to: ["audit"])

    analytics.screen("Home")
    analytics.identify("user-42", traits: ["plan": "pro"])
    analytics.alias("anna@example.com", to: "user-42")
    analytics.signOut()
    analytics.group("company", id: "acme", traits: ["seats": 12])
    analytics.leaveGroup("company")
    analytics.setUserAttributes(["_user_age": 21, "name": "carl"])
    analytics.removeUserAttributes(["name"])
    analytics.setAnonymousID("visitor-1")
    analytics.resetAnonymousID()
    analytics.addIdentifier("13800138000", type: "mobile")
    analytics.removeIdentifier("13800138000", type: "mobile")
    _ = (analytics.userID, analytics.personID, analytics.anonymousID)
    analytics.setGlobalAttributes(["channel": "App Store"])
    analytics.removeGlobalAttributes(["channel"])

    analytics.startTimer("checkout")
    analytics.pauseTimer("checkout")
    analytics.resumeTimer("checkout")
    analytics.endTimer("checkout", ["steps": 3])
    let load = analytics.startTimer("load", unit: .milliseconds, countsBackground: true)
    analytics.endTimer(load)
    analytics.removeTimer("checkout")
    analytics.clearTimers()

    let receipt = try await analytics.recordDurably("purchase", ["total": price])
    let report = await analytics.flush(timeout: .seconds(5))
    for await consent in analytics.consentUpdates where consent != .pending { break }
    _ = Analytics.start(Configuration(appID: "shopping", destinations: [.local("exports")]))
    let ledger = analytics.ledger()
    analytics.setConsent(.granted)
    analytics.isEnabled = false
    analytics.isEnabled = true
    analytics.options.logEvents = true
    await analytics.shutdown()
    try await analytics.erase()

    _ = (receipt.outcome == .recorded(.disk), report.isComplete, ledger.isBalanced)
    _ = (receipt.id.description, report.destinations["collector"]?.delivered, ledger.destinations["collector"]?.pending)
}

@Suite("Public API calls")
struct PublicAPICallTests {
    @Test(arguments: [0, 1_700_000_000.1239, -86_400.5])
    func `a Foundation date becomes an attribute with millisecond precision`(seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        let expected = AttributeValue.date(Timestamp(milliseconds: Int64((seconds * 1000).rounded())))
        #expect(date.attributeValue == expected)
        #expect(AttributeValue(date) == expected)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
    func `an out-of-range or non-finite date does not trap`(seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        if case .double(let number)? = date.attributeValue {
            #expect(seconds.isNaN && number.isNaN)
        } else {
            #expect(!seconds.isNaN && date.attributeValue == .date(Timestamp(date)))
        }
    }
}
