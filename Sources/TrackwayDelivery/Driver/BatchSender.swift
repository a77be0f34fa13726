// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
package import TrackwayWire

/// Sends batches to one destination.
///
/// Checks admission again, encodes the batch, sends the request, and has the response evaluated.
struct BatchSender: Sendable {
    /// The result of sending a batch.
    enum Result: Sendable {
        case answered(Verdict, leftOut: [Rejection])
        case transportFailed(TransportError)
        case encodingFailed(WireEncodingError)
        /// The batch may no longer be sent; nothing was sent.
        case withdrawn
    }

    let id: DestinationID
    let admission: Admission.Rule?
    let timeout: Duration
    let equipment: DeliveryDependencies

    /// Sends a batch.
    func send(_ batch: EventBatch, to destination: any Destination) async -> Result {
        // Consent may have been withdrawn between reading and sending, or between two parts of a batch.
        guard mayLeave(batch) else { return .withdrawn }
        let request: WireRequest
        do throws(WireEncodingError) {
            request = try destination.request(for: batch, sentAt: equipment.clock.now().wall)
        } catch {
            return .encodingFailed(error)
        }
        equipment.beforeSending.withLock { $0 }.work(batch.writer)
        // `isPermitted` reads the decisions of other processes. If another destination's request has just read them, it
        // returns true here, although the batch was checked against older decisions. So the batch is checked once more,
        // with no wait between this check and the sending.
        guard equipment.isPermitted() else { return .transportFailed(.notPermitted) }
        guard mayLeave(batch) else { return .withdrawn }
        do throws(TransportError) {
            var response = try await equipment.transport.send(request, timeout: timeout)
            if response.receivedAt == nil { response.receivedAt = equipment.clock.now().wall }
            let verdict = destination.verdict(on: response, for: batch)
            // Reported only when the events are accepted, not with every attempt.
            if verdict.isTaken, !request.trimmed.isEmpty { equipment.report(.trimmed(id, request.trimmed)) }
            return .answered(verdict, leftOut: request.leftOut)
        } catch {
            return .transportFailed(error)
        }
    }

    private func mayLeave(_ batch: EventBatch) -> Bool {
        guard let admission else { return true }
        return Set(batch.records.map(\.context)).allSatisfy { generation in
            let json = batch.context(generation).map { Array(batch.bytes[$0.content]) }
            return admission(json ?? Array("{}".utf8)) == .send
        }
    }
}

extension Verdict {
    /// Whether events of the request were accepted.
    fileprivate var isTaken: Bool {
        switch self {
        case .accepted, .acceptedExcept: true
        case .tooLarge, .retry, .rejected, .notTheBackEnd, .unauthorized, .misconfigured: false
        }
    }
}

extension TransportError.Code {
    /// The SDK is disabled or paused, or consent is not given.
    ///
    /// Nothing was sent.
    package static let notPermitted = TransportError.Code(rawValue: "not_permitted")
}

extension TransportError {
    /// The error of a request that was not permitted.
    package static let notPermitted = TransportError(
        .notPermitted,
        "the SDK is disabled or paused, or consent is not given"
    )
}
