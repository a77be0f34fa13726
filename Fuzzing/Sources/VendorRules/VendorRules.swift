// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import LibFuzzer
package import TrackwayCore
internal import TrackwayDestinationKit

/// Rules that must hold for every body in another format, regardless of its bytes.
package enum VendorRules {
    /// The key of every body.
    package static let grant = KeyGrant(name: "fuzz", scopes: [])
    /// The receive time of every body.
    package static let received = Timestamp(milliseconds: 1_700_000_000_000)
    /// Small limits that inputs can reach.
    package static let limits: AdmissionLimits = {
        var limits = AdmissionLimits()
        limits.events = 64
        return limits
    }()

    /// Admits a body twice and checks the results.
    ///
    /// Both results must be equal, stored events must read back as they were counted, and a rejection must have a
    /// reason.
    ///
    /// - Returns: The batch; nil if the body was rejected.
    @discardableResult
    package static func check(_ admit: () throws(AdmissionError) -> VendorBatch) -> VendorBatch? {
        let (first, second) = (Result(catching: admit), Result(catching: admit))
        switch (first, second) {
        case (.success(let batch), .success(let repeated)):
            expect(batch.records == repeated.records, "the same body results in the same events with the same ids")
            readBack(batch)
            return batch
        case (.failure(let error), .failure(let repeated)):
            expect(!error.code.isEmpty && !error.message.isEmpty, "a rejection has a code and a message")
            expect(
                error.code == repeated.code && error.message == repeated.message,
                "the same body results in the same error"
            )
            return nil
        default:
            fatalError("a body that is accepted once must be accepted again")
        }
    }

    /// Returns the bytes as a client compresses them.
    package static func compressed(_ bytes: [UInt8]) -> [UInt8] { GzipCompressor().compress(bytes) }

    /// Returns the bytes as base64 text.
    package static func base64(_ bytes: [UInt8]) -> [UInt8] { Base64.encode(bytes) }

    private static func readBack(_ batch: VendorBatch) {
        var (accepted, rejected) = (0, 0)
        for bytes in batch.records {
            bytes.withUnsafeBytes { bytes in
                do {
                    try IntakeRecord(payload: bytes).visit { event in
                        if event.fault == nil { accepted += 1 } else { rejected += 1 }
                        expect((event.scan == nil) == (event.fault != nil), "events are accepted if and only if valid")
                    }
                } catch {
                    fatalError("an admitted batch must read back: \(error)")
                }
            }
        }
        expect(accepted == batch.accepted, "accepted events that read back: \(accepted) of \(batch.accepted)")
        expect(rejected == batch.rejected.count, "rejected events stored: \(rejected) of \(batch.rejected.count)")
        for fault in batch.rejected {
            expect(!fault.code.isEmpty && !fault.message.isEmpty, "a rejected event has a code and a message")
        }
    }
}
