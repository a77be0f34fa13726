// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
internal import TrackwayWire

/// Decides what of a body is accepted. A function of the bytes, the key's grant and the time: no file, no clock, no lock.
///
/// The body is inflated within bounds, taken apart, and every event is checked completely (UTF-8, grammar, numbers,
/// sizes, depth). A faulty event costs only itself: the rest of its batch is accepted, and the answer names it.
package struct Admission: Sendable {
    /// What is asked of every body.
    package let limits: AdmissionLimits

    /// Admission within limits.
    package init(limits: AdmissionLimits = AdmissionLimits()) {
        self.limits = limits
    }

    /// Judges one body.
    ///
    /// - Parameters:
    ///   - wire: The body as received.
    ///   - encoding: How it is encoded.
    ///   - grant: The key it came with, already checked.
    ///   - received: The collector's time.
    /// - Returns: What to commit and to answer.
    /// - Throws: ``AdmissionError`` when nothing of it can be accepted.
    /// - Complexity: O(inflated bytes).
    package func admit(
        _ wire: UnsafeRawBufferPointer,
        encoding: ContentEncoding,
        grant: KeyGrant,
        received: Timestamp
    ) throws(AdmissionError) -> AdmittedBatch {
        guard wire.count <= limits.body.wireBytes else {
            throw AdmissionError(
                .tooLarge,
                code: GzipError.Code.wireTooLarge.rawValue,
                message: "The body has \(wire.count) bytes; at most \(limits.body.wireBytes) are accepted."
            )
        }
        var inspection: BatchInspection
        let inflatedBytes: Int
        switch encoding {
        case .identity:
            inflatedBytes = wire.count
            inspection = try BatchInspection(wire, limits: limits)
        case .gzip:
            let inflated = try inflate(wire)
            inflatedBytes = inflated.count
            // Through a Result: withUnsafeBytes hands on untyped errors only.
            let result = inflated.withUnsafeBytes { bytes in
                Result { () throws(AdmissionError) in try BatchInspection(bytes, limits: limits) }
            }
            inspection = try result.get()
        }
        try inspection.conclude()
        let header = IntakeHeader(
            received: received,
            key: grant.name,
            encoding: encoding,
            rejected: inspection.rejected
        )
        return AdmittedBatch(
            accepted: inspection.accepted,
            rejected: inspection.rejected,
            sender: inspection.sender,
            record: IntakeRecord.bytes(header, body: wire),
            inflatedBytes: inflatedBytes
        )
    }

    private func inflate(_ wire: UnsafeRawBufferPointer) throws(AdmissionError) -> [UInt8] {
        do {
            return try Gzip.inflate(wire, limits: limits.body)
        } catch {
            throw AdmissionError(gzip: error, field: "content-encoding")
        }
    }
}
