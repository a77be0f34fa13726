// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayLifecycle

extension SimulatedDevice {
    // MARK: In the app

    /// Shows a screen, which the app reports to the analytics.
    ///
    /// - Throws: ``SimulatedDeviceError`` if the app is suspended or not running, or if the screen has no name. The SDK
    ///   would ignore an empty name, but in a script it is a mistake.
    public func show(_ screen: String, id: String? = nil) throws(SimulatedDeviceError) {
        try check("show", [.active, .inactive, .background])
        guard !screen.isEmpty else { throw SimulatedDeviceError(step: "show", invalid: "the screen's name is empty") }
        analytics?.screen(screen, path: id)
    }

    // MARK: Leaving and returning

    /// Goes to the home screen.
    ///
    /// The system reports: will resign active (unless the app was already inactive), did enter background. The system
    /// then suspends the app, after the background time that the app requested.
    ///
    /// An app that does not run in the background is terminated instead: will terminate.
    public func goHome() async throws(SimulatedDeviceError) {
        try await leave("goHome", announcements: 1)
    }

    /// Locks the device while the app is in use.
    ///
    /// The app receives the same notifications as for ``goHome()``.
    public func lock() async throws(SimulatedDeviceError) {
        try await leave("lock", announcements: 1)
    }

    /// Locks the device during the transition to the home screen.
    ///
    /// The system reports: will resign active, did enter background, and did enter background again.
    public func lockWhileGoingHome() async throws(SimulatedDeviceError) {
        try await leave("lockWhileGoingHome", announcements: 2)
    }

    /// Unlocks the device; the app is shown again.
    ///
    /// The system reports: will enter foreground, did become active.
    public func unlock() async throws(SimulatedDeviceError) {
        try check("unlock", [.background, .suspended])
        try await open()
    }

    /// Covers the app with a call, a message, or Control Center.
    ///
    /// The system reports: will resign active.
    public func interrupt() throws(SimulatedDeviceError) {
        try check("interrupt", [.active])
        resignActive()
    }

    /// Ends the interruption of the app.
    ///
    /// The system reports: did become active.
    public func endInterruption() throws(SimulatedDeviceError) {
        try check("endInterruption", [.inactive])
        becomeActive()
    }

    // MARK: The switcher

    /// Opens the app switcher.
    ///
    /// The system reports: will resign active.
    public func openSwitcher() throws(SimulatedDeviceError) {
        try check("openSwitcher", [.active])
        resignActive()
    }

    /// Returns from the app switcher to the app.
    ///
    /// The system reports: did become active.
    public func returnFromSwitcher() throws(SimulatedDeviceError) {
        try check("returnFromSwitcher", [.inactive])
        becomeActive()
    }

    /// Goes from the app switcher to the home screen.
    ///
    /// The system reports: did enter background. The system then suspends the app.
    public func goHomeFromSwitcher() async throws(SimulatedDeviceError) {
        try check("goHomeFromSwitcher", [.inactive])
        try await leave("goHomeFromSwitcher", announcements: 1)
    }

    /// Removes the app from the app switcher.
    ///
    /// The system reports: did enter background. The system then suspends and kills the app.
    ///
    /// An app that is already suspended (see ``goHome()``) is killed without notification.
    public func killFromSwitcher() async throws(SimulatedDeviceError) {
        try check("killFromSwitcher", [.inactive, .suspended, .background])
        if app == .inactive { try await leave("killFromSwitcher", announcements: 1) }
        try kill()
    }

    // MARK: Helpers

    private func leave(_ step: String, announcements: Int) async throws(SimulatedDeviceError) {
        try check(step, [.active, .inactive])
        if app == .active { resignActive() }
        for _ in 0..<announcements {
            post(.didEnterBackground)
            app(is: .background)
        }
        if runsInBackground {
            try await suspend()
        } else {
            try await terminate()
        }
    }

    private func resignActive() {
        post(.willResignActive)
        app(is: .inactive)
    }

    private func becomeActive() {
        post(.didBecomeActive)
        app(is: .active)
    }
}
