// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinations

extension SensorsAnalyticsSDK {
    /// Adds properties to every event from now on.
    ///
    /// The properties persist across restarts. A property whose name differs from an existing one only in case replaces
    /// it.
    public func registerSuperProperties(_ properties: SensorsAnalyticsProperties) {
        let new = Attributes(properties)
        let lower = Set(new.keys.map { $0.lowercased() })
        analytics.changeGlobalAttributes { known in
            for key in known.keys where lower.contains(key.lowercased()) && new[key] == nil { known[key] = nil }
            known.merge(new)
        }
    }

    /// Sets a closure that returns properties for each event.
    ///
    /// The closure is called on the thread that records the event. Its properties override those
    /// of ``registerSuperProperties(_:)``, and the event's own properties override both. The closure does not persist
    /// across restarts.
    public func registerDynamicSuperProperties(_ properties: @escaping @Sendable () -> SensorsAnalyticsProperties) {
        analytics.setGlobalAttributesProvider { [weak analytics] in
            var dynamic = Attributes(properties())
            // Use the name of a static property that differs only in case, so that the event does not contain both.
            for key in analytics?.globalAttributes.keys ?? [] where dynamic[key] == nil {
                if let other = dynamic.keys.first(where: { $0.lowercased() == key.lowercased() }) {
                    dynamic[key] = dynamic[other]
                    dynamic[other] = nil
                }
            }
            return dynamic
        }
    }

    /// Stops adding a super property to events.
    public func unregisterSuperProperty(_ property: String) {
        analytics.removeGlobalAttributes([property])
    }

    /// Stops adding all super properties to events.
    public func clearSuperProperties() {
        analytics.changeGlobalAttributes { $0 = [:] }
    }

    /// The super properties, without the dynamic ones.
    public func currentSuperProperties() -> SensorsAnalyticsProperties {
        SensorsAnalyticsProperties(analytics.globalAttributes)
    }

    /// The properties that the SDK adds to every event automatically.
    public func getPresetProperties() -> SensorsAnalyticsProperties {
        let options = state.withLock { $0.destination.options }
        return SensorsAnalyticsProperties(
            options.presetProperties(
                in: analytics.recordedContext,
                installation: analytics.installationID,
                at: analytics.delivery.environment.wallTime
            )
        )
    }
}

extension SensorsAnalyticsProperties {
    /// The attributes as properties.
    fileprivate init(_ attributes: Attributes) {
        self.init(attributes.map { ($0.key, $0.value) }) { $1 }
    }
}
