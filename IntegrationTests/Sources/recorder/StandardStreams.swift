// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayEvents

/// The standard streams of a process that was started without some of them.
final class StandardStreams: Sendable {
    /// The streams that were closed at the start.
    private let closed: [Int32]
    /// What was seen under the numbers of closed streams: number and file.
    private let seen = Locked<Set<String>>([])

    /// Looks which streams there are.
    init() {
        closed = (STDIN_FILENO...STDERR_FILENO).filter { fcntl($0, F_GETFD) < 0 }
    }

    /// Begins to watch the numbers of closed streams.
    ///
    /// The dispatch library keeps descriptors of its own as soon as there is a timer or a run loop, in any program with Swift
    /// threads. It opens them here, while the numbers are taken, so that what is seen later is the SDK's.
    func watch() async {
        for stream in closed where open("/dev/null", O_RDWR) != stream { break }
        Self.runLoop()
        // A sleep that fails was cancelled, and nobody cancels this one.
        try? await Task.sleep(for: .milliseconds(1))
        for stream in closed { close(stream) }
        Thread.detachNewThread { [closed, seen] in
            while true {
                for stream in closed {
                    guard let file = Self.file(of: stream) else { continue }
                    seen.withLock { _ = $0.insert("\(stream) \(file)") }
                }
                usleep(50)
            }
        }
    }

    /// What was seen under the numbers of closed streams so far.
    var found: [String] { seen.withLock { $0.sorted() } }

    private static func runLoop() {
        _ = RunLoop.main.run(mode: .default, before: .distantPast)
    }

    /// The file that a descriptor is open for; nil when it is closed. Opens nothing.
    private static func file(of descriptor: Int32) -> String? {
        var name = [CChar](repeating: 0, count: 1024)
        let count = readlink("/proc/self/fd/\(descriptor)", &name, name.count)
        guard count > 0 else { return nil }
        return String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
