// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTerminal
internal import Foundation
internal import Glibc
internal import TrackwayCore

/// A running process: commands and signals in, lines and a wait status out.
///
/// Killed on deinitialization.
package final class Program: Sendable {
    /// The process id.
    package let id: Int32

    private let input: Int32
    private let transcript: Transcript
    /// The number of lines that `line()` has returned.
    private let readLineCount = Locked(0)
    /// False after the process was reaped, when another process may have its id.
    private let ownsProcessID: Locked<Bool>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The executable, or a name that is looked up in `PATH`.
    ///   - arguments: The arguments after the program's name.
    ///   - environment: Variables added to this process's environment.
    /// - Throws: `TestSupportError` if the process cannot be started.
    package init(_ path: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        let (id, input, output, errors) = try Self.spawning.withLock { _ throws in
            try Self.start(path, arguments, environment)
        }
        self.id = id
        self.input = input
        let transcript = Transcript()
        self.transcript = transcript
        let ownsProcessID = Locked(true)
        self.ownsProcessID = ownsProcessID
        Thread.detachNewThread {
            Descriptor.forEachLine(of: output) { transcript.append($0) }
            close(output)
            transcript.close()
        }
        Thread.detachNewThread {
            Descriptor.forEachLine(of: errors) { transcript.appendError($0) }
            close(errors)
        }
        Thread.detachNewThread {
            transcript.setStatus(Self.waitForEnd(of: id, ownsProcessID))
        }
    }

    deinit {
        send(SIGKILL)
        close(input)
    }

    // MARK: Input

    /// Writes a line to the process's standard input.
    package func writeLine(_ line: String) {
        Descriptor.write(Array("\(line)\n".utf8), to: input)
    }

    /// Sends a signal, unless the process has ended.
    package func send(_ signal: Int32) {
        ownsProcessID.withLock { ownsProcessID in
            if ownsProcessID { _ = Glibc.kill(id, signal) }
        }
    }

    // MARK: Output

    /// Returns the next line of standard output; nil at end of file.
    package func line() throws -> String? {
        let start = readLineCount.withLock { $0 }
        let line = try transcript.wait(from: start, for: "a line") { $0.first }
        if line != nil { readLineCount.withLock { $0 = start + 1 } }
        return line
    }

    /// Skips lines until one begins with this word, and returns the text after the word.
    ///
    /// - Throws: `TestSupportError` if the output ends before such a line.
    package func line(startingWith word: String) throws -> String {
        let start = readLineCount.withLock { $0 }
        let found = try transcript.wait(from: start, for: "a line beginning with '\(word)'") { lines in
            lines.firstIndex { $0 == word || $0.hasPrefix(word + " ") }.map { ($0, lines[$0]) }
        }
        guard let (index, line) = found else {
            throw TestSupportError("the output ended without a line beginning with '\(word)':\n\(transcript.tail)")
        }
        readLineCount.withLock { $0 = index + 1 }
        return String(line.dropFirst(word.count + 1))
    }

    /// Waits until a line of standard output or standard error contains the given text.
    package func waitForText(_ text: String) throws {
        try transcript.waitForText(text)
    }

    /// Waits until `count` lines begin with this word, or the output ends.
    package func waitForLines(startingWith word: String, count: Int) throws {
        _ = try transcript.wait(from: 0, for: "\(count) lines beginning with '\(word)'") { lines -> Bool? in
            lines.count >= count && lines.count(where: { $0.hasPrefix(word + " ") }) >= count ? true : nil
        }
    }

    /// Waits for the end of the output and returns every line.
    package func allLines() throws -> [String] {
        _ = try transcript.wait(from: 0, for: "the end of the output") { _ -> Bool? in nil }
        return transcript.allLines
    }

    /// Waits for the process to end.
    @discardableResult
    package func status() throws -> ExitStatus {
        try transcript.waitForEnd()
    }

    /// The last lines of output; lines from standard error are marked.
    package var tail: String { transcript.tail }

    // MARK: Starting and stopping

    /// Serializes process starts: a pipe created for one process must not leak into another.
    private static let spawning = Locked(())

    /// Starts a process with three pipes and returns its id and this process's ends.
    private static func start(
        _ path: String,
        _ arguments: [String],
        _ environment: [String: String]
    ) throws -> (id: Int32, input: Int32, output: Int32, errors: Int32) {
        let input = try Descriptor.pipe()
        let output = try Descriptor.pipe()
        let errors = try Descriptor.pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors.write, STDERR_FILENO)
        let id = try spawn(path, arguments, environment, &actions)
        for end in [input.read, output.write, errors.write] { close(end) }
        return (id, input.write, output.read, errors.read)
    }

    /// Starts an interactive shell with this controlling terminal.
    static func spawnShell(on terminal: String) throws -> Int32 {
        try spawning.withLock { _ throws in
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            // The first terminal that the leader of a new session opens becomes its controlling terminal.
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminal, O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
            let environment = [
                // The shell prints the last command's exit status before every prompt.
                "PROMPT_COMMAND": "echo \"status $?\"", "PS1": "", "TERM": "dumb", "LC_ALL": "C", "HISTFILE": "",
            ]
            let arguments = ["--norc", "--noprofile", "--noediting", "-i"]
            return try spawn("bash", arguments, environment, &actions, session: true)
        }
    }

    private static func spawn(
        _ path: String,
        _ arguments: [String],
        _ environment: [String: String],
        _ actions: inout posix_spawn_file_actions_t,
        session: Bool = false
    ) throws -> Int32 {
        // Descriptors that other code opened without close-on-exec, such as a listener of the tests or another child's
        // pipe, must not leak into the child: a program that waits for the end of its input would never end.
        let closing = terminal_close_from(&actions, STDERR_FILENO + 1)
        guard closing == 0 else { throw TestSupportError("starting \(path)", errno: closing) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child must not inherit the test runner's signal settings.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGTSTP, SIGCONT, SIGTERM, SIGINT, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let newSession = session ? Int32(terminal_new_session) : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | newSession))
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var settings = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer {
            for word in words + settings { free(word) }
        }
        var child: pid_t = 0
        let code = posix_spawnp(&child, path, &actions, &attributes, &words, &settings)
        guard code == 0 else { throw TestSupportError("starting \(path)", errno: code) }
        return child
    }

    private static func waitForEnd(of id: Int32, _ ownsProcessID: Locked<Bool>) -> ExitStatus {
        // Waits without reaping: the process keeps its id until no thread can send it a signal anymore.
        var facts = siginfo_t()
        while waitid(P_PID, id_t(id), &facts, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return ownsProcessID.withLock { ownsProcessID -> ExitStatus in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            ownsProcessID = false
            return ExitStatus(waitStatus: status)
        }
    }
}
