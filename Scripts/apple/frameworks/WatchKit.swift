// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The part of WatchKit that the SDK uses, as Apple documents it. Declarations only; this code never runs.

@_exported import Foundation

public enum WKApplicationState: Int, Sendable {
    case active
    case inactive
    case background
}

@MainActor open class WKApplication: NSObject {
    open class func shared() -> WKApplication { fatalError() }
    open var applicationState: WKApplicationState { fatalError() }
    public nonisolated class var didFinishLaunchingNotification: NSNotification.Name { fatalError() }
    public nonisolated class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
    public nonisolated class var willResignActiveNotification: NSNotification.Name { fatalError() }
    public nonisolated class var didEnterBackgroundNotification: NSNotification.Name { fatalError() }
    public nonisolated class var willEnterForegroundNotification: NSNotification.Name { fatalError() }
}

@MainActor open class WKInterfaceDevice: NSObject {
    open class func current() -> WKInterfaceDevice { fatalError() }
    open var name: String { fatalError() }
    open var model: String { fatalError() }
    open var systemName: String { fatalError() }
    open var systemVersion: String { fatalError() }
    open var identifierForVendor: UUID? { fatalError() }
    open var isBatteryMonitoringEnabled: Bool {
        get { fatalError() }
        set {}
    }
    open var batteryLevel: Float { fatalError() }
}
