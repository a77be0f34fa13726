// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What the sample needs of a system that is not here: names, and as much behind them as shows that they were used.

internal import ClickstreamCompatibility

/// Told by the system that the application was launched.
protocol UIApplicationDelegate: AnyObject {
    init()
    func applicationDidFinishLaunching()
}

/// Makes the delegate when the app is made, and tells it at once.
@propertyWrapper
struct UIApplicationDelegateAdaptor<Delegate: UIApplicationDelegate> {
    let wrappedValue: Delegate

    init(_ delegate: Delegate.Type) {
        wrappedValue = delegate.init()
        wrappedValue.applicationDidFinishLaunching()
    }
}

/// What an app shows.
protocol Scene {
    /// What can be seen of it.
    var shown: String { get }
}

/// A window.
struct WindowGroup<Content>: Scene {
    private let content: Content

    init(content: () -> Content) { self.content = content() }

    var shown: String { "\(content)" }
}

/// An app.
protocol App {
    associatedtype Body: Scene
    init()
    var body: Body { get }
}

extension App {
    static func main() {
        print("shows \(Self().body.shown)")
    }
}

/// The app's own view.
struct YourView {}

/// The app's delegate, which starts the SDK as the document wants apps of this kind to.
final class AppDelegate: UIApplicationDelegate {
    func applicationDidFinishLaunching() {
        do {
            try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().withTrackScreenViewEvents(false))
            print("started")
        } catch {
            // There is no configuration file beside this program, and it says so.
            print("did not start: \(error)")
        }
    }
}
