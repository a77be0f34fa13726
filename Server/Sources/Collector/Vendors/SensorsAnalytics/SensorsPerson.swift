// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

/// Who a record of the Sensors Analytics format is about, and on which device.
struct SensorsPerson {
    /// The id that every record but an item's has.
    let distinctID: String?
    /// The person, when somebody was signed in.
    private(set) var loginID: String?
    /// The device's anonymous visitor.
    private(set) var anonymousID: String?
    /// Further ids, by the name of their kind.
    private(set) var identities = Attributes()
    private var deviceID: String?

    /// Reads a record.
    init(_ record: JSONValue.Object, _ kind: SensorsAnalyticsKind, _ properties: JSONValue.Object) {
        distinctID = Self.text(record["distinct_id"])
        deviceID = properties["$device_id"]?.text ?? properties["$anonymization_id"]?.text
        guard !kind.isItem else { return }
        loginID = Self.text(record["login_id"])
        anonymousID = Self.text(record["anonymous_id"])
        for member in record["identities"]?.object?.members ?? [] {
            guard let id = member.value.text else { continue }
            switch member.key {
            case "$identity_login_id": loginID = loginID ?? id
            case "$identity_anonymous_id": anonymousID = anonymousID ?? id
            default: identities[member.key] = .string(id)
            }
        }
        if kind == .signUp {
            loginID = loginID ?? distinctID
            anonymousID = anonymousID ?? Self.text(record["original_id"])
        }
        if loginID == nil, properties["$is_login_id"]?.boolean == true { loginID = distinctID }
        if loginID == nil, let anonymousID, let distinctID, distinctID != anonymousID { loginID = distinctID }
        guard loginID == nil, anonymousID == nil else { return }
        if identities.contains(where: { "\($0.key)+\($0.value.string ?? "")" == distinctID }) {
            // Known by another id than a sign-in: that id is the person's name.
            if kind != .unbind { loginID = distinctID }
        } else if kind != .unbind {
            // Without another word the one id there is means a device. An id that is taken away says nothing of its owner.
            anonymousID = distinctID
        }
    }

    /// The installation: the same anonymous visitor of a project is the same installation. None for what a server says
    /// about a person who is signed in.
    func installation(in project: String) -> InstallationID? {
        (anonymousID ?? deviceID).map { StableID.installation(["sensors", project, $0]) }
    }

    /// The kinds of ids that a device or a sign-in has by itself.
    private static let ownKinds: Set<String> = [
        "$identity_login_id", "$identity_anonymous_id", "$identity_idfv", "$identity_ios_uuid",
    ]

    /// The pair that a record binds or unbinds: the last one that is no device's or sign-in's own.
    static func pair(of record: JSONValue.Object) -> JSONValue.Object.Member? {
        let pairs = record["identities"]?.object?.members ?? []
        return pairs.last { !ownKinds.contains($0.key) } ?? pairs.last
    }

    /// The person as a context tells it.
    var user: RecordedContext.User {
        RecordedContext.User(id: loginID, anonymousID: anonymousID, identities: identities)
    }

    private static func text(_ value: JSONValue?) -> String? {
        value?.text ?? value?.wholeNumber.map(String.init)
    }
}
