// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayEvents
internal import TrackwayWire

/// Readiness of a collector's two services: accepting batches and answering queries.
///
/// A proxy for senders must not lose a collector that accepts batches while its responses lag behind.
extension StatusEndpoints {
    /// `GET /readyz/intake`: whether batches are accepted, or the reason why not.
    ///
    /// The state of the index does not matter.
    func readyForIntake() throws(RequestFailure) -> Response {
        try checkIntake()
        return Answer.json { writer in
            writer.beginObject()
            writer.member("status", "ready")
            writer.member("durability", dependencies.intake.durability.rawValue)
            writer.endObject()
        }
    }

    /// `GET /readyz/questions`: whether the store that answers queries follows, or why not.
    ///
    /// Whether batches are accepted does not matter.
    func readyForQuestions() throws(RequestFailure) -> Response {
        let intake = dependencies.intake.trouble == nil ? "Batches are accepted and stored." : "Batches are refused."
        try checkIndex(intake)
        return Answer.json { writer in
            writer.beginObject()
            writer.member("status", "ready")
            writer.endObject()
        }
    }

    /// - Throws: ``RequestFailure`` with the reason why a batch would be refused now.
    func checkIntake() throws(RequestFailure) {
        if let trouble = dependencies.intake.trouble { throw RequestFailure(trouble) }
    }

    /// - Parameter intake: A sentence about batches.
    /// - Throws: ``RequestFailure`` `index_behind` with the reason why responses would be incomplete now.
    func checkIndex(_ intake: String) throws(RequestFailure) {
        guard let trouble = dependencies.store.trouble else { return }
        throw RequestFailure(
            status: .serviceUnavailable,
            code: "index_behind",
            message: "\(trouble) \(intake)",
            retryAfter: .seconds(5)
        )
    }
}
