// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import UIKit

/// The screen that shows the app.
enum ConnectedScreen {
    /// Its size in its own pixels; nil while no scene is connected, in an app's extension, and where there are no screens.
    ///
    /// The system's main screen is not asked for: it may be another one than the app is on, and to ask for it early changes how
    /// SwiftUI sets an app up.
    @MainActor
    static func size() -> DeviceFacts.Screen? {
        #if os(visionOS)
        return nil
        #else
        let scenes = SharedApplication.ifAny?.connectedScenes.compactMap { $0 as? UIWindowScene } ?? []
        let shown = scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
        guard let size = shown?.screen.nativeBounds.size, size.width > 0, size.height > 0 else { return nil }
        return DeviceFacts.Screen(width: Int(size.width), height: Int(size.height))
        #endif
    }
}
#endif
