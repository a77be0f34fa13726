// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
package import TrackwayWire

/// Carries batches of one destination: asks once more whether they may leave, has them encoded, sends them, has the answer
/// judged.
struct BatchSender: Sendable {
    /// What came of a batch.
    enum Result: Sendable {
        case answered(Verdict, leftOut: [Rejection])
        case transportFailed(TransportError)
        case encodingFailed(WireEncodingError)
        /// The batch may not leave any more; nothing was sent.
        case withdrawn
    }

    let id: DestinationID
    let admission: Admission.Rule?
    let timeout: Duration
    let equipment: DeliveryEquipment

    /// Sends a batch.
    func send(_ batch: EventBatch, to destination: any Destination) async -> Result {
        // Between reading and sending, or between two parts of a batch, somebody may have withdrawn consent.
        guard mayLeave(batch) else { return .withdrawn }
        let request: WireRequest
        do throws(WireEncodingError) {
            request = try destination.request(for: batch, sentAt: equipment.clock.now().wall)
        } catch {
            return .encodingFailed(error)
        }
        equipment.beforeSending.withLock { $0 }.work(batch.writer)
        // Asking looks what other processes have decided, and another destination's request may have looked just before this one:
        // then this answer is yes, although what counts is not what the batch was judged by. So it is judged once more, with
        // nothing to wait for between this and the sending.
        guard equipment.isPermitted() else { return .transportFailed(.notPermitted) }
        guard mayLeave(batch) else { return .withdrawn }
        do throws(TransportError) {
            var response = try await equipment.transport.send(request, timeout: timeout)
            if response.receivedAt == nil { response.receivedAt = equipment.clock.now().wall }
            let verdict = destination.verdict(on: response, for: batch)
            // Told when they are taken, not with every attempt.
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
    /// Whether events of the request were taken.
    fileprivate var isTaken: Bool {
        switch self {
        case .accepted, .acceptedExcept: true
        case .tooLarge, .retry, .rejected, .notTheBackEnd, .unauthorized, .misconfigured: false
        }
    }
}

extension TransportError.Code {
    /// The SDK is disabled or paused, or consent is not given; nothing was sent.
    package static let notPermitted = TransportError.Code(rawValue: "not_permitted")
}

extension TransportError {
    /// What a request ends with that was not permitted.
    package static let notPermitted = TransportError(
        .notPermitted,
        "the SDK is disabled or paused, or consent is not given"
    )
}
