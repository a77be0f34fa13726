// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations
internal import TrackwayTesting

@Suite("Clickstream requests and responses")
struct ClickstreamRequestTests {
    static let plain = ClickstreamSample.destination
    static let compressed = ClickstreamDestination(
        appID: "Shopping",
        endpoint: "https://example.com/collect",
        authCookie: "AWSELBAuthSessionCookie=abc"
    )

    @Test(arguments: [plain, compressed])
    func `the destination conforms to the delivery rules with the real server's empty responses`(
        _ destination: ClickstreamDestination
    ) {
        let server = ConformanceBackEnd(
            accept: { _ in WireResponse(status: 200, headers: ["content-type": "text/plain"]) },
            refuse: { status, headers in WireResponse(status: status, headers: headers) }
        )
        let findings = DestinationConformance.findings(answeredBy: server) { destination }
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test
    func `a request has the documented query order, content type, and hash of the body as sent`() throws {
        let batch = ClickstreamSample.batch([ClickstreamSample.event("one"), ClickstreamSample.event("two")])
        let request = try Self.plain.request(for: batch, sentAt: ClickstreamSample.sentAt)
        let hash = SHA256.hash(request.body).prefix(4).map {
            $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16)
        }
        #expect(request.method == "POST")
        #expect(
            request.url
                == "https://example.com/collect?platform=iOS&appId=Shopping&compression=&event_bundle_sequence_id="
                + "1685082174195008"
                + "&upload_timestamp=1685082180000&hashCode=\(hash.joined())"
        )
        #expect(request.headers.map(\.name) == ["content-type"])
        #expect(request.headers["content-type"] == "application/json; charset=utf-8")
        #expect(String(decoding: request.body, as: UTF8.self) == (try ClickstreamSample.fixture("request.json")))
        #expect(request.url == (try ClickstreamSample.fixture("request-url.txt")))
    }

    @Test
    func `a compressed request contains base64 of the gzipped array, and the hash of that text`() throws {
        let batch = ClickstreamSample.batch([ClickstreamSample.event("one"), ClickstreamSample.event("two")])
        let request = try Self.compressed.request(for: batch, sentAt: ClickstreamSample.sentAt)
        let gzipped = try #require(Base64.decode(request.body))
        let array = try Gzip.inflate(gzipped)
        #expect(String(decoding: array, as: UTF8.self) == (try ClickstreamSample.fixture("request.json")))
        let hash = SHA256.hash(request.body).prefix(4).map {
            $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16)
        }
        #expect(request.url.contains("&compression=gzip&event_bundle_sequence_id=1685082174195008&"))
        #expect(request.url.hasSuffix("&hashCode=\(hash.joined())"))
        #expect(request.headers["content-type"] == "application/json; charset=utf-8")
        #expect(request.headers["content-encoding"] == nil)
        #expect(request.headers["cookie"] == "AWSELBAuthSessionCookie=abc")
    }

    @Test
    func `the hash of a known body has the known value`() throws {
        let body = try ClickstreamSample.fixture("smallest-body.json")
        #expect(SHA256.hash(Array(body.utf8)).prefix(4) == [0xab, 0x2c, 0x87, 0xfe])
        let text =
            "H4sIAAAAAAACA4uuVkosKIjPTFGyUirOyAey8ouVdJRSy1LzSiCiroZwfkllQSpQpCAzLx0oVpKZm1pckphboGRlaG5oYQADtbEAj2nI/VUAAAA="
        #expect(SHA256.hash(Array(text.utf8)).prefix(4) == [0x3a, 0x6e, 0x45, 0x17])
        let inflated = try Gzip.inflate(try #require(Base64.decode(Array(text.utf8))))
        #expect(String(decoding: inflated, as: UTF8.self) == body)
    }

    @Test(arguments: [
        ("https://example.com/collect?a=1#x", "shop", "https://example.com/collect?platform=iOS&appId=shop&"),
        ("http://127.0.0.1:8088/collect/", "a&b=c", "http://127.0.0.1:8088/collect?platform=iOS&appId=a%26b%3Dc&"),
        ("https://example.com", "店", "https://example.com/?platform=iOS&appId=%E5%BA%97&"),
    ])
    func `the endpoint's own query is replaced, and an app ID is escaped`(
        _ endpoint: String,
        _ appID: String,
        _ start: String
    ) throws {
        let destination = ClickstreamDestination(appID: appID, endpoint: endpoint)
        let batch = ClickstreamSample.batch([ClickstreamSample.event("one")])
        #expect(try destination.request(for: batch, sentAt: ClickstreamSample.sentAt).url.hasPrefix(start))
    }

    @Test(arguments: [
        ClickstreamDestination(appID: "", endpoint: "https://example.com/collect"),
        ClickstreamDestination(appID: "shop", endpoint: ""),
        ClickstreamDestination(appID: "shop", endpoint: "example.com"),
        ClickstreamDestination(appID: "shop", endpoint: "https://example.com", authCookie: "a\r\nHost: evil"),
    ])
    func `invalid settings are reported before anything is sent`(_ destination: ClickstreamDestination) {
        let batch = ClickstreamSample.batch([ClickstreamSample.event("one")])
        let error = #expect(throws: WireEncodingError.self) {
            try destination.request(for: batch, sentAt: ClickstreamSample.sentAt)
        }
        #expect(error?.code == .misconfigured)
    }

    @Test
    func `a batch that only reports losses sends nothing`() {
        let error = #expect(throws: WireEncodingError.self) {
            try Self.plain.request(for: ClickstreamSample.batch([]), sentAt: ClickstreamSample.sentAt)
        }
        #expect(error?.code == .nothingToSend)
        #expect(error?.omitted.isEmpty == true)
    }

    @Test
    func `a request with too many bytes fails as too large, so that the batch is split`() throws {
        let text = String(repeating: "a", count: 1_000)
        let attributes = Attributes((0..<300).map { (key: "a\($0)", value: AttributeValue.string(text)) })
        let event = ClickstreamSample.event("large", attributes)
        _ = try Self.plain.request(for: ClickstreamSample.batch([event]), sentAt: ClickstreamSample.sentAt)
        let error = #expect(throws: WireEncodingError.self) {
            try Self.plain.request(for: ClickstreamSample.batch([event, event]), sentAt: ClickstreamSample.sentAt)
        }
        #expect(error?.code == .tooLarge)
        #expect(ClickstreamDestination.maximumBodyBytes == 524_288)
        #expect(Self.plain.limits.events == 100)
    }

    @Test(arguments: ["汉", "👍"])
    func `one byte more than the limit is too large, counted in bytes for every script`(_ character: String) throws {
        let most = ClickstreamDestination.maximumBodyBytes
        let text = String(repeating: character, count: 1_000)
        func request(_ texts: Int, padding: Int) throws -> WireRequest {
            var pairs = (0..<texts).map { ("a\(1_000 + $0)", AttributeValue.string(text)) }
            // No text may be longer than 1,000 characters, so the rest is spread over several texts.
            for place in 0..<5 {
                let part = padding / 5 + (place < padding % 5 ? 1 : 0)
                pairs.append(("p\(place)", .string(String(repeating: "x", count: part))))
            }
            let event = ClickstreamSample.event("large", Attributes(uniquing: pairs))
            return try Self.plain.request(for: ClickstreamSample.batch([event]), sentAt: ClickstreamSample.sentAt)
        }
        let perText = text.utf8.count + 10
        let texts = (most - 2_000) / perText
        let padding = most - (try request(texts, padding: 0).body.count)
        #expect(try request(texts, padding: padding).body.count == most)
        #expect(throws: WireEncodingError.self) { try request(texts, padding: padding + 1) }
    }

    @Test(arguments: [
        (WireResponse(status: 200), "accepted"),
        (WireResponse(status: 204), "accepted"),
        (WireResponse(status: 200, url: "https://example.com/collect?x=1"), "accepted"),
        (
            WireResponse(status: 200, headers: ["content-type": "application/json"], body: Array("{}".utf8)),
            "accepted"
        ),
        (WireResponse(status: 200, url: "https://portal.hotel/login"), "not_the_back_end"),
        (WireResponse(status: 200, headers: ["content-type": "text/html; charset=utf-8"]), "not_the_back_end"),
        (WireResponse(status: 200, body: Array(" \n<html>".utf8)), "not_the_back_end"),
        (WireResponse(status: 302, headers: ["location": "https://login"]), "not_the_back_end"),
        (WireResponse(status: 304), "not_the_back_end"),
        (WireResponse(status: 400), "rejected"),
        (WireResponse(status: 401), "unauthorized"),
        (
            WireResponse(
                status: 403,
                headers: ["content-type": "text/plain"],
                body: Array("DefaultAction: Invalid request".utf8)
            ), "unauthorized"
        ),
        (WireResponse(status: 403, headers: ["content-type": "text/html"]), "not_the_back_end"),
        (WireResponse(status: 404), "misconfigured"),
        (WireResponse(status: 408), "retry"),
        (WireResponse(status: 413, headers: ["content-type": "text/html"]), "too_large"),
        (WireResponse(status: 429), "retry"),
        (WireResponse(status: 500), "retry"),
        (WireResponse(status: 503, headers: ["content-type": "text/html"]), "retry"),
        (WireResponse(status: 100), "not_the_back_end"),
        (WireResponse(status: 700), "not_the_back_end"),
    ])
    func `only the server's own success removes events`(_ response: WireResponse, _ label: String) {
        let batch = ClickstreamSample.batch([ClickstreamSample.event("one")])
        #expect(Self.plain.verdict(on: response, for: batch).label == label)
    }
}
