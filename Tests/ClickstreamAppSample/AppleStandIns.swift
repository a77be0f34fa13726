// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Stand-ins for the system types that the sample needs, with just enough behavior to show that they were used.

internal import ClickstreamCompatibility

/// Called when the system has launched the application.
protocol UIApplicationDelegate: AnyObject {
    init()
    func applicationDidFinishLaunching()
}

/// Creates the delegate when the app is created, and notifies it immediately.
@propertyWrapper
struct UIApplicationDelegateAdaptor<Delegate: UIApplicationDelegate> {
    let wrappedValue: Delegate

    init(_ delegate: Delegate.Type) {
        wrappedValue = delegate.init()
        wrappedValue.applicationDidFinishLaunching()
    }
}

/// The content of an app.
protocol Scene {
    /// The visible content.
    var visibleText: String { get }
}

/// A window.
struct WindowGroup<Content>: Scene {
    private let content: Content

    init(content: () -> Content) { self.content = content() }

    var visibleText: String { "\(content)" }
}

/// An app.
protocol App {
    associatedtype Body: Scene
    init()
    var body: Body { get }
}

extension App {
    static func main() {
        print("shows \(Self().body.visibleText)")
    }
}

/// The app's own view.
struct YourView {}

/// The app's delegate, which starts the SDK as the document describes.
final class AppDelegate: UIApplicationDelegate {
    func applicationDidFinishLaunching() {
        do {
            try ClickstreamAnalytics.initSDK(ClickstreamConfiguration().withTrackScreenViewEvents(false))
            print("started")
        } catch {
            // This program has no configuration file, and the error reports it.
            print("did not start: \(error)")
        }
    }
}
