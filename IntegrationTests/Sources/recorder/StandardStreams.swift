// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore

/// The standard streams of a process that was started with some of them closed.
final class StandardStreams: Sendable {
    /// The streams that were closed at startup.
    private let closed: [Int32]
    /// Files that were opened at a closed stream's descriptor number: number and path.
    private let openedFiles = Locked<Set<String>>([])

    /// Determines which streams are open.
    init() {
        closed = (STDIN_FILENO...STDERR_FILENO).filter { fcntl($0, F_GETFD) < 0 }
    }

    /// Starts watching the descriptor numbers of closed streams.
    ///
    /// In any program with Swift threads, the dispatch library opens and keeps descriptors as soon as a timer or run
    /// loop is used. They are opened here while the numbers of the closed streams are taken, so that everything seen
    /// later belongs to the SDK.
    func watch() async {
        for stream in closed where open("/dev/null", O_RDWR) != stream { break }
        Self.runLoop()
        // Sleeping fails only on cancellation, and this task is never canceled.
        try? await Task.sleep(for: .milliseconds(1))
        for stream in closed { close(stream) }
        Thread.detachNewThread { [closed, openedFiles] in
            while true {
                for stream in closed {
                    guard let file = Self.file(of: stream) else { continue }
                    openedFiles.withLock { _ = $0.insert("\(stream) \(file)") }
                }
                usleep(50)
            }
        }
    }

    /// The files opened so far at a closed stream's descriptor number.
    var foundFiles: [String] { openedFiles.withLock { $0.sorted() } }

    private static func runLoop() {
        _ = RunLoop.main.run(mode: .default, before: .distantPast)
    }

    /// Returns the file of an open descriptor; nil if it is closed.
    ///
    /// Opens no descriptor.
    private static func file(of descriptor: Int32) -> String? {
        var name = [CChar](repeating: 0, count: 1024)
        let count = readlink("/proc/self/fd/\(descriptor)", &name, name.count)
        guard count > 0 else { return nil }
        return String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
