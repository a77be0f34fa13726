// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore

/// The options that limit what the collector stores.
struct StorageLimitOptions: ParsableArguments {
    @Option(help: "Time for which events are kept after they arrive, such as 90d or 26w. Default: no limit.")
    var keep: String?

    @Option(
        help: "Maximum size of log and index, such as 50G or 800M; the oldest events expire. Default: no limit."
    )
    var keepBytes: String?

    /// Checks the formats.
    func validate() throws {
        _ = try age()
        _ = try bytes()
    }

    /// Returns the limits.
    func policy() throws -> RetentionPolicy { RetentionPolicy(age: try age(), bytes: try bytes()) }

    /// Whether there is a limit.
    var isLimited: Bool { keep != nil || keepBytes != nil }

    /// The maximum number of days, about a century.
    private static let maximumDays = 36_525

    private func age() throws -> Duration? {
        guard let keep else { return nil }
        let days: Int? =
            switch keep.last {
            case "d": Int(keep.dropLast())
            case "w": Int(keep.dropLast()).map { $0.multipliedReportingOverflow(by: 7).partialValue }
            default: nil
            }
        guard let days, let number = Int(keep.dropLast()), number > 0, (1...Self.maximumDays).contains(days) else {
            throw ValidationError(
                "“\(keep)” is not a time to keep events; --keep takes 1d to 36525d, such as 90d or 26w"
            )
        }
        return .seconds(days * 86_400)
    }

    private func bytes() throws -> Int? {
        guard let keepBytes else { return nil }
        let shift: Int? =
            switch keepBytes.last {
            case "M": 20
            case "G": 30
            case "T": 40
            default: nil
            }
        guard let shift, let number = Int(keepBytes.dropLast()), number > 0, number <= Int.max >> shift,
            number << shift >= RetentionPolicy.minimumBytes
        else {
            throw ValidationError(
                "“\(keepBytes)” is not a size; --keep-bytes takes \(RetentionPolicy.minimumBytes >> 20)M or more, such as "
                    + "800M, 50G or 2T"
            )
        }
        return number << shift
    }
}
