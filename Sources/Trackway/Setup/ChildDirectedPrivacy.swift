// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayLifecycle

extension Configuration.Privacy {
    /// Settings for an app that children use.
    ///
    /// ```swift
    /// configuration.privacy = .children
    /// ```
    /// ``isChildDirected`` is true, and all other settings have their defaults.
    public static var children: Configuration.Privacy {
        var privacy = Configuration.Privacy()
        privacy.isChildDirected = true
        return privacy
    }
}

extension Configuration {
    /// The configuration without anything that must not be recorded about children.
    ///
    /// Unchanged if the app is not for children.
    var protectingChildren: Configuration {
        guard privacy.isChildDirected else { return self }
        var configuration = self
        configuration.snapshots?.isChildDirected = true
        configuration.snapshots?.allowsMotion = false
        configuration.snapshots?.allowsLocation = false
        configuration.snapshots?.allowsDeviceRecognition = false
        // An app and compatibility modules may record changes of users' attributes as events of their own. This
        // interceptor comes last, so that an interceptor of the app cannot add attributes again.
        var profiles = Interceptor("user attributes of children") { event in
            if event.name == CapturedName.alias {
                event.attributes = Attributes(event.attributes.filter { Self.aliasKeys.contains($0.key) })
                return .keep
            }
            guard Self.profileEvents.contains(event.name) else { return .keep }
            // A sign-in, a sign-out and a deletion remain, without attributes of the user.
            let isSignIn = event.attributes[CapturedKey.signedIn] != nil && event.name == CapturedName.profileSet
            event.attributes = Attributes(event.attributes.filter { isSignIn && $0.key == CapturedKey.signedIn })
            return isSignIn || event.name == CapturedName.profileDelete ? .keep : .drop
        }
        profiles.seesPeople = true
        configuration.interceptors.append(profiles)
        return configuration
    }

    private static let aliasKeys: Set<String> = [CapturedKey.aliasFrom, CapturedKey.aliasTo]

    private static let profileEvents: Set<String> = [
        CapturedName.profileSet, CapturedName.profileSetOnce, CapturedName.profileIncrement,
        CapturedName.profileAppend, CapturedName.profileUnset, CapturedName.profileDelete,
    ]
}

extension RecordedContext {
    /// The context without anything that must not be recorded about children.
    var protectingChildren: RecordedContext {
        var context = self
        context.device["id"] = nil
        context.device["advertising_id"] = nil
        // The attributes may have been set before the app was for children.
        context.user.attributes = []
        return context
    }
}

extension SnapshotSources {
    /// The sources without values that identify a device.
    var protectingChildren: SnapshotSources {
        var sources = self
        sources.deviceProperties = deviceProperties.map { AnonymousDeviceProperties(source: $0) }
        sources.appState = appState.map { AnonymousAppState(source: $0) }
        sources.location = nil
        sources.heading = nil
        sources.motion = nil
        return sources
    }
}

/// Device properties without those that identify the device.
private struct AnonymousDeviceProperties: DevicePropertiesSource {
    let source: any DevicePropertiesSource

    func deviceProperties() -> DeviceProperties {
        var properties = source.deviceProperties()
        for key: DeviceProperties.Key<String> in [
            .advertisingID, .vendorID, .firstVendorID, .deviceName, .hostName, .kernelUUID, .kernelBootSession,
            .kernelBootSignature,
        ] {
            properties[key] = nil
        }
        properties[.hostID] = nil
        return properties
    }
}

/// The app's and the device's state without network addresses and the location.
private struct AnonymousAppState: AppStateSource {
    let source: any AppStateSource

    func appState() -> AppStateSnapshot {
        var state = source.appState()
        state.networkAddresses = nil
        state.location = nil
        return state
    }
}
