// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable internal import CollectorCore

@Suite("Webhooks")
struct WebhookTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private static let body = Array(#"{"test": 2432232314}"#.utf8)
    private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    @Test
    func `a signature matches those of the Standard Webhooks libraries`() throws {
        let secret = try #require(WebhookSecret(Self.secret))
        #expect(secret.text == Self.secret)
        let header = WebhookSignature.header(id: Self.id, seconds: 1_614_265_330, body: Self.body, secrets: [secret])
        #expect(header == Self.signature)
    }

    @Test
    func `one valid signature of several is sufficient, as during a secret rotation`() throws {
        let secret = try #require(WebhookSecret(Self.secret))
        let other = WebhookSecret { 7 }
        let both = WebhookSignature.header(id: "m", seconds: 5, body: [1], secrets: [other, secret])
        #expect(both.split(separator: " ").count == 2)
        for one in [secret, other] {
            try WebhookSignature.check(both, id: "m", seconds: 5, body: [1], secret: one, now: 5)
        }
        let headers = ["v2,xyz v1a,abc " + Self.signature, Self.signature + " v1,", "v1,!! " + Self.signature]
        for header in headers {
            try WebhookSignature.check(
                header,
                id: Self.id,
                seconds: 1_614_265_330,
                body: Self.body,
                secret: secret,
                now: 1_614_265_330 + WebhookSignature.tolerance
            )
        }
    }

    @Test(
        arguments: [
            ("", "m", [1]), ("v1,", "m", [1]), ("v1", "m", [1]), ("v1,dawfeoifkpqwoekfpqoekf", "m", [1]),
            ("right", "n", [1]), ("right", "m", [2]), ("right", "m", []), ("cut", "m", [1]), ("v2", "m", [1]),
        ] as [(String, String, [UInt8])]
    )
    func `a message that was not signed, or was changed, is rejected`(_ kind: String, _ id: String, _ body: [UInt8])
        throws
    {
        let secret = try #require(WebhookSecret(Self.secret))
        let right = WebhookSignature.header(id: "m", seconds: 5, body: [1], secrets: [secret])
        let header = ["right": right, "cut": String(right.prefix(20)), "v2": "v2" + right.dropFirst(2)][kind] ?? kind
        #expect(throws: WebhookSignature.Refusal.unsigned) {
            try WebhookSignature.check(header, id: id, seconds: 5, body: body, secret: secret, now: 5)
        }
    }

    @Test(arguments: [-301, 301, Int64.max - 10])
    func `a signed message that is old, or from the future, is rejected`(_ age: Int64) throws {
        let secret = try #require(WebhookSecret(Self.secret))
        let header = WebhookSignature.header(id: "m", seconds: 5, body: [1], secrets: [secret])
        #expect(throws: WebhookSignature.Refusal.outsideTolerance(seconds: age)) {
            try WebhookSignature.check(header, id: "m", seconds: 5, body: [1], secret: secret, now: 5 + age)
        }
        try WebhookSignature.check(header, id: "m", seconds: 5, body: [1], secret: secret, now: nil)
    }

    @Test(arguments: [
        "", "whsec_", "whsec_MfKQ", "whsec_!fKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", String(repeating: "A", count: 88),
    ])
    func `an invalid secret is rejected`(_ text: String) {
        #expect(WebhookSecret(text) == nil)
    }

    @Test(arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")])
    func `base64 is encoded as in the standard`(_ text: String, _ expected: String) {
        #expect(Base64.encode(Array(text.utf8)) == Array(expected.utf8))
        let all = (0...255).map { UInt8($0) }
        #expect(Base64.encode(all).withUnsafeBytes(Base64.decodeLeniently) == all)
    }

    // MARK: Allowed URLs

    @Test(arguments: [
        ("https://hooks.example.com/a?b=c", WebhookPolicy.Check.name("hooks.example.com")),
        ("HTTPS://Hooks.Example.COM", .name("hooks.example.com")), ("https://93.184.216.34/", .notNeeded),
        ("https://[2606:2800:220:1::1]:8443/x", .notNeeded), ("https://a:8443/", .name("a")),
    ])
    func `without prefixes only encrypted URLs on the public internet are allowed, and names are resolved`(
        _ address: String,
        _ check: WebhookPolicy.Check
    ) throws {
        #expect(try WebhookPolicy(allowsLoopback: false).check(address) == check)
    }

    @Test(arguments: [
        "", "hooks.example.com", "ftp://a/", "http://hooks.example.com/", "https://", "https:///a", "https://a b/",
        "https://user@a/", "https://user:pass@a/", "https://a/#x", "https://a\\@b/", "https://a:",
        "https://a:99999999/",
        "https://127.0.0.1/", "http://localhost/", "https://[::1]/", "https://[::ffff:127.0.0.1]/",
        "https://10.0.0.1/", "https://172.16.3.4/", "https://192.168.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://100.64.0.1/", "https://0.0.0.0/", "https://224.0.0.1/", "https://255.255.255.255/",
        "https://[fe80::1]/", "https://[fd00:ec2::254]/", "https://[::]/", "https://[64:ff9b::a9fe:a9fe]/",
        "https://[2002:a9fe:a9fe::]/", "https://[2001:db8::1]/", "https://127.1/", "https://2130706433/",
        "https://0x7f000001/", "https://0177.0.0.1/", "https://127.0.0.1./", "https://a/../b", "https://a/%2e%2E/b",
        "https://a/./b",
        "https://a/\u{e9}", "https://a/\n",
    ])
    func `an internal or invalid URL is rejected`(_ address: String) {
        let error = #expect(throws: SavedError.self) { try WebhookPolicy(allowsLoopback: false).check(address) }
        #expect(error?.kind == .malformed && error?.field == "webhook")
    }

    @Test
    func `a collector that serves only this machine may also notify this machine, but no other internal host`() throws {
        let policy = WebhookPolicy(allowsLoopback: true)
        for address in ["http://127.0.0.1:9000/a", "http://localhost/", "https://[::1]/", "http://127.9.9.9/"] {
            #expect(try policy.check(address) == .notNeeded)
        }
        for address in ["http://10.0.0.1/", "https://169.254.169.254/", "http://a/", "http://localhost.evil.com/"] {
            #expect(throws: SavedError.self, "\(address)") { try policy.check(address) }
        }
    }

    @Test
    func `with prefixes, a URL is allowed if it starts with one, even on an internal host, and otherwise rejected`()
        throws
    {
        let policy = WebhookPolicy(
            prefixes: ["http://10.0.0.5:8080/hooks/", "https://hooks.example.com"],
            allowsLoopback: true
        )
        for address in ["http://10.0.0.5:8080/hooks/a", "https://hooks.example.com", "https://HOOKS.example.com/x"] {
            #expect(try policy.check(address) == .notNeeded)
        }
        for address in [
            "http://10.0.0.5:8080/admin", "http://10.0.0.5:8080/hooks/../admin", "http://10.0.0.5:8080/hooks",
            "https://hooks.example.com.evil.com/", "https://hooks.example.com:444/", "http://hooks.example.com/",
            "http://127.0.0.1/", "https://other.example.com/",
        ] {
            #expect(throws: SavedError.self, "\(address)") { try policy.check(address) }
        }
        #expect(throws: SavedError.self) {
            try WebhookPolicy(prefixes: ["nonsense"], allowsLoopback: true).check("http://127.0.0.1/")
        }
    }

    @Test
    func `the possibly secret parts of a URL are masked`() {
        #expect(AlertView.masked("https://hooks.example.com/T0/B1/secret?token=x") == "https://hooks.example.com/…")
        #expect(AlertView.masked("https://hooks.example.com:8443?token=x") == "https://hooks.example.com:8443/…")
    }
}
