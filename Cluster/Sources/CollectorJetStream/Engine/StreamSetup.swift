// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// How the stream of an intake, or of what is decided about its blocks, is made: three copies in files, full streams refuse, nothing
/// goes by itself.
struct StreamSetup: Sendable {
    /// How long the engine may take: all servers have to agree.
    static let answerTime: Duration = .seconds(5)

    /// The stream of the order. What nobody needs any more is purged from its beginning, so it is not for ever.
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
    private let isForEver: Bool
    /// Whether only the last record of each subject is kept.
    private let keepsLast: Bool

    private init(
        name: String,
        subject: String,
        bytes: Int64 = -1,
        recordBytes: Int64,
        isForEver: Bool = false,
        keepsLast: Bool = false
    ) {
        self.name = name
        self.subject = subject
        self.bytes = bytes
        self.recordBytes = recordBytes
        self.isForEver = isForEver
        self.keepsLast = keepsLast
    }

    /// The stream of an intake that takes no records yet.
    init(prepared place: StreamPlace, bytes: Int64) {
        self.init(name: place.stream, subject: place.closedSubject, bytes: bytes, recordBytes: 8 << 20)
    }

    /// The stream of an intake, which may become so large on each server.
    init(_ place: StreamPlace, bytes: Int64) {
        self.init(name: place.stream, subject: "intake.*", bytes: bytes, recordBytes: 8 << 20)
    }

    /// The stream in which collectors say how far their indexes are.
    init(readersOf place: StreamPlace) {
        // One record of some hundred bytes for each collector.
        self.init(name: place.readers, subject: place.readerSubjects, recordBytes: 64 << 10, keepsLast: true)
    }

    /// The stream in which it is listed what was deleted from an intake's stream since it was erased. Nothing may be taken out of it: what is
    /// not listed there and is missing is a loss.
    init(erasedOf place: StreamPlace) {
        // Some 200 bytes for each record that was deleted.
        self.init(
            name: place.erased,
            subject: place.erasedSubjects,
            recordBytes: 64 << 10,
            isForEver: true,
            keepsLast: true
        )
    }

    /// The stream of what is decided about an intake's blocks. Nothing may ever be taken out of it: the number of a decision is that
    /// of its block.
    init(decisionsOf place: StreamPlace) {
        // Some 200 bytes a block, and a block a second at most: not worth a limit that would stop everything one day.
        self.init(name: place.decisions, subject: place.decisionSubject, recordBytes: 64 << 10, isForEver: true)
    }

    /// What the engine is told.
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
            // Ids are kept in memory by each server: for much longer than a record is held, and no longer.
            writer.member("duplicate_window", Int64(120_000_000_000))
            writer.member("allow_direct", true)
            if keepsLast { writer.member("max_msgs_per_subject", Int64(1)) }
            if isForEver {
                writer.member("deny_delete", true)
                writer.member("deny_purge", true)
            }
            writer.endObject()
            return writer.array()
        }
    }

    /// Makes the stream, unless there is one of its name.
    ///
    /// - Returns: Whether there was none.
    func make(on engine: any StreamEngine) async throws(StreamSetupError) -> Bool {
        do {
            _ = try StreamFacts(try await answer(of: "INFO", [], engine))
            return false
        } catch let failure as StreamFacts.Failure where failure == .missing {
            // That is what this is for.
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

    /// What the engine tells of a stream; nil when there is none of its name.
    ///
    /// - Throws: ``StreamSetupError``, or ``NATSRequestFailure`` where nobody answers.
    static func facts(of place: StreamPlace, on engine: any StreamEngine) async throws -> StreamFacts? {
        let answer = try await engine.request(
            "$JS.API.STREAM.INFO.\(place.stream)",
            headers: nil,
            body: [],
            within: Self.answerTime
        )
        do throws(StreamFacts.Failure) {
            return try StreamFacts(answer)
        } catch {
            if error == .missing { return nil }
            throw StreamSetupError(stream: place.stream, error)
        }
    }

    /// Gives a stream other subjects; all else stays as it is.
    ///
    /// - Throws: ``StreamSetupError``, or ``NATSRequestFailure`` where nobody answers; it may have them then.
    static func give(_ subjects: [String], to place: StreamPlace, on engine: any StreamEngine) async throws {
        let facts = try await change(place, on: engine) { _ in ("subjects", .array(subjects.map { .string($0) })) }
        if let facts, facts.subjects != subjects {
            throw StreamSetupError(stream: place.stream, reason: "it kept its subjects")
        }
    }

    /// Has a stream become no larger than it is, but for a mebibyte.
    ///
    /// - Throws: ``StreamSetupError``, or ``NATSRequestFailure`` where nobody answers.
    static func shrink(_ place: StreamPlace, on engine: any StreamEngine) async throws {
        _ = try await change(place, on: engine) { facts in
            let size = facts.bytes + 1 << 20
            return facts.longest <= 0 || facts.longest > size ? ("max_bytes", .integer(size)) : nil
        }
    }

    /// Changes one setting of a stream.
    ///
    /// - Parameter setting: Which one, and to what; nil for none.
    /// - Returns: What the engine tells of it then; nil when nothing was to be changed.
    private static func change(
        _ place: StreamPlace,
        on engine: any StreamEngine,
        _ setting: (StreamFacts) -> (key: String, value: JSONValue)?
    ) async throws -> StreamFacts? {
        func ask(_ verb: String, _ body: [UInt8]) async throws -> (StreamFacts, NATSMessage) {
            let answer = try await engine.request(
                "$JS.API.STREAM.\(verb).\(place.stream)",
                headers: nil,
                body: body,
                within: answerTime
            )
            do throws(StreamFacts.Failure) {
                return (try StreamFacts(answer), answer)
            } catch {
                throw StreamSetupError(stream: place.stream, error)
            }
        }
        let (facts, told) = try await ask("INFO", [])
        guard let setting = setting(facts) else { return nil }
        guard case .object(let config)? = try JSONValue.parse(told.body)["config"] else {
            throw StreamSetupError(stream: place.stream, reason: "the engine does not describe it")
        }
        let others = config.members.filter { $0.key != setting.key }
        let body = JSONValue.object(JSONValue.Object(others + [.init(key: setting.key, value: setting.value)]))
        return try await ask("UPDATE", body.json()).0
    }

    private func answer(
        of verb: String,
        _ body: [UInt8],
        _ engine: any StreamEngine
    ) async throws(NATSRequestFailure) -> NATSMessage {
        try await engine.request(
            "$JS.API.STREAM.\(verb).\(name)",
            headers: nil,
            body: body,
            within: Self.answerTime
        )
    }
}

/// A stream could not be made.
package struct StreamSetupError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stream.
    package var stream: String
    /// Half a sentence.
    package var reason: String

    init(stream: String, reason: String) {
        self.stream = stream
        self.reason = reason
    }

    init(stream: String, _ failure: any Error) {
        self.stream = stream
        reason =
            switch failure {
            case NATSRequestFailure.notConnected: "there is no connection to the engine"
            case NATSRequestFailure.connectionLost: "the connection to the engine was lost"
            default: "nobody answers; see whether JetStream is enabled, and whether the servers have found together"
            }
    }

    init(stream: String, _ failure: StreamFacts.Failure) {
        self.stream = stream
        reason =
            switch failure {
            case .missing: "it is gone again"
            case .refused(let words): "the engine says “\(words)”"
            case .unreadable(let words): "the engine's answer cannot be read: \(words)"
            }
    }

    package var description: String { "The stream \(stream) could not be made, or changed: \(reason)." }
}
