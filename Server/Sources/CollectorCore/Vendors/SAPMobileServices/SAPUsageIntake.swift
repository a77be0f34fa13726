// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit

/// Admits usage reports of SAP Mobile Services.
///
/// A report is one JSON object with an application, a device, and sessions with their events. Admission is a pure
/// function of the bytes, the path, the policy, the grant and the time.
///
/// A report without a required member is rejected with the paths of all missing members. An invalid event or session
/// affects only itself.
public struct SAPUsageIntake: Sendable {
    /// The application and device that a request's path names, unescaped.
    public struct Subject: Sendable, Hashable {
        /// The application.
        public var application: String
        /// The device, if the path names one.
        public var device: String?

        /// Creates a subject.
        public init(application: String, device: String? = nil) {
            self.application = application
            self.device = device
        }
    }

    /// An admitted report.
    public struct Report: Sendable {
        /// The report's id, in uppercase.
        public var id: String
        /// The report's events.
        public var batch: VendorBatch
    }

    private let limits: AdmissionLimits

    /// Creates an intake with these limits.
    public init(limits: AdmissionLimits = AdmissionLimits()) {
        self.limits = limits
    }

    /// Checks one body.
    ///
    /// - Parameters:
    ///   - wire: The body as received; compression is detected from the bytes.
    ///   - subject: The application and device that the path names.
    ///   - salt: If set, no personal data is stored, and the device's id is hashed with the salt.
    ///   - grant: The grant of the key that allows the application.
    ///   - received: The time of arrival by the collector's clock.
    ///   - isErased: Returns whether an installation was erased; events of erased installations are rejected and not
    ///     stored.
    ///   - isErasedUser: Returns whether a user was erased; events of erased users are rejected and not stored.
    /// - Throws: ``AdmissionError`` if no part of the body can be accepted: `field_missing` with the paths,
    ///   `field_invalid`, `application_mismatch`, `device_mismatch`, `too_many_events`, `malformed_json`,
    ///   `empty_batch`, or a `gzip_` code.
    public func admit(
        _ wire: [UInt8],
        of subject: Subject,
        salt: String? = nil,
        grant: KeyGrant,
        received: Timestamp,
        isErased: @escaping @Sendable (InstallationID) -> Bool = { _ in false },
        isErasedUser: @escaping @Sendable (String) -> Bool = { _ in false }
    ) throws(AdmissionError) -> Report {
        let json = VendorBody.isGzip(wire) ? try VendorBody.inflate(wire, limits: limits.body) : wire
        guard VendorBody.firstByte(json) != nil else {
            throw AdmissionError(.malformed, code: .emptyBatch, message: "The body is empty; send a report.")
        }
        let body = try SAPUsageBody(json, limits: limits)
        try body.check(subject)
        var batch = VendorBatch(
            .sapMobileServices,
            limits: limits,
            key: grant.name,
            received: received,
            isErased: isErased,
            isErasedUser: isErasedUser
        )
        var translation = SAPUsageTranslation(body.source, salt: salt)
        try batch.fill(inflatedBytes: json.count, by: &translation) { (visit) throws(AdmissionError) in
            try body.events(visit)
        }
        return Report(id: body.report, batch: batch)
    }
}

/// The application and device of a report.
struct SAPUsageSource: Sendable {
    /// The application's id.
    var application = ""
    /// The application's version.
    var version: String?
    /// The device's id.
    var device = ""
    /// Other facts about the device, under our names.
    var facts = Attributes()
    /// The registration id, if the client sends it.
    var registration: String?
}

/// A report's JSON, split into its events.
struct SAPUsageBody {
    /// The report's id, in uppercase.
    private(set) var report = ""
    /// The application and the device.
    private(set) var source = SAPUsageSource()
    private let json: [UInt8]
    private let limits: AdmissionLimits
    private var sessions: Range<Int>?

    /// The maximum number of sessions and events in a report.
    ///
    /// The reports that clients send cover days, not years.
    static let maximumElements = 10_000
    /// The maximum length of a section other than the sessions, in bytes.
    private static let sectionBytes = 64 << 10

    /// Reads the sections other than the sessions.
    ///
    /// - Throws: ``AdmissionError``; for missing members, with the paths of all of them.
    init(_ json: [UInt8], limits: AdmissionLimits) throws(AdmissionError) {
        self.json = json
        self.limits = limits
        var sections: [String: JSONValue] = [:]
        var places: [String: Range<Int>] = [:]
        var sessions: Range<Int>?
        try read { (scanner) throws(JSONError) in
            guard try scanner.peek() == .object else { throw JSONError(.unexpectedType, at: scanner.offset) }
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let name = scanner.string(key)
                guard Self.names.contains(name) else {
                    try scanner.skipValue()
                    continue
                }
                // Reject duplicates instead of choosing one: one may name the actual sender, and the other a different
                // one.
                guard places[name] == nil else { throw JSONError(.memberDuplicate, at: scanner.offset) }
                let start = scanner
                let isNull = try scanner.peek() == .null
                let range = try scanner.skipValue()
                places[name] = range
                guard name != "sessions" else {
                    if !isNull { sessions = range }
                    continue
                }
                guard range.count <= Self.sectionBytes else { throw JSONError(.tooLarge, at: range.lowerBound) }
                scanner = start
                sections[name] = try scanner.readValue()
            }
            try scanner.finish()
        }
        self.sessions = sessions
        try take(sections)
    }

    private static let names: Set<String> = ["report", "appInfo", "deviceInfo", "sessions", "registrationId"]

    private mutating func take(_ sections: [String: JSONValue]) throws(AdmissionError) {
        var missing: [String] = []
        func text(_ value: JSONValue?, _ path: String, isRequired: Bool = false) throws(AdmissionError) -> String? {
            guard let value, value != .null else {
                if isRequired { missing.append(path) }
                return nil
            }
            guard let text = value.string else { throw Self.invalid(path, "text") }
            guard text.utf8.count <= Self.longestName else {
                throw Self.invalid(path, "at most \(Self.longestName) bytes")
            }
            if text.isEmpty, isRequired { missing.append(path) }
            return text.isEmpty ? nil : text
        }
        for name in ["appInfo", "deviceInfo"] where sections[name] != nil && sections[name] != .null {
            guard sections[name]?.object != nil else { throw Self.invalid(name, "an object") }
        }
        let (app, device) = (sections["appInfo"], sections["deviceInfo"])
        report = try text(sections["report"], "report", isRequired: true)?.uppercased() ?? ""
        source.application = try text(app?["application"], "appInfo.application", isRequired: true) ?? ""
        source.device = try text(device?["deviceID"], "deviceInfo.deviceID", isRequired: true) ?? ""
        source.version = try text(app?["appVersion"], "appInfo.appVersion")
        for (member, name) in [("platform", "platform"), ("platformVersion", "os_version"), ("deviceModel", "model")] {
            source.facts[name] = try text(device?[member], "deviceInfo.\(member)").map { .string($0) }
        }
        source.registration = try text(
            sections["registrationId"] ?? device?["registrationId"],
            "registrationId"
        )
        guard missing.isEmpty else {
            throw AdmissionError(
                .malformed,
                code: .fieldMissing,
                field: missing[0],
                message: "The report lacks \(missing.joined(separator: ", "))."
            )
        }
        guard InstallationID(report) != nil else { throw Self.invalid("report", "a UUID") }
    }

    /// The maximum number of bytes of a string copied into every event.
    ///
    /// Each such string may be repeated ten thousand times.
    private static let longestName = 512

    private static func invalid(_ path: String, _ expectation: String) -> AdmissionError {
        AdmissionError(
            .malformed,
            code: .fieldInvalid,
            field: path,
            message: "“\(path)” is invalid; send \(expectation)."
        )
    }

    /// Compares the report with the path of the request.
    func check(_ subject: SAPUsageIntake.Subject) throws(AdmissionError) {
        guard source.application == subject.application else {
            throw AdmissionError(
                .malformed,
                code: .applicationMismatch,
                field: "appInfo.application",
                message: "The report is for a different application than the path names (“\(subject.application)”)."
            )
        }
        guard subject.device == nil || subject.device == source.device else {
            throw AdmissionError(
                .malformed,
                code: .deviceMismatch,
                field: "deviceInfo.deviceID",
                message: "The report is for a different device than the path names."
            )
        }
    }

    // MARK: Events

    /// Passes every event with its session and its path to a closure.
    ///
    /// An element is `{"path":"sessions[0].events[1]","session":"…","began":…,"event":…}`. A session that is not an
    /// object is passed as one element, and rejected.
    ///
    /// - Throws: ``AdmissionError`` if it is unclear where events begin and end, or there are too many.
    func events(_ visit: (VendorBody.Element) -> Void) throws(AdmissionError) {
        guard let sessions else { return }
        var count = 0
        var isTooMany = false
        try read(in: sessions) { (scanner) throws(JSONError) in
            guard try scanner.peek() == .array else { throw JSONError(.unexpectedType, at: sessions.lowerBound) }
            try scanner.enterArray()
            var index = 0
            while try scanner.nextElement() {
                let path = "sessions[\(index)]"
                index += 1
                count += 1
                isTooMany = count > Self.maximumElements
                if isTooMany { return }
                guard try scanner.peek() == .object else {
                    visit(Self.wrapped(try Self.value(&scanner, at: path, limits), at: path, [:]))
                    continue
                }
                var parts = try Self.parts(&scanner)
                guard parts.events != nil else { continue }
                let id = parts.info.flatMap { $0["sessionId"]?.text }
                guard (id?.utf8.count ?? 0) <= Self.longestName else { throw JSONError(.tooLarge, at: scanner.offset) }
                try Self.events(of: &parts, id, at: path, limits, &count, visit)
                isTooMany = count > Self.maximumElements
                if isTooMany { return }
            }
        }
        guard !isTooMany else {
            throw AdmissionError(
                .tooLarge,
                code: .tooManyEvents,
                message: "The report has more than \(Self.maximumElements) sessions and events; send fewer at once."
            )
        }
    }

    /// A session's info, and a scanner positioned at the session's events.
    private struct Parts {
        var info: JSONValue?
        var events: JSONScanner?
    }

    /// Skips a session and records where its events begin.
    ///
    /// The session's id may come after them.
    private static func parts(_ scanner: inout JSONScanner) throws(JSONError) -> Parts {
        var parts = Parts()
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            if scanner.text(key, equals: "sessionInfo") {
                guard parts.info == nil else { throw JSONError(.memberDuplicate, at: scanner.offset) }
                let start = scanner
                let range = try scanner.skipValue()
                guard range.count <= sectionBytes else { throw JSONError(.tooLarge, at: range.lowerBound) }
                scanner = start
                parts.info = try scanner.readValue()
            } else if scanner.text(key, equals: "events") {
                guard parts.events == nil else { throw JSONError(.memberDuplicate, at: scanner.offset) }
                if try scanner.peek() != .null { parts.events = scanner }
                try scanner.skipValue()
            } else {
                try scanner.skipValue()
            }
        }
        return parts
    }

    private static func events(
        of parts: inout Parts,
        _ session: String?,
        at path: String,
        _ limits: AdmissionLimits,
        _ count: inout Int,
        _ visit: (VendorBody.Element) -> Void
    ) throws(JSONError) {
        guard var scanner = parts.events else { return }
        var context = JSONValue.Object()
        if let session { context.put("session", .string(session)) }
        guard try scanner.peek() == .array else {
            let place = "\(path).events"
            switch try value(&scanner, at: place, limits) {
            case .value(let found):
                let text = String(decoding: found.json(), as: UTF8.self)
                visit(.refused(text, .invalid(place, "a list of events", found)))
            case .refused(let text, let fault): visit(.refused(text, fault))
            }
            return
        }
        try scanner.enterArray()
        var index = 0
        while try scanner.nextElement() {
            count += 1
            if count > maximumElements { return }
            let place = "\(path).events[\(index)]"
            let element = try value(&scanner, at: place, limits)
            if index == 0, case .value(let event) = element, event["key"]?.string == SAPUsageTranslation.sessionStart,
                let time = event["time"]?.string.flatMap({ SAPUsageTime($0) })
            {
                context.put("began", .integer(time.moment.milliseconds))
            }
            index += 1
            visit(wrapped(element, at: place, context.members.byKey))
        }
    }

    private static func value(
        _ scanner: inout JSONScanner,
        at path: String,
        _ limits: AdmissionLimits
    ) throws(JSONError) -> VendorBody.Element {
        let start = scanner
        let range = try scanner.skipValue()
        let longest = limits.vendorEvent.eventBytes
        guard range.count <= longest else {
            let excerpt = String(decoding: scanner.bytes(range).prefix(excerptBytes), as: UTF8.self)
            var fault = VendorFault.tooLong(range.count, longest)
            fault.field = path
            return .refused(excerpt, fault)
        }
        scanner = start
        return .value(try scanner.readValue())
    }

    /// The maximum number of bytes kept of an event that is too long.
    private static let excerptBytes = 4 << 10

    private static func wrapped(
        _ element: VendorBody.Element,
        at path: String,
        _ context: [String: JSONValue]
    ) -> VendorBody.Element {
        guard case .value(let event) = element else { return element }
        var object = JSONValue.Object([.init(key: "path", value: .string(path))])
        object.put("session", context["session"])
        object.put("began", context["began"])
        object.members.append(.init(key: "event", value: event))
        return .value(.object(object))
    }

    // MARK: Reading

    /// Runs `use` with a scanner for the JSON.
    ///
    /// The depth limit has five levels more than an event's: four for the report around an event, and one for the
    /// wrapping of a rejected event.
    private func read(
        in range: Range<Int>? = nil,
        _ use: (inout JSONScanner) throws(JSONError) -> Void
    ) throws(AdmissionError) {
        // A Result, because withUnsafeBytes rethrows untyped errors only.
        let outcome = json.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in
                var scanner = try JSONScanner(
                    UnsafeRawBufferPointer(rebasing: bytes[range ?? 0..<bytes.count]),
                    limits: JSONLimits(bytes: limits.body.inflatedBytes, depth: limits.vendorEvent.depth + 5)
                )
                try use(&scanner)
            }
        }
        guard case .failure(let error) = outcome else { return }
        throw AdmissionError(
            error.code == .tooLarge ? .tooLarge : .malformed,
            code: .malformedJSON,
            message: "The body is not a report: \(error)\(range == nil ? "" : " of its sessions")."
        )
    }
}

extension [JSONValue.Object.Member] {
    fileprivate var byKey: [String: JSONValue] { Dictionary(map { ($0.key, $0.value) }) { $1 } }
}
