// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The failure of a command: exit status, message, and suggestion.
public struct CommandFailure: Error, Hashable, CustomStringConvertible {
    /// The exit status.
    public var status: CommandStatus
    /// The error message: one sentence that names the file, address, or argument.
    public var message: String
    /// The suggestion in one sentence; empty for none.
    public var remedy: String

    /// Creates a failure.
    public init(_ status: CommandStatus, _ message: String, remedy: String = "") {
        self.status = status
        self.message = message
        self.remedy = remedy
    }

    public var description: String { remedy.isEmpty ? message : "\(message)\n\(remedy)" }
}

/// The exit status of a command.
///
/// Values of 64 and above follow BSD's sysexits.
public enum CommandStatus: Int32, Sendable, Hashable, CaseIterable {
    /// Success.
    case success = 0
    /// Completed with a negative result, such as an unbalanced ledger, a damaged journal, or an unknown name.
    case negative = 1
    /// Completed, but the state is degraded, such as a cluster that lost a server.
    case degraded = 2
    /// The command line or its query is invalid.
    case usage = 64
    /// The input is malformed.
    case malformedInput = 65
    /// A file or folder is missing or unreadable.
    case inputMissing = 66
    /// The collector does not respond, or the server is not a collector.
    case unavailable = 69
    /// An internal error of the command.
    case internalFailure = 70
    /// A folder, file, port, or name cannot be used.
    case cannotCreate = 73
    /// Reading or writing failed midway.
    case inputOutput = 74
    /// A temporary failure that is worth retrying.
    case temporary = 75
    /// The key is missing, unknown, or lacks the required scope.
    case refused = 77

    /// The description in the help text.
    var helpDescription: String {
        switch self {
        case .success: "success"
        case .negative: "negative result"
        case .degraded: "degraded"
        case .usage: "usage"
        case .malformedInput: "malformed input"
        case .inputMissing: "missing input"
        case .unavailable: "collector unavailable"
        case .internalFailure: "internal error"
        case .cannotCreate: "cannot create"
        case .inputOutput: "I/O error"
        case .temporary: "retry later"
        case .refused: "key rejected"
        }
    }

    /// The list of exit statuses for the help text, in lines of at most 77 columns.
    ///
    /// Documentation/Diagnostics.md describes each status.
    static var summary: String {
        var lines = [" "]
        for status in allCases {
            let item = " \(status.rawValue) \(status.helpDescription)" + (status == allCases.last ? "" : ",")
            if lines[lines.count - 1].count + item.count > 77 { lines.append(" ") }
            lines[lines.count - 1] += item
        }
        return lines.joined(separator: "\n")
    }
}
