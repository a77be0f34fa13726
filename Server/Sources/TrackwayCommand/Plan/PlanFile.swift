// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation

/// Reads and writes plan files.
enum PlanFile {
    /// Reads and parses a file.
    ///
    /// - Throws: ``CommandFailure`` `inputMissing` when the file cannot be read.
    static func read(_ path: String) throws(CommandFailure) -> PlanParseResult {
        let data: Data
        do {
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer {
                // The file is only read, so closing it cannot lose data.
                try? handle.close()
            }
            // One byte above the limit is enough to detect a file that is too large.
            data = try handle.read(upToCount: PlanLimits.bytes + 1) ?? Data()
        } catch {
            throw CommandFailure(
                .inputMissing,
                "the plan \(path) cannot be read: \(error.localizedDescription)",
                remedy:
                    "pass a file such as plan.json; `trackway plan init --from URL` creates one from stored events"
            )
        }
        return PlanParseResult(Array(data))
    }

    /// Reads the plan in a file.
    ///
    /// - Throws: ``CommandFailure``; `malformedInput` with all mistakes in the plan.
    static func plan(_ path: String) throws(CommandFailure) -> TrackingPlan {
        let reading = try read(path)
        if let plan = reading.plan { return plan }
        throw CommandFailure(
            .malformedInput,
            PlanText.faults(reading, of: path).joined(separator: "\n"),
            remedy: "correct it, and check it with: trackway plan check \(path)"
        )
    }

    /// Writes text to a file, atomically.
    ///
    /// - Throws: ``CommandFailure`` `cannotCreate`.
    static func write(_ text: String, to path: String) throws(CommandFailure) {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "\(path) cannot be written: \(error.localizedDescription)",
                remedy: "pass a file in a writable folder with --output"
            )
        }
    }
}
