// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Why a command stopped: what happened, what to do about it, and the exit status for a script.
public struct CommandFailure: Error, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    public var status: CommandStatus
    /// What happened, one sentence with the file, address or argument at fault.
    public var message: String
    /// What helps, one sentence; empty when nothing can be said.
    public var remedy: String

    /// A failure with its remedy.
    public init(_ status: CommandStatus, _ message: String, remedy: String = "") {
        self.status = status
        self.message = message
        self.remedy = remedy
    }

    public var description: String { remedy.isEmpty ? message : "\(message)\n\(remedy)" }
}

/// What the command tells a script when it ends. The numbers follow BSD's sysexits.
public enum CommandStatus: Int32, Sendable, Hashable, CaseIterable {
    /// Done.
    case success = 0
    /// Done, and the answer is no: a ledger that does not balance, a journal with damage, a name that is not there.
    case negative = 1
    /// Done, and degraded: a cluster that lost one of its servers.
    case degraded = 2
    /// The command line, or the query in it, is invalid.
    case usage = 64
    /// The input is not what it should be.
    case malformedInput = 65
    /// A file or folder is not there or cannot be read.
    case inputMissing = 66
    /// The collector does not answer, or is not a collector.
    case unavailable = 69
    /// A failure of the command itself.
    case internalFailure = 70
    /// A folder, file, port or name cannot be taken.
    case cannotCreate = 73
    /// Reading or writing failed half-way.
    case inputOutput = 74
    /// Not now: worth trying again.
    case temporary = 75
    /// The key is missing, unknown, or does not allow this.
    case refused = 77

    /// What it means, for the help text.
    var meaning: String {
        switch self {
        case .success: "done"
        case .negative: "done, and the answer is no (a ledger with gaps, an unknown key)"
        case .degraded: "done, and it works with less than it should have (a lost server)"
        case .usage: "the command line, or the query in it, is invalid"
        case .malformedInput: "the input is not what it should be"
        case .inputMissing: "a file or folder is not there or cannot be read"
        case .unavailable: "the collector does not answer"
        case .internalFailure: "a failure of the command itself"
        case .cannotCreate: "a folder, file, port or name cannot be taken"
        case .inputOutput: "reading or writing failed half-way"
        case .temporary: "not now; worth trying again"
        case .refused: "the key is missing, unknown, or does not allow this"
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
