// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What the system, or another program that watched, tells of how a process of the app's ended or stood still.
///
/// It is kept as a file beside those that processes leave themselves, so that it is told the same way, survives whatever happens
/// in between, and a crash that both saw is told once (``ToldCrashes``). An adapter turns what the system says into such a
/// value and decides nothing.
package struct SystemReport: Sendable, Hashable {
    /// What happened.
    package enum Kind: Sendable, Hashable {
        /// The process ended; with the signal and the Mach exception as far as they are known.
        case crash(signal: Int?, exception: Int?)
        /// The process did not answer for so long.
        case hang(Duration)
    }

    /// Who tells.
    package var source: String
    /// What happened.
    package var kind: Kind
    /// When: not before the one and not after the other.
    package var began: Timestamp
    package var ended: Timestamp
    /// The process's number, where it is told.
    package var process: Int?
    /// Why, in the system's words.
    package var message: String?
    /// What an uncaught exception said.
    package var exception: String?
    /// The processor's architecture.
    package var architecture: String?
    /// Call stacks, as JSON of MetricKit's form.
    package var stacks: [UInt8]

    /// A report of these parts.
    package init(
        source: String,
        kind: Kind,
        began: Timestamp,
        ended: Timestamp,
        process: Int? = nil,
        message: String? = nil,
        exception: String? = nil,
        architecture: String? = nil,
        stacks: [UInt8] = []
    ) {
        self.source = source
        self.kind = kind
        self.began = began
        self.ended = ended
        self.process = process
        self.message = message
        self.exception = exception
        self.architecture = architecture
        self.stacks = stacks
    }

    /// The name of its file: the same for the same report, so that one told twice is one.
    var fileName: String {
        "\(ended.milliseconds)-system-\(SHA256.hash(lines).prefix(8).hexadecimal)"
    }

    /// The file's content.
    var lines: [UInt8] {
        var lines = [CrashReport.mark, "source \(Self.line(source))"]
        func add(_ key: String, _ value: (some CustomStringConvertible)?) {
            if let value { lines.append("\(key) \(value)") }
        }
        add("process", process)
        add("wall", ended.milliseconds)
        add("interval", "\(began.milliseconds) \(ended.milliseconds)")
        switch kind {
        case .crash(let signal, let exception): add("signal", "\(signal ?? 0) \(Self.name(signal, exception))")
        case .hang(let duration):
            let (seconds, attoseconds) = duration.components
            add("hang", seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000)
        }
        add("exception", exception.map(Self.line))
        add("message", message.map(Self.line))
        let tree = CallStackTree(json: stacks)
        // An image's lines, with all of it that the calls show.
        let images = Dictionary(grouping: tree.frames) { $0.address &- $0.offset }
        for (base, calls) in images.sorted(by: { $0.key < $1.key }) {
            guard let first = calls.first, let last = calls.map(\.address).max() else { continue }
            let address = String(base, radix: 16)
            let build = first.build.isEmpty ? "-" : Self.line(first.build)
            add("module", "\(address) \(address) \(String(last &+ 1, radix: 16)) \(build) \(Self.line(first.image))")
            if let architecture { add("image", "\(address) \(Self.line(architecture))") }
        }
        for frame in tree.frames { add("frame", String(frame.address, radix: 16)) }
        for image in tree.images.sorted().prefix(256) { add("seen", Self.line(image)) }
        add("end", "")
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// A text that takes one line.
    private static func line(_ text: String) -> String {
        String(text.prefix(2_048).map { $0.isNewline ? " " : $0 })
    }

    /// The numbers are those of Apple's systems, which alone tell such reports.
    private static func name(_ signal: Int?, _ exception: Int?) -> String {
        if let signal, let name = signals[signal] { return name }
        if let exception, exceptions.indices.contains(exception) { return exceptions[exception] }
        return signal.map { "signal-\($0)" } ?? "crash"
    }

    private static let signals = [
        3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL", 10: "SIGBUS", 11: "SIGSEGV",
        12: "SIGSYS", 13: "SIGPIPE", 15: "SIGTERM",
    ]
    private static let exceptions = [
        "crash", "EXC_BAD_ACCESS", "EXC_BAD_INSTRUCTION", "EXC_ARITHMETIC", "EXC_EMULATION", "EXC_SOFTWARE",
        "EXC_BREAKPOINT", "EXC_SYSCALL", "EXC_MACH_SYSCALL", "EXC_RPC_ALERT", "EXC_CRASH", "EXC_RESOURCE", "EXC_GUARD",
    ]
}
