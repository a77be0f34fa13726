// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The failure of a command: exit status, message, and suggestion.
public struct CommandFailure: Error, Hashable, CustomStringConvertible {
    /// The exit status.
    public var status: CommandStatus
    /// The error message: one sentence that names the file, address, or argument.
    public var message: String
    /// The suggestion: one sentence; empty for none.
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
/// Numbers from 64 on follow BSD's sysexits.
public enum CommandStatus: Int32, Sendable, Hashable, CaseIterable {
    /// Success.
    case success = 0
    /// Completed with a negative result: an unbalanced ledger, a damaged journal, an unknown name.
    case negative = 1
    /// Completed in a degraded state: a cluster that lost one of its servers.
    case degraded = 2
    /// The command line, or the query in it, is invalid.
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
    /// A temporary failure, worth retrying.
    case temporary = 75
    /// The key is missing, unknown, or lacks the required scope.
    case refused = 77

    /// The description in the help text.
    var meaning: String {
        switch self {
        case .success: "success"
        case .negative: "success with a negative result (a ledger with gaps, an unknown key)"
        case .degraded: "success in a degraded state (a lost server)"
        case .usage: "the command line, or the query in it, is invalid"
        case .malformedInput: "the input is malformed"
        case .inputMissing: "a file or folder is missing or unreadable"
        case .unavailable: "the collector does not respond"
        case .internalFailure: "an internal error of the command"
        case .cannotCreate: "a folder, file, port, or name cannot be used"
        case .inputOutput: "reading or writing failed midway"
        case .temporary: "a temporary failure; retry later"
        case .refused: "the key is missing, unknown, or lacks the required scope"
        }
    }

    /// The table for the help text, one line each.
    static var table: String {
        allCases.map { status in
            let number = String(status.rawValue)
            return "  \(String(repeating: " ", count: 3 - number.count))\(number)  \(status.meaning)"
        }.joined(separator: "\n")
    }
}
