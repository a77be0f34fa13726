// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CollectorCore
import LibFuzzer
import VendorRules

/// Sends arbitrary bytes as a body in the Clickstream format: unchanged, compressed, as base64, or with a hash.
@main
struct FuzzClickstream {
    static func main() {
        LibFuzzer.run(test)
    }

    static func test(_ bytes: UnsafeRawBufferPointer) {
        guard let mode = bytes.first else { return }
        let body = Array(bytes.dropFirst())
        switch mode % 5 {
        case 0: admit(body)
        case 1: admit(body, encoding: .gzip)
        case 2: admit(VendorRules.base64(body))
        case 3: admit(body, hashCode: "0a1b2c3d")
        default: checkEncodings(body)
        }
    }

    /// All encodings that clients use must result in the same events.
    static func checkEncodings(_ json: [UInt8]) {
        guard let first = json.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else { return }
        let plain = admit(json)
        let compressed = VendorRules.compressed(json)
        for other in [
            admit(compressed, encoding: .gzip), admit(compressed), admit(VendorRules.base64(compressed)),
        ] {
            // A body that is too long or compressed too well may be rejected in one encoding and accepted in another.
            guard let other, let plain else { continue }
            expect(other.records == plain.records, "the encoding changes nothing")
        }
    }

    @discardableResult
    static func admit(_ body: [UInt8], encoding: ContentEncoding = .identity, hashCode: String? = nil) -> VendorBatch? {
        VendorRules.check { () throws(AdmissionError) in
            try ClickstreamIntake(limits: VendorRules.limits).admit(
                body,
                encoding: encoding,
                app: "shop_ios",
                hashCode: hashCode,
                grant: VendorRules.grant,
                received: VendorRules.received
            )
        }
    }
}
