// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// One run of the example shop as a process of its own.
struct ShopRun {
    /// How a run ended.
    enum End: Sendable, Hashable {
        /// By itself, with this status.
        case exited(Int32)
        /// By `kill -9`, while this visitor was paying.
        case killed(visitor: Int)
    }

    /// The executable.
    var executable: String
    /// Its command line's arguments.
    var arguments: [String]

    /// Starts the shop and follows what it says until it ends.
    ///
    /// - Parameters:
    ///   - victim: The visitor at whose checkout the process is killed with -9; nil lets it live.
    ///   - progress: Called with every step.
    func run(killingAtCheckoutOf victim: Int?, progress: (ShopStep) -> Void) async throws(CommandFailure) -> End {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        let (ends, ended) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            ended.yield(process.terminationStatus)
            ended.finish()
        }
        do {
            try process.run()
        } catch {
            throw CommandFailure(
                .inputMissing,
                "the shop \(executable) cannot be started: \(error.localizedDescription)",
                remedy: "build it with: swift build --package-path Examples/Shop"
            )
        }
        var killed: Int?
        for await step in Self.steps(of: output.fileHandleForReading) {
            progress(step)
            if killed == nil, let victim, step.isCheckout, step.visitor >= victim {
                kill(process.processIdentifier, SIGKILL)
                killed = step.visitor
            }
        }
        var status: Int32 = 0
        for await end in ends { status = end }
        return killed.map { .killed(visitor: $0) } ?? .exited(status)
    }

    private static func steps(of handle: FileHandle) -> AsyncStream<ShopStep> {
        AsyncStream { continuation in
            let reader = Thread {
                var lines = LineBuffer()
                // The end of the stream is the end of the process, however it came about.
                while let piece = try? handle.read(upToCount: 4096), !piece.isEmpty {
                    // The shop writes short lines; a line without an end would only hide what follows it.
                    for line in (try? lines.feed(piece)) ?? [] {
                        if let step = ShopStep(String(decoding: line.bytes, as: UTF8.self)) { continuation.yield(step) }
                    }
                }
                continuation.finish()
            }
            reader.start()
        }
    }
}

/// One line of the unattended shop: `visitor 12 checkout`.
struct ShopStep: Sendable, Hashable {
    /// Who.
    var visitor: Int
    /// What they did.
    var action: String

    /// Reads a line; nil when it says something else.
    init?(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count >= 3, words[0] == "visitor", let visitor = Int(words[1]) else { return nil }
        self.visitor = visitor
        action = String(words[2])
    }

    /// Whether the visitor stands at the till: the checkout is recorded, the purchase is not yet.
    var isCheckout: Bool { action == "checkout" }
    /// Whether the visitor bought something.
    var isPurchase: Bool { action == "purchased" }
}
