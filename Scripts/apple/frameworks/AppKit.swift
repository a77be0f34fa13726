// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The part of AppKit that the SDK uses, as Apple documents it. Declarations only; this code never runs.

@_exported import Foundation

@MainActor open class NSResponder: NSObject {}

@MainActor open class NSApplication: NSResponder {
    open class var shared: NSApplication { fatalError() }
    open var isActive: Bool { fatalError() }
    open var isHidden: Bool { fatalError() }
    public nonisolated class var didFinishLaunchingNotification: NSNotification.Name { fatalError() }
    public nonisolated class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
    public nonisolated class var willResignActiveNotification: NSNotification.Name { fatalError() }
    public nonisolated class var didResignActiveNotification: NSNotification.Name { fatalError() }
    public nonisolated class var didHideNotification: NSNotification.Name { fatalError() }
    public nonisolated class var didUnhideNotification: NSNotification.Name { fatalError() }
    public nonisolated class var willTerminateNotification: NSNotification.Name { fatalError() }
}
