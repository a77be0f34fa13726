// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayEvents

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
