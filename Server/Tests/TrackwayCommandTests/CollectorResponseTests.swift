// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable internal import TrackwayCommand

@Suite("Responses of the collector")
struct CollectorResponseTests {
    private func address() throws -> CollectorAddress { try CollectorAddress("127.0.0.1:1", key: nil) }

    @Test(
        arguments: [
            (400, .usage), (401, .refused), (403, .refused), (404, .negative), (413, .usage), (429, .temporary),
            (500, .temporary), (503, .temporary),
        ] as [(Int, CommandStatus)]
    )
    func `a rejection ends the command with a status that a script can use`(status: Int, expected: CommandStatus) throws
    {
        let body = #"{"error":{"code":"some_code","message":"Something is wrong."}}"#
        let failure = #expect(throws: CommandFailure.self) {
            try CollectorAnswer.value(status: status, body: Array(body.utf8), address: address())
        }
        #expect(failure?.status == expected)
        #expect(failure?.message.contains("Something is wrong.") == true)
        #expect(failure?.message.contains("some_code") == true)
    }

    @Test(arguments: [200, 302, 404, 502])
    func `a response that is not from a collector is rejected`(status: Int) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try CollectorAnswer.value(status: status, body: Array("<html>".utf8), address: address())
        }
        #expect(failure?.status == .unavailable)
    }

    @Test(
        arguments: [
            (.refused, "start a collector with"), (.offline, "check the name in --url"), (.timedOut, "firewall"),
            (.tls, "--ca or SSL_CERT_FILE"), (.invalidRequest, "check the address"), (.other, "proxy"),
        ] as [(TransportError.Code, String)]
    )
    func `the error for a failed connection states the remedy for its kind of failure`(
        _ code: TransportError.Code,
        _ part: String
    ) throws {
        let failure = CollectorAnswer.unreachable(try address(), TransportError(code, "self-signed certificate"))
        #expect(failure.status == .unavailable && failure.remedy.contains(part), "\(failure)")
        #expect(failure.message.hasPrefix("no response from http://127.0.0.1:1: "))
        #expect(code == .tls || code == .refused || !failure.remedy.contains("start a collector with"))
    }

    @Test
    func `an unreadable certificate authority is reported before any request`() throws {
        let options = try CollectorOptions.parse(["--ca", "/nowhere/ca.pem"])
        let failure = #expect(throws: CommandFailure.self) { try options.address() }
        #expect(failure?.status == .inputMissing && failure?.message.contains("/nowhere/ca.pem") == true)
    }

    @Test(arguments: [
        ("127.0.0.1:8787", "http://127.0.0.1:8787"), ("https://c.example/x/", "https://c.example/x"),
        ("http://[::1]:8787", "http://[::1]:8787"),
    ])
    func `an address may be abbreviated`(text: String, root: String) throws {
        #expect(try CollectorAddress(text, key: nil).root == root)
    }

    @Test(arguments: ["", "ftp://x", "http://", "http://a b"])
    func `an invalid address is rejected`(text: String) {
        #expect(throws: CommandFailure.self) { try CollectorAddress(text, key: nil) }
    }

    @Test
    func `a query is escaped`() throws {
        let url = try address().url("/v1/events", query: [("user", "a&b=ü/ +")])
        #expect(url.absoluteString == "http://127.0.0.1:1/v1/events?user=a%26b%3D%C3%BC%2F%20%2B")
    }
}
