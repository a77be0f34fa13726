// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// A batch as a sender would create it.
///
/// Written by hand so that the tests do not rely on our own encoder.
struct Batch {
    var installation: InstallationID?
    var writer: WriterID?
    var first: UInt64?
    var last: UInt64?
    var recorded: UInt64?
    /// The time of sending, by the device's clock.
    var sent: Int64?
    var dropped: [(ClosedRange<UInt64>, String)] = []
    var skipped: [ClosedRange<UInt64>] = []
    /// Events, or contexts if the text starts with `{"context"`.
    var lines: [String] = []
    /// The index and the code of each rejected event.
    var rejected: [(Int, String)] = []
    var received: Int64 = 1_700_000_000_000
    var isCompressed = false
    /// The batch's format; nil for Trackway's own.
    var format: String?

    /// Creates a batch of one writer that covers `sequences`.
    init(_ installation: UInt64? = nil, _ writer: UInt64 = 1, _ sequences: ClosedRange<UInt64>? = nil) {
        guard let installation else { return }
        self.installation = .numbered(installation)
        self.writer = .numbered(writer)
        first = sequences?.lowerBound
        last = sequences?.upperBound
        recorded = sequences?.upperBound
    }

    /// The record for the intake log.
    var record: [UInt8] {
        get {
            var body = Array(header.map { $0 + "\n" }?.utf8 ?? "".utf8)
            body += lines.joined(separator: "\n").utf8
            if isCompressed { body = GzipCompressor().compress(body) }
            let faults = rejected.map { "[\($0.0),\"\($0.1)\",\"name\",\"The name is invalid.\"]" }
            let about = """
                {"received":\(received),"key":"dev","encoding":"\(isCompressed ? "gzip" : "identity")",\
                \(format.map { "\"format\":\"\($0)\"," } ?? "")"rejected":[\(faults.joined(separator: ","))]}
                """
            return Array(about.utf8) + [10] + body
        }
    }

    private var header: String? {
        guard let installation, let writer else { return nil }
        var parts = ["\"id\":\"b-\(first ?? 0)\"", "\"installation\":\"\(installation)\"", "\"writer\":\"\(writer)\""]
        if let first { parts.append("\"first\":\(first)") }
        if let last { parts.append("\"last\":\(last)") }
        if let recorded { parts.append("\"recorded\":\(recorded)") }
        if let sent { parts.append("\"sent\":\(sent)") }
        let lost = dropped.map { "[\($0.0.lowerBound),\($0.0.upperBound),\"\($0.1)\"]" }
        parts.append("\"dropped\":[\(lost.joined(separator: ","))]")
        parts.append("\"skipped\":[\(skipped.map { "[\($0.lowerBound),\($0.upperBound)]" }.joined(separator: ","))]")
        return "{\"batch\":{\(parts.joined(separator: ","))}}"
    }
}

/// Returns an event's line.
func line(_ id: UInt64, _ name: String = "tick", time: Int64 = 1_700_000_000_000, attributes: String? = nil) -> String {
    let more = attributes.map { ",\"attributes\":\($0)" } ?? ""
    return "{\"id\":\"\(EventID.numbered(id))\",\"name\":\"\(name)\",\"time\":\(time),\"mono\":5\(more)}"
}

/// Returns the tombstone of an installation.
///
/// It has the installation's proof unless another is given.
func erasedLine(
    _ id: UInt64,
    of installation: InstallationID,
    proof: InstallationSecret? = nil,
    name: String = "_installation_erased"
) -> String {
    let proof = proof ?? Installations.secret(of: installation)
    let attributes = #"{"installation":"\#(installation)","proof":"\#(proof)"}"#
    return line(id, name, attributes: attributes)
}

/// Installations with secrets known to the tests.
enum Installations {
    /// Returns the secret of ``InstallationID/numbered(_:)``.
    ///
    /// For any other id, returns a secret that proves nothing.
    static func secret(of installation: InstallationID) -> InstallationSecret {
        (0...64).map { InstallationSecret(high: 0, low: $0) }.first { $0.proves(installation) }
            ?? InstallationSecret(high: 0, low: 0)
    }
}

extension InstallationID {
    /// Returns the installation with a number.
    ///
    /// Its id is derived from a secret, as in the SDK.
    static func numbered(_ number: UInt64) -> InstallationID {
        InstallationSecret(high: 0, low: number).installation(at: Timestamp(milliseconds: 0x018B_CFE5_6800))
    }
}

extension UniqueID {
    /// Returns the id that ends with a number.
    static func numbered(_ number: UInt64) -> Self {
        Self(high: 0x018B_CFE5_6800_7000, low: 0x8000_0000_0000_0000 | number)
    }
}
