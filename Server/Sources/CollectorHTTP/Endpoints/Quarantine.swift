// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import NIOCore
internal import TrackwayCore
internal import TrackwayJournal

/// Stores bodies that were rejected as a whole, within a quota.
struct Quarantine: Sendable {
    let dependencies: CollectorDependencies

    /// The outcome of storing a body.
    enum Outcome: Sendable, Hashable {
        /// The intended part of the body is on stable storage.
        case stored
        /// Less than the intended part was stored, or the body was only counted.
        ///
        /// This happens when much data from this sender is already stored.
        case truncated
        /// The disk failed to store the body.
        case failed
    }

    /// Counts a body that was rejected as a whole, and stores it for inspection.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes to store. If the sender deletes the body, the stored copy is the last
    ///     one.
    ///   - encoding: The content encoding of the body, if the body is in Trackway's own format.
    func store(
        _ body: some Collection<UInt8>,
        refusedWith error: AdmissionError,
        grant: KeyGrant,
        received: Timestamp,
        limit: Int,
        encoding: ContentEncoding? = nil
    ) async -> Outcome {
        let wanted = min(body.count, limit)
        let now = dependencies.clock.now().monotonic
        let verdict = dependencies.quarantine.withLock { $0.reserve(wanted, by: grant.name, at: now) }
        dependencies.statistics.withLock { statistics in
            statistics.refused[error.code, default: 0] += 1
            if verdict != .whole { statistics.quarantineCut += 1 }
        }
        let (stored, outcome): (Int, Outcome)
        switch verdict {
        case .whole: (stored, outcome) = (wanted, .stored)
        case .excerpt(let bytes): (stored, outcome) = (bytes, .truncated)
        case .nothing: return .truncated
        }
        let record = QuarantineRecord.bytes(
            error,
            body: body.prefix(stored),
            bodyBytes: body.count,
            key: grant.name,
            received: received,
            encoding: encoding
        )
        do throws(IntakeError) {
            _ = try await dependencies.intake.commit(kind: .quarantine, record: record, route: .unrouted)
            return outcome
        } catch {
            // The caller decides whether the sender may delete the body anyway.
            return .failed
        }
    }
}
