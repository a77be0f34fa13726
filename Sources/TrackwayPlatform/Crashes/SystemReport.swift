// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// A report of an app's crash or hang by another program.
///
/// The other program is usually the system. The report is stored as a file next to the reports that processes write. It
/// therefore survives until it is recorded, and is recorded in the same way. A crash that both the process and the
/// system report is recorded once (``ReportedCrashes``). An adapter only converts the system's data to this type and
/// makes no decisions.
package struct SystemReport: Sendable, Equatable {
    /// The kind of incident.
    package enum Kind: Sendable, Equatable {
        /// The process crashed.
        ///
        /// The signal and the Mach exception are nil if unknown.
        case crash(signal: Int?, exception: Int?)
        /// The process did not respond for this long.
        case hang(Duration)
    }

    /// The reporter's name.
    package var source: String
    /// The kind of incident.
    package var kind: Kind
    /// The earliest and latest possible time of the incident.
    package var began: Timestamp
    package var ended: Timestamp
    /// The process id, if reported.
    package var process: Int?
    /// The reason, as the system states it.
    package var message: String?
    /// The text of an uncaught exception.
    package var exception: String?
    /// The processor's architecture.
    package var architecture: String?
    /// Call stacks as JSON in MetricKit's format.
    package var stacks: [UInt8]

    /// Creates a report from its parts.
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

    /// The file's name.
    ///
    /// The name depends only on the report, so a repeated report overwrites the file.
    var fileName: String {
        "\(ended.milliseconds)-system-\(SHA256.hash(lines).prefix(8).hexadecimal)"
    }

    /// The file's contents.
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
        // Write one line per image, with the address range that the frames cover.
        let images = Dictionary(grouping: tree.frames) { $0.address &- $0.offset }
        for (base, calls) in images.ordered(by: { $0.key < $1.key }) {
            guard let first = calls.first, let last = calls.map(\.address).max() else { continue }
            let address = String(base, radix: 16)
            let build = first.build.isEmpty ? "-" : Self.line(first.build)
            add("module", "\(address) \(address) \(String(last &+ 1, radix: 16)) \(build) \(Self.line(first.image))")
            if let architecture { add("image", "\(address) \(Self.line(architecture))") }
        }
        for frame in tree.frames { add("frame", String(frame.address, radix: 16)) }
        for image in tree.images.ordered().prefix(256) { add("seen", Self.line(image)) }
        add("end", "")
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// Returns a text without line breaks, so that it fits on one line.
    private static func line(_ text: String) -> String {
        String(text.prefix(2_048).map { $0.isNewline ? " " : $0 })
    }

    /// Returns the name of a signal or Mach exception.
    ///
    /// Apple's numbers are used, because only Apple systems send such reports.
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
