// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
package import TrackwayDestinationKit
internal import TrackwayLifecycle

/// Sends batches to one destination.
///
/// It checks admission again, encodes the batch, sends the request, and has the destination evaluate the response.
struct BatchSender: Sendable {
    /// The result of sending a batch.
    enum Result: Sendable {
        case response(Verdict, omitted: [Rejection])
        case transportFailed(TransportError)
        case encodingFailed(WireEncodingError)
        /// The batch may no longer be sent; nothing was sent.
        case admissionWithdrawn
    }

    let id: DestinationID
    let admission: Admission.Rule?
    let timeout: Duration
    let dependencies: DeliveryDependencies

    /// Sends a batch.
    func send(_ batch: EventBatch, to destination: any Destination) async -> Result {
        // Consent may have been withdrawn between reading and sending, or between two parts of a batch.
        guard maySend(batch) else { return .admissionWithdrawn }
        let request: WireRequest
        do throws(WireEncodingError) {
            request = try destination.request(for: batch, sentAt: dependencies.clock.now().wall)
        } catch {
            return .encodingFailed(error)
        }
        dependencies.beforeSending.withLock { $0 }.work(batch.writer)
        // `isPermitted` reads the decisions of other processes. If another destination's request has just read those
        // decisions, `isPermitted` returns true here, although the batch was checked against older decisions. So the
        // batch is checked once more, with no wait between this check and the sending.
        guard dependencies.isPermitted() else { return .transportFailed(.notPermitted) }
        guard maySend(batch) else { return .admissionWithdrawn }
        do throws(TransportError) {
            var response = try await dependencies.transport.send(request, timeout: timeout)
            if response.receivedAt == nil { response.receivedAt = dependencies.clock.now().wall }
            let verdict = destination.verdict(on: response, for: batch)
            // Reported only when the events are accepted, not with every attempt.
            if verdict.isAcceptance, !request.trimmed.isEmpty { dependencies.report(.trimmed(id, request.trimmed)) }
            return .response(verdict, omitted: request.omitted)
        } catch {
            return .transportFailed(error)
        }
    }

    private func maySend(_ batch: EventBatch) -> Bool {
        guard let admission else { return true }
        return Set(batch.records.map(\.context)).allSatisfy { generation in
            let json = batch.context(generation).map { Array(batch.bytes[$0.content]) }
            return admission(json ?? Array("{}".utf8)) == .send
        }
    }
}

extension Verdict {
    /// Whether any events of the request were accepted.
    fileprivate var isAcceptance: Bool {
        switch self {
        case .accepted, .acceptedExcept: true
        case .tooLarge, .retry, .rejected, .unrecognizedResponse, .unauthorized, .misconfigured: false
        }
    }
}

extension TransportError.Code {
    /// The SDK is disabled or paused, or consent is not given.
    ///
    /// The request was not sent.
    package static let notPermitted = TransportError.Code(rawValue: "not_permitted")
}

extension TransportError {
    /// The error of a request that was not permitted.
    package static let notPermitted = TransportError(
        .notPermitted,
        "the SDK is disabled or paused, or consent is not given"
    )
}
