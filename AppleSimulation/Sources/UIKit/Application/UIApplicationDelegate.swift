// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// Rules modeled here:
/// - In an app with scenes, the delegate is notified of the launch, of protected data and of termination, but not of
///   foreground and background transitions, which are reported to the scene delegates (Apple, "Managing your app's life
///   cycle").
@MainActor /*@objc*/ public protocol UIApplicationDelegate: NSObjectProtocol {
    /*@objc*/ /*optional*/ func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /*@objc*/ /*optional*/ func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /*@objc*/ /*optional*/ func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration
    /*@objc*/ /*optional*/ func application(
        _ application: UIApplication,
        didDiscardSceneSessions sceneSessions: Set<UISceneSession>
    )
    /*@objc*/ /*optional*/ func applicationDidBecomeActive(_ application: UIApplication)
    /*@objc*/ /*optional*/ func applicationWillResignActive(_ application: UIApplication)
    /*@objc*/ /*optional*/ func applicationDidEnterBackground(_ application: UIApplication)
    /*@objc*/ /*optional*/ func applicationWillEnterForeground(_ application: UIApplication)
    /*@objc*/ /*optional*/ func applicationWillTerminate(_ application: UIApplication)
    /*@objc*/ /*optional*/ func applicationDidReceiveMemoryWarning(_ application: UIApplication)
    /*@objc*/ /*optional*/ func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication)
    /*@objc*/ /*optional*/ func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)
}

#if !canImport(ObjectiveC)
extension UIApplicationDelegate {
    public func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }
    public func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        UISceneConfiguration(name: nil, sessionRole: connectingSceneSession.role)
    }
    public func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>) {}
    public func applicationDidBecomeActive(_ application: UIApplication) {}
    public func applicationWillResignActive(_ application: UIApplication) {}
    public func applicationDidEnterBackground(_ application: UIApplication) {}
    public func applicationWillEnterForeground(_ application: UIApplication) {}
    public func applicationWillTerminate(_ application: UIApplication) {}
    public func applicationDidReceiveMemoryWarning(_ application: UIApplication) {}
    public func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {}
    public func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {}
}
#endif

@MainActor /*@objc*/ public protocol UISceneDelegate: NSObjectProtocol {
    /*@objc*/ /*optional*/ func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    )
    /*@objc*/ /*optional*/ func sceneDidDisconnect(_ scene: UIScene)
    /*@objc*/ /*optional*/ func sceneDidBecomeActive(_ scene: UIScene)
    /*@objc*/ /*optional*/ func sceneWillResignActive(_ scene: UIScene)
    /*@objc*/ /*optional*/ func sceneWillEnterForeground(_ scene: UIScene)
    /*@objc*/ /*optional*/ func sceneDidEnterBackground(_ scene: UIScene)
}

@MainActor /*@objc*/ public protocol UIWindowSceneDelegate: UISceneDelegate {}

#if !canImport(ObjectiveC)
extension UISceneDelegate {
    public func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {}
    public func sceneDidDisconnect(_ scene: UIScene) {}
    public func sceneDidBecomeActive(_ scene: UIScene) {}
    public func sceneWillResignActive(_ scene: UIScene) {}
    public func sceneWillEnterForeground(_ scene: UIScene) {}
    public func sceneDidEnterBackground(_ scene: UIScene) {}
}
#endif
