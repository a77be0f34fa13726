// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations

@Suite("Sift requests")
struct SiftRequestTests {
    private static let batch = SiftSample.batch([SiftSample.event("a"), SiftSample.event("b")])

    @Test
    func `a request is a gzipped PUT with the key and no other header fields`() throws {
        let request = try SiftSample.destination().request(for: Self.batch, sentAt: SiftSample.sentAt)
        #expect(request.method == "PUT")
        #expect(request.url == "https://sift.test/v3/accounts/acct_1/mobile_events")
        #expect(request.headers.map(\.name) == ["Authorization", "Content-Type", "Content-Encoding"])
        #expect(request.headers.map(\.value) == ["Basic YmVhY29uMTIz", "application/json", "gzip"])
        #expect(try SiftSample.body(request).keys == ["data"])
    }

    @Test
    func `the same batch produces the same request at any time`() throws {
        let first = try SiftSample.destination().request(for: Self.batch, sentAt: SiftSample.sentAt)
        let later = try SiftSample.destination().request(for: Self.batch, sentAt: Timestamp(milliseconds: 0))
        #expect(first == later)
    }

    @Test
    func `events are sent in the order of recording, each in its own context`() throws {
        var batch = SiftSample.batch([SiftSample.event("a"), SiftSample.event("b")], in: SiftSample.signedIn)
        batch.records[1].context = 2
        let list = try #require(
            SiftSample.body(SiftSample.destination().request(for: batch, sentAt: SiftSample.sentAt))["data"]?.array
        )
        #expect(list.map { $0["mobile_event_type"]?.string } == ["a", "b"])
        #expect(list.map { $0["user_id"]?.string } == ["user-42", nil])
    }

    @Test(arguments: [
        ("acct_1", "acct_1"), ("a/b", "a%2Fb"), ("a b", "a%20b"), ("ü", "%C3%BC"), ("%@", "%25%40"),
        ("?x#y", "%3Fx%23y"),
        ("..", "%2E%2E"), (".", "%2E"), ("a.b", "a.b"), ("A-z~9", "A-z~9"), ("\n\"<>", "%0A%22%3C%3E"),
    ])
    func `an account ID becomes one path component, no matter which characters it contains`(
        _ account: String,
        _ part: String
    ) throws {
        let destination = SiftDestination(accountID: account, beaconKey: "k")
        let request = try destination.request(for: Self.batch, sentAt: SiftSample.sentAt)
        #expect(request.url == "https://api3.siftscience.com/v3/accounts/\(part)/mobile_events")
    }

    @Test(
        arguments: [
            (nil, "k", "https://a.test/%@", "accountID"), ("", "k", "https://a.test/%@", "accountID"),
            ("a", nil, "https://a.test/%@", "beaconKey"), ("a", "", "https://a.test/%@", "beaconKey"),
            ("a", "k", "", "serverURLFormat"), ("a", "k", "https://a.test/", "serverURLFormat"),
            ("a", "k", "ftp://a.test/%@", "serverURLFormat"), ("a", "k", "a.test/%@", "serverURLFormat"),
            ("a", "k", "https://%s/", "serverURLFormat"), ("a", "k", "https://a b/%@", "serverURLFormat"),
            ("a", "k", "https:///%@", "serverURLFormat"), ("a", "k", "%@", "serverURLFormat"),
        ] as [(String?, String?, String, String)]
    )
    func `invalid settings are reported as misconfigured, with the setting and a remedy`(
        _ account: String?,
        _ key: String?,
        _ format: String,
        _ field: String
    ) {
        let destination = SiftDestination(accountID: account, beaconKey: key, serverURLFormat: format)
        do throws(WireEncodingError) {
            _ = try destination.request(for: Self.batch, sentAt: SiftSample.sentAt)
            Issue.record("a request was made")
        } catch {
            #expect(error.code == .misconfigured)
            #expect(error.message.hasPrefix("\(field) is "))
            #expect(error.message.contains("Set "))
            #expect(error.omitted.isEmpty, "no event is lost")
        }
    }

    @Test(arguments: [
        "!", "{}", #"{"id":1}"#, "", "null",
    ])
    func `an unreadable event is left out by index, and the others are sent`(_ text: String) throws {
        var batch = Self.batch
        let start = batch.bytes.count
        batch.bytes += Array(text.utf8)
        batch.records[0].payload = start..<batch.bytes.count
        let request = try SiftSample.destination().request(for: batch, sentAt: SiftSample.sentAt)
        #expect(request.omitted.map(\.index) == [0])
        #expect(request.omitted.map(\.code) == ["unreadable"])
        #expect(try SiftSample.body(request)["data"]?.array?.map { $0["mobile_event_type"]?.string } == ["b"])
        batch.records[1].payload = start..<batch.bytes.count
        do throws(WireEncodingError) {
            _ = try SiftSample.destination().request(for: batch, sentAt: SiftSample.sentAt)
            Issue.record("nothing was left to send")
        } catch {
            #expect(error.code == .nothingToSend)
            #expect(error.omitted.map(\.index) == [0, 1])
        }
    }

    @Test(arguments: [
        "NaN", "Infinity", "-Infinity", "1e999",
    ])
    func `a number that JSON cannot represent makes only its own event unreadable`(_ number: String) throws {
        var batch = SiftSample.batch([SiftSample.event("a", ["level": 7.5]), SiftSample.event("b")])
        let text = String(decoding: batch.bytes[batch.records[0].payload], as: UTF8.self)
        let damaged = Array(text.replacing("7.5", with: number).utf8)
        batch.records[0].payload = batch.bytes.count..<batch.bytes.count + damaged.count
        batch.bytes += damaged
        let request = try SiftSample.destination().request(for: batch, sentAt: SiftSample.sentAt)
        #expect(request.omitted.map(\.index) == [0])
        #expect(try SiftSample.body(request)["data"]?.array?.count == 1)
    }

    @Test
    func `an unreadable context loses only the context`() throws {
        var batch = SiftSample.batch([SiftSample.event("a")], in: SiftSample.signedIn)
        batch.bytes[batch.contexts[0].content.lowerBound] = UInt8(ascii: "!")
        let request = try SiftSample.destination().request(for: batch, sentAt: SiftSample.sentAt)
        let event = try #require(SiftSample.body(request)["data"]?.array?.first)
        #expect(event.keys == ["time", "mobile_event_type", "installation_id"])
    }

    @Test
    func `a batch without events is not sent`() {
        do throws(WireEncodingError) {
            _ = try SiftSample.destination().request(for: SiftSample.batch([]), sentAt: SiftSample.sentAt)
            Issue.record("a request was made")
        } catch {
            #expect(error.code == .nothingToSend)
        }
    }
}
