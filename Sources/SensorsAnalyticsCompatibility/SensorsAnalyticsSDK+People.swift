// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinations

extension SensorsAnalyticsSDK {
    /// Signs a user in and records `$SignUp`.
    ///
    /// Every later event contains the ID. The call has no effect if the ID is empty, is the anonymous ID, or is already
    /// signed in.
    public func login(_ loginId: String) {
        login(loginId, withProperties: nil)
    }

    /// Signs a user in, with properties for `$SignUp`.
    public func login(_ loginId: String, withProperties properties: SensorsAnalyticsProperties?) {
        guard !loginId.isEmpty, loginId != anonymousId() else { return }
        analytics.identify(loginId, eventAttributes: Attributes(properties))
    }

    /// Signs the user out, without recording an event.
    public func logout() {
        analytics.signOutSilently()
    }

    /// Sets the anonymous ID; an empty ID has no effect.
    public func identify(_ anonymousId: String) {
        guard !anonymousId.isEmpty else { return }
        analytics.setAnonymousID(anonymousId)
    }

    /// Restores the initial anonymous ID.
    public func resetAnonymousId() {
        analytics.resetAnonymousID()
    }

    /// Sets the anonymous ID; nil sets a new unique ID.
    ///
    /// The call is ignored while a user is signed in.
    public func resetAnonymousIdentity(_ identity: String?) {
        guard loginId() == nil, identity?.isEmpty != true else { return }
        analytics.setAnonymousID(identity ?? analytics.makeUniqueID())
    }

    /// Adds an ID of the user, such as `$identity_mobile`, and records `$BindID`.
    public func bind(_ key: String, value: String) {
        guard Self.isValidIDType(key), !value.isEmpty else { return }
        analytics.addIdentifier(value, type: key)
    }

    /// Removes an ID of the user, and records `$UnbindID`.
    public func unbind(_ key: String, value: String) {
        guard Self.isValidIDType(key), !value.isEmpty else { return }
        analytics.removeIdentifier(value, type: key)
    }

    /// The signed-in user's ID, or nil if no user is signed in.
    public func loginId() -> String? { analytics.userID }

    /// The anonymous ID.
    public func anonymousId() -> String { analytics.anonymousID }

    /// The signed-in user's ID, or else the anonymous ID.
    public func distinctId() -> String { loginId() ?? anonymousId() }

    /// Whether the app may set an ID of this type.
    ///
    /// The app may not set the device's ID, the anonymous ID, or the signed-in user's ID.
    private static func isValidIDType(_ key: String) -> Bool {
        let reserved = ["$identity_login_id", "$identity_anonymous_id", "$identity_idfv", "$identity_ios_uuid"]
        return SensorsAnalyticsRules.acceptsProperty(named: key) && !reserved.contains(key)
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

    /// Removes an attribute of the user.
    public func unset(_ profile: String) {
        record(CapturedName.profileUnset, [profile: true])
    }

    /// Adds to a numeric attribute of the user.
    public func increment(_ profile: String, by amount: any SensorsAnalyticsPropertyValue) {
        increment([profile: amount])
    }

    /// Adds to numeric attributes of the user.
    ///
    /// Values that are not numbers are left out.
    public func increment(_ profile: SensorsAnalyticsProperties) {
        record(CapturedName.profileIncrement, Attributes(profile), unlessEmpty: true)
    }

    /// Appends to a list attribute of the user; equal elements count once.
    public func append(_ profile: String, by content: [String]) {
        record(CapturedName.profileAppend, [profile: .array(content.map { .string($0) })])
    }

    /// Appends to a list attribute of the user.
    public func append(_ profile: String, by content: Set<String>) {
        append(profile, by: content.sorted())
    }

    /// Removes all attributes of the user.
    public func deleteUser() {
        record(CapturedName.profileDelete)
    }

    // MARK: Items

    /// Sets attributes of an item.
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

    /// Deletes an item.
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
