// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Foundation

/// A plan's file on this machine.
enum PlanFile {
    /// What the file holds.
    ///
    /// - Throws: ``CommandFailure`` `inputMissing` when it cannot be read at all.
    static func read(_ path: String) throws(CommandFailure) -> PlanReading {
        let data: Data
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer {
                // Only read: nothing can be lost by it.
                try? handle.close()
            }
            // One byte more than a plan has tells that it is none.
            data = try handle.read(upToCount: PlanLimits.bytes + 1) ?? Data()
        } catch {
            throw CommandFailure(
                .inputMissing,
                "the plan \(path) cannot be read: \(error.localizedDescription)",
                remedy:
                    "name a file such as plan.json; `trackway plan init --from URL` makes one from what a collector has"
            )
        }
        return PlanReading(Array(data))
    }

    /// The plan in the file.
    ///
    /// - Throws: ``CommandFailure``; `malformedInput` with everything that is wrong.
    static func plan(_ path: String) throws(CommandFailure) -> TrackingPlan {
        let reading = try read(path)
        if let plan = reading.plan { return plan }
        throw CommandFailure(
            .malformedInput,
            PlanText.faults(reading, of: path).joined(separator: "\n"),
            remedy: "put it right, and see with: trackway plan check \(path)"
        )
    }

    /// Writes a text as a whole, or nothing of it.
    ///
    /// - Throws: ``CommandFailure`` `cannotCreate`.
    static func write(_ text: String, to path: String) throws(CommandFailure) {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "\(path) cannot be written: \(error.localizedDescription)",
                remedy: "name a file in a folder that you may write with --output"
            )
        }
    }
}
