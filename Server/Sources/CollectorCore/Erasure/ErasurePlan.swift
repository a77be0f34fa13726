// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit

/// The data that one erasure removes from the log, and the progress of removing it.
///
/// The plan is stored durably before the index removes anything, because the sign-ins from which it is made are removed
/// too. It contains the person's identifiers, and is deleted when the erasure is complete.
public struct ErasurePlan: Sendable, Hashable {
    /// An installation on which other people's events remain.
    public struct SharedInstallation: Sendable, Hashable {
        /// The installation.
        public var installation: InstallationID
        /// The time ranges whose anonymous events belong to the erased user, in milliseconds since 1970.
        public var times: [ClosedRange<Int64>]

        /// Creates a shared installation.
        public init(_ installation: InstallationID, times: [ClosedRange<Int64>]) {
            self.installation = installation
            self.times = times
        }
    }

    /// The erasure's id: the time of the request and the beginning of the identity's hash.
    public let id: String
    /// When the erasure was requested, by the collector's clock.
    public let requested: Timestamp
    /// The name of the request's key.
    public let key: String
    /// Whether an operator requested the erasure, not the installation itself.
    public let isByOperator: Bool
    /// The kind of identity that is erased.
    public let subject: ErasureReceipt.Subject
    /// The hash of the user's or the installation's id.
    public let identity: IdentityHash
    /// The erased user's id; nil if an installation is erased.
    public let user: String?
    /// Whether the plan only removes events that arrived while their sender was being erased.
    ///
    /// Such a plan has no receipt of its own.
    public var isFollowUp: Bool { followUp != nil }
    private let followUp: String?
    /// The installations whose data is removed completely.
    public var installations: [InstallationID] = []
    /// The installations from which only the user's events are removed.
    public var shared: [SharedInstallation] = []
    /// What was removed from each segment of the log, by number.
    ///
    /// An entry is stored before its segment is rewritten, so no count is lost if the process is killed in between.
    public var segments: [UInt32: ErasedCounts] = [:]

    /// Creates the plan of an installation's erasure.
    ///
    /// - Parameter place: The position of the event to remove, for a follow-up; else nil.
    public init(_ request: DeletionRequest, key: ErasureKey, followUp place: EventPosition? = nil) {
        self.init(
            request.time,
            request.key,
            isByOperator: request.isByOperator,
            .installation,
            key.hash(installation: request.installation),
            followUp: place.map { "\($0.segment)-\($0.offset)" }
        )
        installations = [request.installation]
    }

    /// Creates the plan of a user's erasure.
    ///
    /// - Parameters:
    ///   - user: The user's id.
    ///   - place: The position of the event to remove, for a follow-up; else nil.
    public init(_ record: UserErasureRecord, user: String, followUp place: EventPosition? = nil) {
        self.init(
            record.received,
            record.key,
            isByOperator: true,
            .user,
            record.identity,
            user: user,
            followUp: place.map { "\($0.segment)-\($0.offset)" }
        )
    }

    private init(
        _ requested: Timestamp,
        _ key: String,
        isByOperator: Bool,
        _ subject: ErasureReceipt.Subject,
        _ identity: IdentityHash,
        user: String? = nil,
        followUp: String?
    ) {
        self.subject = subject
        self.followUp = followUp
        id = "\(requested.milliseconds)-\(identity.description.prefix(12))" + (followUp.map { "-" + $0 } ?? "")
        self.requested = requested
        self.key = key
        self.isByOperator = isByOperator
        self.identity = identity
        self.user = user
    }

    /// Whether the plan removes anything from an installation.
    public func includes(_ installation: InstallationID) -> Bool {
        installations.contains(installation) || shared.contains { $0.installation == installation }
    }

    /// The sum over all segments.
    public var counts: ErasedCounts { segments.values.reduce(into: ErasedCounts()) { $0.add($1) } }

    /// The plan as a JSON object.
    public var json: [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("id", id)
            writer.member("requested", requested)
            writer.member("key", key)
            writer.member("operator", isByOperator)
            writer.member("subject", subject.rawValue)
            writer.member("identity", identity.description)
            if let user { writer.member("user", user) }
            if let followUp { writer.member("follow_up", followUp) }
            writer.list("installations", installations) { $1.id($0) }
            writer.list("shared", shared) { shared, writer in
                writer.beginObject()
                writer.member("installation", shared.installation)
                writer.list("times", shared.times) { range, writer in
                    writer.beginArray()
                    for time in [range.lowerBound, range.upperBound] {
                        writer.element()
                        writer.integer(time)
                    }
                    writer.endArray()
                }
                writer.endObject()
            }
            writer.list("segments", segments.sorted { $0.key < $1.key }) { segment, writer in
                writer.beginObject()
                writer.member("segment", Int64(segment.key))
                segment.value.write(to: &writer)
                writer.endObject()
            }
            writer.endObject()
            return writer.array()
        }
    }

    /// Writes the state of the erasure as a JSON object, without the person's identifiers.
    public func writeStatus(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("erasure", id)
        writer.member("subject", subject.rawValue)
        writer.member("requested", requested)
        writer.member("by", isByOperator ? "operator" : "installation")
        writer.member("key", key)
        writer.member("completed", nil as String?)
        writer.key("log")
        writer.beginObject()
        counts.write(to: &writer)
        writer.endObject()
        writer.endObject()
    }

    /// Reads a stored plan.
    ///
    /// - Throws: ``ErasureError`` if the bytes are not a plan.
    public init(json bytes: [UInt8]) throws(ErasureError) {
        do {
            let json = try bytes.withUnsafeBytes { try JSONValue.parse($0) }
            guard let requested = json["requested"]?.integer, let key = json["key"]?.string,
                let subject = json["subject"]?.string.flatMap({ ErasureReceipt.Subject(rawValue: $0) }),
                let identity = json["identity"]?.string.flatMap({ IdentityHash($0) })
            else { throw ErasureError("a member is missing") }
            self.init(
                Timestamp(milliseconds: requested),
                key,
                isByOperator: json["operator"]?.boolean ?? true,
                subject,
                identity,
                user: json["user"]?.string,
                followUp: json["follow_up"]?.string
            )
            installations = (json["installations"]?.array ?? []).compactMap { $0.string.flatMap { InstallationID($0) } }
            shared = (json["shared"]?.array ?? []).compactMap { shared in
                guard let installation = shared["installation"]?.string.flatMap({ InstallationID($0) }) else {
                    return nil
                }
                let times = (shared["times"]?.array ?? []).compactMap { range -> ClosedRange<Int64>? in
                    guard let bounds = range.array?.compactMap(\.integer), bounds.count == 2, bounds[0] <= bounds[1]
                    else { return nil }
                    return bounds[0]...bounds[1]
                }
                return SharedInstallation(installation, times: times)
            }
            for segment in json["segments"]?.array ?? [] {
                guard let number = segment["segment"]?.integer.flatMap({ UInt32(exactly: $0) }) else { continue }
                segments[number] = ErasedCounts(json: segment)
            }
        } catch {
            throw ErasureError("The erasure plan cannot be read: \(error).")
        }
    }
}

/// The number of log entries that an erasure removed.
public struct ErasedCounts: Sendable, Hashable {
    /// The number of records that were changed.
    public var records = 0
    /// The number of accepted events, including duplicates.
    public var events = 0
    /// The number of these events on installations shared with other people, or without an installation.
    public var sharedEvents = 0
    /// The number of rejected events and of batches rejected as a whole.
    public var rejected = 0
    /// The number of records whose contents could not be inspected, and which therefore remain.
    public var uninspected = 0

    /// Creates counts of zero.
    public init() {}

    /// Whether all counts are zero.
    public var isEmpty: Bool { self == ErasedCounts() }

    /// Adds other counts.
    public mutating func add(_ other: ErasedCounts) {
        records += other.records
        events += other.events
        sharedEvents += other.sharedEvents
        rejected += other.rejected
        uninspected += other.uninspected
    }

    /// Writes the counts as members of the current object.
    func write(to writer: inout JSONWriter) {
        writer.member("records", Int64(records))
        writer.member("events", Int64(events))
        writer.member("shared_events", Int64(sharedEvents))
        writer.member("rejected", Int64(rejected))
        writer.member("uninspected", Int64(uninspected))
    }

    /// Reads the members of an object; missing ones are zero.
    init(json: JSONValue) {
        records = Int(clamping: json["records"]?.integer ?? 0)
        events = Int(clamping: json["events"]?.integer ?? 0)
        sharedEvents = Int(clamping: json["shared_events"]?.integer ?? 0)
        rejected = Int(clamping: json["rejected"]?.integer ?? 0)
        uninspected = Int(clamping: json["uninspected"]?.integer ?? 0)
    }
}
