// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(UIKit) && !os(watchOS)
internal import UIKit

/// The screen that shows the app.
enum ConnectedScreen {
    /// Returns the screen's size in native pixels.
    ///
    /// Returns nil while no scene is connected, in an app extension, and on systems without screens. The system's main
    /// screen is not used: the app may be on another screen, and accessing it early changes how SwiftUI sets up an app.
    @MainActor
    static func size() -> DeviceFacts.Screen? {
        #if os(visionOS)
        return nil
        #else
        let scenes = SharedApplication.current?.connectedScenes.compactMap { $0 as? UIWindowScene } ?? []
        let activeScene = scenes.first { $0.activationState == .foregroundActive } ?? scenes.first
        guard let size = activeScene?.screen.nativeBounds.size, size.width > 0, size.height > 0 else { return nil }
        return DeviceFacts.Screen(width: Int(size.width), height: Int(size.height))
        #endif
    }
}
#endif
