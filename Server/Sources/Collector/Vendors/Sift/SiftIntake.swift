// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
internal import TrackwayWire

/// Admits bodies of the Sift format: `{"data":[event, …]}`, plain or compressed. A function of the bytes, the account, the
/// grant and the time.
///
/// Clients of this format number nothing and name no batches, and delete a body that is answered with 400. So every event
/// that can be told from the others is taken, or kept with the reason why not; the errors thrown here are about bodies of
/// which it cannot be determined where events begin and end.
public struct SiftIntake: Sendable {
    private let limits: AdmissionLimits

    /// Admission within limits.
    public init(limits: AdmissionLimits = AdmissionLimits()) {
        self.limits = limits
    }

    /// Judges one body.
    ///
    /// - Parameters:
    ///   - wire: The body as received; whether it is compressed is seen by looking at it.
    ///   - account: The account of the request's path.
    ///   - grant: The key that came with it.
    ///   - received: The collector's time, which an event without one gets.
    ///   - isErased: Whether an installation was erased; events of it are refused, and nothing of them is kept.
    /// - Throws: ``AdmissionError`` when the body cannot be read: `malformed_json`, `field_missing`, `field_invalid`,
    ///   `empty_batch`, or a `gzip_` code.
    public func admit(
        _ wire: [UInt8],
        account: String,
        grant: KeyGrant,
        received: Timestamp,
        isErased: @escaping @Sendable (InstallationID) -> Bool = { _ in false }
    ) throws(AdmissionError) -> VendorBatch {
        let json = VendorBody.isGzip(wire) ? try VendorBody.inflate(wire, limits: inflateLimits) : wire
        guard VendorBody.firstByte(json) != nil else {
            throw AdmissionError(
                .malformed,
                code: "empty_batch",
                message: #"The body is empty; send {"data":[…]}, with nothing in the list if there is nothing."#
            )
        }
        var batch = VendorBatch(
            .sift,
            limits: limits,
            key: grant.name,
            received: received,
            isErased: isErased
        )
        var translation = SiftTranslation(account: account, received: received, body: json)
        try batch.fill(from: json, under: "data", by: &translation)
        return batch
    }

    private var inflateLimits: InflateLimits {
        var limits = limits.body
        limits.wireBytes = self.limits.siftBytes
        // Snapshots of one device are nearly the same text again and again, so an honest backlog can compress by more than
        // any factor that would tell a bomb; the inflated length bounds both.
        limits.ratio = .max
        return limits
    }
}
