// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import Foundation
internal import TrackwayEvents

/// Checks the signature of something that was told, for people who write receivers.
struct AlertVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check the signature of a message, as a receiver has to.",
        discussion: """
            Takes what the three headers said and the body as it came, byte for byte.
            Asks no collector.

            EXAMPLES
              trackway alert verify --secret whsec_… --id msg_… --timestamp 1700000000 \\
                --signature 'v1,…' --file body.json
            """
    )

    @Option(help: "The alert's secret. Default: TRACKWAY_WEBHOOK_SECRET.")
    var secret: String?

    @Option(help: "What webhook-id said.")
    var id: String

    @Option(help: "What webhook-timestamp said, in seconds since 1970.")
    var timestamp: Int64

    @Option(help: "What webhook-signature said.")
    var signature: String

    @Option(help: "A file with the body; “-” for standard input.")
    var file: String = "-"

    @Flag(help: "Do not ask when it was sent. Default: at most five minutes from now.")
    var anyTime = false

    /// Checks it; the exit status says whether it is right.
    func run() throws {
        let text = secret ?? ProcessInfo.processInfo.environment["TRACKWAY_WEBHOOK_SECRET"] ?? ""
        guard let secret = WebhookSecret(text) else {
            throw CommandFailure(
                .usage,
                "that is no secret",
                remedy: "give the one that `trackway alert add` printed, which begins with whsec_, with --secret"
            )
        }
        let now = anyTime ? nil : SystemClock().now().wall.milliseconds / 1_000
        let body = try InputFile.bytes(file)
        do throws(WebhookSignature.Refusal) {
            try WebhookSignature.check(
                signature,
                id: id,
                seconds: timestamp,
                body: body,
                secret: secret,
                now: now
            )
        } catch {
            switch error {
            case .unsigned:
                throw CommandFailure(
                    .negative,
                    "it was not signed with this secret, or its body or headers are not as they were sent",
                    remedy: "take the body byte for byte as it came, before anything reads it as JSON"
                )
            case .untimely(let seconds):
                throw CommandFailure(
                    .negative,
                    "it is signed, but its time is \(seconds) seconds from now",
                    remedy: "more than \(WebhookSignature.tolerance) may be somebody who sends it again; see the clock"
                )
            }
        }
        Console.standard.write("signed with this secret")
    }
}

/// A file that a command reads as a whole.
enum InputFile {
    /// The bytes of a file; of standard input for “-”.
    ///
    /// - Throws: ``CommandFailure`` `inputMissing`.
    static func bytes(_ path: String) throws(CommandFailure) -> [UInt8] {
        do {
            let data =
                path == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data() : try Data(contentsOf: URL(fileURLWithPath: path))
            return Array(data)
        } catch {
            throw CommandFailure(
                .inputMissing,
                "\(path) cannot be read: \(error.localizedDescription)",
                remedy: "name a file that is there"
            )
        }
    }
}
