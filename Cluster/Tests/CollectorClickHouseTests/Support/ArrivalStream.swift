// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import TrackwayCore
internal import TrackwayJournal

/// A stream for tests of arrivals.
///
/// Has batches of several formats, some repeated as a whole or with different boundaries; events and batches that are
/// rejected, admitted, and rejected again; unreadable records; and installations erased by themselves and by an
/// operator.
struct ArrivalStream {
    /// The names of its events, escaped as in JSON strings.
    static let names = ["n1", "n2", "it's", "名", "_screen_view", "_clickstream_error", "rare"]
    static let runs = ["\"r1\"", "\"7\"", "7", "true", "7.5", "null", "{\"a\":1}", "\"it's\""]
    static let users = ["u1", "u2", "it's \\\\ \\\"x\\\""]
    static let codes = ["invalid_name", "name_too_long", "it's"]
    /// The time from the first event to the last one.
    static let length: Int64 = 3 * 86_400_000
    static let start: Int64 = 1_700_000_000_000

    private let stream: InMemoryStream
    private var random: SeededNumberGenerator
    private var next: UInt64 = 1
    private var sequences: [UInt64: UInt64] = [:]
    private var sent: [[UInt8]] = []
    /// The positions of rejected events with their lines; a wholly rejected batch has no line.
    private var rejected: [(position: EventPosition, head: String?, line: String)] = []
    private var quarantined: [(position: EventPosition, lines: [String])] = []
    private var received = ArrivalStream.start

    private init(_ stream: InMemoryStream, seed: UInt64) {
        self.stream = stream
        random = SeededNumberGenerator(seed: seed)
    }

    /// Fills a stream. Equal seeds give equal streams.
    static func fill(_ stream: InMemoryStream, seed: UInt64, records: Int = 110) {
        var builder = ArrivalStream(stream, seed: seed)
        for number in 1...records { builder.add(number, of: records) }
    }

    private var position: EventPosition { EventPosition(stream: 0, sequence: stream.highest + 1) }

    private mutating func add(_ number: Int, of records: Int) {
        // Usually within a minute, sometimes a week later.
        received += Int64(random.number(0...40_000)) + (random.oneIn(40) ? 604_800_000 : 0)
        switch random.number(1...24) {
        case 1: stream.append(Array("?".utf8), kind: nil)
        case 2: stream.append(Array("what is this".utf8))
        case 3, 4: quarantine()
        case 5, 6: replay()
        case 7: replayBatch()
        case 8: rejectAgain()
        case 9, 10:
            if let again = sent.randomElement(using: &random) { stream.append(again) }
        case 11 where number > records / 2:
            let record = ErasureRecord(
                received: Timestamp(milliseconds: received),
                key: "ops",
                installation: SentBatch.installation(UInt64(random.number(5...6))),
                events: random.number(0...9)
            )
            stream.append(record.bytes, kind: random.oneIn(2) ? .erasure : .erasedEvents)
        default: batch(erasing: number == records / 2 ? 7 : nil)
        }
    }

    private func intakeHeader(_ more: String = "", format: String? = nil) -> String {
        let format = format.map { #","format":"\#($0)""# } ?? ""
        return #"{"received":\#(received),"key":"dev's","encoding":"identity"\#(format)\#(more)}"#
    }

    private func record(_ header: String, _ lines: [String]) -> [UInt8] {
        Array((header + "\n" + lines.joined(separator: "\n")).utf8)
    }

    private mutating func context() -> String {
        var parts: [String] = []
        if !random.oneIn(3) { parts.append(#""user":{"id":"\#(Self.users.randomElement(using: &random) ?? "")"}"#) }
        if !random.oneIn(4) { parts.append(#""session":{"id":"s\#(random.number(1...5))"}"#) }
        if !random.oneIn(3) {
            let project = random.oneIn(2) ? #","project":"p\#(random.number(1...2))""# : ""
            parts.append(#""app":{"version":"\#(random.number(1...3)).0"\#(project)}"#)
        }
        if random.oneIn(3) {
            parts.append(#""global":{"_run":\#(Self.runs.randomElement(using: &random) ?? "1"),"tier":"Gold"}"#)
        }
        return #"{"context":{\#(parts.joined(separator: ","))}}"#
    }

    private mutating func event() -> String {
        let name = Self.names[random.number(0...random.number(0...6))]
        var attributes = [#""total":\#(random.number(0...9))"#]
        if random.oneIn(4) { attributes.append(#""_run":\#(Self.runs.randomElement(using: &random) ?? "1")"#) }
        if name == "_clickstream_error" {
            attributes.append(#""_error_code":\#(random.number(1...3)),"_error_message":"m\#(next)""#)
        }
        if random.oneIn(6) { attributes.append(#""tier":"silver"},"more":{"Word":"Straße""#) }
        next += 1
        let time = Self.start + Int64(random.number(0...300)) * (Self.length / 300)
        let id = random.oneIn(9) ? "" : #""id":"\#(SentBatch.id(next))","#
        return #"{\#(id)"name":"\#(name)","time":\#(time),"attributes":{\#(attributes.joined(separator: ","))}}"#
    }

    private mutating func header(_ installation: UInt64, _ count: Int) -> String {
        let writer = installation * 10 + UInt64(random.number(0...2))
        let first = sequences[writer, default: 0] + (random.oneIn(6) ? 3 : 1)
        let last = first + UInt64(count) - 1
        sequences[writer] = last
        let lost = random.oneIn(5) ? #"[\#(first),\#(first),"\#(random.oneIn(2) ? "expired" : "full")"]"# : ""
        let others = random.oneIn(8) ? "[\(last + 1),\(last + 2)]" : ""
        return
            #"{"batch":{"id":"b","installation":"\#(SentBatch.installation(installation))","writer":"\#(SentBatch.id(0xAA_0000 + writer))","#
            + #""first":\#(first),"last":\#(last),"recorded":\#(last + 1),"dropped":[\#(lost)],"skipped":[\#(others)]}}"#
    }

    private mutating func batch(erasing: UInt64?) {
        let count = random.number(1...14)
        let installation = random.oneIn(6) ? nil : UInt64(random.number(1...8))
        var head: String?
        if let installation { head = header(installation, count) }
        var lines: [String] = []
        if let head { lines.append(head) }
        if !random.oneIn(6) { lines.append(context()) }
        var faults: [String] = []
        for ordinal in 0..<count {
            if ordinal == 5, random.oneIn(3) { lines.append(context()) }
            let line = event()
            lines.append(line)
            guard random.oneIn(7) else { continue }
            let code = Self.codes.randomElement(using: &random) ?? ""
            faults.append(#"[\#(ordinal),"\#(code)","name","“x” is invalid."]"#)
            var eventPosition = position
            eventPosition = EventPosition(
                segment: eventPosition.segment,
                offset: eventPosition.offset,
                ordinal: ordinal
            )
            rejected.append((eventPosition, head, line))
        }
        if let erasing { lines.append(SentBatch.tombstone(erasing)) }
        // An erasure claim without a proof.
        if random.oneIn(20) {
            lines.append(
                #"{"id":"\#(SentBatch.id(0xEE_0000 + next))","name":"_installation_erased","time":1,"attributes":{"proof":"no"}}"#
            )
        }
        let rejectedMember = faults.isEmpty ? "" : #","rejected":[\#(faults.joined(separator: ","))]"#
        let bytes = record(intakeHeader(rejectedMember, format: random.oneIn(12) ? "sift" : nil), lines)
        if random.oneIn(3) { sent.append(bytes) }
        stream.append(bytes)
    }

    private mutating func quarantine() {
        let lines = [context(), event(), event()]
        let error = AdmissionError(.malformed, code: "it's", field: "body", message: "It is \"none\".")
        let body = Array(lines.joined(separator: "\n").utf8)
        quarantined.append((position, lines))
        let bytes = QuarantineRecord.bytes(
            error,
            body: random.oneIn(3) ? [0xff, 0, 0x27] : body,
            bodyBytes: 70_000,
            key: "dev",
            received: Timestamp(milliseconds: received)
        )
        stream.append(bytes, kind: .quarantine)
    }

    private func origin(_ eventPosition: EventPosition, ordinals: [Int], refused: [String] = []) -> String {
        let record = EventPosition(segment: eventPosition.segment, offset: eventPosition.offset)
        return
            #","replayed":{"at":\#(received + 5),"key":"ops","position":"\#(record)","ordinals":[\#(ordinals.map(String.init).joined(separator: ","))],"refused":[\#(refused.joined(separator: ","))]}"#
    }

    /// Admits a rejected event, sometimes twice.
    private mutating func replay() {
        guard let old = rejected.randomElement(using: &random) else { return }
        let bytes = record(
            intakeHeader(origin(old.position, ordinals: [old.position.ordinal])),
            [old.head, old.line].compactMap(\.self)
        )
        stream.append(bytes)
        if random.oneIn(3) { stream.append(bytes) }
    }

    /// Admits a wholly rejected batch completely or partly.
    private mutating func replayBatch() {
        guard let old = quarantined.randomElement(using: &random) else { return }
        let rejectedMember = random.oneIn(2) ? #","rejected":[[1,"invalid_name","name","Not a name."]]"# : ""
        let bytes = record(intakeHeader(rejectedMember + origin(old.position, ordinals: [])), old.lines)
        stream.append(bytes)
        if random.oneIn(3) { stream.append(bytes) }
    }

    /// Rejects a rejected event again for a different reason.
    private mutating func rejectAgain() {
        guard let old = rejected.randomElement(using: &random) else { return }
        let fault = #"[\#(old.position.ordinal),"other_reason","time","It is \#(next)."]"#
        stream.append(
            record(intakeHeader(origin(old.position, ordinals: [], refused: [fault])), [old.head].compactMap(\.self))
        )
    }
}
