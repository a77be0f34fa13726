// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Creates and changes streams.
///
/// Each stream has three copies in file storage, rejects new records when full, and deletes no records automatically.
struct StreamSetup: Sendable {
    /// The timeout of a request that all servers must agree on.
    static let requestTimeout: Duration = .seconds(5)

    /// The setup for the stream that contains the order.
    ///
    /// Entries that are no longer needed are purged from the stream's start, so the stream must allow deletion.
    static let order = StreamSetup(
        name: OrderStream.name,
        subject: OrderStream.subject,
        bytes: -1,
        recordBytes: 256 << 10
    )

    private let name: String
    private let subject: String
    private let bytes: Int64
    private let recordBytes: Int64
    private let deniesDeletion: Bool
    /// Whether only the last record of each subject is kept.
    private let keepsLast: Bool

    private init(
        name: String,
        subject: String,
        bytes: Int64 = -1,
        recordBytes: Int64,
        deniesDeletion: Bool = false,
        keepsLast: Bool = false
    ) {
        self.name = name
        self.subject = subject
        self.bytes = bytes
        self.recordBytes = recordBytes
        self.deniesDeletion = deniesDeletion
        self.keepsLast = keepsLast
    }

    /// Creates the setup for an intake's stream that does not accept records yet.
    init(prepared names: StreamNames, bytes: Int64) {
        self.init(name: names.stream, subject: names.closedSubject, bytes: bytes, recordBytes: 8 << 20)
    }

    /// Creates the setup for an intake's stream, with its maximum size on each server.
    init(_ names: StreamNames, bytes: Int64) {
        self.init(name: names.stream, subject: "intake.*", bytes: bytes, recordBytes: 8 << 20)
    }

    /// Creates the setup for the stream in which collectors report how far their indexes have read.
    init(readersOf names: StreamNames) {
        // The stream has one record of a few hundred bytes per collector.
        self.init(name: names.readers, subject: names.readerSubjects, recordBytes: 64 << 10, keepsLast: true)
    }

    /// Creates the setup for the stream that lists the records deleted from an intake's stream for erasure.
    ///
    /// Nothing may be deleted from this stream: a missing record that is not listed counts as a loss.
    init(erasedOf names: StreamNames) {
        // The stream has about 200 bytes per deleted record.
        self.init(
            name: names.erased,
            subject: names.erasedSubjects,
            recordBytes: 64 << 10,
            deniesDeletion: true,
            keepsLast: true
        )
    }

    /// Creates the setup for the stream with replacements of an intake's records.
    ///
    /// Earlier replacements of a record are deleted, so the stream must allow deletion.
    init(rewrittenOf names: StreamNames) {
        self.init(name: names.rewritten, subject: names.rewrittenSubjects, recordBytes: 8 << 20)
    }

    /// Creates the setup for the stream with requests and receipts of erasures.
    ///
    /// Requests are deleted once they are complete, so the stream must allow deletion.
    init(erasuresOf names: StreamNames) {
        self.init(name: names.erasures, subject: names.erasureSubjects, recordBytes: 8 << 20, keepsLast: true)
    }

    /// Creates the setup for the stream of decisions about an intake's blocks.
    ///
    /// Nothing may be deleted from this stream: the number of a decision is the number of its block.
    init(decisionsOf names: StreamNames) {
        // The stream has about 200 bytes per block, and gets at most one block per second. A size limit would
        // eventually block all new decisions.
        self.init(name: names.decisions, subject: names.decisionSubject, recordBytes: 64 << 10, deniesDeletion: true)
    }

    /// The configuration to send to NATS.
    var configuration: [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("name", name)
            writer.list("subjects", [subject]) { subject, writer in writer.string(subject) }
            writer.member("storage", "file")
            writer.member("num_replicas", Int64(3))
            writer.member("retention", "limits")
            writer.member("discard", "new")
            writer.member("max_bytes", bytes)
            writer.member("max_age", Int64(0))
            writer.member("max_msg_size", recordBytes)
            // Ids are remembered for much longer than a record is held, but not indefinitely, because each server keeps
            // them in memory.
            writer.member("duplicate_window", Int64(120_000_000_000))
            writer.member("allow_direct", true)
            if keepsLast { writer.member("max_msgs_per_subject", Int64(1)) }
            if deniesDeletion {
                writer.member("deny_delete", true)
                writer.member("deny_purge", true)
            }
            writer.endObject()
            return writer.array()
        }
    }

    /// Creates the stream if it does not exist.
    ///
    /// - Returns: Whether the stream was missing.
    func createIfMissing(on engine: any NATSRequesting) async throws(StreamSetupError) -> Bool {
        do {
            _ = try StreamFacts(try await answer(of: "INFO", [], engine))
            return false
        } catch let failure as StreamFacts.Failure where failure == .missing {
            // The stream is missing, so it is created below.
        } catch let failure as StreamFacts.Failure {
            throw StreamSetupError(stream: name, failure)
        } catch {
            throw StreamSetupError(stream: name, error)
        }
        do {
            _ = try StreamFacts(try await answer(of: "CREATE", configuration, engine))
            return true
        } catch let failure as StreamFacts.Failure {
            throw StreamSetupError(stream: name, failure)
        } catch {
            throw StreamSetupError(stream: name, error)
        }
    }

    /// Returns a stream's facts; nil if it does not exist.
    ///
    /// - Throws: ``StreamSetupError``, or ``NATSRequestFailure`` if no server answers.
    static func facts(of names: StreamNames, on engine: any NATSRequesting) async throws -> StreamFacts? {
        let answer = try await engine.request(
            "$JS.API.STREAM.INFO.\(names.stream)",
            headers: nil,
            body: [],
            within: Self.requestTimeout
        )
        do throws(StreamFacts.Failure) {
            return try StreamFacts(answer)
        } catch {
            if error == .missing { return nil }
            throw StreamSetupError(stream: names.stream, error)
        }
    }

    /// Changes a stream's subjects and nothing else.
    ///
    /// - Throws: ``StreamSetupError``, or ``NATSRequestFailure`` if no server answers. In that case, the subjects may
    ///   have changed.
    static func setSubjects(_ subjects: [String], of names: StreamNames, on engine: any NATSRequesting) async throws {
        let facts = try await change(names, on: engine) { _ in ("subjects", .array(subjects.map { .string($0) })) }
        if let facts, facts.subjects != subjects {
            throw StreamSetupError(stream: names.stream, reason: "its subjects did not change")
        }
    }

    /// Limits a stream to its current size plus one mebibyte.
    ///
    /// - Throws: ``StreamSetupError``, or ``NATSRequestFailure`` if no server answers.
    static func shrink(_ names: StreamNames, on engine: any NATSRequesting) async throws {
        _ = try await change(names, on: engine) { facts in
            let size = facts.bytes + 1 << 20
            return facts.maxBytes <= 0 || facts.maxBytes > size ? ("max_bytes", .integer(size)) : nil
        }
    }

    /// Changes one setting of a stream.
    ///
    /// - Parameter setting: Returns the setting and its new value; nil to change nothing.
    /// - Returns: The facts after the change; nil if nothing was changed.
    private static func change(
        _ names: StreamNames,
        on engine: any NATSRequesting,
        _ setting: (StreamFacts) -> (key: String, value: JSONValue)?
    ) async throws -> StreamFacts? {
        func send(_ verb: String, _ body: [UInt8]) async throws -> (StreamFacts, NATSMessage) {
            let answer = try await engine.request(
                "$JS.API.STREAM.\(verb).\(names.stream)",
                headers: nil,
                body: body,
                within: requestTimeout
            )
            do throws(StreamFacts.Failure) {
                return (try StreamFacts(answer), answer)
            } catch {
                throw StreamSetupError(stream: names.stream, error)
            }
        }
        let (facts, message) = try await send("INFO", [])
        guard let setting = setting(facts) else { return nil }
        guard case .object(let config)? = try JSONValue.parse(message.body)["config"] else {
            throw StreamSetupError(stream: names.stream, reason: "NATS returned no description of it")
        }
        let others = config.members.filter { $0.key != setting.key }
        let body = JSONValue.object(JSONValue.Object(others + [.init(key: setting.key, value: setting.value)]))
        return try await send("UPDATE", body.json()).0
    }

    private func answer(
        of verb: String,
        _ body: [UInt8],
        _ engine: any NATSRequesting
    ) async throws(NATSRequestFailure) -> NATSMessage {
        try await engine.request(
            "$JS.API.STREAM.\(verb).\(name)",
            headers: nil,
            body: body,
            within: Self.requestTimeout
        )
    }
}

/// Why a stream could not be created or changed.
package struct StreamSetupError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stream's name.
    package var stream: String
    /// The reason, as a clause.
    package var reason: String

    init(stream: String, reason: String) {
        self.stream = stream
        self.reason = reason
    }

    init(stream: String, _ failure: any Error) {
        self.stream = stream
        reason =
            switch failure {
            case NATSRequestFailure.notConnected: "not connected to the NATS cluster"
            case NATSRequestFailure.connectionLost: "the connection to NATS was lost"
            default: "no server is responding; check that JetStream is enabled, and that the servers form a cluster"
            }
    }

    init(stream: String, _ failure: StreamFacts.Failure) {
        self.stream = stream
        reason =
            switch failure {
            case .missing: "it was deleted again"
            case .rejected(let reason): "NATS reported “\(reason)”"
            case .invalid(let reason): "the response from NATS is invalid: \(reason)"
            }
    }

    package var description: String { "The stream \(stream) could not be created or changed: \(reason)." }
}
