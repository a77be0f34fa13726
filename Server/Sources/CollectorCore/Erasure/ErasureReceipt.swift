// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit

/// A signed statement of what an erasure removed.
///
/// A receipt contains no identifier of the person, only the hash of one. With the collector's ``ErasureKey``, the
/// receipt can be checked at any later time: that it was not changed, and for whom it was issued.
public struct ErasureReceipt: Sendable, Hashable {
    /// The kind of identity that was erased.
    public enum Subject: String, Sendable, Hashable {
        /// A user, with all installations that only this user used.
        case user
        /// One installation.
        case installation
    }

    /// The erasure's id.
    public var id: String
    /// The kind of identity that was erased.
    public var subject: Subject
    /// The hash of the erased identity's id.
    public var identity: IdentityHash
    /// When the erasure was requested, by the collector's clock.
    public var requested: Timestamp
    /// The name of the request's key.
    public var key: String
    /// Whether an operator requested the erasure, not the installation itself.
    public var isByOperator: Bool
    /// When the erasure was complete, by the collector's clock.
    public var completed: Timestamp
    /// The position before which the log contains nothing of the person.
    public var position: String
    /// The number of installations that were erased completely.
    public var installations: Int
    /// The number of installations from which only the user's events were erased.
    public var sharedInstallations: Int
    /// What was removed from the log.
    public var log: ErasedCounts
    /// The number of events that were removed from the index, including duplicates.
    public var indexedEvents: Int
    /// The fingerprint of the collector's key.
    public var signer: String
    /// The signature of all other members.
    public private(set) var signature: [UInt8] = []

    /// Creates the receipt of a completed plan, without a signature.
    public init(_ plan: ErasurePlan, completed: Timestamp, position: String, indexedEvents: Int, key: ErasureKey) {
        id = plan.id
        subject = plan.subject
        identity = plan.identity
        requested = plan.requested
        self.key = plan.key
        isByOperator = plan.isByOperator
        self.completed = completed
        self.position = position
        installations = plan.installations.count
        sharedInstallations = plan.shared.count
        log = plan.counts
        self.indexedEvents = indexedEvents
        signer = key.fingerprint
        signature = key.signature(of: signedText)
    }

    /// Whether the signature is that of the receipt's contents with the given key.
    public func isSigned(with key: ErasureKey) -> Bool {
        let expected = key.signature(of: signedText)
        guard expected.count == signature.count else { return false }
        var difference: UInt8 = 0
        for index in expected.indices { difference |= expected[index] ^ signature[index] }
        return difference == 0
    }

    /// Whether the receipt was issued for a user's id or an installation's id.
    public func isIssued(for id: String, key: ErasureKey) -> Bool {
        switch subject {
        case .user: key.hash(user: id) == identity
        case .installation: InstallationID(id).map { key.hash(installation: $0) == identity } ?? false
        }
    }

    /// The text that is signed: all members but the signature, in the order of the JSON.
    private var signedText: String {
        String(
            decoding: JSONWriter.withThreadBuffer { writer in
                writer.beginObject()
                writeMembers(to: &writer)
                writer.endObject()
                return writer.array()
            },
            as: UTF8.self
        )
    }

    /// Writes the receipt as a JSON object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.member("signature", HexadecimalText.encode(signature))
        writer.endObject()
    }

    /// The receipt as a JSON object.
    public var json: [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            write(to: &writer)
            return writer.array()
        }
    }

    private func writeMembers(to writer: inout JSONWriter) {
        writer.member("erasure", id)
        writer.member("subject", subject.rawValue)
        writer.member("identity_hash", identity.description)
        writer.member("requested", requested)
        writer.member("by", isByOperator ? "operator" : "installation")
        writer.member("key", key)
        writer.member("completed", completed)
        writer.member("installations", Int64(installations))
        writer.member("shared_installations", Int64(sharedInstallations))
        writer.key("log")
        writer.beginObject()
        writer.member("before", position)
        log.write(to: &writer)
        writer.endObject()
        writer.key("index")
        writer.beginObject()
        writer.member("events", Int64(indexedEvents))
        writer.endObject()
        writer.member("signer", signer)
    }

    /// Reads a receipt.
    ///
    /// - Throws: ``ErasureError`` that names the missing or invalid member.
    public init(json bytes: [UInt8]) throws(ErasureError) {
        let json: JSONValue
        do {
            json = try bytes.withUnsafeBytes { try JSONValue.parse($0) }
        } catch {
            throw ErasureError("The receipt is not valid JSON: \(error).")
        }
        func required<Value>(_ member: String, _ value: Value?) throws(ErasureError) -> Value {
            guard let value else {
                throw ErasureError("The receipt's member “\(member)” is missing or invalid.")
            }
            return value
        }
        func count(_ member: String, in object: JSONValue?) throws(ErasureError) -> Int {
            Int(clamping: try required(member, object?[member]?.integer))
        }
        id = try required("erasure", json["erasure"]?.string)
        subject = try required("subject", json["subject"]?.string.flatMap(Subject.init(rawValue:)))
        identity = try required("identity_hash", json["identity_hash"]?.string.flatMap { IdentityHash($0) })
        requested = Timestamp(milliseconds: try required("requested", json["requested"]?.integer))
        completed = Timestamp(milliseconds: try required("completed", json["completed"]?.integer))
        key = try required("key", json["key"]?.string)
        switch json["by"]?.string {
        case "operator": isByOperator = true
        case "installation": isByOperator = false
        default: throw ErasureError("The receipt's member “by” is missing or invalid.")
        }
        installations = try count("installations", in: json)
        sharedInstallations = try count("shared_installations", in: json)
        position = try required("log.before", json["log"]?["before"]?.string)
        log = ErasedCounts(json: try required("log", json["log"]))
        indexedEvents = try count("events", in: json["index"])
        signer = try required("signer", json["signer"]?.string)
        signature = try required("signature", json["signature"]?.string.flatMap { HexadecimalText.decode($0) })
    }
}
