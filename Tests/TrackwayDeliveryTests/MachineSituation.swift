// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit

/// A machine state from which tests start, reached only through inputs.
enum MachineSituation: String, CaseIterable {
    case idle, gathering, reading, sending, sendingOne, settling, waiting, strict, journalWait, parked, stopped

    static let now = MonotonicTime(milliseconds: 1_000_000)
    static let policy = DeliveryPolicy(requestTimeout: .seconds(30))
    static let limits = BatchLimits(events: 100, bytes: 1_000)

    func machine() -> UploadMachine {
        var machine = UploadMachine(policy: Self.policy, limits: Self.limits)
        let now = Self.now
        func read(_ count: Int) {
            _ = machine.eventsPending(pending: 50, at: now)
            _ = machine.batchRead(count: count)
        }
        switch self {
        case .idle: break
        case .gathering: _ = machine.eventsPending(pending: 5, at: now)
        case .reading: _ = machine.eventsPending(pending: 50, at: now)
        case .sending: read(4)
        case .sendingOne: read(1)
        case .settling:
            read(4)
            _ = machine.responseReceived(.accepted, at: now, jitter: 0.5)
        case .waiting:
            read(4)
            _ = machine.responseReceived(.retry(after: nil, reason: "busy"), at: now, jitter: 0.5)
        case .strict:
            read(4)
            _ = machine.responseReceived(.retry(after: .seconds(60), reason: "busy"), at: now, jitter: 0.5)
        case .journalWait:
            _ = machine.eventsPending(pending: 50, at: now)
            _ = machine.readFailed("EIO", at: now, jitter: 0)
        case .parked:
            read(4)
            _ = machine.responseReceived(.unauthorized(reason: "no"), at: now, jitter: 0)
        case .stopped: _ = machine.stopRequested()
        }
        return machine
    }
}
