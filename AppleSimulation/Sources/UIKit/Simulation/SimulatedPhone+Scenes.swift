// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !canImport(ObjectiveC)
public import Foundation

extension SimulatedPhone {
    /// The foreground scenes, in the order in which they connected.
    public var foregroundScenes: [UIWindowScene] {
        scenes.filter { $0.activationState == .foregroundActive || $0.activationState == .foregroundInactive }
    }

    /// The connected scenes, in the order in which they connected.
    public var scenes: [UIWindowScene] {
        application.connectedScenes.compactMap { $0 as? UIWindowScene }
            .sorted { $0.session.persistentIdentifier < $1.session.persistentIdentifier }
    }

    /// The user opens another window of the app, on a device that supports several.
    @discardableResult
    public func openWindow() -> UIWindowScene {
        let scene = connect()
        bringToFront(scene)
        return scene
    }

    /// The system reclaims a scene's resources, or the user closes the window.
    public func disconnect(_ scene: UIScene) {
        if scene.activationState != .background { sendToBackground(scene) }
        scene.activationState = .unattached
        application.connectedScenes.remove(scene)
        scene.delegate?.sceneDidDisconnect(scene)
        post(UIScene.didDisconnectNotification, scene)
        for window in (scene as? UIWindowScene)?.windows ?? [] { visibleWindows.removeAll { $0 === window } }
    }

    /// Brings one scene to the foreground.
    public func bringToFront(_ scene: UIScene) {
        if scene.activationState == .unattached || scene.activationState == .background {
            let isFirst = foregroundScenes.isEmpty
            scene.delegate?.sceneWillEnterForeground(scene)
            post(UIScene.willEnterForegroundNotification, scene)
            if isFirst {
                post(UIApplication.willEnterForegroundNotification, application)
                application.applicationState = .inactive
            }
            scene.activationState = .foregroundInactive
        }
        activate(scene)
    }

    /// Sends one scene to the background.
    public func sendToBackground(_ scene: UIScene) {
        if scene.activationState == .foregroundActive { deactivate(scene) }
        guard scene.activationState == .foregroundInactive else { return }
        scene.activationState = .background
        let isLast = foregroundScenes.isEmpty
        if isLast { application.applicationState = .background }
        scene.delegate?.sceneDidEnterBackground(scene)
        post(UIScene.didEnterBackgroundNotification, scene)
        if isLast { post(UIApplication.didEnterBackgroundNotification, application) }
    }

    func showScenes() {
        let shown = scenes.isEmpty ? [connect()] : scenes
        for scene in shown.prefix(1) { bringToFront(scene) }
    }

    func activate(_ scene: UIScene) {
        guard scene.activationState == .foregroundInactive else { return }
        let isFirst = !foregroundScenes.contains { $0.activationState == .foregroundActive }
        scene.activationState = .foregroundActive
        if isFirst { application.applicationState = .active }
        scene.delegate?.sceneDidBecomeActive(scene)
        post(UIScene.didActivateNotification, scene)
        if isFirst { post(UIApplication.didBecomeActiveNotification, application) }
    }

    func deactivate(_ scene: UIScene) {
        guard scene.activationState == .foregroundActive else { return }
        let isLast = foregroundScenes.filter { $0.activationState == .foregroundActive }.count == 1
        scene.delegate?.sceneWillResignActive(scene)
        post(UIScene.willDeactivateNotification, scene)
        if isLast { post(UIApplication.willResignActiveNotification, application) }
        scene.activationState = .foregroundInactive
        if isLast { application.applicationState = .inactive }
    }

    private func connect() -> UIWindowScene {
        sceneNumber += 1
        let session = UISceneSession(role: .windowApplication, persistentIdentifier: "scene-\(sceneNumber)")
        let options = UIScene.ConnectionOptions()
        _ = applicationDelegate?.application(application, configurationForConnecting: session, options: options)
        let scene = UIWindowScene(session: session, connectionOptions: options)
        session.scene = scene
        scene.delegate = makeSceneDelegate?()
        application.openSessions.insert(session)
        application.connectedScenes.insert(scene)
        scene.delegate?.scene(scene, willConnectTo: session, options: options)
        post(UIScene.willConnectNotification, scene)
        return scene
    }
}
#endif
