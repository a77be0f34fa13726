// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayEvents

@testable internal import TrackwayCommand

@Suite("The collector's answers")
struct CollectorAnswerTests {
    private func address() throws -> CollectorAddress { try CollectorAddress("127.0.0.1:1", key: nil) }

    @Test(
        "a refusal ends with a status a script can use",
        arguments: [
            (400, .usage), (401, .refused), (403, .refused), (404, .negative), (413, .usage), (429, .temporary),
            (500, .temporary), (503, .temporary),
        ] as [(Int, CommandStatus)]
    )
    func statuses(status: Int, expected: CommandStatus) throws {
        let body = #"{"error":{"code":"some_code","message":"Something is so."}}"#
        let failure = #expect(throws: CommandFailure.self) {
            try CollectorAnswer.value(status: status, body: Array(body.utf8), address: address())
        }
        #expect(failure?.status == expected)
        #expect(failure?.message.contains("Something is so.") == true)
        #expect(failure?.message.contains("some_code") == true)
    }

    @Test("what is not a collector's answer is not taken for one", arguments: [200, 302, 404, 502])
    func strangers(status: Int) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try CollectorAnswer.value(status: status, body: Array("<html>".utf8), address: address())
        }
        #expect(failure?.status == .unavailable)
    }

    @Test(
        "an address may be short",
        arguments: [
            ("127.0.0.1:8787", "http://127.0.0.1:8787"), ("https://c.example/x/", "https://c.example/x"),
            ("http://[::1]:8787", "http://[::1]:8787"),
        ]
    )
    func addresses(text: String, root: String) throws {
        #expect(try CollectorAddress(text, key: nil).root == root)
    }

    @Test("what is no address is refused", arguments: ["", "ftp://x", "http://", "http://a b"])
    func strangeAddresses(text: String) {
        #expect(throws: CommandFailure.self) { try CollectorAddress(text, key: nil) }
    }

    @Test("a query is escaped")
    func query() throws {
        let url = try address().url("/v1/events", query: [("user", "a&b=ü/ +")])
        #expect(url.absoluteString == "http://127.0.0.1:1/v1/events?user=a%26b%3D%C3%BC%2F%20%2B")
    }
}
