// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SAPUsageCompatibility

/// An app built on the compatibility module for usage reports.
///
/// Its user has consented, and it executes commands.
///
///     usage-reporter FOLDER BACK-END
///
/// Reads one command per line from standard input and prints `ok` after each one:
///
/// - `report FIRST COUNT`: records a session with that many numbered records; prints `kept NUMBER` when a record
///   would survive a kill of this process
/// - `upload`: prints `uploading`, then `uploaded` or `failed REASON`
/// - `broker`: starts a broker that manages sessions and uploads according to the back end's policy
/// - `names`: prints `stored NAME` for each stored record
/// - `left`: prints `left COUNT DROPPED`, the numbers of stored records and of dropped reports
@main
struct UsageReporterProgram {
    private struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let backEnd = URL(string: arguments[2]),
            let userID = UUID(uuidString: "E9B51D0C-50B0-4F27-9D62-0C0B4E0C3A10")
        else { throw Failure(description: "usage: usage-reporter FOLDER BACK-END") }
        Usage.startOver { configuration in
            configuration.storage.folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
            configuration.onDiagnostic = { printLine("diagnostic \($0.code) \($0.field) \($0.value)") }
        }
        Usage.shared.configure(with: try UsageStore(storageID: userID))
        Usage.shared.enableDataCollection()
        Usage.shared.consentForUser(userID, given: true)
        let settings = SAPcpmsSettingsParameters(backendURL: backEnd, applicationID: "recorder")
        printLine("ready")
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "report":
                SAPcpmsUsage.sessionStart(settingsParameters: settings)
                let numbers = words.dropFirst().compactMap { Int($0) }
                for number in numbers[0]..<numbers[0] + numbers[1] {
                    SAPcpmsUsage.event(type: "numbered", key: "many", value: "\(number)")
                    printLine("kept \(number)")
                }
            case "upload":
                printLine("uploading")
                let error = await withCheckedContinuation { continuation in
                    SAPcpmsUsageUploader.upload(to: settings, sapURLSession: SAPURLSession()) {
                        continuation.resume(returning: $0)
                    }
                }
                printLine(error.map { "failed \($0)" } ?? "uploaded")
            case "broker":
                let broker = UsageBroker.shared
                broker.injectOSlifecycleSession = true
                broker.enableServerOverride = true
                try broker.start(settingsParameters: settings)
            case "names":
                Usage.shared.store?.snapshot(for: Usage.defaultTargetID).records { record in
                    printLine("stored \(record.event)")
                    return true
                }
            case "left":
                let count = Usage.shared.store?.snapshot(for: Usage.defaultTargetID).recordCount() ?? -1
                printLine("left \(count) \(Usage.shared.droppedReports.values.reduce(0, +))")
            default: throw Failure(description: "unknown command \"\(line)\"")
            }
            printLine("ok")
        }
    }

    /// Prints an unbuffered line, because the reader may kill this process as soon as it sees it.
    private static func printLine(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line.replacing("\n", with: " "))\n".utf8))
    }
}
