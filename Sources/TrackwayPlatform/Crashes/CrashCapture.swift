// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
package import TrackwayEvents
internal import TrackwayJournal

#if canImport(ObjectiveC)
internal import Dispatch
#endif

/// Has a report left behind if this process dies of SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT or SIGTRAP, which is how
/// Swift's fatal errors and uncaught errors end, too. Lasts until it is let go of.
///
/// Nothing is taken from the host: handlers installed before still run with their own flags, and where there was none the
/// process dies of the same signal, with the same wait status. Handlers installed later are asked first and may pass on
/// what they get. A process killed by SIGKILL, or by a stack overflow in a thread without a stack for handlers
/// (``prepareThread()``), leaves nothing; on watchOS none does. Documentation/Crashes.md tells the rest.
package final class CrashCapture: Sendable {
    /// How a file says that its process still writes to it.
    package enum Hold: Sendable, Hashable {
        /// By a lock, as long as the process lives.
        case lock
        /// By the process that the file names: no lock is held, for a process that may be suspended. Another process that the system runs
        /// under that number counts as it.
        case amongProcesses
        /// By the process that the file names, where no other process ever writes: every other process's file is free.
        case alone

        /// What a file says of it; nil for a lock, of which it says nothing.
        var line: String? {
            switch self {
            case .lock: nil
            case .amongProcesses: "hold process"
            case .alone: "hold alone"
            }
        }
    }

    /// The files that this process writes to without a lock.
    private static let held = Locked<Set<String>>([])

    /// Whether a file without a lock still belongs to a process that lives.
    ///
    /// - Parameters:
    ///   - bytes: What the file says.
    ///   - boot: The boot that runs.
    ///   - isAlive: Whether a process of a number lives.
    static func isHeld(_ path: String, _ bytes: [UInt8], boot: String, isAlive: (Int32) -> Bool) -> Bool {
        let lines = bytes.prefix(1024).split(separator: UInt8(ascii: "\n")).prefix(4)
            .map { String(decoding: $0, as: UTF8.self) }
        func value(_ key: String) -> Substring? {
            lines.lazy.filter { $0.hasPrefix(key + " ") }.map { $0.dropFirst(key.count + 1) }.first
        }
        guard let hold = value("hold"), let process = value("process").flatMap({ Int32($0) }) else { return false }
        guard value("boot").map(String.init) == boot else { return false }
        if process == ctrackway_process_id() { return held.withLock { $0.contains(path) } }
        return hold != "alone" && isAlive(process)
    }

    private let path: String
    private let file: Int32
    private let place: Int32
    #if canImport(ObjectiveC)
    private let exceptions: ExceptionObserver
    #endif

    /// Begins to capture into a file of this process's own in the reports' folder.
    ///
    /// - Parameters:
    ///   - root: The installation's folder, on a real disk.
    ///   - boot: The boot that monotonic times belong to.
    ///   - moment: The time; it names the file.
    ///   - hold: How the file is held.
    /// - Throws: `CrashCaptureError`; nothing is changed then.
    package init(in root: String, boot: String, at moment: Moment, hold: Hold = .lock) throws(CrashCaptureError) {
        let folder = CrashReports(in: root, storage: DiskStorage()).folder
        do throws(StorageError) {
            try DiskStorage().makeFolder(folder)
        } catch {
            throw CrashCaptureError(systemCode: error.number)
        }
        // Number and time keep two processes, and two captures of one, apart.
        let number = ctrackway_next_number()
        path = "\(folder)/\(moment.wall.milliseconds)-\(ctrackway_process_id())-\(number)"
        file = ctrackway_open_write(path, true)
        guard file >= 0 else { throw CrashCaptureError(systemCode: ctrackway_errno()) }
        let holding = hold.line.map { $0 + "\n" } ?? ""
        let header = "\(CrashReport.mark)\nprocess \(ctrackway_process_id())\nboot \(boot)\n\(holding)"
        let bytes = Array(header.utf8)
        if hold != .lock { Self.held.withLock { [path] in _ = $0.insert(path) } }
        guard hold != .lock || ctrackway_try_lock_file(file) == 1, ctrackway_write_at(file, bytes, bytes.count, 0) == 0
        else {
            throw Self.failure(file, path)
        }
        place = ctrackway_crash_begin(file)
        guard place >= 0 else { throw Self.failure(file, path) }
        #if canImport(ObjectiveC)
        exceptions = ExceptionObserver()
        // The thread that begins has a stack for handlers now; the one that draws the screen is to have one, too.
        DispatchQueue.main.async { Self.prepareThread() }
        #endif
    }

    deinit {
        ctrackway_crash_end(place)
        Self.held.withLock { [path] in _ = $0.remove(path) }
        _ = ctrackway_unlink(path)
        _ = ctrackway_close(file)
    }

    /// Lets a stack overflow in the calling thread be captured, too. The thread that begins to capture needs no such call.
    package static func prepareThread() {
        // Without memory for it, the thread is as it was.
        _ = ctrackway_crash_prepare_thread()
    }

    /// Keeps what an uncaught exception says and where it was thrown, innermost call first, for the report of the SIGABRT that the
    /// calling thread is about to meet.
    package static func note(exception text: String, thrownAt addresses: [UInt64]) {
        ctrackway_crash_note_exception(text, addresses, addresses.count)
    }

    private static func failure(_ file: Int32, _ path: String) -> CrashCaptureError {
        let error = CrashCaptureError(systemCode: ctrackway_errno())
        held.withLock { _ = $0.remove(path) }
        _ = ctrackway_unlink(path)
        _ = ctrackway_close(file)
        return error
    }
}

/// Crashes cannot be captured. The app runs on unharmed.
package struct CrashCaptureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number.
    package var systemCode: Int32

    /// A sentence with the remedy.
    package var description: String {
        if systemCode == Self.unsupported {
            return
                "this system ends a process that asks for the signals of crashes: nothing is captured here, and nothing "
                + "is to be done; capture crashes in the apps of other systems"
        }
        return
            "crashes cannot be captured (error \(systemCode)): no file, pipe or handler could be made for them, or eight "
            + "are captured into already; make the storage folder writable, or close unused files"
    }

    private static let unsupported = ctrackway_crash_unsupported()
}
