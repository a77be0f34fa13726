// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// How the stream of an intake, or of what is decided about its blocks, is made: three copies in files, full streams refuse, nothing
/// goes by itself.
struct StreamSetup: Sendable {
    /// How long the engine may take: all servers have to agree.
    static let answerTime: Duration = .seconds(5)

    private let name: String
    private let subject: String
    private let bytes: Int64
    private let recordBytes: Int64
    private let isForEver: Bool
    /// Whether only the last record of each subject is kept.
    private let keepsLast: Bool

    /// The stream of an intake, which may become so large on each server.
    init(_ place: StreamPlace, bytes: Int64) {
        name = place.stream
        subject = "intake.*"
        self.bytes = bytes
        recordBytes = 8 << 20
        isForEver = false
        keepsLast = false
    }

    /// The stream in which collectors say how far their indexes are.
    init(readersOf place: StreamPlace) {
        name = place.readers
        subject = place.readerSubjects
        // One record of some hundred bytes for each collector.
        bytes = -1
        recordBytes = 64 << 10
        isForEver = false
        keepsLast = true
    }

    /// The stream of what is decided about an intake's blocks. Nothing may ever be taken out of it: the number of a decision is that
    /// of its block.
    init(decisionsOf place: StreamPlace) {
        name = place.decisions
        subject = place.decisionSubject
        // Some 200 bytes a block, and a block a second at most: not worth a limit that would stop everything one day.
        bytes = -1
        recordBytes = 64 << 10
        isForEver = true
        keepsLast = false
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

    package var description: String { "The stream \(stream) could not be made: \(reason)." }
}
