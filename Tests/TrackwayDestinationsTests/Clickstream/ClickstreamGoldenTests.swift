// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations

@Suite("Clickstream events, byte for byte")
struct ClickstreamGoldenTests {
    /// An event as the SDK records it, and the file with its encoding.
    struct Kind: Sendable, CustomTestStringConvertible {
        var file: String
        var event: Event
        var context = ClickstreamSample.context
        var testDescription: String { file }
    }

    static let kinds: [Kind] = [
        Kind(
            file: "add-to-cart.json",
            event: ClickstreamSample.event("add_to_cart", ["event_category": "recommended", "currency": "CNY"])
        ),
        Kind(file: "first-open.json", event: ClickstreamSample.event(CapturedName.firstOpen)),
        Kind(
            file: "app-start.json",
            event: ClickstreamSample.event(
                CapturedName.appStart,
                [
                    CapturedKey.isFirstTime: true, CapturedKey.startKind: "cold", CapturedKey.isFirstStart: true,
                    CapturedKey.resumedFromBackground: false,
                ]
            )
        ),
        Kind(
            file: "app-start-passively.json",
            event: ClickstreamSample.event(
                CapturedName.appStart,
                [CapturedKey.isFirstTime: true, CapturedKey.startKind: "passive"]
            )
        ),
        Kind(
            file: "session-start.json",
            event: ClickstreamSample.event(
                CapturedName.sessionStart,
                [
                    CapturedKey.sessionID: "E6C3BFAC-20230526-062238846",
                    CapturedKey.sessionStart: 1_685_082_158_846, CapturedKey.sessionNumber: 3,
                ]
            )
        ),
        Kind(
            file: "screen-view.json",
            event: ClickstreamSample.event(
                CapturedName.screenView,
                [
                    CapturedKey.screenName: "ProductDetailViewController",
                    CapturedKey.screenID: "Shop/ProductDetailViewController",
                    CapturedKey.screenUniqueID: "5260751568", CapturedKey.previousScreenName: "HomeViewController",
                    CapturedKey.previousScreenID: "Shop/HomeViewController",
                    CapturedKey.previousScreenUniqueID: "4389210384", CapturedKey.entrances: 0,
                    CapturedKey.previousTimestamp: 1_685_082_160_000, CapturedKey.engagementTime: 13_100,
                ]
            )
        ),
        Kind(
            file: "user-engagement.json",
            event: ClickstreamSample.event(CapturedName.userEngagement, [CapturedKey.engagementTime: 4_200])
        ),
        Kind(
            file: "app-end.json",
            event: ClickstreamSample.event(
                CapturedName.appEnd,
                [CapturedKey.foregroundDuration: 15_349, CapturedKey.isRecovered: true]
            )
        ),
        Kind(
            file: "profile-set.json",
            event: ClickstreamSample.event(CapturedName.profileSet, [CapturedKey.signedIn: true]),
            context: signedIn
        ),
        Kind(
            file: "app-update.json",
            event: ClickstreamSample.event(CapturedName.appUpdate, [CapturedKey.previousAppVersion: "0.9"])
        ),
        Kind(
            file: "os-update.json",
            event: ClickstreamSample.event(CapturedName.osUpdate, [CapturedKey.previousOSVersion: "16.3"])
        ),
        Kind(
            file: "app-exception.json",
            event: ClickstreamSample.event(
                CapturedName.appException,
                [
                    CapturedKey.exceptionMessage: "signal 11 (SIGSEGV)",
                    CapturedKey.exceptionStack: .string(String(repeating: "0x0000000102b4c1a0 Shop\n", count: 60)),
                ]
            )
        ),
        Kind(file: "clickstream-error.json", event: ClickstreamSample.event("9lives", ["lost": "with its event"])),
        Kind(
            file: "view-item.json",
            event: ClickstreamSample.event(
                "view_item",
                ["_value": 99.9, "_currency": "USD", "event_category": "recommended"],
                items: [
                    Item(
                        id: "123",
                        name: "Nature",
                        ["category": "book", "price": 99.9, "quantity": 1, "book_publisher": "Nature Research"]
                    )
                ]
            ),
            context: withGlobals
        ),
        Kind(
            file: "bare.json",
            event: ClickstreamSample.event("bare", ["whole": 3, "half": 0.5, "third": 0.1, "is": true]),
            context: RecordedContext()
        ),
    ]

    private static var signedIn: RecordedContext {
        var context = ClickstreamSample.context
        context.user.id = "carl-42"
        context.user.signedInAt = Timestamp(milliseconds: 1_685_082_170_000)
        return context
    }

    private static var withGlobals: RecordedContext {
        var context = ClickstreamSample.context
        context.global = ["_traffic_source_source": "amazon", "_app_install_channel": "App Store"]
        return context
    }

    @Test(arguments: kinds)
    func `every kind of event matches its fixture`(_ kind: Kind) throws {
        let batch = ClickstreamSample.batch([kind.event], in: kind.context)
        let request = try ClickstreamSample.destination.request(for: batch, sentAt: ClickstreamSample.sentAt)
        #expect(String(decoding: request.body, as: UTF8.self) == (try ClickstreamSample.fixture(kind.file)))
    }

    @Test(arguments: kinds)
    func `every common attribute in the document is present, and no other key is`(_ kind: Kind) throws {
        let documented: Set<String> = [
            "app_id", "unique_id", "device_id", "device_unique_id", "event_type", "event_id", "timestamp", "platform",
            "os_version", "make", "brand", "model", "carrier", "network_type", "screen_height", "screen_width",
            "zone_offset", "locale", "system_language", "country_code", "sdk_version", "sdk_name", "app_version",
            "app_package_name", "app_title",
        ]
        let sent = try ClickstreamSample.sent(kind.event, in: kind.context)
        let keys = try #require(sent.object).members.map(\.key)
        #expect(Set(keys).subtracting(["attributes", "items", "user"]) == documented)
        #expect(keys == keys.sorted(), "keys are sorted")
        #expect(sent["attributes"] != nil)
        #expect((sent["items"] != nil) == !kind.event.items.isEmpty)
        #expect((sent["user"] != nil) == !(kind.context == RecordedContext()))
    }
}
