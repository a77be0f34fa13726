// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
package import TrackwayLifecycle

/// A crash report.
///
/// The report was written by a process that died of a signal, or is derived from a system report.
package struct CrashReport: Sendable, Equatable {
    /// The id of the report's event.
    ///
    /// The id is the same each time the report is read. A report that is recorded twice because its reader died in
    /// between therefore counts once.
    package let id: EventID
    /// The signal's name and the reported message.
    ///
    /// The message is provided by the Swift runtime, the exception, or the hardware.
    package let message: String
    /// The stack, one line per call, innermost call first.
    ///
    /// Each line contains the image and the offset. The images follow, with the data needed to symbolicate the offsets.
    /// The string is empty if nothing is known.
    package let stack: String
    /// The time of the crash.
    package let at: DeviceTime
    /// Whether the process wrote the report itself.
    ///
    /// If so, the process lived until this time, in the last persisted session and on the last persisted screen.
    package var isOwn: Bool { !fingerprint.isFromSystem }
    /// Identifies the crash among reports from other sources.
    let fingerprint: CrashFingerprint
    /// The report file's name.
    let name: String
    /// Whether the other source has already reported the same crash.
    ///
    /// The other source will not report the crash again.
    var isDuplicate = false
}

extension CrashReport {
    /// The first line of every report file.
    static let mark = "trackway-crash 1"
    /// The maximum length of the stack, in bytes.
    ///
    /// An event accepts strings of up to 8 KiB.
    private static let longestStack = 8_000
    /// The maximum length of the message, in characters.
    private static let longestMessage = 1_024
    /// The maximum number of images to describe.
    private static let imageLimit = 12

    /// Parses a file.
    ///
    /// The file may be incomplete, because the process may have died while writing it.
    ///
    /// - Returns: nil if the process did not crash, or died before it wrote the time.
    init?(_ bytes: [UInt8], name: String) {
        var content = CrashFile()
        var lines = bytes.split(separator: UInt8(ascii: "\n")).makeIterator()
        guard let first = lines.next(), String(decoding: first, as: UTF8.self) == Self.mark else { return nil }
        while let line = lines.next() { content.read(String(decoding: line, as: UTF8.self)) }
        guard let what = content.signal ?? content.hang.map({ "hang of \($0) ms" }), let wall = content.wall else {
            return nil
        }
        self.init(
            id: Self.id(of: bytes, name: name, at: wall),
            message: Self.message(what, content),
            stack: Self.stack(content),
            at: DeviceTime(
                wall: Timestamp(milliseconds: wall),
                monotonic: MonotonicTime(milliseconds: content.monotonic ?? 0),
                // Without a monotonic time, the boot of the crash is unknown.
                boot: content.monotonic == nil ? "" : content.boot
            ),
            fingerprint: content.fingerprint(at: wall),
            name: name
        )
    }

    /// Returns an image's path without the user's name and the container's id.
    ///
    /// Neither is needed to find the image: its build identifies it.
    static func withoutUser(_ path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if let home = parts.prefix(5).firstIndex(where: { $0 == "home" || $0 == "Users" }), parts.count > home + 2 {
            parts.replaceSubrange(...(home + 1), with: ["~"])
        }
        return parts.map { InstallationID(String($0)) == nil ? $0 : "…" }.joined(separator: "/")
    }

    private static func id(of bytes: [UInt8], name: String, at wall: Int64) -> EventID {
        let digest = SHA256.hash(Array(name.utf8) + [0] + bytes)
        func word(_ range: Range<Int>) -> UInt64 { digest[range].reduce(0) { $0 << 8 | UInt64($1) } }
        return EventID(
            high: UInt64(truncatingIfNeeded: wall) << 16 | 0x7000 | (word(0..<8) & 0x0FFF),
            low: 0x8000_0000_0000_0000 | (word(8..<16) >> 2)
        )
    }

    private static func message(_ what: String, _ content: CrashFile) -> String {
        let text: String
        if let exceptionText = content.exception ?? content.message {
            text = "\(what): \(exceptionText)"
        } else if let address = content.address {
            text = "\(what) at 0x\(String(address, radix: 16))"
        } else {
            text = what
        }
        return String(text.prefix(longestMessage))
    }

    private static func stack(_ content: CrashFile) -> String {
        var named: [CrashFile.Module] = []
        func line(_ index: Int, _ frame: CrashFile.Frame) -> String {
            let mark =
                switch frame.kind {
                case .call: ""
                case .guess: " (perhaps)"
                case .awaiting: " (awaiting)"
                }
            guard let module = content.modules.first(where: { $0.code.contains(frame.address) }) else {
                return "\(index) 0x\(String(frame.address, radix: 16))\(mark)"
            }
            if !named.contains(module) { named.append(module) }
            let offset = String(frame.address &- module.base, radix: 16)
            return "\(index) \(module.name) + 0x\(offset)\(mark)"
        }
        // The location where an exception was thrown is more useful than the location where the process ended because
        // of the exception.
        var calls = content.thrown.enumerated().map { line($0, CrashFile.Frame(address: $1, kind: .call)) }
        if !calls.isEmpty, !content.frames.isEmpty { calls.append("uncaught, and ended in") }
        calls += content.frames.enumerated().map(line)
        var notes: [String] = []
        if let isMain = content.isInMainThread {
            notes.append(isMain ? "in the main thread" : "in thread \(content.thread ?? 0)")
        }
        notes += content.otherMessages
        notes += named.prefix(imageLimit).map(\.note)
        if let source = content.source { notes.append("reported by \(source)") }
        var isDeeper = content.isDeeper
        func text() -> String { (calls + (isDeeper ? ["and deeper"] : []) + notes).joined(separator: "\n") }
        while text().utf8.count > longestStack, !calls.isEmpty {
            calls.removeLast()
            isDeeper = true
        }
        return text()
    }
}

/// The lines of a file that could be parsed.
///
/// Documentation/Crashes.md describes the format.
private struct CrashFile {
    struct Module: Equatable {
        var base: UInt64
        var code: Range<UInt64>
        var build: String
        var path: String
        /// The processor's architecture; "" if the file does not contain it.
        var architecture = ""

        var name: String { path.split(separator: "/").last.map(String.init) ?? path }

        /// The data needed to symbolicate the image's offsets.
        var note: String {
            let location = architecture.isEmpty ? "" : ", \(architecture.prefix(16)), at 0x\(String(base, radix: 16))"
            return "\(name) is \(CrashReport.withoutUser(path).suffix(160)), build \(build.prefix(64))\(location)"
        }
    }

    enum Kind {
        case call, guess, awaiting
    }

    struct Frame {
        var address: UInt64
        var kind: Kind
    }

    private(set) var source: String?
    private(set) var boot = ""
    private(set) var modules: [Module] = []
    private(set) var signal: String?
    private(set) var hang: Int64?
    private(set) var address: UInt64?
    private(set) var thread: UInt64?
    private(set) var wall: Int64?
    private(set) var monotonic: Int64?
    private(set) var message: String?
    private(set) var exception: String?
    /// Messages from other libraries.
    private(set) var otherMessages: [String] = []
    private(set) var thrown: [UInt64] = []
    private(set) var frames: [Frame] = []
    private(set) var isDeeper = false
    private var process: UInt64?
    private var number: Int?
    private var isMain: Bool?
    private var interval: ClosedRange<Int64>?
    private var executable: UInt64?
    private var seen: Set<String> = []

    /// Whether the crash was in the main thread; nil if unknown.
    var isInMainThread: Bool? {
        if let isMain { return isMain }
        guard let thread, let process else { return nil }
        return thread == process  // On Linux, the main thread's id is the process id.
    }

    func fingerprint(at wall: Int64) -> CrashFingerprint {
        let builds = modules.map(\.build).filter { $0 != "-" }
        return CrashFingerprint(
            isFromSystem: source != nil,
            signal: number.flatMap { $0 > 0 ? $0 : nil },
            process: process.flatMap { Int(exactly: $0) },
            began: interval?.lowerBound ?? wall,
            ended: interval?.upperBound ?? wall,
            executable: executable.flatMap { base in modules.first { $0.base == base }?.build },
            images: source == nil ? [] : seen.union(builds)
        )
    }

    mutating func read(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? String(parts[1]) : ""
        switch parts[0] {
        case "process": process = UInt64(value)
        case "boot": boot = value
        case "source": source = value
        case "module": addModule(value)
        case "image": describeImage(value)
        case "seen": seen.insert(value)
        case "signal":
            signal = value.split(separator: " ").last.map(String.init)
            number = value.split(separator: " ").first.flatMap { Int($0) }
        case "hang": hang = Int64(value)
        case "address": address = UInt64(value, radix: 16)
        case "thread": thread = UInt64(value)
        case "main": isMain = value == "1"
        case "wall": wall = Int64(value)
        case "monotonic": monotonic = Int64(value)
        case "interval":
            let times = value.split(separator: " ").compactMap { Int64($0) }
            if times.count == 2, times[0] <= times[1] { interval = times[0]...times[1] }
        case "message": message = value
        case "exception": exception = value
        case "also": if otherMessages.count < 4 { otherMessages.append(String(value.prefix(512))) }
        case "thrown": if let address = UInt64(value, radix: 16) { thrown.append(address) }
        case "frame": addFrame(value, .call)
        case "maybe": addFrame(value, .guess)
        case "awaiting": addFrame(value, .awaiting)
        case "deeper": isDeeper = true
        default: break  // Written by a later version.
        }
    }

    private mutating func addFrame(_ value: String, _ kind: Kind) {
        guard let address = UInt64(value, radix: 16) else { return }
        frames.append(Frame(address: address, kind: kind))
    }

    private mutating func addModule(_ value: String) {
        let parts = value.split(separator: " ", maxSplits: 4).map(String.init)
        guard parts.count == 5, let base = UInt64(parts[0], radix: 16), let first = UInt64(parts[1], radix: 16),
            let last = UInt64(parts[2], radix: 16), first < last
        else { return }
        let module = Module(base: base, code: first..<last, build: parts[3], path: parts[4])
        // A module's line written at the time of the crash replaces the one written at the start.
        if let index = modules.firstIndex(where: { $0.code == module.code }) {
            modules[index] = module
        } else {
            modules.append(module)
        }
    }

    private mutating func describeImage(_ value: String) {
        let parts = value.split(separator: " ")
        guard parts.count >= 2, let base = UInt64(parts[0], radix: 16) else { return }
        if let index = modules.lastIndex(where: { $0.base == base }) { modules[index].architecture = String(parts[1]) }
        if parts.count > 2, parts[2] == "executable" { executable = base }
    }
}
