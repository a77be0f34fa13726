// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CCounters
import SAPUsageCompatibility

/// Measures the memory needed to report a million records and to stream them through an app's own uploader.
///
///     trackway-usage COUNT FOLDER
@main
struct UsageMemory {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let count = Int(arguments[1]) else {
            print("usage: trackway-usage COUNT FOLDER")
            return
        }
        Usage.startOver { configuration in
            configuration.storage.folder = URL(fileURLWithPath: arguments[2], isDirectory: true)
            // By default, the oldest records would be dropped at 50 MiB.
            configuration.storage.maximumLocalDestinationBytes = 4 << 30
        }
        Usage.shared.configure(with: try UsageStore())
        let reporter = Usage.shared.reporter()
        report(0..<1_000, to: reporter)
        upload()
        let first = printMemory("memory after a thousand records, stored and uploaded")

        let start = ccounters_nanoseconds()
        report(0..<count, to: reporter)
        print("recorded: \(count), \((ccounters_nanoseconds() - start) / UInt64(max(1, count))) ns each")
        printMemory("memory with \(count) pending")
        upload()
        let last = printMemory("memory after the upload")
        print("dropped: \(Usage.shared.droppedReports)")
        let growth = max(0, Int64(last.peak) - Int64(first.peak))
        print("peak growth: \(growth / 1_024).\(growth % 1_024 * 10 / 1_024) MB")
    }

    private static func report(_ numbers: Range<Int>, to reporter: UsageReporter) {
        for number in numbers {
            reporter.report(
                .event("product_viewed"),
                info: ["sku": "SKU-\(number % 9_973)", "screen": "product detail", "position": number % 40]
            )
        }
    }

    /// Runs the four documented steps, but only counts the bytes that would be sent.
    private static func upload() {
        guard let snapshot = Usage.shared.store?.snapshot(for: Usage.defaultTargetID) else { return }
        let start = ccounters_nanoseconds()
        var (count, bytes) = (0, 0)
        snapshot.records { record in
            count += 1
            bytes += "\(record.event),\(record.date.timeIntervalSince1970),\(record.info)\n".utf8.count
            return true
        }
        printMemory("memory during the upload")
        snapshot.removeRecords()
        let remaining = Usage.shared.store?.snapshot(for: Usage.defaultTargetID).recordCount() ?? -1
        print(
            "uploaded: \(count) records, \(bytes) bytes, \((ccounters_nanoseconds() - start) / 1_000_000) ms; "
                + "remaining: \(remaining)"
        )
    }

    @discardableResult
    private static func printMemory(_ label: String) -> ccounters_memory {
        var memory = ccounters_memory()
        ccounters_read_memory(&memory)
        func megabytes(_ kilobytes: UInt64) -> String { "\(kilobytes / 1_024).\(kilobytes % 1_024 * 10 / 1_024)" }
        print(
            "\(label): \(megabytes(memory.resident)) MB resident, peak \(megabytes(memory.peak)), "
                + "anonymous \(megabytes(memory.anonymous))"
        )
        return memory
    }
}
