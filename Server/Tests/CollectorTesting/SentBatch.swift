// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A batch as stored by a collector.
///
/// Written by hand so that the tests do not rely on our own encoder.
public struct SentBatch {
    public var installation: UInt64
    public var writer: UInt64 = 1
    /// The sequence numbers of its events.
    ///
    /// The ids of the events are derived from them.
    public var sequences: ClosedRange<UInt64>
    public var dropped: ClosedRange<UInt64>?
    /// The zero-based indexes of its rejected events.
    public var rejected: [Int] = []
    public var received: Int64 = 1_700_000_000_000
    public var session = "s"
    public var user: String?
    /// The name of its events.
    public var name = "tick"
    /// Additional lines after its events.
    public var more: [String] = []

    public init(_ installation: UInt64, _ sequences: ClosedRange<UInt64>) {
        self.installation = installation
        self.sequences = sequences
    }

    public static func installation(_ number: UInt64) -> InstallationID {
        InstallationSecret(high: 0, low: number).installation(at: Timestamp(milliseconds: 0x018B_CFE5_6800))
    }

    /// Returns the tombstone of an installation, with its proof.
    public static func tombstone(_ number: UInt64) -> String {
        let attributes =
            #"{"installation":"\#(installation(number))","proof":"\#(InstallationSecret(high: 0, low: number))"}"#
        return line(id: 0xFFFF_0000 + number, "_installation_erased", attributes)
    }

    public static func id(_ number: UInt64) -> EventID {
        EventID(high: 0x018B_CFE5_6800_7000, low: 0x8000_0000_0000_0000 | number)
    }

    private static func line(id number: UInt64, _ name: String, _ attributes: String = "{}") -> String {
        #"{"id":"\#(id(number))","name":"\#(name)","time":\#(1_700_000_000_000 + Int64(number)),"attributes":\#(attributes)}"#
    }

    /// The ids of its events.
    public var ids: [EventID] { sequences.map { Self.id(installation << 20 | $0) } }

    /// The record for the stream.
    public var record: [UInt8] {
        let user = user.map { #","user":{"id":"\#($0)"}"# } ?? ""
        let lost = dropped.map { #"[\#($0.lowerBound),\#($0.upperBound),"expired"]"# } ?? ""
        let head =
            #"{"batch":{"id":"b","installation":"\#(Self.installation(installation))","writer":"\#(Self.id(0xAA00 + writer))","#
            + #""first":\#(sequences.lowerBound),"last":\#(sequences.upperBound),"recorded":\#(sequences.upperBound),"#
            + #""dropped":[\#(lost)],"skipped":[]}}"#
        let lines =
            [head, #"{"context":{"session":{"id":"\#(session)"}\#(user)}}"#]
            + sequences.map { Self.line(id: installation << 20 | $0, name) } + more
        let faults = rejected.map { #"[\#($0),"invalid_name","name","Not a name."]"# }.joined(separator: ",")
        let about = #"{"received":\#(received),"key":"dev","encoding":"identity","rejected":[\#(faults)]}"#
        return Array((about + "\n" + lines.joined(separator: "\n")).utf8)
    }
}

/// SplitMix64.
///
/// The same seed gives the same numbers on every platform.
public struct SeededNumberGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    public mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    public mutating func oneIn(_ count: Int) -> Bool { number(1...count) == 1 }
}
