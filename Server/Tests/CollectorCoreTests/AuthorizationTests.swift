// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayTesting

@testable import CollectorCore

struct AuthorizationTests {
    private struct Keys: KeyStore {
        func grant(for key: String) -> KeyGrant? {
            switch key {
            case "good": KeyGrant(name: "shop", scopes: [.write], accounts: [.clickstreamApp("known")])
            case "native": KeyGrant(name: "native", scopes: [.write])
            case "any": KeyGrant(name: "development", scopes: [.write], accounts: nil)
            default: nil
            }
        }
        func grant(for account: VendorAccount) -> KeyGrant? {
            account == .clickstreamApp("known") ? KeyGrant(name: "shop", scopes: [.write]) : nil
        }
        func reload() throws(KeyFileError) {}
    }

    @Test(arguments: ["Bearer good", "bearer good", "BEARER   good"])
    func `a known key gets its grant`(_ header: String) throws {
        #expect(try Authorization(keys: Keys()).grant(header: header, for: .write).name == "shop")
    }

    @Test(
        arguments: [
            (nil, KeyScope.write, "key_missing"), ("", .write, "key_missing"), ("good", .write, "key_missing"),
            ("Bearer ", .write, "key_missing"), ("Basic good", .write, "key_missing"),
            ("Bearer bad", .write, "key_unknown"), ("Bearer good", .read, "key_forbidden"),
            ("Bearer " + String(repeating: "x", count: 600), .write, "key_missing"),
        ] as [(String?, KeyScope, String)]
    )
    func `any other key is rejected with a code`(_ header: String?, _ scope: KeyScope, _ code: String) {
        let error = #expect(throws: AdmissionError.self) {
            try Authorization(keys: Keys()).grant(header: header, for: scope)
        }
        #expect(error?.code == code)
        #expect(error?.field == "authorization")
    }

    @Test
    func `an account needs no key; a key that is sent must be valid and belong to the account`() throws {
        let authorization = Authorization(keys: Keys())
        #expect(try authorization.grant(account: .clickstreamApp("known"), header: nil).name == "shop")
        #expect(try authorization.grant(account: .clickstreamApp("known"), header: "Bearer good").name == "shop")
        #expect(try authorization.grant(account: .sensorsProject("x"), header: "Bearer any").name == "development")
        for (account, header, code) in [
            (VendorAccount.clickstreamApp("other"), nil, "account_unknown"),
            (.sensorsProject("known"), nil, "account_unknown"),
            (.clickstreamApp("known"), "Bearer bad", "key_unknown"),
            (.clickstreamApp("other"), "Bearer good", "account_forbidden"),
            (.sensorsProject("known"), "Bearer good", "account_forbidden"),
            (.clickstreamApp("known"), "Bearer native", "account_forbidden"),
        ] as [(VendorAccount, String?, String)] {
            let error = #expect(throws: AdmissionError.self) {
                try authorization.grant(account: account, header: header)
            }
            #expect(error?.code == code)
        }
    }

    @Test
    func `checking whether a key is still valid does not count as a request`() throws {
        let meter = KeyMeter(defaults: KeyLimits(requestsPerSecond: 1), clock: ManualClock())
        let authorization = Authorization(keys: Keys(), meter: meter)
        for _ in 0..<1_000 { #expect(authorization.isValid(header: "Bearer good", for: .write)) }
        _ = try authorization.grant(header: "Bearer good", for: .write)
        #expect(!authorization.isValid(header: "Bearer good", for: .read))
        #expect(!authorization.isValid(header: nil, for: .write))
    }

    @Test(arguments: [("br", "unsupported_encoding"), ("gzip, gzip", "unsupported_encoding")])
    func `content encodings and types are checked`(_ header: String, _ code: String) {
        #expect(throws: AdmissionError.self) { try ContentEncoding(header: header) }
        #expect((try? ContentEncoding(header: "GZIP")) == .gzip)
        #expect((try? ContentEncoding(header: nil)) == .identity)
        #expect(throws: AdmissionError.self) { try ContentType.check("image/png") }
        #expect(throws: Never.self) { try ContentType.check("application/json; charset=utf-8") }
    }
}
