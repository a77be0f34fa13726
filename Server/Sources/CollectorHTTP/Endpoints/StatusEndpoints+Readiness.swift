// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayEvents
internal import TrackwayWire

/// Readiness of the two things that a collector does. A proxy for senders must not lose a collector that accepts batches while its
/// answers lag behind.
extension StatusEndpoints {
    /// `GET /readyz/intake`: batches are accepted, or why not. The index plays no part.
    func readyForIntake() throws(RequestFailure) -> Response {
        try checkIntake()
        return Answer.json { writer in
            writer.beginObject()
            writer.member("status", "ready")
            writer.member("durability", dependencies.intake.durability.rawValue)
            writer.endObject()
        }
    }

    /// `GET /readyz/questions`: queries are answered from a store that follows, or why not. Whether batches are accepted plays no part.
    func readyForQuestions() throws(RequestFailure) -> Response {
        let intake = dependencies.intake.trouble == nil ? "Batches are accepted and kept." : "Batches are refused, too."
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
    /// - Throws: ``RequestFailure`` `index_behind` with the reason why answers would lack something now.
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
