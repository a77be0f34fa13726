// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit

/// Admits bodies of the Sift format: `{"data":[event, …]}`, plain or compressed.
///
/// Admission is a pure function of the bytes, the account, the grant, and the time.
///
/// Clients of this format do not number events or name batches, and delete a body that gets a 400 response. Therefore
/// every event that can be separated from the others is accepted, or stored with the reason for its rejection. The
/// errors thrown here are for bodies in which the boundaries of events cannot be determined.
public struct SiftIntake: Sendable {
    private let limits: AdmissionLimits

    /// Creates an intake with these limits.
    public init(limits: AdmissionLimits = AdmissionLimits()) {
        self.limits = limits
    }

    /// Checks one body.
    ///
    /// - Parameters:
    ///   - wire: The body as received; compression is detected from the bytes.
    ///   - account: The account of the request's path.
    ///   - grant: The grant of the request's key.
    ///   - received: The time of arrival by the collector's clock, used for events without a time.
    ///   - isErased: Returns whether an installation was erased; events of erased installations are rejected and not
    ///     stored.
    ///   - isErasedUser: Returns whether a user was erased; events of erased users are rejected and not stored.
    /// - Throws: ``AdmissionError`` if the body cannot be read: `malformed_json`, `field_missing`, `field_invalid`,
    ///   `empty_batch`, or a `gzip_` code.
    public func admit(
        _ wire: [UInt8],
        account: String,
        grant: KeyGrant,
        received: Timestamp,
        isErased: @escaping @Sendable (InstallationID) -> Bool = { _ in false },
        isErasedUser: @escaping @Sendable (String) -> Bool = { _ in false }
    ) throws(AdmissionError) -> VendorBatch {
        let json = VendorBody.isGzip(wire) ? try VendorBody.inflate(wire, limits: inflateLimits) : wire
        guard VendorBody.firstByte(json) != nil else {
            throw AdmissionError(
                .malformed,
                code: .emptyBatch,
                message: #"The body is empty; send {"data":[…]}, with an empty list for no events."#
            )
        }
        var batch = VendorBatch(
            .sift,
            limits: limits,
            key: grant.name,
            received: received,
            isErased: isErased,
            isErasedUser: isErasedUser
        )
        var translation = SiftTranslation(account: account, received: received, body: json)
        try batch.fill(from: json, under: "data", by: &translation)
        return batch
    }

    private var inflateLimits: InflateLimits {
        var limits = limits.body
        limits.wireBytes = self.limits.siftBytes
        // Snapshots of one device repeat nearly the same text, so a legitimate backlog can compress better than any
        // ratio that would detect a decompression bomb; the limit on the inflated length covers both cases.
        limits.ratio = .max
        return limits
    }
}
