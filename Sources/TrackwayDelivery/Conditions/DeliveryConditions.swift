// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The effects of the device's state on delivery.
///
/// These effects never drop an event: events stay pending in the journal, within its limits, and are sent when the
/// condition ends.
///
/// ```swift
/// configuration.delivery.conditions.onExpensiveNetwork = .spaced
/// configuration.delivery.conditions.spacing = .seconds(900)
/// ```
/// If several conditions hold, the strictest one applies. A condition that the system does not report (on Linux) has no
/// effect.
public struct DeliveryConditions: Sendable, Hashable {
    /// The effect of a condition, from the mildest to the strictest.
    public enum Reaction: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// No effect.
        case unrestricted
        /// Uploads that the app did not request are ``DeliveryConditions/spacing`` apart.
        ///
        /// Each such upload sends all pending events. Destinations whose ``DeliveryPolicy/flushEvents`` is 1 are not
        /// affected, nor is the upload made when the app leaves the foreground.
        case spaced
        /// Only a flush or shutdown that the app requests sends events.
        case held
        /// Nothing is sent, not even by a flush.
        case closed

        public static func < (first: Reaction, second: Reaction) -> Bool { first.rawValue < second.rawValue }
    }

    /// The effect of Low Power Mode; spaced by default.
    public var onLowPower = Reaction.spaced
    /// The effect of a hot device (`serious`); spaced by default.
    public var onSeriousHeat = Reaction.spaced
    /// The effect while the device must cool down (`critical`); held by default.
    public var onCriticalHeat = Reaction.held
    /// The effect of an expensive network, such as cellular.
    ///
    /// Unrestricted by default: events are small, and many people have no other network.
    public var onExpensiveNetwork = Reaction.unrestricted
    /// The effect of having no network.
    ///
    /// Held by default: an attempt uses power and fails. Pending events are sent as soon as a network is available.
    public var onMissingNetwork = Reaction.held
    /// The time between spaced uploads, and before the first spaced upload.
    ///
    /// 5 minutes by default.
    public var spacing = Duration.seconds(300)
    /// The effect of Low Data Mode.
    ///
    /// Set from the configuration, which determines whether the transport sends on such networks.
    package var onConstrainedNetwork = Reaction.closed

    /// Creates conditions with the defaults above.
    public init() {}

    /// Conditions with no effect, except in Low Data Mode.
    ///
    /// See `Configuration.delivery.allowsConstrainedNetworks`.
    public static var ignored: DeliveryConditions {
        var conditions = DeliveryConditions()
        conditions.onLowPower = .unrestricted
        conditions.onSeriousHeat = .unrestricted
        conditions.onCriticalHeat = .unrestricted
        conditions.onExpensiveNetwork = .unrestricted
        conditions.onMissingNetwork = .unrestricted
        return conditions
    }

    /// Returns the restriction on delivery for the device's current state.
    package func throttle(for device: DeviceConditions) -> DeliveryThrottle {
        var reactions: [(Reaction, DeliveryThrottle.Reason)] = []
        if device.isConstrained == true { reactions.append((onConstrainedNetwork, .constrainedNetwork)) }
        if device.isConnected == false { reactions.append((onMissingNetwork, .noNetwork)) }
        switch device.thermalState {
        case .critical: reactions.append((max(onCriticalHeat, onSeriousHeat), .criticalHeat))
        case .serious: reactions.append((onSeriousHeat, .seriousHeat))
        case .nominal, .fair, nil: break
        }
        if device.isInLowPowerMode == true { reactions.append((onLowPower, .lowPower)) }
        if device.isExpensive == true { reactions.append((onExpensiveNetwork, .expensiveNetwork)) }
        // Of equally strict conditions, the first is reported: the list begins with those that can change soonest.
        guard let strictest = reactions.map(\.0).max(), strictest > .unrestricted,
            let reason = reactions.first(where: { $0.0 == strictest })?.1
        else { return .unrestricted }
        return DeliveryThrottle(strictest, because: reason, spacing: max(.zero, spacing))
    }
}

/// The restriction on delivery that the device's state requires.
package struct DeliveryThrottle: Sendable, Equatable {
    /// The condition that causes the restriction.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        case constrainedNetwork
        case noNetwork
        case criticalHeat
        case seriousHeat
        case lowPower
        case expensiveNetwork
    }

    /// The strictness of the restriction.
    package let reaction: DeliveryConditions.Reaction
    /// The cause; nil when delivery is unrestricted.
    package let reason: Reason?
    /// The time between spaced uploads.
    package let spacing: Duration

    /// No restriction.
    package static let unrestricted = DeliveryThrottle(.unrestricted, because: nil, spacing: .zero)

    /// Creates a restriction.
    package init(_ reaction: DeliveryConditions.Reaction, because reason: Reason?, spacing: Duration) {
        self.reaction = reaction
        self.reason = reason
        self.spacing = spacing
    }

    /// Returns whether an upload may begin.
    ///
    /// - Parameter isRequestedByApp: Whether the app requested a flush.
    package func permitsUpload(isRequestedByApp: Bool) -> Bool {
        switch reaction {
        case .unrestricted, .spaced: true
        case .held: isRequestedByApp
        case .closed: false
        }
    }

    /// Returns a destination's policy under this restriction.
    package func applied(to policy: DeliveryPolicy) -> DeliveryPolicy {
        let isImmediate = policy.flushEvents == 1 && policy.queue == nil
        guard reaction == .spaced, !isImmediate else { return policy }
        var policy = policy
        policy.flushInterval = max(policy.flushInterval, spacing)
        policy.flushEvents = .max
        return policy
    }

    /// The reason why events are pending, as a sentence; nil when unrestricted.
    package var pendingReason: String? {
        guard reaction > .unrestricted, let reason else { return nil }
        let what =
            switch reason {
            case .constrainedNetwork:
                "the network is in low-data mode (Configuration.delivery.allowsConstrainedNetworks)"
            case .noNetwork: "no network is available"
            case .criticalHeat: "the device is very hot"
            case .seriousHeat: "the device is hot"
            case .lowPower: "the device is in low power mode"
            case .expensiveNetwork: "the network is expensive"
            }
        return "Events are pending because \(what)."
    }
}
