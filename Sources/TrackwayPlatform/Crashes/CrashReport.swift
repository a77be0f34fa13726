// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
package import TrackwayEvents

/// What a process that died of a signal left behind.
package struct CrashReport: Sendable, Hashable {
    /// The identity of the event that tells of it: the same whenever the report is read, so that a report told twice
    /// because its reader died in between counts once.
    package let id: EventID
    /// The signal's name, and what the Swift runtime or the hardware said.
    package let message: String
    /// Where it happened, innermost call first: one line for each, module and offset; then the modules named there, with
    /// what is needed to look the offsets up. Empty when nothing is known.
    package let stack: String
    /// When it happened.
    package let at: DeviceTime
    /// The file's name.
    let name: String
}

extension CrashReport {
    /// The first line of every file.
    static let mark = "trackway-crash 1"
    /// Bytes of the stack at most; an event takes texts of up to 8 KiB.
    private static let longestStack = 8_000
    /// The longest message.
    private static let longestMessage = 1_024

    /// Reads a file: what was written before the process died, however far it came.
    ///
    /// - Returns: nil when the process did not crash, or did not live to say when.
    init?(_ bytes: [UInt8], name: String) {
        var content = Content()
        var lines = bytes.split(separator: UInt8(ascii: "\n")).makeIterator()
        guard let first = lines.next(), String(decoding: first, as: UTF8.self) == Self.mark else { return nil }
        while let line = lines.next() { content.read(String(decoding: line, as: UTF8.self)) }
        guard let signal = content.signal, let wall = content.wall else { return nil }
        self.init(
            id: Self.id(of: bytes, name: name, at: wall),
            message: Self.message(signal, content),
            stack: Self.stack(content),
            at: DeviceTime(
                wall: Timestamp(milliseconds: wall),
                monotonic: MonotonicTime(milliseconds: content.monotonic ?? 0),
                // Without its monotonic time, the moment belongs to no boot that is known.
                boot: content.monotonic == nil ? "" : content.boot
            ),
            name: name
        )
    }

    private static func id(of bytes: [UInt8], name: String, at wall: Int64) -> EventID {
        let digest = SHA256.hash(Array(name.utf8) + [0] + bytes)
        func word(_ range: Range<Int>) -> UInt64 { digest[range].reduce(0) { $0 << 8 | UInt64($1) } }
        return EventID(
            high: UInt64(truncatingIfNeeded: wall) << 16 | 0x7000 | (word(0..<8) & 0x0FFF),
            low: 0x8000_0000_0000_0000 | (word(8..<16) >> 2)
        )
    }

    private static func message(_ signal: String, _ content: Content) -> String {
        let text: String
        if let message = content.message {
            text = "\(signal): \(message)"
        } else if let address = content.address {
            text = "\(signal) at 0x\(String(address, radix: 16))"
        } else {
            text = signal
        }
        return String(text.prefix(longestMessage))
    }

    private static func stack(_ content: Content) -> String {
        var calls: [String] = []
        var named: [Content.Module] = []
        for (index, frame) in content.frames.enumerated() {
            let mark = frame.isCertain ? "" : " (perhaps)"
            guard let module = content.modules.first(where: { $0.code.contains(frame.address) }) else {
                calls.append("\(index) 0x\(String(frame.address, radix: 16))\(mark)")
                continue
            }
            if !named.contains(module) { named.append(module) }
            let offset = String(frame.address &- module.base, radix: 16)
            calls.append("\(index) \(module.name) + 0x\(offset)\(mark)")
        }
        var notes: [String] = []
        if let thread = content.thread, let process = content.process {
            notes.append(thread == process ? "in the main thread" : "in thread \(thread)")
        }
        notes += named.prefix(12).map { "\($0.name) is \($0.path.suffix(160)), build \($0.build.prefix(64))" }
        var isDeeper = content.isDeeper
        func text() -> String { (calls + (isDeeper ? ["and deeper"] : []) + notes).joined(separator: "\n") }
        while text().utf8.count > longestStack, !calls.isEmpty {
            calls.removeLast()
            isDeeper = true
        }
        return text()
    }
}

extension CrashReport {
    /// The lines of a file, as far as they can be understood.
    private struct Content {
        struct Module: Hashable {
            var base: UInt64
            var code: Range<UInt64>
            var build: String
            var path: String

            var name: String { path.split(separator: "/").last.map(String.init) ?? path }
        }

        struct Frame {
            var address: UInt64
            var isCertain: Bool
        }

        var process: UInt64?
        var boot = ""
        var modules: [Module] = []
        var signal: String?
        var address: UInt64?
        var thread: UInt64?
        var wall: Int64?
        var monotonic: Int64?
        var message: String?
        var frames: [Frame] = []
        var isDeeper = false

        mutating func read(_ line: String) {
            let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1]) : ""
            switch parts[0] {
            case "process": process = UInt64(value)
            case "boot": boot = value
            case "module": if let module = Self.module(value) { modules.append(module) }
            case "signal": signal = value.split(separator: " ").last.map(String.init)
            case "address": address = UInt64(value, radix: 16)
            case "thread": thread = UInt64(value)
            case "wall": wall = Int64(value)
            case "monotonic": monotonic = Int64(value)
            case "message": message = value
            case "frame": addFrame(value, isCertain: true)
            case "maybe": addFrame(value, isCertain: false)
            case "deeper": isDeeper = true
            default: break  // A later version's.
            }
        }

        private mutating func addFrame(_ value: String, isCertain: Bool) {
            guard let address = UInt64(value, radix: 16) else { return }
            frames.append(Frame(address: address, isCertain: isCertain))
        }

        private static func module(_ value: String) -> Module? {
            let parts = value.split(separator: " ", maxSplits: 4).map(String.init)
            guard parts.count == 5, let base = UInt64(parts[0], radix: 16), let first = UInt64(parts[1], radix: 16),
                let last = UInt64(parts[2], radix: 16), first < last
            else { return nil }
            return Module(base: base, code: first..<last, build: parts[3], path: parts[4])
        }
    }
}
