// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A complete segment whose unused space is still to be given back.
struct RetiredSegment: Sendable {
    let file: any SegmentStorage
    let length: Int

    func finish() {
        do {
            try file.finish(length: length)
        } catch {
            // Every record is in place, and readers stop at the seal: only space was not given back.
        }
    }
}
