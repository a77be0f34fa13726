// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CollectorCore
import LibFuzzer
import VendorRules

/// Sends arbitrary bytes as a form in the Sensors Analytics format: unchanged, or as the encoded text in a valid form.
///
/// The debug endpoint for integrators must judge a body in the same way as the intake.
@main
struct FuzzSensors {
    static func main() {
        LibFuzzer.run(test)
    }

    static func test(_ bytes: UnsafeRawBufferPointer) {
        guard let mode = bytes.first else { return }
        let body = Array(bytes.dropFirst())
        switch mode % 5 {
        case 0: admit(body)
        case 1: admit(body, encoding: .gzip)
        case 2: admit(form("data", body))
        case 3: admit(form("gzip=1&data_list", VendorRules.base64(body)))
        default: checkEncodings(body)
        }
    }

    /// All encodings that clients use must result in the same events.
    static func checkEncodings(_ json: [UInt8]) {
        guard let first = json.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else { return }
        let plain = admit(form("data_list", json))
        let compressed = admit(form("gzip=1&data_list", VendorRules.base64(VendorRules.compressed(json))))
        // A text that compresses too well is rejected in one encoding and accepted in the other.
        guard let plain, let compressed else { return }
        expect(plain.records == compressed.records, "the encoding changes nothing")
    }

    @discardableResult
    static func admit(_ body: [UInt8], encoding: ContentEncoding = .identity) -> VendorBatch? {
        let intake = SensorsIntake(limits: VendorRules.limits)
        let batch = VendorRules.check { () throws(AdmissionError) in
            try intake.admit(
                body,
                encoding: encoding,
                project: "production",
                allows: { $0 == "other" },
                grant: VendorRules.grant,
                received: VendorRules.received
            )
        }
        do throws(AdmissionError) {
            let faults = try intake.inspect(body, encoding: encoding, project: "production")
            expect(batch != nil, "a body that can be inspected can be admitted")
            expect(faults.allSatisfy { !$0.code.isEmpty && !$0.message.isEmpty }, "a fault has a code and a message")
        } catch {
            expect(batch == nil, "a body that can be admitted can be inspected")
        }
        return batch
    }

    /// Returns a form with one field whose text is percent-encoded as clients encode it.
    static func form(_ field: String, _ text: [UInt8]) -> [UInt8] {
        var form = Array("\(field)=".utf8)
        for byte in text {
            switch byte {
            case UInt8(ascii: "%"): form += Array("%25".utf8)
            case UInt8(ascii: "&"): form += Array("%26".utf8)
            case UInt8(ascii: "+"): form += Array("%2B".utf8)
            default: form.append(byte)
            }
        }
        return form
    }
}
