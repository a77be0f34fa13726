// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// The person and device of a Sensors Analytics record.
struct SensorsPerson {
    /// The distinct id, which every record except an item's contains.
    let distinctID: String?
    /// The id of the signed-in person, if any.
    private(set) var loginID: String?
    /// The id of the device's anonymous visitor.
    private(set) var anonymousID: String?
    /// Other ids, by the name of their kind.
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
            // The person is known by an id other than a login id. Therefore, that id identifies the person.
            if kind != .unbind { loginID = distinctID }
        } else if kind != .unbind {
            // Without other information, a single id identifies a device. An unbound id says nothing about its owner.
            anonymousID = distinctID
        }
    }

    /// Returns the installation of the record's anonymous visitor or device.
    ///
    /// The same anonymous visitor of a project is the same installation. Nil for a server's records about a signed-in
    /// person.
    func installation(in project: String) -> InstallationID? {
        (anonymousID ?? deviceID).map { StableID.installation(["sensors", project, $0]) }
    }

    /// The kinds of ids that devices and sign-ins have automatically.
    private static let ownKinds: Set<String> = [
        "$identity_login_id", "$identity_anonymous_id", "$identity_idfv", "$identity_ios_uuid",
    ]

    /// Returns the pair that a record binds or unbinds.
    ///
    /// This is the last pair that is not an automatic id of a device or sign-in.
    static func pair(of record: JSONValue.Object) -> JSONValue.Object.Member? {
        let pairs = record["identities"]?.object?.members ?? []
        return pairs.last { !ownKinds.contains($0.key) } ?? pairs.last
    }

    /// The person, as the user of a context.
    var user: RecordedContext.User {
        RecordedContext.User(id: loginID, anonymousID: anonymousID, identities: identities)
    }

    private static func text(_ value: JSONValue?) -> String? {
        value?.text ?? value?.wholeNumber.map(String.init)
    }
}
