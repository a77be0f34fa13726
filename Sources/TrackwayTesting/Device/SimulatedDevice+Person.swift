// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayBehavior

extension SimulatedDevice {
    // MARK: In the app

    /// The app shows a screen, which it has told the analytics about.
    ///
    /// - Throws: ``SimulatedDeviceError`` also when the screen has no name: the SDK would pass it over, and a script that says
    ///   so is a mistake.
    public func show(_ screen: String, id: String? = nil) throws(SimulatedDeviceError) {
        try check("show", [.active, .inactive, .background])
        guard !screen.isEmpty else { throw SimulatedDeviceError(step: "show", invalid: "name the screen") }
        analytics?.screen(screen, path: id)
    }

    // MARK: Leaving and coming back

    /// The person goes to the home screen. The system says: will resign active (unless the app was inactive already), did
    /// enter background; then it suspends the app, once that had the moment it asked for.
    ///
    /// An app that does not run in the background is ended instead: will terminate.
    public func goHome() async throws(SimulatedDeviceError) {
        try await leave("goHome", announcements: 1)
    }

    /// The person locks the device while using the app. To the app it is the same as ``goHome()``.
    public func lock() async throws(SimulatedDeviceError) {
        try await leave("lock", announcements: 1)
    }

    /// The person locks the device in the moment of going to the home screen. The system says: will resign active, did
    /// enter background, and did enter background once more.
    public func lockWhileGoingHome() async throws(SimulatedDeviceError) {
        try await leave("lockWhileGoingHome", announcements: 2)
    }

    /// The person unlocks the device, on which the app was open. The system says: will enter foreground, did become active.
    public func unlock() async throws(SimulatedDeviceError) {
        try check("unlock", [.background, .suspended])
        try await open()
    }

    /// Something comes over the app: a call, a message, the control centre. The system says: will resign active.
    public func interrupt() throws(SimulatedDeviceError) {
        try check("interrupt", [.active])
        resignActive()
    }

    /// What lay over the app is gone. The system says: did become active.
    public func endInterruption() throws(SimulatedDeviceError) {
        try check("endInterruption", [.inactive])
        becomeActive()
    }

    // MARK: The switcher

    /// The person opens the app switcher. The system says: will resign active.
    public func openSwitcher() throws(SimulatedDeviceError) {
        try check("openSwitcher", [.active])
        resignActive()
    }

    /// The person goes back from the switcher into the app. The system says: did become active.
    public func returnFromSwitcher() throws(SimulatedDeviceError) {
        try check("returnFromSwitcher", [.inactive])
        becomeActive()
    }

    /// The person goes from the switcher to the home screen. The system says: did enter background; then it suspends the
    /// app.
    public func goHomeFromSwitcher() async throws(SimulatedDeviceError) {
        try check("goHomeFromSwitcher", [.inactive])
        try await leave("goHomeFromSwitcher", announcements: 1)
    }

    /// The person throws the app out of the switcher. The system says: did enter background; then it suspends the app,
    /// and kills it.
    ///
    /// An app that was suspended before, see ``goHome()``, is killed without a word.
    public func killFromSwitcher() async throws(SimulatedDeviceError) {
        try check("killFromSwitcher", [.inactive, .suspended, .background])
        if app == .inactive { try await leave("killFromSwitcher", announcements: 1) }
        try kill()
    }

    // MARK: Parts

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
