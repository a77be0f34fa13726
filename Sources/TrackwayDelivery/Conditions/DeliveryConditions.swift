// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How the device's state changes delivery.
///
/// No event is dropped because of it: events stay pending in the journal, within its limits, and are sent when the condition ends.
///
/// ```swift
/// configuration.delivery.conditions.onExpensiveNetwork = .spaced
/// configuration.delivery.conditions.spacing = .seconds(900)
/// ```
/// If several conditions hold, the strictest one applies. A condition that the system does not report (on Linux) has no effect.
public struct DeliveryConditions: Sendable, Hashable {
    /// The effect of a condition, from the mildest to the strictest.
    public enum Reaction: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// No effect.
        case unrestricted
        /// Uploads that the app did not request are ``DeliveryConditions/spacing`` apart.
        ///
        /// Each of them then sends everything that is pending. Destinations whose ``DeliveryPolicy/flushEvents`` is 1 are not affected,
        /// nor is the upload when the app leaves the foreground.
        case spaced
        /// Only a flush or a shutdown by the app sends events.
        case held
        /// Nothing is sent, not even by a flush.
        case closed

        public static func < (first: Reaction, second: Reaction) -> Bool { first.rawValue < second.rawValue }
    }

    /// While the device is in low power mode. Spaced by default.
    public var onLowPower = Reaction.spaced
    /// While the device is hot (`serious`). Spaced by default.
    public var onSeriousHeat = Reaction.spaced
    /// While the device must cool down (`critical`). Held by default.
    public var onCriticalHeat = Reaction.held
    /// On expensive networks, such as cellular.
    ///
    /// Unrestricted by default: events are small, and many people have no other network.
    public var onExpensiveNetwork = Reaction.unrestricted
    /// The effect when there is no network.
    ///
    /// Held by default: an attempt costs power and fails. Pending events are sent as soon as there is a network.
    public var withoutNetwork = Reaction.held
    /// The time between spaced uploads, and before the first one.
    ///
    /// 5 minutes by default.
    public var spacing = Duration.seconds(300)
    /// In low-data mode. The configuration's own setting decides: nobody else knows whether the transport sends there.
    package var onConstrainedNetwork = Reaction.closed

    /// Makes conditions with the defaults above.
    public init() {}

    /// Conditions without any effect, except in low-data mode.
    ///
    /// See `Configuration.delivery.allowsConstrainedNetworks`.
    public static var ignored: DeliveryConditions {
        var conditions = DeliveryConditions()
        conditions.onLowPower = .unrestricted
        conditions.onSeriousHeat = .unrestricted
        conditions.onCriticalHeat = .unrestricted
        conditions.onExpensiveNetwork = .unrestricted
        conditions.withoutNetwork = .unrestricted
        return conditions
    }

    /// What the device's state asks of delivery now.
    package func restraint(by device: DeviceConditions) -> Restraint {
        var asked: [(Reaction, Restraint.Reason)] = []
        if device.isConstrained == true { asked.append((onConstrainedNetwork, .constrainedNetwork)) }
        if device.isConnected == false { asked.append((withoutNetwork, .noNetwork)) }
        switch device.thermalState {
        case .critical: asked.append((max(onCriticalHeat, onSeriousHeat), .criticalHeat))
        case .serious: asked.append((onSeriousHeat, .seriousHeat))
        case .nominal, .fair, nil: break
        }
        if device.savesPower == true { asked.append((onLowPower, .lowPower)) }
        if device.isExpensive == true { asked.append((onExpensiveNetwork, .expensiveNetwork)) }
        // Of equally strict ones the first is told: what can be changed soonest comes first.
        guard let strictest = asked.map(\.0).max(), strictest > .unrestricted,
            let reason = asked.first(where: { $0.0 == strictest })?.1
        else { return .none }
        return Restraint(strictest, because: reason, spacing: max(.zero, spacing))
    }
}

/// What the device's state asks of delivery at a moment.
package struct Restraint: Sendable, Hashable {
    /// The condition that asks for it.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        case constrainedNetwork
        case noNetwork
        case criticalHeat
        case seriousHeat
        case lowPower
        case expensiveNetwork
    }

    /// How strict it is.
    package let reaction: DeliveryConditions.Reaction
    /// nil when nothing is asked for.
    package let reason: Reason?
    /// How far uploads keep apart where they are spaced.
    package let spacing: Duration

    /// Nothing is asked for.
    package static let none = Restraint(.unrestricted, because: nil, spacing: .zero)

    /// Makes a restraint.
    package init(_ reaction: DeliveryConditions.Reaction, because reason: Reason?, spacing: Duration) {
        self.reaction = reaction
        self.reason = reason
        self.spacing = spacing
    }

    /// Whether an upload may begin.
    ///
    /// - Parameter isAsked: somebody flushes.
    package func permits(isAsked: Bool) -> Bool {
        switch reaction {
        case .unrestricted, .spaced: true
        case .held: isAsked
        case .closed: false
        }
    }

    /// The policy of a destination under this restraint.
    package func applied(to policy: DeliveryPolicy) -> DeliveryPolicy {
        let isImmediate = policy.flushEvents == 1 && policy.queue == nil
        guard reaction == .spaced, !isImmediate else { return policy }
        var policy = policy
        policy.flushInterval = max(policy.flushInterval, spacing)
        policy.flushEvents = .max
        return policy
    }

    /// Why events wait, in a sentence; nil when they need not.
    package var obstacle: String? {
        guard reaction > .unrestricted, let reason else { return nil }
        let what =
            switch reason {
            case .constrainedNetwork:
                "the network is in low-data mode (Configuration.delivery.allowsConstrainedNetworks)"
            case .noNetwork: "there is no network"
            case .criticalHeat: "the device is very hot"
            case .seriousHeat: "the device is hot"
            case .lowPower: "the device saves power"
            case .expensiveNetwork: "the network is an expensive one"
            }
        return "Events wait because \(what)."
    }
}
