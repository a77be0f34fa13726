// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import NIOCore
internal import TrackwayEvents
internal import TrackwayJournal

/// Keeping what was refused as a whole, within the quota.
struct Quarantine: Sendable {
    let dependencies: CollectorDependencies

    /// What became of a body.
    enum Outcome: Sendable, Hashable {
        /// All that was to be kept of it is on stable storage.
        case kept
        /// Less of it, or nothing but its count: much was kept of this sender already.
        case cut
        /// The disk refused.
        case failed
    }

    /// Keeps a body that was refused as a whole, so that a person can see what went wrong, and counts it.
    ///
    /// - Parameters:
    ///   - limit: How much of it is to be kept. When the sender deletes it, this is the last copy.
    ///   - encoding: How it is encoded, when it came in our own format.
    func keep(
        _ body: some Collection<UInt8>,
        refusedWith error: AdmissionError,
        grant: KeyGrant,
        received: Timestamp,
        limit: Int,
        encoding: ContentEncoding? = nil
    ) async -> Outcome {
        let wanted = min(body.count, limit)
        let now = dependencies.clock.now().monotonic
        let verdict = dependencies.quarantine.withLock { $0.offered(wanted, by: grant.name, at: now) }
        dependencies.statistics.withLock { statistics in
            statistics.refused[error.code, default: 0] += 1
            if verdict != .whole { statistics.quarantineCut += 1 }
        }
        let (kept, outcome): (Int, Outcome)
        switch verdict {
        case .whole: (kept, outcome) = (wanted, .kept)
        case .excerpt(let bytes): (kept, outcome) = (bytes, .cut)
        case .nothing: return .cut
        }
        let record = QuarantineRecord.bytes(
            error,
            body: body.prefix(kept),
            bodyBytes: body.count,
            key: grant.name,
            received: received,
            encoding: encoding
        )
        do throws(IntakeError) {
            _ = try await dependencies.intake.commit(kind: .quarantine, record: record, route: .none)
            return outcome
        } catch {
            // The caller decides whether the sender may delete it nevertheless.
            return .failed
        }
    }
}
