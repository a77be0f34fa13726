// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayJournal

/// A record in the line for the next group commit, and who waits for it.
struct WaitingRecord: Sendable {
    let kind: FrameKind
    let record: [UInt8]
    let continuation: UnsafeContinuation<Result<LogPosition, IntakeError>, Never>
}
