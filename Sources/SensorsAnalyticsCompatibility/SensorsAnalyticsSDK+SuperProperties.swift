// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayDestinations
internal import TrackwayEvents

extension SensorsAnalyticsSDK {
    /// Adds properties to every event from now on; they survive restarts. One whose name differs from a known one only in
    /// capital letters takes its place.
    public func registerSuperProperties(_ properties: SensorsAnalyticsProperties) {
        let new = Attributes(properties)
        let lower = Set(new.keys.map { $0.lowercased() })
        analytics.changeGlobalAttributes { known in
            for key in known.keys where lower.contains(key.lowercased()) && new[key] == nil { known[key] = nil }
            known.merge(new)
        }
    }

    /// Names properties anew for each event, on the thread that records it. They win over ``registerSuperProperties(_:)``,
    /// and the event's own over them. The closure does not survive a restart.
    public func registerDynamicSuperProperties(_ properties: @escaping @Sendable () -> SensorsAnalyticsProperties) {
        analytics.setGlobalAttributesProvider { [weak analytics] in
            var dynamic = Attributes(properties())
            // A static one that differs only in capital letters would stand beside it.
            for key in analytics?.globalAttributes.keys ?? [] where dynamic[key] == nil {
                if let other = dynamic.keys.first(where: { $0.lowercased() == key.lowercased() }) {
                    dynamic[key] = dynamic[other]
                    dynamic[other] = nil
                }
            }
            return dynamic
        }
    }

    /// Takes a property away from every event from now on.
    public func unregisterSuperProperty(_ property: String) {
        analytics.removeGlobalAttributes([property])
    }

    /// Takes all properties away from every event from now on.
    public func clearSuperProperties() {
        analytics.changeGlobalAttributes { $0 = [:] }
    }

    /// The properties that every event has, without the dynamic ones.
    public func currentSuperProperties() -> SensorsAnalyticsProperties {
        SensorsAnalyticsProperties(analytics.globalAttributes)
    }

    /// The properties that the SDK adds to every event by itself.
    public func getPresetProperties() -> SensorsAnalyticsProperties {
        let options = state.withLock { $0.destination.options }
        return SensorsAnalyticsProperties(
            options.presetProperties(
                in: analytics.recordedContext,
                installation: analytics.installationID,
                at: analytics.delivery.environment.wall
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
