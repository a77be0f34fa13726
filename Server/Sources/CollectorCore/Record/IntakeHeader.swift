// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The data that the collector adds to a body it stores.
public struct IntakeHeader: Sendable, Hashable {
    /// When the body arrived, by the collector's clock.
    public var received: Timestamp
    /// The name of the request's key.
    public var key: String
    /// The encoding of the body.
    public var encoding: ContentEncoding
    /// The rejected events; everything else in the body is accepted.
    public var rejected: [RejectedEvent]
    /// The format in which the body was sent.
    public var format: IntakeFormat
    /// The origin of a replayed batch, which consists of previously rejected events.
    ///
    /// If set, ``received`` and ``key`` are those of the original batch.
    public var replayed: ReplayOrigin?
    /// The sender's address, or a part of it, as text.
    ///
    /// Nil if the collector drops addresses.
    ///
    /// Readers of the record see it as the member `ip` of each context that has none.
    public var client: String?

    /// Creates a header for a body.
    public init(
        received: Timestamp,
        key: String,
        encoding: ContentEncoding,
        rejected: [RejectedEvent] = [],
        format: IntakeFormat = .trackway,
        replayed: ReplayOrigin? = nil
    ) {
        self.received = received
        self.key = key
        self.encoding = encoding
        self.rejected = rejected
        self.format = format
        self.replayed = replayed
    }
}

/// The format in which a stored batch was sent.
///
/// The log contains the canonical form in every case.
public enum IntakeFormat: String, Sendable, Hashable, CaseIterable {
    /// The collector's own format: the body is stored exactly as received.
    case trackway
    /// Clickstream: translated on arrival.
    case clickstream
    /// Sensors Analytics: translated on arrival.
    case sensorsAnalytics = "sensors_analytics"
    /// Sift: translated on arrival.
    case sift
    /// Usage reports of SAP Mobile Services: translated on arrival.
    case sapMobileServices = "sap_mobile_services"

    /// Whether a body may contain several installations, each under its own header.
    var hasManyHeaders: Bool { self != .trackway }
}

extension IntakeHeader {
    /// Writes the header as one JSON object:
    /// `{"received":…,"key":"…","encoding":"gzip","format":"…","rejected":[[7,"code","field","message","id"]]}`.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("received", received)
        writer.member("key", key)
        writer.member("encoding", encoding.rawValue)
        if format != .trackway {
            writer.member("format", format.rawValue)
        }
        if !rejected.isEmpty {
            writer.list("rejected", rejected) { $0.writeElements(to: &$1) }
        }
        if let replayed {
            writer.key("replayed")
            replayed.write(to: &writer)
        }
        if let client { writer.member("client", client) }
        writer.endObject()
    }

    /// Reads a header.
    ///
    /// Unknown members are ignored, so that older versions can read newer records.
    init(json: UnsafeRawBufferPointer) throws(JSONError) {
        self.init(received: Timestamp(milliseconds: 0), key: "", encoding: .identity)
        var scanner = try JSONScanner(json)
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.text(key, equals: "received") {
                guard case .integer(let value) = try scanner.readNumber() else {
                    throw JSONError(.memberInvalid, at: scanner.offset)
                }
                received = Timestamp(milliseconds: value)
            } else if scanner.text(key, equals: "key") {
                self.key = scanner.string(try scanner.readText())
            } else if scanner.text(key, equals: "encoding") {
                guard let encoding = ContentEncoding(rawValue: scanner.string(try scanner.readText())) else {
                    throw JSONError(.memberInvalid, at: scanner.offset)
                }
                self.encoding = encoding
            } else if scanner.text(key, equals: "format") {
                guard let format = IntakeFormat(rawValue: scanner.string(try scanner.readText())) else {
                    throw JSONError(.memberInvalid, at: scanner.offset)
                }
                self.format = format
            } else if scanner.text(key, equals: "replayed") {
                replayed = try ReplayOrigin(&scanner)
            } else if scanner.text(key, equals: "client") {
                client = scanner.string(try scanner.readText())
            } else if scanner.text(key, equals: "rejected") {
                try scanner.enterArray()
                while try scanner.nextElement() { rejected.append(try scanner.rejectedEvent()) }
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.finish()
    }
}

extension RejectedEvent {
    /// Writes the rejection as a list.
    ///
    /// The elements of the list are the index, code, field, message, and the id if known.
    func writeElements(to writer: inout JSONWriter) {
        writer.beginArray()
        writer.element()
        writer.integer(Int64(index))
        for text in [code, field, message] {
            writer.element()
            writer.string(text)
        }
        if let id {
            writer.element()
            writer.id(id)
        }
        writer.endArray()
    }
}

extension JSONScanner {
    /// Reads a rejection as written by ``RejectedEvent``.
    mutating func rejectedEvent() throws(JSONError) -> RejectedEvent {
        try enterArray()
        guard try nextElement(), case .integer(let index) = try readNumber(), index >= 0 else {
            throw JSONError(.memberInvalid, at: offset)
        }
        var texts: [String] = []
        while try nextElement() { texts.append(string(try readText())) }
        guard texts.count >= 3 else { throw JSONError(.memberMissing, at: offset) }
        return RejectedEvent(
            index: Int(index),
            id: texts.count > 3 ? EventID(texts[3]) : nil,
            code: texts[0],
            field: texts[1],
            message: texts[2]
        )
    }
}
