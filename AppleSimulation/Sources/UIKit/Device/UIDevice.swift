// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

public enum UIDeviceOrientation: Int, Sendable {
    case unknown = 0
    case portrait = 1
    case portraitUpsideDown = 2
    case landscapeLeft = 3
    case landscapeRight = 4
    case faceUp = 5
    case faceDown = 6
}

public enum UIUserInterfaceIdiom: Int, Sendable {
    case unspecified = -1
    case phone = 0
    case pad = 1
    case tv = 2
    case carPlay = 3
    case mac = 5
    case vision = 6
}

/// Rules modeled here:
/// - Battery, proximity and orientation are unknown until the app enables their monitoring (Apple, pages of
///   `batteryLevel`: -1, `batteryState`, `proximityState` and `orientation`), and their changes are reported from then
///   on.
@MainActor open class UIDevice: NSObject {
    public enum BatteryState: Int, Sendable {
        case unknown = 0
        case unplugged = 1
        case charging = 2
        case full = 3
    }

    open class var current: UIDevice {
        #if !canImport(ObjectiveC)
        return SimulatedPhone.current.device
        #endif
    }

    public nonisolated class var orientationDidChangeNotification: NSNotification.Name {
        .init("UIDeviceOrientationDidChangeNotification")
    }
    public nonisolated class var batteryStateDidChangeNotification: NSNotification.Name {
        .init("UIDeviceBatteryStateDidChangeNotification")
    }
    public nonisolated class var batteryLevelDidChangeNotification: NSNotification.Name {
        .init("UIDeviceBatteryLevelDidChangeNotification")
    }
    public nonisolated class var proximityStateDidChangeNotification: NSNotification.Name {
        .init("UIDeviceProximityStateDidChangeNotification")
    }

    open var name: String { facts.name }
    open var model: String { facts.model }
    open var localizedModel: String { facts.model }
    open var systemName: String { facts.systemName }
    open var systemVersion: String { facts.systemVersion }
    open var identifierForVendor: UUID? { facts.identifierForVendor }
    open var userInterfaceIdiom: UIUserInterfaceIdiom { facts.idiom }
    open var isMultitaskingSupported: Bool { true }

    open var isBatteryMonitoringEnabled: Bool {
        get { monitorsBattery }
        set { monitorsBattery = newValue }
    }
    private var monitorsBattery = false
    open var batteryLevel: Float { isBatteryMonitoringEnabled ? facts.batteryLevel : -1 }
    open var batteryState: BatteryState { isBatteryMonitoringEnabled ? facts.batteryState : .unknown }

    open var isProximityMonitoringEnabled: Bool {
        get { monitorsProximity }
        set { monitorsProximity = newValue }
    }
    private var monitorsProximity = false
    open var proximityState: Bool { isProximityMonitoringEnabled && facts.isNear }

    open var isGeneratingDeviceOrientationNotifications: Bool { orientationListeners > 0 }
    open var orientation: UIDeviceOrientation {
        isGeneratingDeviceOrientationNotifications ? facts.orientation : .unknown
    }
    private var orientationListeners = 0

    open func beginGeneratingDeviceOrientationNotifications() {
        orientationListeners += 1
    }

    open func endGeneratingDeviceOrientationNotifications() {
        orientationListeners = max(0, orientationListeners - 1)
    }

    public override init() {
        super.init()
    }

    /// The device's actual state.
    struct Facts {
        var name = "iPhone"
        var model = "iPhone"
        var systemName = "iOS"
        var systemVersion = "17.4"
        var identifierForVendor = UUID(uuidString: "A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE")
        var idiom = UIUserInterfaceIdiom.phone
        var batteryLevel: Float = 0.5
        var batteryState = BatteryState.unplugged
        var isNear = false
        var orientation = UIDeviceOrientation.portrait
    }

    var facts = Facts()
}

#if !canImport(ObjectiveC)
extension UIDevice {
    /// Changes the battery.
    public func simulate(battery level: Float, _ state: BatteryState) {
        let before = facts
        facts.batteryLevel = level
        facts.batteryState = state
        guard isBatteryMonitoringEnabled else { return }
        if before.batteryLevel != level { post(Self.batteryLevelDidChangeNotification) }
        if before.batteryState != state { post(Self.batteryStateDidChangeNotification) }
    }

    /// The user rotates the device.
    public func simulate(orientation: UIDeviceOrientation) {
        guard facts.orientation != orientation else { return }
        facts.orientation = orientation
        if isGeneratingDeviceOrientationNotifications { post(Self.orientationDidChangeNotification) }
    }

    /// An object approaches, or moves away again.
    public func simulate(isNear: Bool) {
        guard facts.isNear != isNear else { return }
        facts.isNear = isNear
        if isProximityMonitoringEnabled { post(Self.proximityStateDidChangeNotification) }
    }

    /// Changes the device's name, model or system version.
    public func simulate(name: String? = nil, model: String? = nil, systemVersion: String? = nil) {
        facts.name = name ?? facts.name
        facts.model = model ?? facts.model
        facts.systemVersion = systemVersion ?? facts.systemVersion
    }

    /// Changes or removes the vendor identifier.
    ///
    /// It is nil before the first unlock after a restart (Apple, page of `identifierForVendor`).
    public func simulate(identifierForVendor: UUID?) {
        facts.identifierForVendor = identifierForVendor
    }

    private func post(_ name: NSNotification.Name) {
        NotificationCenter.default.post(name: name, object: self)
    }
}
#endif

/// The screen of an iPhone 15.
@MainActor open class UIScreen: NSObject {
    open class var main: UIScreen {
        #if !canImport(ObjectiveC)
        SimulatedPhone.current.mainScreenReadCount += 1
        return SimulatedPhone.current.screen
        #endif
    }

    open var bounds: CGRect { CGRect(x: 0, y: 0, width: 393, height: 852) }
    open var nativeBounds: CGRect { CGRect(x: 0, y: 0, width: 1_179, height: 2_556) }
    open var scale: CGFloat { 3 }
    open var nativeScale: CGFloat { 3 }
    open var maximumFramesPerSecond: Int { 60 }

    public override init() {
        super.init()
    }
}
