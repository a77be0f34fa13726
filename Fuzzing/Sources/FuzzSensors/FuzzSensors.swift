// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Collector
import Feeder
import VendorRules

/// Sends any bytes at all as a form of the Sensors Analytics format: as they are, or as the packed text in a good form.
/// Whoever integrates a client is told the same about a body as the client itself.
@main
struct FuzzSensors {
    static func main() {
        Feeder.run(test)
    }

    static func test(_ bytes: UnsafeRawBufferPointer) {
        guard let mode = bytes.first else { return }
        let body = Array(bytes.dropFirst())
        switch mode % 5 {
        case 0: admit(body)
        case 1: admit(body, encoding: .gzip)
        case 2: admit(form("data", body))
        case 3: admit(form("gzip=1&data_list", VendorRules.base64(body)))
        default: packed(body)
        }
    }

    /// However a client packs them, they are the same events.
    static func packed(_ json: [UInt8]) {
        guard let first = json.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else { return }
        let plain = admit(form("data_list", json))
        let compressed = admit(form("gzip=1&data_list", VendorRules.base64(VendorRules.compressed(json))))
        // A text that compresses too well is refused in one form and taken in the other.
        guard let plain, let compressed else { return }
        expect(plain.records == compressed.records, "packing changes nothing")
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
            expect(batch != nil, "what can be inspected can be taken")
            expect(faults.allSatisfy { !$0.code.isEmpty && !$0.message.isEmpty }, "a broken rule is named")
        } catch {
            expect(batch == nil, "what can be taken can be inspected")
        }
        return batch
    }

    /// A form with one field, its text escaped as clients do.
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
