// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

@Suite("SAP Mobile Services uploader")
struct SAPcpmsUploadTests {
    private let app = UsageApp()
    private let userID = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
    private static let path =
        "https://tenant.test/mobileservices/application/shop/clientusage/v1/runtime/clientusage/application/shop"

    init() {
        app.memory.transport.always(.respond(WireResponse(status: 201, body: Array(#"{"report":"x"}"#.utf8))))
    }

    /// Returns the store of a user who consented.
    @discardableResult
    private func configureWithConsent(_ app: UsageApp, _ store: (any UsageStoring)? = nil) throws -> any UsageStoring {
        let store = try store ?? app.store(of: userID)
        app.usage.configure(with: store)
        app.usage.enableDataCollection()
        app.usage.consentForUser(try #require(UUID(uuidString: store.storageID)), given: true)
        return store
    }

    private func upload(
        _ app: UsageApp,
        to destination: SAPMobileServicesDestination = SAPMobileServicesDestination(
            backendURL: "https://tenant.test",
            applicationID: "shop"
        ),
        unattributed: (any UsageSnapshotting)? = nil
    ) async -> SAPcpmsUsageUploader.UploadError? {
        let upload = SAPcpmsUpload(to: destination, by: SAPURLSession(), of: "default", from: app.usage.core)
        return await withCheckedContinuation { continuation in
            upload.begin(unattributed) { continuation.resume(returning: $0 as? SAPcpmsUsageUploader.UploadError) }
        }
    }

    private func start(_ app: UsageApp, application: String = "shop") -> UsageRecord {
        app.environment.sessionStart(application: application, version: "3.2.0")
    }

    private func body(_ place: Int) throws -> JSONValue {
        try JSONValue.parse(app.memory.transport.requests[place].body)
    }

    private func keys(_ report: JSONValue) -> [[String]] {
        (report["sessions"]?.array ?? []).map { session in
            (session["events"]?.array ?? []).map { $0["key"]?.string ?? "-" }
        }
    }

    @Test
    func `the reference's example matches field by field`() async throws {
        let store = try configureWithConsent(app)
        let zero = Timestamp("2024-06-10T06:13:20.000Z")?.date ?? .distantPast
        let reporter = app.usage.reporter()
        reporter.report(
            .sessionStart,
            date: zero,
            info: [
                "sessionId": "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10", "application": "org.example.shop",
                "appVersion": "3.2.0", "platform": "iOS", "platformVersion": "17.5.1", "deviceModel": "iPhone",
                "deviceID": "0C2A7C36-5D0B-4C6E-8C0F-6C1E2B7F90A4",
            ]
        )
        reporter.report(
            SAPcpmsRecord.event(
                type: "userInteraction",
                key: "BehaviorEvent",
                date: zero + 9.48,
                view: "Products Listing Screen",
                element: "Products Table",
                action: "Row Selected",
                value: "Trail Shoe"
            )
        )
        reporter.report(
            SAPcpmsRecord.event(
                type: "timer",
                key: "CheckoutDuration",
                date: zero + 20,
                duration: 88.75,
                screen: "Checkout",
                behaviour: "fast",
                case: "B",
                category: "Sales",
                result: "success",
                unit: "EUR",
                measurement: "basket",
                value: "99.9",
                others: ["a": [1, NSNull()]]
            )
        )
        reporter.report(.sessionEnd, date: zero + 110.25)
        let endpoint = SAPMobileServicesDestination(endpoint: "https://proxy.test/usage", applicationID: "usage")
        #expect(await upload(app, to: endpoint) == nil)
        #expect(app.memory.transport.requests.map(\.url) == ["https://proxy.test/usage"])
        let report = try body(0)
        #expect(
            String(decoding: report["appInfo"]?.json() ?? [], as: UTF8.self)
                == #"{"application":"org.example.shop","appVersion":"3.2.0"}"#
        )
        #expect(
            String(decoding: report["deviceInfo"]?.json() ?? [], as: UTF8.self)
                == #"{"platform":"iOS","platformVersion":"17.5.1","deviceModel":"iPhone","deviceID":"0C2A7C36-5D0B-4C6E-8C0F-6C1E2B7F90A4"}"#
        )
        let session = try #require(report["sessions"]?.array?.first)
        #expect(session["sessionInfo"]?["sessionId"]?.string == "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
        var events = try #require(session["events"]?.array).map { String(decoding: $0.json(), as: UTF8.self) }
        // The test's time zone is arbitrary; the encoder's own tests verify the times.
        events = events.map { $0.replacing(/"time":"[^"]*"/, with: #""time":"T""#) }
        #expect(
            events == [
                #"{"key":"SessionStart","time":"T"}"#,
                #"{"type":"userInteraction","key":"BehaviorEvent","time":"T","view":"Products Listing Screen","element":"Products Table","action":"Row Selected","value":"Trail Shoe"}"#,
                #"{"type":"timer","key":"CheckoutDuration","time":"T","duration":"88.75","screen":"Checkout","behavior":"fast","cases":"B","category":"Sales","result":"success","unit":"EUR","measurement":"basket","value":"99.9","others":"{\"a\":[1,null]}"}"#,
                #"{"key":"SessionEnd","time":"T","duration":"110.25"}"#,
            ]
        )
        #expect(store.snapshot(for: "default").recordCount() == 0)
    }

    @Test
    func `an open session is ended and sent, and the next one of the same application begins`() async throws {
        let store = try configureWithConsent(app)
        #expect(await upload(app) == .noData)
        app.usage.reporter().report(start(app))
        #expect(await upload(app) == .noData)
        app.memory.clock.advance(by: .seconds(5))
        app.usage.reporter().report(.event("a"))
        #expect(await upload(app) == nil)
        #expect(try keys(body(0)) == [["SessionStart", "a", "SessionEnd"]])
        #expect(try body(0)["sessions"]?.array?[0]["events"]?.array?[2]["duration"]?.string == "5")
        #expect(app.memory.transport.requests.first?.url.hasPrefix(Self.path) == true)
        let next = try #require(store.snapshot(for: "default").all.first)
        #expect(next.event == .sessionStart)
        #expect(next.info["application"] as? String == "shop")
        #expect(next.info["appVersion"] as? String == "3.2.0")
        app.usage.reporter().report(.event("b"))
        #expect(await upload(app) == nil)
        #expect(try keys(body(1)) == [["SessionStart", "b", "SessionEnd"]])
        #expect(
            try body(0)["sessions"]?.array?[0]["sessionInfo"] != body(1)["sessions"]?.array?[0]["sessionInfo"]
        )
    }

    @Test
    func `records are sent only while data collection is on and the user consents`() async throws {
        let store = try app.store(of: userID)
        app.usage.configure(with: store)
        app.usage.reporter().report(start(app))
        app.usage.reporter().report(.event("a"))
        #expect(await upload(app) == .outputDisabled)
        app.usage.enableDataCollection()
        #expect(await upload(app) == .outputDisabled)
        app.usage.consentForUser(try #require(userID), given: true)
        app.usage.disableDataCollection()
        #expect(await upload(app) == .outputDisabled)
        #expect(app.memory.transport.requests.isEmpty)
        #expect(store.snapshot(for: "default").recordCount() == 2)
        app.usage.enableDataCollection()
        #expect(await upload(app) == nil)
        #expect(app.memory.transport.requests.count == 1)
    }

    @Test
    func `records without mandatory fields stay, are reported once, and do not block others`() async throws {
        let store = try configureWithConsent(app)
        let reporter = app.usage.reporter()
        reporter.report(.event("before any session"))
        reporter.report(start(app))
        reporter.report(.event("a"))
        reporter.report(.sessionEnd)
        reporter.report(.sessionStart)
        reporter.report(.event("of a session without a name"))
        reporter.report(start(app, application: "another"))
        reporter.report(.event("of another application"))
        reporter.report(start(app))
        reporter.report(.event("b"))
        #expect(await upload(app) == nil)
        #expect(
            try app.memory.transport.requests.indices.flatMap { try keys(body($0)) }.flatMap { $0 } == [
                "SessionStart", "a", "SessionEnd", "SessionStart", "b", "SessionEnd",
            ]
        )
        let staying = [
            "before any session", "SessionStart", "of a session without a name", "SessionStart",
            "of another application",
        ]
        #expect(app.events(store) == staying + ["SessionStart"])
        #expect(app.codes == ["usage_records_withheld"])
        // Later uploads and the process after a kill leave the records in place.
        for number in 1...5 {
            reporter.report(.event("c\(number)"))
            #expect(await upload(app) == nil)
        }
        #expect(app.events(store) == staying + ["SessionStart"])
        let next = app.restarted()
        #expect(next.events(try next.store(of: userID)) == staying + ["SessionStart"])
    }

    @Test(
        arguments: [
            (ScriptedResponse.respond(WireResponse(status: 403)), SAPcpmsUsageUploader.UploadError.policyDisabled),
            (.respond(WireResponse(status: 500, body: Array("no".utf8))), .httpStatus(code: 500, body: "no")),
            (.respond(WireResponse(status: 401)), .httpStatus(code: 401, body: "")),
            (.respond(WireResponse(status: 400, body: Array("{}".utf8))), .httpStatus(code: 400, body: "{}")),
            (.captivePortal, nil), (.fail(TransportError(.timedOut, "t")), .network("timed_out: t")),
        ] as [(ScriptedResponse, SAPcpmsUsageUploader.UploadError?)]
    )
    func `a failed upload reports its error, and the records stay`(
        _ response: ScriptedResponse,
        _ error: SAPcpmsUsageUploader.UploadError?
    ) async throws {
        let store = try configureWithConsent(app)
        app.usage.reporter().report(start(app))
        app.usage.reporter().report(.event("a"))
        app.usage.reporter().report(.sessionEnd)
        app.memory.transport.script(response)
        let uploadError = await upload(app)
        if let error {
            #expect(uploadError == error)
        } else if case .network? = uploadError {
        } else {
            Issue.record("\(uploadError as Any)")
        }
        #expect(store.snapshot(for: "default").recordCount() == 3)
        #expect(await upload(app) == nil)
        #expect(store.snapshot(for: "default").recordCount() == 0)
        // The same report has the same ID, so a back end that stored it can recognize it.
        #expect(try body(0)["report"] == body(1)["report"])
    }

    @Test
    func `an invalid address is reported before anything is sent`() async throws {
        try configureWithConsent(app)
        app.usage.reporter().report(start(app))
        app.usage.reporter().report(.event("a"))
        for destination in [
            SAPMobileServicesDestination(backendURL: "", applicationID: "shop"),
            SAPMobileServicesDestination(backendURL: "https://tenant.test", applicationID: ""),
        ] {
            guard case .invalidEndpoint? = await upload(app, to: destination) else {
                Issue.record("accepted")
                return
            }
        }
        #expect(app.memory.transport.requests.isEmpty)
    }

    @Test
    func `only one upload per target runs at a time`() async throws {
        try configureWithConsent(app)
        app.usage.reporter().report(start(app))
        app.usage.reporter().report(.event("a"))
        app.memory.transport.hold()
        async let first = upload(app)
        await app.memory.transport.untilRequested(1)
        #expect(await upload(app) == .uploadInProgress)
        app.memory.transport.release()
        #expect(await first == nil)
        #expect(app.memory.transport.requests.count == 1)
    }

    @Test
    func `many records are sent in several requests, and records reported during the upload stay`() async throws {
        let store = try configureWithConsent(app)
        app.usage.reporter().report(start(app))
        for number in 0..<450 { app.usage.reporter().report(.event("\(number)")) }
        app.memory.transport.hold()
        async let first = upload(app)
        await app.memory.transport.untilRequested(1)
        app.usage.reporter().report(.event("meanwhile"))
        app.memory.transport.release()
        #expect(await first == nil)
        #expect(app.memory.transport.requests.count == 3)
        let sent = try app.memory.transport.requests.indices.flatMap { try keys(body($0)).flatMap { $0 } }
        #expect(sent == ["SessionStart"] + (0..<450).map { "\($0)" } + ["SessionEnd"])
        #expect(app.events(store) == ["SessionStart", "meanwhile"])
    }

    @Test
    func `unattributed records are sent first, with the user's permission, and removed`() async throws {
        let unattributedStore = try app.store()
        unattributedStore.store(record: start(app), for: "default")
        unattributedStore.store(record: UsageRecord(.event("a"), date: app.environment.now.date), for: "default")
        try configureWithConsent(app)
        #expect(await upload(app, unattributed: unattributedStore.snapshot(for: "default")) == nil)
        #expect(try keys(body(0)) == [["SessionStart", "a"]])
        #expect(unattributedStore.snapshot(for: "default").recordCount() == 0)
    }

    @Test
    func `a custom store keeps records that cannot be sent, and they are not sent later`() async throws {
        let store = CustomStore(try #require(userID).uuidString)
        try configureWithConsent(app, store)
        app.usage.reporter().report(.event("before any session"))
        app.usage.reporter().report(start(app))
        app.usage.reporter().report(.event("a"))
        #expect(await upload(app) == nil)
        #expect(try keys(body(0)) == [["SessionStart", "a", "SessionEnd"]])
        #expect(store.storedRecords.map(\.record.event.description) == ["SessionStart", "before any session"])
        app.usage.reporter().report(.event("b"))
        #expect(await upload(app) == nil)
        #expect(try keys(body(1)) == [["SessionStart", "b", "SessionEnd"]])
        #expect(store.storedRecords.map(\.record.event.description) == ["SessionStart", "before any session"])
    }

    @Test
    func `positions are stored as ranges, regardless of their order`() {
        var positions = UsagePositions()
        for position in [3, 4, 9, 5, 1, 4, 0] { positions.insert(position) }
        #expect((0..<12).filter { positions.contains($0) } == [0, 1, 3, 4, 5, 9])
        #expect(positions.count == 6)
    }

    @Test
    func `policies with strings and native values are read, and other data contains no policy`() throws {
        let texts: UsageInfo = [
            "mobileservices": [
                "settingsExchange": [
                    "usagePolicy": [
                        "dataCollectionEnabled": "true", "uploadDataAfterDays": "1", "crashLogUploadEnabled": "false",
                    ]
                ]
            ]
        ]
        let policy = try #require(SAPcpmsUsagePolicy(settings: texts))
        #expect(policy.dataCollectionEnabled && policy.uploadDataAfterDays == 1 && !policy.crashLogUploadEnabled)
        let native: UsageInfo = [
            "dataCollectionEnabled": true, "uploadDataAfterDays": 7, "crashLogUploadEnabled": true,
        ]
        #expect(SAPcpmsUsagePolicy(settings: native)?.uploadDataAfterDays == 7)
        #expect(SAPcpmsUsagePolicy(settings: ["other": 1]) == nil)
        #expect(SAPcpmsUsagePolicy(json: Data("<html>".utf8)) == nil)
        #expect(SAPcpmsUsagePolicy(json: Data(#"{"usagePolicy":{"dataCollectionEnabled":"yes"}}"#.utf8)) == .init())
        policy.apply(to: app.usage)
        #expect(app.usage.dataCollectionEnabled)
        SAPcpmsUsagePolicy().apply(to: app.usage)
        #expect(!app.usage.dataCollectionEnabled)
    }
}

/// Calls on the shared instance, as in an app.
extension DocumentSampleTests {
    @Test
    func `the uploader's two calls exist with their defaults, and sessions accept settings parameters`() async throws {
        let url = try #require(URL(string: "https://tenant.test"))
        let settings = SAPcpmsSettingsParameters(backendURL: url, applicationID: "shop", applicationVersion: "1.0")
        SAPcpmsUsage.sessionStart(settingsParameters: settings)
        #expect(SAPcpmsRecord.sessionStart(settingsParameters: settings).info["appVersion"] as? String == "1.0")
        let session = SAPURLSession(headers: ["authorization": "Bearer x"])
        SAPcpmsUsageUploader.upload(to: settings, sapURLSession: session)
        for call in 0..<2 {
            let error = await withCheckedContinuation { continuation in
                if call == 0 {
                    SAPcpmsUsageUploader.upload(to: settings, sapURLSession: session) {
                        continuation.resume(returning: $0)
                    }
                } else {
                    SAPcpmsUsageUploader.upload(to: url, sapURLSession: session) { continuation.resume(returning: $0) }
                }
            }
            // No user is known in these tests.
            #expect(error as? SAPcpmsUsageUploader.UploadError == .outputDisabled)
        }
    }
}
