// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Foundation
internal import TrackwayCore

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

/// Facts that only the main thread can read.
///
/// If the main thread is busy, other threads get the facts that were read last.
final class MainThreadFacts: Sendable {
    struct Facts: Sendable {
        /// Facts about the device.
        var properties = DeviceProperties()
        /// Facts about the device's state.
        var state = AppStateSnapshot()
    }

    private let last = Locked(Facts())

    /// Returns the facts.
    ///
    /// Values that the app has since disabled are no longer included.
    func facts() -> Facts {
        #if canImport(UIKit) && !os(watchOS)
        // A busy main thread reads the facts later, and the next call returns them. Properties that include these facts
        // differ from properties that do not, so the properties are then reported again.
        let answer = MainThread.read({ Self.read() }, onLateAnswer: { [last] read in last.withLock { $0 = read } })
        if let answer { last.withLock { $0 = answer } }
        #endif
        return last.withLock { $0 }
    }

    #if canImport(UIKit) && !os(watchOS)
    @MainActor
    private static func read() -> Facts {
        let device = UIDevice.current
        var read = Facts()
        read.properties[.deviceName] = device.name
        read.properties[.deviceModel] = device.model
        read.properties[.deviceLocalizedModel] = device.localizedModel
        read.properties[.systemName] = device.systemName
        read.properties[.systemVersion] = device.systemVersion
        read.properties[.vendorID] = device.identifierForVendor?.uuidString
        if let screen = ConnectedScreen.size() {
            read.properties[.screenWidth] = Int64(screen.width)
            read.properties[.screenHeight] = Int64(screen.height)
        }
        #if os(iOS)
        if device.isBatteryMonitoringEnabled {
            read.state.batteryLevel = device.batteryLevel < 0 ? nil : Double(device.batteryLevel)
            read.state.batteryState = AppStateSnapshot.BatteryState(device.batteryState)
        }
        if device.isGeneratingDeviceOrientationNotifications {
            read.state.orientation = AppStateSnapshot.Orientation(device.orientation)
        }
        if device.isProximityMonitoringEnabled { read.state.isNear = device.proximityState }
        #endif
        return read
    }
    #endif
}

#if os(iOS)
extension AppStateSnapshot.BatteryState {
    fileprivate init?(_ state: UIDevice.BatteryState) {
        switch state {
        case .unknown: self = .unknown
        case .unplugged: self = .unplugged
        case .charging: self = .charging
        case .full: self = .full
        @unknown default: return nil
        }
    }
}

extension AppStateSnapshot.Orientation {
    fileprivate init?(_ orientation: UIDeviceOrientation) {
        switch orientation {
        case .unknown: self = .unknown
        case .portrait: self = .portrait
        case .portraitUpsideDown: self = .portraitUpsideDown
        case .landscapeLeft: self = .landscapeLeft
        case .landscapeRight: self = .landscapeRight
        case .faceUp: self = .faceUp
        case .faceDown: self = .faceDown
        @unknown default: return nil
        }
    }
}
#endif
#endif
