// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// One run of the example shop in a separate process.
struct ShopRun {
    /// The outcome of a run.
    enum End: Sendable, Hashable {
        /// The process exited with this status.
        case exited(Int32)
        /// The process was killed with `kill -9` while this visitor was paying.
        case killed(visitor: Int)
    }

    /// The executable.
    var executable: String
    /// The command-line arguments.
    var arguments: [String]

    /// Runs the shop until it ends, and reports its steps.
    ///
    /// - Parameters:
    ///   - killedVisitor: The visitor at whose checkout the process is killed with `kill -9`; nil for none.
    ///   - progress: Called with every step.
    func run(killingAtCheckoutOf killedVisitor: Int?, progress: (ShopStep) -> Void) async throws(CommandFailure) -> End
    {
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
            if killed == nil, let killedVisitor, step.isCheckout, step.visitor >= killedVisitor {
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
                // The stream ends when the process ends for any reason.
                while let piece = try? handle.read(upToCount: 4096), !piece.isEmpty {
                    // The shop writes short lines; an unterminated line would only hide the lines after it.
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

/// One line printed by the unattended shop: `visitor 12 checkout`.
struct ShopStep: Sendable, Hashable {
    /// The visitor's number.
    var visitor: Int
    /// The visitor's action.
    var action: String

    /// Parses a line; returns nil for any other text.
    init?(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count >= 3, words[0] == "visitor", let visitor = Int(words[1]) else { return nil }
        self.visitor = visitor
        action = String(words[2])
    }

    /// Whether the visitor is checking out and the purchase is not yet recorded.
    var isCheckout: Bool { action == "checkout" }
    /// Whether the visitor bought something.
    var isPurchase: Bool { action == "purchased" }
}
