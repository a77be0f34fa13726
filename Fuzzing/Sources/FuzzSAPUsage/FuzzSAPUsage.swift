// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CollectorCore
import LibFuzzer
import VendorRules

/// Sends arbitrary bytes as a usage report: unchanged, as the sessions or events of a valid report, or compressed.
@main
struct FuzzSAPUsage {
    static func main() {
        LibFuzzer.run(test)
    }

    static func test(_ bytes: UnsafeRawBufferPointer) {
        guard let mode = bytes.first else { return }
        let body = Array(bytes.dropFirst())
        switch mode % 4 {
        case 0: admit(body)
        case 1: admit(Array("\(head)\"sessions\":[".utf8) + body + Array("]}".utf8))
        case 2:
            admit(
                Array("\(head)\"sessions\":[{\"sessionInfo\":{\"sessionId\":\"s\"},\"events\":[".utf8) + body
                    + Array("]}]}".utf8)
            )
        default: checkCompression(body)
        }
    }

    private static let head =
        #"{"report":"7B6C1F0A-2E64-4C0B-9D7C-5A0E9B1B3C55","appInfo":{"application":"a"},"deviceInfo":{"deviceID":"d"},"#

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
            try SAPUsageIntake(limits: VendorRules.limits).admit(
                body,
                of: .init(application: "a"),
                grant: VendorRules.grant,
                received: VendorRules.received
            ).batch
        }
    }
}
