// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayCore
internal import TrackwayDestinationKit

/// The readiness of the collector to accept batches and to answer queries.
///
/// A proxy must keep sending batches to a collector that accepts them, even while its query results lag behind.
extension StatusEndpoints {
    /// `GET /readyz/intake`: whether batches are accepted, and if not, why.
    ///
    /// The result does not depend on the state of the index.
    func readyForIntake() throws(RequestFailure) -> Response {
        try checkIntake()
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("status", "ready")
            writer.member("durability", dependencies.intake.durability.rawValue)
            writer.endObject()
        }
    }

    /// `GET /readyz/questions`: whether the store that answers queries follows the log, and if not, why.
    ///
    /// The result does not depend on whether batches are accepted.
    func readyForQueries() throws(RequestFailure) -> Response {
        let intake = dependencies.intake.failure == nil ? "Batches are accepted and stored." : "Batches are refused."
        try checkIndex(intake)
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("status", "ready")
            writer.endObject()
        }
    }

    /// Checks that batches are accepted.
    ///
    /// - Throws: ``RequestFailure`` with the reason why a batch would currently be rejected.
    func checkIntake() throws(RequestFailure) {
        if let failureReason = dependencies.intake.failure { throw RequestFailure(failureReason) }
    }

    /// Checks that the index follows the log.
    ///
    /// - Parameter intake: A sentence that states whether batches are accepted.
    /// - Throws: ``RequestFailure`` `index_behind` with the reason why responses would currently be incomplete.
    func checkIndex(_ intake: String) throws(RequestFailure) {
        guard let failureReason = dependencies.store.failureReason else { return }
        throw RequestFailure(
            status: .serviceUnavailable,
            code: .indexBehind,
            message: "\(failureReason) \(intake)",
            retryAfter: .seconds(5)
        )
    }
}
