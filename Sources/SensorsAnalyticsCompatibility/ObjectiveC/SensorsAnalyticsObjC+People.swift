// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation
internal import TrackwayEvents

// People, profiles and things for Objective-C; each call does what the one of the same name does in Swift.
extension SensorsAnalyticsSDKObject {
    /// Says who uses the app.
    @objc public func login(_ loginId: String) {
        sdk.login(loginId)
    }

    /// Says who uses the app, with properties for `$SignUp`.
    @objc public func login(_ loginId: String, withProperties properties: NSDictionary?) {
        sdk.login(loginId, withProperties: Self.properties(properties))
    }

    /// Says that nobody is signed in any more.
    @objc public func logout() {
        sdk.logout()
    }

    /// Who is signed in; nil when nobody is.
    @objc public func loginId() -> String? { sdk.loginId() }

    /// The name of the anonymous visitor.
    @objc public func anonymousId() -> String { sdk.anonymousId() }

    /// Who events belong to.
    @objc public func distinctId() -> String { sdk.distinctId() }

    /// Names the anonymous visitor.
    @objc public func identify(_ anonymousId: String) {
        sdk.identify(anonymousId)
    }

    /// Gives the anonymous visitor the name back that it began with.
    @objc public func resetAnonymousId() {
        sdk.resetAnonymousId()
    }

    /// Gives the anonymous visitor another name: this one, or with nil a new one.
    @objc public func resetAnonymousIdentity(_ identity: String?) {
        sdk.resetAnonymousIdentity(identity)
    }

    /// Adds an id of the person.
    @objc public func bind(_ key: String, value: String) {
        sdk.bind(key, value: value)
    }

    /// Takes an id of the person away.
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

    /// Takes an attribute of the user away.
    @objc public func unset(_ profile: String) {
        sdk.unset(profile)
    }

    /// Adds to numbers of the user's.
    @objc public func increment(_ profile: NSDictionary) {
        sdk.increment(Self.properties(profile))
    }

    /// Adds to a number of the user's.
    @objc public func increment(_ profile: String, by amount: NSNumber) {
        sdk.increment(Self.properties(profile, amount))
    }

    /// Appends to a list of the user's: an array or a set of texts; what is no text stays behind.
    @objc public func append(_ profile: String, by content: Any) {
        switch content {
        case let list as NSArray: sdk.append(profile, by: list.compactMap { $0 as? String })
        case let set as NSSet: sdk.append(profile, by: Set(set.allObjects.compactMap { $0 as? String }))
        default: return
        }
    }

    /// Takes all attributes of the user away.
    @objc public func deleteUser() {
        sdk.deleteUser()
    }

    // MARK: Things

    /// Sets attributes of a thing.
    @objc public func itemSet(withType itemType: String, itemId: String, properties: NSDictionary?) {
        sdk.itemSet(withType: itemType, itemId: itemId, properties: Self.properties(properties))
    }

    /// Forgets a thing.
    @objc public func itemDelete(withType itemType: String, itemId: String) {
        sdk.itemDelete(withType: itemType, itemId: itemId)
    }
}
#endif
