// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Foundation
internal import TrackwayEvents

#if canImport(UIKit) && !os(watchOS)
internal import UIKit
#endif

/// What only the main thread may ask for: read there as the facts are made, and again whenever the system says that
/// something changed. Whoever asks on another thread gets what was read last and waits for nobody.
final class AppleScreenFacts: Sendable {
    private struct Facts: Sendable {
        var properties = DeviceProperties()
        var state = AppStateSnapshot()
    }

    private let facts = Locked(Facts())

    /// What is known of the device.
    var properties: DeviceProperties { facts.withLock { $0.properties } }
    /// What is known of its state.
    var state: AppStateSnapshot { facts.withLock { $0.state } }

    /// Begins to read.
    init() {
        #if canImport(UIKit) && !os(watchOS)
        DispatchQueue.main.async { [weak self] in
            MainActor.assumeIsolated {
                guard let self else { return }
                self.observe()
                self.read()
            }
        }
        #endif
    }

    #if canImport(UIKit) && !os(watchOS)
    /// The observers live as long as the process: they hold nothing but a weak reference.
    @MainActor
    private func observe() {
        var names = [UIApplication.didBecomeActiveNotification]
        #if os(iOS)
        names += [
            UIDevice.batteryLevelDidChangeNotification, UIDevice.batteryStateDidChangeNotification,
            UIDevice.orientationDidChangeNotification, UIDevice.proximityStateDidChangeNotification,
        ]
        #endif
        for name in names {
            _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { [weak self] _ in
                MainActor.assumeIsolated { self?.read() }
            }
        }
    }

    @MainActor
    private func read() {
        let device = UIDevice.current
        var read = Facts()
        read.properties[.deviceName] = device.name
        read.properties[.deviceModel] = device.model
        read.properties[.deviceLocalizedModel] = device.localizedModel
        read.properties[.systemName] = device.systemName
        read.properties[.systemVersion] = device.systemVersion
        read.properties[.vendorID] = device.identifierForVendor?.uuidString
        #if !os(visionOS)
        let size = UIScreen.main.nativeBounds.size
        read.properties[.screenWidth] = Int64(size.width)
        read.properties[.screenHeight] = Int64(size.height)
        #endif
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
        let known = read
        facts.withLock { $0 = known }
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
