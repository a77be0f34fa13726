// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayDestinations
internal import TrackwayEvents

extension SensorsAnalyticsSDK {
    /// Says who uses the app: records `$SignUp`, and every later event carries the id. An id that is empty, the anonymous
    /// one, or the one that is signed in already, changes nothing.
    public func login(_ loginId: String) {
        login(loginId, withProperties: nil)
    }

    /// Says who uses the app, with properties for `$SignUp`.
    public func login(_ loginId: String, withProperties properties: SensorsAnalyticsProperties?) {
        guard !loginId.isEmpty, loginId != anonymousId() else { return }
        analytics.identify(loginId, saying: Attributes(properties))
    }

    /// Says that nobody is signed in any more. Nothing is recorded.
    public func logout() {
        analytics.signOutSilently()
    }

    /// Names the anonymous visitor; an empty id changes nothing.
    public func identify(_ anonymousId: String) {
        guard !anonymousId.isEmpty else { return }
        analytics.setAnonymousID(anonymousId)
    }

    /// Gives the anonymous visitor the name back that it began with.
    public func resetAnonymousId() {
        analytics.resetAnonymousID()
    }

    /// Gives the anonymous visitor another name: this one, or a new one that nobody had. Refused while somebody is signed in.
    public func resetAnonymousIdentity(_ identity: String?) {
        guard loginId() == nil, identity?.isEmpty != true else { return }
        analytics.setAnonymousID(identity ?? analytics.freshID())
    }

    /// Adds an id of the person, such as `$identity_mobile`, and records `$BindID`.
    public func bind(_ key: String, value: String) {
        guard Self.isOwn(key), !value.isEmpty else { return }
        analytics.addIdentifier(value, type: key)
    }

    /// Takes an id of the person away, and records `$UnbindID`.
    public func unbind(_ key: String, value: String) {
        guard Self.isOwn(key), !value.isEmpty else { return }
        analytics.removeIdentifier(value, type: key)
    }

    /// Who is signed in; nil when nobody is.
    public func loginId() -> String? { analytics.userID }

    /// The name of the anonymous visitor.
    public func anonymousId() -> String { analytics.anonymousID }

    /// Who events belong to: the one who is signed in, else the anonymous visitor.
    public func distinctId() -> String { loginId() ?? anonymousId() }

    /// Whether an id is the app's to say: not the device's, the visitor's, or the one who is signed in.
    private static func isOwn(_ key: String) -> Bool {
        let kept = ["$identity_login_id", "$identity_anonymous_id", "$identity_idfv", "$identity_ios_uuid"]
        return SensorsAnalyticsRules.acceptsProperty(named: key) && !kept.contains(key)
    }
}

extension SensorsAnalyticsSDK {
    /// Sets attributes of the user.
    public func set(_ profile: SensorsAnalyticsProperties) {
        record(CapturedName.profileSet, Attributes(profile), unlessEmpty: true)
    }

    /// Sets one attribute of the user.
    public func set(_ profile: String, to value: any SensorsAnalyticsPropertyValue) {
        set([profile: value])
    }

    /// Sets attributes of the user that have no value yet.
    public func setOnce(_ profile: SensorsAnalyticsProperties) {
        record(CapturedName.profileSetOnce, Attributes(profile), unlessEmpty: true)
    }

    /// Sets one attribute of the user, if it has no value yet.
    public func setOnce(_ profile: String, to value: any SensorsAnalyticsPropertyValue) {
        setOnce([profile: value])
    }

    /// Takes an attribute of the user away.
    public func unset(_ profile: String) {
        record(CapturedName.profileUnset, [profile: true])
    }

    /// Adds to a number of the user's.
    public func increment(_ profile: String, by amount: any SensorsAnalyticsPropertyValue) {
        increment([profile: amount])
    }

    /// Adds to numbers of the user's. What is no number stays behind.
    public func increment(_ profile: SensorsAnalyticsProperties) {
        record(CapturedName.profileIncrement, Attributes(profile), unlessEmpty: true)
    }

    /// Appends to a list of the user's; equal elements count once.
    public func append(_ profile: String, by content: [String]) {
        record(CapturedName.profileAppend, [profile: .array(content.map { .string($0) })])
    }

    /// Appends to a list of the user's.
    public func append(_ profile: String, by content: Set<String>) {
        append(profile, by: content.sorted())
    }

    /// Takes all attributes of the user away.
    public func deleteUser() {
        record(CapturedName.profileDelete)
    }

    // MARK: Things

    /// Sets attributes of a thing.
    public func itemSet(
        withType itemType: String,
        itemId: String,
        properties: SensorsAnalyticsProperties? = nil
    ) {
        var attributes = Attributes(properties)
        attributes[CapturedKey.itemType] = .string(itemType)
        attributes[CapturedKey.itemID] = .string(itemId)
        record(CapturedName.itemSet, attributes)
    }

    /// Forgets a thing.
    public func itemDelete(withType itemType: String, itemId: String) {
        record(
            CapturedName.itemDelete,
            [CapturedKey.itemType: .string(itemType), CapturedKey.itemID: .string(itemId)]
        )
    }

    private func record(_ name: String, _ attributes: Attributes, unlessEmpty: Bool) {
        guard !(unlessEmpty && attributes.isEmpty) else { return }
        record(name, attributes)
    }
}
