// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore

@testable import CollectorCore

@Suite("Erasure receipts")
struct ErasureReceiptTests {
    /// The key with the bytes 0 to 31.
    static let key: ErasureKey = {
        let digits = (0..<32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return ErasureKey(digits) ?? ErasureKey(randomUInt64: { 0 })
    }()
    private static let otherKey = ErasureKey(randomUInt64: { 1 })

    /// Returns the plan of a user who had one installation and shared two others.
    static func plan(_ user: String = "anna", requested: Int64 = 1_764_500_000_000) -> ErasurePlan {
        let record = UserErasureRecord(
            received: Timestamp(milliseconds: requested),
            key: "officer",
            identity: key.hash(user: user),
            user: user
        )
        var plan = ErasurePlan(record, user: user)
        plan.installations = [SentBatch.installation(1)]
        plan.shared = [
            .init(SentBatch.installation(2), times: [1...2, 5...9]), .init(SentBatch.installation(3), times: []),
        ]
        var counts = ErasedCounts()
        (counts.records, counts.events, counts.sharedEvents) = (4, 5, 2)
        plan.segments[7] = counts
        (counts.records, counts.events, counts.sharedEvents, counts.rejected, counts.uninspected) = (3, 1, 1, 2, 1)
        plan.segments[8] = counts
        return plan
    }

    static func receipt(_ plan: ErasurePlan = plan()) -> ErasureReceipt {
        ErasureReceipt(
            plan,
            completed: plan.requested.advanced(by: .seconds(60)),
            position: "9.4096",
            indexedEvents: 5,
            key: key
        )
    }

    /// The receipt's text, with a signature that was computed with another implementation of HMAC-SHA-256.
    private static let golden = """
        {"erasure":"1764500000000-e95a377db3c8","subject":"user",\
        "identity_hash":"e95a377db3c881a1a2fca48a3504e058d4cce835e93336e7f70595d105b82cac","requested":1764500000000,\
        "by":"operator","key":"officer","completed":1764500060000,"installations":1,"shared_installations":2,\
        "log":{"before":"9.4096","records":7,"events":6,"shared_events":3,"rejected":2,"uninspected":1},\
        "index":{"events":5},"signer":"c8f5c08e6fb0b482",\
        "signature":"feba78c224faaf9e2ba8b7f9eed5ee50be7037e43ecfa6b234d0adc780bec6e3"}
        """

    @Test
    func `a receipt has a stable text, which is read back as the same receipt`() throws {
        let receipt = Self.receipt()
        #expect(String(decoding: receipt.json, as: UTF8.self) == Self.golden)
        #expect(try ErasureReceipt(json: Array(Self.golden.utf8)) == receipt)
        #expect(!Self.golden.contains("anna") && !Self.golden.contains(SentBatch.installation(1).description))
    }

    @Test
    func `white space and the order of members do not matter`() throws {
        let spaced = Self.golden.replacing(",", with: " ,\n ").replacing(":", with: " : ") + "\n"
        let moved = Self.golden.dropFirst().replacing(#""installations":1,"#, with: "")
        for text in [spaced, #"{"installations":1,"# + moved] {
            let receipt = try ErasureReceipt(json: Array(text.utf8))
            #expect(ErasureVerdict(receipt, id: "anna", key: Self.key) == .valid)
        }
    }

    @Test
    func `a receipt is valid for its user, with or without the id`() {
        let receipt = Self.receipt()
        #expect(receipt.isSigned(with: Self.key) && receipt.isIssued(for: "anna", key: Self.key))
        for id in ["anna", nil] { #expect(ErasureVerdict(receipt, id: id, key: Self.key) == .valid) }
    }

    @Test(arguments: ["bob", "Anna", "anna ", "", SentBatch.installation(1).description])
    func `a receipt of another user is recognized`(_ id: String) {
        #expect(ErasureVerdict(Self.receipt(), id: id, key: Self.key) == .otherIdentity)
    }

    @Test
    func `an installation's receipt is valid for its id in any letter case`() throws {
        let id = SentBatch.installation(4)
        let batch = IntakeHeader(received: Timestamp(milliseconds: 5), key: "shop", encoding: .identity)
        let receipt = Self.receipt(ErasurePlan(DeletionRequest(id, batch), key: Self.key))
        #expect(receipt.subject == .installation && !receipt.isByOperator && receipt.installations == 1)
        #expect(try ErasureReceipt(json: receipt.json) == receipt)
        for text in [id.description, id.description.uppercased()] {
            #expect(ErasureVerdict(receipt, id: text, key: Self.key) == .valid)
        }
        for text in [SentBatch.installation(5).description, "anna"] {
            #expect(ErasureVerdict(receipt, id: text, key: Self.key) == .otherIdentity)
        }
    }

    @Test(arguments: [
        (#""1764500000000-e95a377db3c8""#, #""1764500000000-e95a377db3c9""#),
        (#""subject":"user""#, #""subject":"installation""#),
        (#""identity_hash":"e9"#, #""identity_hash":"e8"#),
        (#""requested":1764500000000"#, #""requested":1764500000001"#),
        (#""by":"operator""#, #""by":"installation""#), (#""key":"officer""#, #""key":"intern""#),
        (#""completed":1764500060000"#, #""completed":1764500060001"#), (#""installations":1"#, #""installations":2"#),
        (#""shared_installations":2"#, #""shared_installations":0"#), (#""before":"9.4096""#, #""before":"9.4097""#),
        (#""records":7"#, #""records":8"#), (#""events":6"#, #""events":60"#),
        (#""shared_events":3"#, #""shared_events":2"#), (#""rejected":2"#, #""rejected":3"#),
        (#""uninspected":1"#, #""uninspected":0"#), (#","uninspected":1"#, ""),
        (#""index":{"events":5}"#, #""index":{"events":6}"#),
        (#""signature":"fe"#, #""signature":"ff"#), ("80bec6e3\"", "80bec6\""), (#"bec6e3""#, #"bec6e300""#),
        (#"feba78c224faaf9e2ba8b7f9eed5ee50be7037e43ecfa6b234d0adc780bec6e3"#, ""),
    ])
    func `a receipt that was changed is not valid`(_ part: String, _ other: String) throws {
        let text = Self.golden.replacing(part, with: other)
        #expect(text != Self.golden)
        let receipt = try ErasureReceipt(json: Array(text.utf8))
        #expect(!receipt.isSigned(with: Self.key))
        #expect(ErasureVerdict(receipt, id: nil, key: Self.key) == .changed)
    }

    @Test
    func `a receipt of another collector is recognized, even if it claims this collector's key`() throws {
        let receipt = Self.receipt()
        #expect(ErasureVerdict(receipt, id: "anna", key: Self.otherKey) == .otherKey)
        let text = Self.golden.replacing(Self.key.fingerprint, with: Self.otherKey.fingerprint)
        let forged = try ErasureReceipt(json: Array(text.utf8))
        #expect(ErasureVerdict(forged, id: "anna", key: Self.otherKey) == .changed)
        #expect(ErasureVerdict(forged, id: "anna", key: Self.key) == .otherKey)
    }

    @Test
    func `the signature depends on the key, and differs from the hash of an identity`() {
        #expect(Self.key.signature(of: "anna") != Self.key.hash(user: "anna").bytes)
        #expect(Self.key.signature(of: "anna") != Self.otherKey.signature(of: "anna"))
    }

    @Test(arguments: [
        ("erasure", "erasure"), ("subject", "subject"), ("identity_hash", "identity_hash"), ("requested", "requested"),
        ("by", "by"), ("key", "key"), ("completed", "completed"), ("installations", "installations"),
        ("shared_installations", "shared_installations"), ("before", "log.before"), ("signer", "signer"),
        ("signature", "signature"), ("index", "events"),
    ])
    func `a missing member is named`(_ member: String, _ name: String) {
        let text = Self.golden.replacing("\"\(member)\":", with: "\"other\":")
        let error = #expect(throws: ErasureError.self) { try ErasureReceipt(json: Array(text.utf8)) }
        #expect(error?.description == "The receipt's member “\(name)” is missing or invalid.")
    }

    @Test(arguments: [
        (#""subject":"user""#, #""subject":"device""#, "subject"),
        (#""identity_hash":"e9"#, #""identity_hash":"E9"#, "identity_hash"),
        (#""identity_hash":"e9"#, #""identity_hash":""#, "identity_hash"),
        (#""requested":1"#, #""requested":1."#, "requested"),
        (#""by":"operator""#, #""by":"me""#, "by"), (#""key":"officer""#, #""key":7"#, "key"),
        (#""signature":"f"#, #""signature":""#, "signature"), (#""signature":"fe"#, #""signature":"xy"#, "signature"),
    ])
    func `an invalid member is named`(_ part: String, _ other: String, _ name: String) {
        let text = Self.golden.replacing(part, with: other)
        #expect(text != Self.golden)
        let error = #expect(throws: ErasureError.self) { try ErasureReceipt(json: Array(text.utf8)) }
        #expect(error?.description == "The receipt's member “\(name)” is missing or invalid.")
    }

    @Test(arguments: ["", "{", "receipt", "\u{0}"])
    func `a text that is not JSON is not a receipt`(_ text: String) {
        let error = #expect(throws: ErasureError.self) { try ErasureReceipt(json: Array(text.utf8)) }
        #expect(error?.description.hasPrefix("The receipt is not valid JSON: ") == true)
    }

    @Test
    func `each verdict has a code and a sentence`() {
        let verdicts: [ErasureVerdict] = [.valid, .otherKey, .changed, .otherIdentity]
        #expect(verdicts.map(\.rawValue) == ["valid", "other_key", "changed", "other_identity"])
        #expect(Set(verdicts.map(\.message)).count == 4 && verdicts.allSatisfy { $0.message.hasSuffix(".") })
    }
}
