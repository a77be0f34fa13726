// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CollectorCore
import LibFuzzer
import VendorRules

/// Sends arbitrary bytes as a body in the Sift format: unchanged, compressed, or as the list in a valid body.
@main
struct FuzzSift {
    static func main() {
        LibFuzzer.run(test)
    }

    static func test(_ bytes: UnsafeRawBufferPointer) {
        guard let mode = bytes.first else { return }
        let body = Array(bytes.dropFirst())
        switch mode % 3 {
        case 0: admit(body)
        case 1: admit(Array(#"{"data":["#.utf8) + body + Array("]}".utf8))
        default: checkCompression(body)
        }
    }

    /// Compressed and uncompressed bodies must result in the same events.
    static func checkCompression(_ body: [UInt8]) {
        guard body.first == UInt8(ascii: "{") else { return }
        let plain = admit(body)
        let compressed = admit(VendorRules.compressed(body))
        expect(plain?.records == compressed?.records, "compression changes nothing")
    }

    @discardableResult
    static func admit(_ body: [UInt8]) -> VendorBatch? {
        VendorRules.check { () throws(AdmissionError) in
            try SiftIntake(limits: VendorRules.limits).admit(
                body,
                account: "acct_1",
                grant: VendorRules.grant,
                received: VendorRules.received
            )
        }
    }
}
