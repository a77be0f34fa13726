// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

/// A batch as a sender would make it, written down by hand so that the tests do not believe our own encoder.
struct Batch {
    var installation: InstallationID?
    var writer: WriterID?
    var first: UInt64?
    var last: UInt64?
    var recorded: UInt64?
    /// When it was sent, by the device's clock.
    var sent: Int64?
    var dropped: [(ClosedRange<UInt64>, String)] = []
    var skipped: [ClosedRange<UInt64>] = []
    /// Events, or contexts where the text begins with `{"context"`.
    var lines: [String] = []
    /// Index, code.
    var rejected: [(Int, String)] = []
    var received: Int64 = 1_700_000_000_000
    var isCompressed = false
    /// The format it was sent in; our own when nil.
    var format: String?

    /// A batch of one writer covering `sequences`.
    init(_ installation: UInt64? = nil, _ writer: UInt64 = 1, _ sequences: ClosedRange<UInt64>? = nil) {
        guard let installation else { return }
        self.installation = .numbered(installation)
        self.writer = .numbered(writer)
        first = sequences?.lowerBound
        last = sequences?.upperBound
        recorded = sequences?.upperBound
    }

    /// The intake log's record.
    var record: [UInt8] {
        get {
            var body = Array(header.map { $0 + "\n" }?.utf8 ?? "".utf8)
            body += lines.joined(separator: "\n").utf8
            if isCompressed { body = GzipCompressor().compress(body) }
            let faults = rejected.map { "[\($0.0),\"\($0.1)\",\"name\",\"The name is no name.\"]" }
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

/// An event's line.
func line(_ id: UInt64, _ name: String = "tick", time: Int64 = 1_700_000_000_000, attributes: String? = nil) -> String {
    let more = attributes.map { ",\"attributes\":\($0)" } ?? ""
    return "{\"id\":\"\(EventID.numbered(id))\",\"name\":\"\(name)\",\"time\":\(time),\"mono\":5\(more)}"
}

/// The tombstone of the installation with a number, with its proof unless another is given.
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

/// Installations whose secrets the tests know.
enum Installations {
    /// The secret behind ``InstallationID/numbered(_:)``; of any other id one that proves nothing.
    static func secret(of installation: InstallationID) -> InstallationSecret {
        (0...64).map { InstallationSecret(high: 0, low: $0) }.first { $0.proves(installation) }
            ?? InstallationSecret(high: 0, low: 0)
    }
}

extension InstallationID {
    /// The installation with this number, derived from a secret as the SDK does.
    static func numbered(_ number: UInt64) -> InstallationID {
        InstallationSecret(high: 0, low: number).installation(at: Timestamp(milliseconds: 0x018B_CFE5_6800))
    }
}

extension UniqueID {
    /// The id with this number in its last bytes.
    static func numbered(_ number: UInt64) -> Self {
        Self(high: 0x018B_CFE5_6800_7000, low: 0x8000_0000_0000_0000 | number)
    }
}
