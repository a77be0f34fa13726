// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Checks the signature of a webhook message, for developers of receivers.
struct AlertsVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check the signature of a webhook message, as a receiver must.",
        discussion: """
            Takes the values of the three headers, and the body byte for byte as
            received. Does not contact a collector.

            EXAMPLES
              # Check a message whose body is in a file.
              trackway alerts verify --secret whsec_… --id msg_… --timestamp 1700000000 \\
                --signature 'v1,…' --file body.json
            """
    )

    @Option(help: "The alert's secret. Default: TRACKWAY_WEBHOOK_SECRET.")
    var secret: String?

    @Option(help: "Value of the webhook-id header.")
    var id: String

    @Option(help: "Value of the webhook-timestamp header, in seconds since 1970.")
    var timestamp: Int64

    @Option(help: "Value of the webhook-signature header.")
    var signature: String

    @Option(help: "File with the body; “-” for standard input.")
    var file: String = "-"

    @Flag(help: "Accept any timestamp. Default: at most five minutes from now.")
    var anyTime = false

    /// Checks the signature; the exit status is the result.
    func run() throws {
        let text = secret ?? ProcessInfo.processInfo.environment["TRACKWAY_WEBHOOK_SECRET"] ?? ""
        guard let secret = WebhookSecret(text) else {
            throw CommandFailure(
                .usage,
                "the secret is invalid",
                remedy: "pass the secret printed by `trackway alerts add`, which begins with whsec_, with --secret"
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
                    "the message was not signed with this secret, or its body or headers were changed",
                    remedy: "use the body byte for byte as received, before parsing it as JSON"
                )
            case .outsideTolerance(let seconds):
                throw CommandFailure(
                    .negative,
                    "the signature is valid, but its time is \(seconds) seconds from now",
                    remedy: "a difference above \(WebhookSignature.tolerance) may be a replay; check the clock"
                )
            }
        }
        Console.standard.write("signed with this secret")
    }
}

/// Reads whole files for commands.
enum InputFile {
    /// Returns the contents of a file, or of standard input for “-”.
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
                remedy: "pass the path of an existing file"
            )
        }
    }
}
