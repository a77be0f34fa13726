// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDelivery
public import TrackwayDestinationKit

/// A destination and its settings: delivery, rules, consent category.
///
/// ```swift
/// var hourly = DeliveryPolicy()
/// hourly.flushInterval = .seconds(3600)
/// let configuration = Configuration(
///     appID: "shopping",
///     destinations: [
///         .collector(url, writeKey: key),
///         .collector(url, writeKey: key, id: "ads").configured(
///             delivery: hourly,
///             rules: [.deny("debug_*"), .redact("email")],
///             consentCategory: .marketing
///         ),
///     ],
///     consent: .granted
/// )
/// ```
public struct DestinationConfiguration: Sendable {
    /// The destination: a back end of the SDK or a custom type.
    public var destination: any Destination

    /// The policy for sending and retrying this destination's events.
    ///
    /// nil (the default) uses the policy in ``Configuration/Delivery``.
    public var delivery: DeliveryPolicy?

    /// The rules for which events this destination receives, and in which form.
    ///
    /// Rules select events, rename them, remove attributes or sample users. nil (the default) sends every event as it
    /// was recorded. If a destination is added or replaced at run time, nil keeps the rules that were previously set
    /// for its id. ``Analytics/options`` changes rules later. Every process of an installation needs the same rules,
    /// because one process delivers for all of them.
    public var rules: DestinationRules?

    /// The consent category of this destination.
    ///
    /// Set the category if users are asked about this destination separately. nil (the default) means the category
    /// `analytics`.
    public var consentCategory: ConsentCategory?

    /// The destination's id in routes and in the ledger.
    public var id: DestinationID { destination.id }

    /// Creates a configuration for a destination.
    public init(
        _ destination: any Destination,
        delivery: DeliveryPolicy? = nil,
        rules: DestinationRules? = nil,
        consentCategory: ConsentCategory? = nil
    ) {
        self.destination = destination
        self.delivery = delivery
        self.rules = rules
        self.consentCategory = consentCategory
    }

    /// Returns a copy with other settings.
    ///
    /// Settings that are nil do not change.
    public func configured(
        delivery: DeliveryPolicy? = nil,
        rules: DestinationRules? = nil,
        consentCategory: ConsentCategory? = nil
    ) -> DestinationConfiguration {
        DestinationConfiguration(
            destination,
            delivery: delivery ?? self.delivery,
            rules: rules ?? self.rules,
            consentCategory: consentCategory ?? self.consentCategory
        )
    }

    /// Whether the destination is app-managed.
    var isLocal: Bool { destination is LocalDestination }
}
