// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CollectorCore
import LibFuzzer
import TrackwayCore
import TrackwayDestinationKit

/// Sends arbitrary bytes to the collector's admission.
///
/// Admitted batches must read back from the intake log exactly as they were counted. Records that were damaged on disk
/// must be rejected without a trap.
@main
struct FuzzIntake {
    static func main() {
        LibFuzzer.run(test)
    }

    static func test(_ bytes: UnsafeRawBufferPointer) {
        guard let mode = bytes.first else { return }
        let body = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        switch mode % 4 {
        case 0: readRecord(body)
        case 1: admit(body, encoding: .gzip)
        default: admit(body, encoding: .identity)
        }
    }

    static func admit(_ body: UnsafeRawBufferPointer, encoding: ContentEncoding) {
        let grant = KeyGrant(name: "fuzz", scopes: [])
        let received = Timestamp(milliseconds: 1_700_000_000_000)
        let admitted: AdmittedBatch
        do throws(AdmissionError) {
            admitted = try Admission().admit(body, encoding: encoding, grant: grant, received: received)
        } catch {
            expect(!error.code.isEmpty && !error.message.isEmpty, "a rejection has a code and a message")
            let quarantined = QuarantineRecord.bytes(
                error,
                body: body.prefix(1024),
                bodyBytes: body.count,
                key: grant.name,
                received: received
            )
            readQuarantine(quarantined, code: error.code)
            return
        }
        readBack(admitted)
    }

    static func readBack(_ admitted: AdmittedBatch) {
        admitted.record.withUnsafeBytes { bytes in
            do {
                let record = try IntakeRecord(payload: bytes)
                var accepted = 0
                var rejected = 0
                try record.visit { event in
                    if event.fault == nil { accepted += 1 } else { rejected += 1 }
                    expect((event.scan == nil) == (event.fault != nil), "events are accepted if and only if valid")
                }
                expect(accepted == admitted.accepted, "all accepted events read back")
                expect(rejected == admitted.rejected.count, "all rejected events are listed")
            } catch {
                fatalError("an admitted batch must read back: \(error)")
            }
        }
    }

    static func readQuarantine(_ quarantined: [UInt8], code: String) {
        quarantined.withUnsafeBytes { bytes in
            do throws(RecordError) {
                let record = try QuarantineRecord(payload: bytes)
                expect(record.code == code, "the error code is stored")
            } catch {
                fatalError("a quarantine record must read back: \(error)")
            }
        }
    }

    /// Reads a record of arbitrary bytes.
    static func readRecord(_ bytes: UnsafeRawBufferPointer) {
        do {
            try IntakeRecord(payload: bytes).visit { _ in }
        } catch {
            // Rejecting the record is correct; a trap is not.
        }
        do throws(RecordError) {
            _ = try QuarantineRecord(payload: bytes)
        } catch {
            expect(!error.message.isEmpty, "a rejection has a message")
        }
    }
}
