// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
package import TrackwayCore
internal import TrackwayJournal

#if canImport(ObjectiveC)
internal import Dispatch
#endif

/// Captures a crash report if this process dies of a signal.
///
/// The signals are SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, and SIGTRAP. Swift's fatal errors and uncaught errors end
/// with one of these, too. Capturing ends when this object is released.
///
/// The host app's behavior does not change: handlers installed earlier still run with their own flags, and without such
/// a handler, the process dies of the same signal with the same wait status. Handlers installed later run first and may
/// pass the signal on. No report is written if the process is killed by SIGKILL, or by a stack overflow in a thread
/// without an alternate signal stack (``prepareThread()``). No thread has one on watchOS. See Documentation/Crashes.md
/// for details.
package final class CrashCapture: Sendable {
    /// The way in which a file shows that its process is alive.
    package enum LivenessMarker: Sendable, Hashable {
        /// A lock that is held while the process lives.
        case lock
        /// The process id in the file.
        ///
        /// No lock is held, because the process may be suspended. If the system reuses the process id, the file still
        /// counts as held.
        case processID
        /// The process id in a file that only this process writes.
        ///
        /// Files of other processes are not held.
        case exclusiveProcessID

        /// The file's line for this kind of marker.
        ///
        /// Nil for a lock, which requires no line.
        var line: String? {
            switch self {
            case .lock: nil
            case .processID: "hold process"
            case .exclusiveProcessID: "hold alone"
            }
        }
    }

    /// The files that this process writes to without a lock.
    private static let unlockedFiles = Locked<Set<String>>([])

    /// Whether a file without a lock still belongs to a live process.
    ///
    /// - Parameters:
    ///   - bytes: The file's contents.
    ///   - boot: The id of the current boot.
    ///   - isAlive: Returns whether a process with this id exists.
    static func isHeld(_ path: String, _ bytes: [UInt8], boot: String, isAlive: (Int32) -> Bool) -> Bool {
        let lines = bytes.prefix(1024).split(separator: UInt8(ascii: "\n")).prefix(4)
            .map { String(decoding: $0, as: UTF8.self) }
        func value(_ key: String) -> Substring? {
            lines.lazy.filter { $0.hasPrefix(key + " ") }.map { $0.dropFirst(key.count + 1) }.first
        }
        guard let hold = value("hold"), let process = value("process").flatMap({ Int32($0) }) else { return false }
        guard value("boot").map(String.init) == boot else { return false }
        if process == ctrackway_process_id() { return unlockedFiles.withLock { $0.contains(path) } }
        return hold != "alone" && isAlive(process)
    }

    private let path: String
    private let file: Int32
    private let slot: Int32
    #if canImport(ObjectiveC)
    private let exceptions: ExceptionObserver
    #endif

    /// Starts capturing into this process's own file in the reports folder.
    ///
    /// - Parameters:
    ///   - root: The installation's folder, on a real disk.
    ///   - boot: The boot that monotonic times belong to.
    ///   - moment: The current time, which is used in the file's name.
    ///   - liveness: The liveness marker of the file.
    /// - Throws: `CrashCaptureError`; the call then has no effect.
    package init(in root: String, boot: String, at moment: DualTimestamp, liveness: LivenessMarker = .lock)
        throws(CrashCaptureError)
    {
        let folder = CrashReports(in: root, storage: DiskStorage()).folder
        do throws(StorageError) {
            try DiskStorage().makeFolder(folder)
        } catch {
            throw CrashCaptureError(systemCode: error.number)
        }
        // The number and the time make the name unique among processes and among captures of one process.
        let number = ctrackway_next_number()
        path = "\(folder)/\(moment.wall.milliseconds)-\(ctrackway_process_id())-\(number)"
        file = ctrackway_open_write(path, true)
        guard file >= 0 else { throw CrashCaptureError(systemCode: ctrackway_errno()) }
        let livenessLine = liveness.line.map { $0 + "\n" } ?? ""
        let header = "\(CrashReport.mark)\nprocess \(ctrackway_process_id())\nboot \(boot)\n\(livenessLine)"
        let bytes = Array(header.utf8)
        if liveness != .lock { Self.unlockedFiles.withLock { [path] in _ = $0.insert(path) } }
        guard liveness != .lock || ctrackway_try_lock_file(file) == 1,
            ctrackway_write_at(file, bytes, bytes.count, 0) == 0
        else {
            throw Self.failure(file, path)
        }
        slot = ctrackway_crash_begin(file)
        guard slot >= 0 else { throw Self.failure(file, path) }
        #if canImport(ObjectiveC)
        exceptions = ExceptionObserver()
        // The current thread already has an alternate signal stack. The main thread needs one, too.
        DispatchQueue.main.async { Self.prepareThread() }
        #endif
    }

    deinit {
        ctrackway_crash_end(slot)
        Self.unlockedFiles.withLock { [path] in _ = $0.remove(path) }
        _ = ctrackway_unlink(path)
        _ = ctrackway_close(file)
    }

    /// Gives the calling thread an alternate signal stack.
    ///
    /// Stack overflows in the thread are then captured. The thread that starts the capture does not need to call this
    /// function.
    package static func prepareThread() {
        // If memory is exhausted, the thread remains unchanged.
        _ = ctrackway_crash_prepare_thread()
    }

    /// Stores an uncaught exception for the report of the SIGABRT that follows.
    ///
    /// The exception's text and call stack, innermost call first, are stored for the calling thread.
    package static func note(exception text: String, thrownAt addresses: [UInt64]) {
        ctrackway_crash_note_exception(text, addresses, addresses.count)
    }

    private static func failure(_ file: Int32, _ path: String) -> CrashCaptureError {
        let error = CrashCaptureError(systemCode: ctrackway_errno())
        unlockedFiles.withLock { _ = $0.remove(path) }
        _ = ctrackway_unlink(path)
        _ = ctrackway_close(file)
        return error
    }
}

/// The error thrown when crashes cannot be captured.
///
/// The app itself is not affected.
package struct CrashCaptureError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The system's error number.
    package var systemCode: Int32

    /// One sentence that states the problem and the remedy.
    package var description: String {
        if systemCode == Self.unsupported {
            return
                "this system terminates a process that handles crash signals, so crashes are captured only on "
                + "other systems"
        }
        return
            "crashes cannot be captured (error \(systemCode)): a file, pipe, or handler could not be created, or eight "
            + "captures are already active; make the storage folder writable, or close unused files"
    }

    private static let unsupported = ctrackway_crash_unsupported()
}
