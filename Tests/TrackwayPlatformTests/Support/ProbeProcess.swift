// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc

/// A running `LifecycleProbe` or another program.
///
/// Tests send it signals and commands, and read its lines and wait statuses. The process ends with its test.
final class ProbeProcess {
    /// A status from `waitpid`, decoded like the macros in wait.h.
    enum Status: Hashable {
        case exited(Int32)
        case signaled(Int32)
        case stopped(Int32)
        case other(Int32)
    }

    /// The destination of the process's standard error.
    enum StandardError {
        /// The test's standard error.
        case shared
        /// A pipe without a reader.
        case broken
        /// A full pipe.
        case full
        /// /dev/null.
        case discarded
    }

    /// Keeps a new pipe out of processes that other tests start concurrently.
    private static let spawnLock = NSLock()

    private let process: pid_t
    private let unreadErrors: Int32?
    private let inputDescriptor: Int32
    private let outputDescriptor: Int32
    private var unread: [UInt8] = []
    private var hasEnded = false

    init(
        _ arguments: String...,
        program: String = "LifecycleProbe",
        standardError: StandardError = .shared
    ) throws {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let path = folder.appendingPathComponent(program).path
        Self.spawnLock.lock()
        defer { Self.spawnLock.unlock() }
        let input = try Self.pipe()
        let output = try Self.pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var errors: [Int32]?
        switch standardError {
        case .shared:
            break
        case .discarded:
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        case .broken, .full:
            let ends = try Self.pipe(isFull: standardError == .full)
            posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
            errors = ends
        }
        if standardError == .broken, let errors { close(errors[0]) }
        // Use a separate process group whose parent is in another group: only such a process can be stopped from the
        // keyboard.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var standard = sigset_t()
        sigemptyset(&standard)
        posix_spawnattr_setsigmask(&attributes, &standard)
        var restored = sigset_t()
        sigemptyset(&restored)
        for number in [SIGTSTP, SIGCONT, SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP] {
            sigaddset(&restored, number)
        }
        posix_spawnattr_setsigdefault(&attributes, &restored)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))
        defer { posix_spawnattr_destroy(&attributes) }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer {
            for word in words {
                free(word)
            }
        }
        // The runtime's own backtraces would be slow, and hang when several threads crash at once.
        var settings = ProcessInfo.processInfo.environment.filter { $0.key != "SWIFT_BACKTRACE" }
            .map { strdup("\($0.key)=\($0.value)") }
        settings += [strdup("SWIFT_BACKTRACE=enable=no"), nil]
        defer {
            for setting in settings {
                free(setting)
            }
        }
        var child: pid_t = 0
        let code = posix_spawn(&child, path, &actions, &attributes, &words, &settings)
        close(input[0])
        close(output[1])
        if let errors { close(errors[1]) }
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
        process = child
        unreadErrors = standardError == .full ? errors?[0] : nil
        inputDescriptor = input[1]
        outputDescriptor = output[0]
    }

    deinit {
        close(inputDescriptor)
        close(outputDescriptor)
        if let unreadErrors { close(unreadErrors) }
        if !hasEnded {
            kill(process, SIGKILL)
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
        }
    }

    private static func pipe(isFull: Bool = false) throws -> [Int32] {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        if isFull {
            // Fill it without blocking; then make writers block again, as for any standard error.
            _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
            let page = [UInt8](repeating: 46, count: 4_096)
            while write(ends[1], page, page.count) > 0 {}
            _ = fcntl(ends[1], F_SETFL, 0)
        }
        return ends
    }

    /// Returns the process's next line, or `nil` if the process has ended.
    func line() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeFirst(end + 1)
                return line
            }
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = read(outputDescriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            unread += chunk.prefix(count)
        }
    }

    func send(_ signal: Int32) {
        kill(process, signal)
    }

    func send(_ text: String) {
        let bytes = Array("\(text)\n".utf8)
        _ = write(inputDescriptor, bytes, bytes.count)
    }

    /// Waits until the process stops or ends.
    func status() -> Status {
        var status: Int32 = 0
        while waitpid(process, &status, WUNTRACED) < 0, errno == EINTR {}
        if status & 0xff == 0x7f { return .stopped(status >> 8 & 0xff) }
        hasEnded = true
        if status & 0x7f == 0 { return .exited(status >> 8 & 0xff) }
        return status & 0x7f != 0x7f ? .signaled(status & 0x7f) : .other(status)
    }
}
