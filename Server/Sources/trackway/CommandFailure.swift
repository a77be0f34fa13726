// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Why a command stopped: what happened, what to do about it, and the exit status for a script.
struct CommandFailure: Error, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    var status: CommandStatus
    /// What happened, one sentence with the file, address or argument at fault.
    var message: String
    /// What helps, one sentence; empty when nothing can be said.
    var remedy: String

    /// A failure with its remedy.
    init(_ status: CommandStatus, _ message: String, remedy: String = "") {
        self.status = status
        self.message = message
        self.remedy = remedy
    }

    var description: String { remedy.isEmpty ? message : "\(message)\n\(remedy)" }
}
