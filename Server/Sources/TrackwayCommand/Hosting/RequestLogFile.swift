// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
internal import TrackwayCore

/// A file to which lines are appended without delaying the requests that they describe.
///
/// Lines are written by one background queue. If the disk is slower than the requests, lines beyond a fixed amount are
/// dropped, and the next line states their number. A renamed or deleted file is created again, so that a program such
/// as logrotate can move it at any time.
public final class RequestLogFile: Sendable {
    private struct State: Sendable {
        var lines: [UInt8] = []
        var dropped = 0
        var isScheduled = false
    }

    /// The state that only the queue uses.
    private struct Output: Sendable {
        var descriptor: Int32
        /// The number of the open file, which differs from the one at the path after a move.
        var fileNumber: UInt64?
        var failure: String?
    }

    /// The maximum number of bytes that wait for the file.
    static let maximumPendingBytes = 4 << 20
    /// The path that stands for standard output.
    static let standardOutput = "-"

    private let path: String
    private let state = Locked(State())
    private let output: Locked<Output>
    private let queue = DispatchQueue(label: "trackway.request-log", qos: .utility)
    private let onWarning: @Sendable (String) -> Void

    /// Opens a file for appending, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The file, or `-` for standard output.
    ///   - onWarning: Called once when writing begins to fail.
    /// - Throws: ``CommandFailure`` `cannotCreate`.
    init(path: String, onWarning: @escaping @Sendable (String) -> Void) throws(CommandFailure) {
        self.path = path
        self.onWarning = onWarning
        let descriptor = path == Self.standardOutput ? STDOUT_FILENO : Self.open(path)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .cannotCreate,
                "the request log \(path) cannot be opened: \(String(cString: strerror(errno)))",
                remedy: "pass a file in a writable folder with --request-log, or - for standard output"
            )
        }
        output = Locked(Output(descriptor: descriptor, fileNumber: Self.fileNumber(path)))
    }

    deinit {
        let descriptor = output.withLock { $0.descriptor }
        if descriptor > STDERR_FILENO { close(descriptor) }
    }

    /// Appends a line and a line feed, or drops it if too much waits.
    ///
    /// Never blocks on the file.
    func append(_ line: [UInt8]) {
        let schedules = state.withLock { state in
            guard state.lines.count + line.count <= Self.maximumPendingBytes else {
                state.dropped += 1
                return false
            }
            if state.dropped > 0 {
                state.lines += Array("{\"dropped_lines\":\(state.dropped)}\n".utf8)
                state.dropped = 0
            }
            state.lines += line
            state.lines.append(UInt8(ascii: "\n"))
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if schedules { queue.async { [self] in writePending() } }
    }

    /// Waits until all appended lines are in the file.
    func flush() {
        queue.sync { writePending() }
    }

    private func writePending() {
        let lines = state.withLock { state in
            defer { (state.lines, state.isScheduled) = ([], false) }
            return state.lines
        }
        guard !lines.isEmpty else { return }
        // The lock is free: only this queue uses the output.
        output.withLock { output in
            let failure = write(lines, to: &output)
            if let failure, output.failure == nil {
                onWarning("Lines of the request log are lost: \(path) cannot be written: \(failure).")
            }
            output.failure = failure
        }
    }

    /// Writes bytes, to a new file if the current one was moved.
    ///
    /// - Returns: The system's message if that fails.
    private func write(_ bytes: [UInt8], to output: inout Output) -> String? {
        if path != Self.standardOutput, Self.fileNumber(path) != output.fileNumber {
            let descriptor = Self.open(path)
            guard descriptor >= 0 else { return String(cString: strerror(errno)) }
            close(output.descriptor)
            output.descriptor = descriptor
            output.fileNumber = Self.fileNumber(path)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(output.descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(cString: strerror(errno)) }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    private static func open(_ path: String) -> Int32 {
        Foundation.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    }

    /// The number of the file at a path; nil if there is none.
    private static func fileNumber(_ path: String) -> UInt64? {
        // A missing file has no attributes.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
    }
}
