// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
package import TrackwayLifecycle

/// The state, other than events, that must survive a restart.
package struct Settings: Sendable, Equatable {
    /// The consent decisions.
    package var consent: ConsentMachine
    /// The decisions that the app made, with their circumstances.
    package var consentLog = ConsentLog()
    /// The decisions that apply after a last delivery.
    package var scheduledConsents: [ScheduledConsent] = []
    /// The collection policies, by source.
    package var policies: [PolicySource: CollectionPolicy] = [:]
    /// Whether the app enabled or disabled the SDK.
    ///
    /// nil if the app has done neither on this installation.
    package var isEnabled: Bool?
    /// The current user and the known users.
    package var identity = IdentityMachine()
    /// The global attributes.
    package var global = Attributes()
    /// The names of the current person's attributes in ``global``.
    package var personal: Set<String> = []

    /// Creates settings with no decisions and no users.
    package init(_ rules: ConsentRules) {
        consent = ConsentMachine(rules: rules)
    }

    /// The combination of all collection policies.
    package var policy: CollectionPolicy {
        policies.values.reduce(CollectionPolicy()) { $0.merging($1) }
    }

    /// Removes personal global attributes if the person differs from the one in `former`.
    ///
    /// - Returns: The names of the removed attributes; nil if the person is the same.
    package mutating func forgetPersonal(of former: IdentityMachine) -> Set<String>? {
        let isSame = identity.context.uniqueID == former.context.uniqueID
        guard !isSame || former.user != nil && identity.user != former.user else { return nil }
        let names = personal
        for name in names { global[name] = nil }
        personal = []
        return names
    }

    /// Reads settings that ``bytes`` wrote.
    ///
    /// Members of a newer version are ignored.
    ///
    /// - Throws: `JSONError` if the bytes are invalid.
    init(bytes: [UInt8], _ rules: ConsentRules) throws(JSONError) {
        self.init(rules)
        let json = try JSONValue.parse(bytes)
        guard json.object != nil else { throw JSONError(.unexpectedType, at: 0) }
        if let people = json["people"] { consent = try ConsentMachine(json: people, rules: rules) }
        if let text = json["consent"]?.string {
            guard let decision = Consent(rawValue: text) else { throw JSONError(.memberInvalid, at: 0) }
            // Written by a version that did not distinguish users, or by hand.
            if json["people"] == nil { _ = consent.decide(decision, by: .device) }
        }
        if let log = json["consent_log"] { consentLog = ConsentLog(json: log) }
        for scheduled in json["scheduled_consents"]?.array ?? [] {
            scheduledConsents.append(try ScheduledConsent(json: scheduled))
        }
        for source in PolicySource.allCases {
            if let policy = json["policies"]?[source.rawValue] { policies[source] = try CollectionPolicy(json: policy) }
        }
        isEnabled = json["enabled"]?.boolean
        if let stored = json["identity"] {
            identity = try IdentityMachine(json: stored)
        } else if let user = json["user"] {
            // Written by a version that did not distinguish users.
            identity = try IdentityMachine(json: .object(.init([.init(key: "user", value: user)])))
            if json["people"] == nil, let user = user.string { _ = consent.signIn(user) }
        }
        if let global = json["global"]?.object { self.global = Attributes(global) }
        global.restoreStrings(at: (json["texts"]?.array ?? []).compactMap(\.string))
        personal = Set((json["personal"]?.array ?? []).compactMap(\.string))
    }

    /// The settings as they are stored.
    var bytes: [UInt8] {
        var members: [JSONValue.Object.Member] = [.init(key: "version", value: .integer(1))]
        // This member is for human readers and for versions with only one decision.
        if let decision = consent.device.overall {
            members.append(.init(key: "consent", value: .string(decision.rawValue)))
        }
        members.append(.init(key: "people", value: consent.json))
        if !consentLog.records.isEmpty { members.append(.init(key: "consent_log", value: consentLog.json)) }
        if !scheduledConsents.isEmpty {
            members.append(.init(key: "scheduled_consents", value: .array(scheduledConsents.map(\.json))))
        }
        let policies = policies.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { JSONValue.Object.Member(key: $0.key.rawValue, value: $0.value.json) }
        if !policies.isEmpty { members.append(.init(key: "policies", value: .object(.init(policies)))) }
        if let isEnabled { members.append(.init(key: "enabled", value: .boolean(isEnabled))) }
        if identity != IdentityMachine() { members.append(.init(key: "identity", value: identity.json)) }
        if !global.isEmpty { members.append(.init(key: "global", value: .object(global.json))) }
        let texts = global.dateLikeStringPointers
        if !texts.isEmpty { members.append(.init(key: "texts", value: .array(texts.map { .string($0) }))) }
        if !personal.isEmpty {
            members.append(.init(key: "personal", value: .array(personal.ordered().map { .string($0) })))
        }
        return JSONValue.object(.init(members)).json()
    }
}
