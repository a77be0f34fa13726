// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import NIOCore
internal import TrackwayEvents
internal import TrackwayJournal

/// Stores bodies that were rejected as a whole, within the quota.
struct Quarantine: Sendable {
    let dependencies: CollectorDependencies

    /// The outcome for a body.
    enum Outcome: Sendable, Hashable {
        /// The intended part of it is on stable storage.
        case kept
        /// Less of it was stored, or it was only counted.
        ///
        /// Much data from this sender is already stored.
        case cut
        /// The disk failed.
        case failed
    }

    /// Stores a body rejected as a whole for inspection, and counts it.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes to store. If the sender deletes the body, this is the last copy.
    ///   - encoding: The encoding of the body, if it is in our own format.
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
