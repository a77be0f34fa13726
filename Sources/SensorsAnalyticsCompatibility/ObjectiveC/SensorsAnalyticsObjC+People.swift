// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation
internal import TrackwayCore

// Users, profiles and items for Objective-C. Each method does what the Swift method of the same name does.
extension SensorsAnalyticsSDKObject {
    /// Signs a user in.
    @objc public func login(_ loginId: String) {
        sdk.login(loginId)
    }

    /// Signs a user in, with properties for `$SignUp`.
    @objc public func login(_ loginId: String, withProperties properties: NSDictionary?) {
        sdk.login(loginId, withProperties: Self.properties(properties))
    }

    /// Signs the user out.
    @objc public func logout() {
        sdk.logout()
    }

    /// The signed-in user's ID, or nil if no user is signed in.
    @objc public func loginId() -> String? { sdk.loginId() }

    /// The anonymous ID.
    @objc public func anonymousId() -> String { sdk.anonymousId() }

    /// The signed-in user's ID, or else the anonymous ID.
    @objc public func distinctId() -> String { sdk.distinctId() }

    /// Sets the anonymous ID.
    @objc public func identify(_ anonymousId: String) {
        sdk.identify(anonymousId)
    }

    /// Restores the initial anonymous ID.
    @objc public func resetAnonymousId() {
        sdk.resetAnonymousId()
    }

    /// Sets the anonymous ID; nil creates a new one.
    @objc public func resetAnonymousIdentity(_ identity: String?) {
        sdk.resetAnonymousIdentity(identity)
    }

    /// Adds an ID of the user.
    @objc public func bind(_ key: String, value: String) {
        sdk.bind(key, value: value)
    }

    /// Removes an ID of the user.
    @objc public func unbind(_ key: String, value: String) {
        sdk.unbind(key, value: value)
    }

    // MARK: Profiles

    /// Sets attributes of the user.
    @objc public func set(_ profile: NSDictionary) {
        sdk.set(Self.properties(profile))
    }

    /// Sets one attribute of the user.
    @objc public func set(_ profile: String, to value: Any) {
        sdk.set(Self.properties(profile, value))
    }

    /// Sets attributes of the user that have no value yet.
    @objc public func setOnce(_ profile: NSDictionary) {
        sdk.setOnce(Self.properties(profile))
    }

    /// Sets one attribute of the user, if it has no value yet.
    @objc public func setOnce(_ profile: String, to value: Any) {
        sdk.setOnce(Self.properties(profile, value))
    }

    /// Removes an attribute of the user.
    @objc public func unset(_ profile: String) {
        sdk.unset(profile)
    }

    /// Adds to numeric attributes of the user.
    @objc public func increment(_ profile: NSDictionary) {
        sdk.increment(Self.properties(profile))
    }

    /// Adds to a numeric attribute of the user.
    @objc public func increment(_ profile: String, by amount: NSNumber) {
        sdk.increment(Self.properties(profile, amount))
    }

    /// Appends to a list attribute of the user.
    ///
    /// The content is an array or a set of strings; other elements are left out.
    @objc public func append(_ profile: String, by content: Any) {
        switch content {
        case let list as NSArray: sdk.append(profile, by: list.compactMap { $0 as? String })
        case let set as NSSet: sdk.append(profile, by: Set(set.allObjects.compactMap { $0 as? String }))
        default: return
        }
    }

    /// Removes all attributes of the user.
    @objc public func deleteUser() {
        sdk.deleteUser()
    }

    // MARK: Items

    /// Sets attributes of an item.
    @objc public func itemSet(withType itemType: String, itemId: String, properties: NSDictionary?) {
        sdk.itemSet(withType: itemType, itemId: itemId, properties: Self.properties(properties))
    }

    /// Deletes an item.
    @objc public func itemDelete(withType itemType: String, itemId: String) {
        sdk.itemDelete(withType: itemType, itemId: itemId)
    }
}
#endif
