// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import Feeder
package import TrackwayEvents
internal import TrackwayWire

/// What must hold for a body of any other format, whatever its bytes are.
package enum VendorRules {
    /// The key every body comes with.
    package static let grant = KeyGrant(name: "fuzz", scopes: [])
    /// When every body comes.
    package static let received = Timestamp(milliseconds: 1_700_000_000_000)
    /// Small limits: an input reaches them.
    package static let limits: AdmissionLimits = {
        var limits = AdmissionLimits()
        limits.events = 64
        return limits
    }()

    /// Judges a body twice: the same comes out, what is kept reads back as it was counted, and a refusal says why.
    ///
    /// - Returns: The batch; nil when the body was refused.
    @discardableResult
    package static func check(_ admit: () throws(AdmissionError) -> VendorBatch) -> VendorBatch? {
        let (first, second) = (Result(catching: admit), Result(catching: admit))
        switch (first, second) {
        case (.success(let batch), .success(let again)):
            expect(batch.records == again.records, "the same body is the same events with the same ids")
            readBack(batch)
            return batch
        case (.failure(let error), .failure(let again)):
            expect(!error.code.isEmpty && !error.message.isEmpty, "a refusal says why")
            expect(error.code == again.code && error.message == again.message, "the same body is refused alike")
            return nil
        default:
            fatalError("a body that is accepted once is accepted twice")
        }
    }

    /// The bytes as a client compresses them.
    package static func compressed(_ bytes: [UInt8]) -> [UInt8] { GzipCompressor().compress(bytes) }

    /// The bytes as base64 text.
    package static func base64(_ bytes: [UInt8]) -> [UInt8] { Base64.encode(bytes) }

    private static func readBack(_ batch: VendorBatch) {
        var (accepted, refused) = (0, 0)
        for bytes in batch.records {
            bytes.withUnsafeBytes { bytes in
                do {
                    try IntakeRecord(payload: bytes).visit { event in
                        if event.fault == nil { accepted += 1 } else { refused += 1 }
                        expect((event.scan == nil) == (event.fault != nil), "an accepted event is a valid one")
                    }
                } catch {
                    fatalError("an admitted batch must read back: \(error)")
                }
            }
        }
        expect(accepted == batch.accepted, "what was accepted reads back: \(accepted) of \(batch.accepted)")
        expect(refused == batch.rejected.count, "what was refused is kept: \(refused) of \(batch.rejected.count)")
        for fault in batch.rejected {
            expect(!fault.code.isEmpty && !fault.message.isEmpty, "a refused event says why")
        }
    }
}
